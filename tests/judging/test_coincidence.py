"""Wrong answers that are right for other numbers: all parts together, and how often by accident."""

from __future__ import annotations

from decimal import Decimal

import torch

from grader.judging.coincidence import coincidence, right_for
from grader.program import capture
from grader.records import Exercise, ExerciseKey, Program, Raised, Returned

TWO = Exercise(
    "two",
    "predict",
    1,
    "",
    Decimal(2),
    (Decimal(1), Decimal(1)),
    ("a", "b"),
    "",
    "f",
    True,
    program=Program("two", ("w",), "def two(w): ..."),
)


def key(a: list[float], b: float) -> ExerciseKey:
    return ExerciseKey("two", (Returned(capture((torch.tensor(a), b))),))


KEYS = {"first": key([1, 2], 3.0), "second": key([1, 5], 3.0), "third": key([4, 5], 6.0)}


def test_all_parts_must_be_right_together() -> None:
    """Half of another's answer is no other's answer; a part that is missing fits nothing."""
    assert right_for(TWO, {"a": capture([1, 5]), "b": capture(3)}, KEYS) == ("second",)
    assert right_for(TWO, {"a": capture([1, 5]), "b": capture(6)}, KEYS) == ()
    assert right_for(TWO, {"a": capture([1, 5])}, KEYS) == ()
    assert right_for(TWO, {"a": capture("text"), "b": capture(None)}, KEYS) == ()


def test_the_chance_is_that_of_an_answer_made_of_plausible_numbers() -> None:
    """By hand: places hold {1, 4}, {2, 5} and {3, 6}: 8 answers, 2 of them another's."""
    assert coincidence(TWO, KEYS) == 2 / 8


def test_the_chance_is_never_more_than_one() -> None:
    """Where every answer is somebody's, accident is certain; one key alone cannot be hit."""
    raises = Exercise("r", "raises", 1, "", Decimal(1), (Decimal(1),), ("e",), "", "f", True)
    keys = {
        "fine": ExerciseKey("r", (Returned(capture(None)),)),
        "bad": ExerciseKey("r", (Raised("ValueError", ""),)),
    }
    assert coincidence(raises, keys) == 1 / 2
    assert coincidence(TWO, {"first": KEYS["first"]}) == 0
    assert right_for(raises, {"e": capture("ValueError")}, keys) == ("bad",)
