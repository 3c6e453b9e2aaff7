"""Wrong answers that are right for other numbers: all parts together, and how often by accident."""

from __future__ import annotations

from decimal import Decimal

import torch

from grader.judging.coincidence import plausible, right_for
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


def test_plausible_answers_are_made_of_numbers_that_stand_in_keys() -> None:
    """By hand: the places hold {1, 4}, {2, 5} and {3, 6}, which makes 8 answers."""
    assert plausible(TWO, KEYS) == 8


def test_exceptions_are_one_place() -> None:
    """Where an exception is asked for, there are as many answers as outcomes."""
    raises = Exercise("r", "raises", 1, "", Decimal(1), (Decimal(1),), ("e",), "", "f", True)
    keys = {
        "fine": ExerciseKey("r", (Returned(capture(None)),)),
        "bad": ExerciseKey("r", (Raised("ValueError", ""),)),
    }
    assert plausible(raises, keys) == 2
    assert right_for(raises, {"e": capture("ValueError")}, keys) == ("bad",)
