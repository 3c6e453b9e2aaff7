"""Notebooks whose grades are known beforehand: one all right, one all wrong, one that crashes.

They are made from the assignment itself and graded inside every run. If one of them is not graded as it must be, the
grader cannot be trusted in this run, whatever the cause. What has no key can have no canary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from safetensors.numpy import load, save

from grader.course.notebooks import model_answer
from grader.course.typed import typed
from grader.judging.parts import expected_answers
from grader.records import (
    ZERO,
    Array,
    Assignment,
    Cell,
    Exercise,
    ExerciseGrade,
    ExerciseKey,
    Grade,
    Items,
    Match,
    Number,
    Outcome,
    Raised,
    Returned,
    Submission,
    Text,
    Value,
)

SETUP = "import torch"
CRASH = 'raise RuntimeError("this notebook crashes, and must be seen to")'
WRONG_FUNCTION = """\
def {name}(*arguments, **settings):
    raise RuntimeError("this function is wrong, and must be seen to be")
"""


@dataclass(frozen=True)
class Canary:
    """A notebook and what its grade must be; `wanted` says that in words."""

    name: str
    submission: Submission
    wanted: str
    fits: Callable[[ExerciseGrade], bool]

    def moved(self, grade: Grade) -> str:
        """What of `grade` is not as it must be, as a clause; "" if nothing is."""
        asked = {match.question for match in self.submission.matches}
        wrong = [each for each in grade.exercises if each.id in asked and not self.fits(each)]
        if not wrong:
            return ""
        told = ", ".join(f"{each.id} came out as {each.verdict.replace('_', ' ')}" for each in wrong[:3])
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        return f"the known {self.name} notebook must be {self.wanted}, but {told}{more}"


def canaries(assignment: Assignment, keys: Mapping[str, ExerciseKey | str]) -> tuple[Canary, ...]:
    """The three notebooks of an assignment; none if no exercise of it has a key."""
    keyed = [(each, key) for each in assignment.exercises if isinstance(key := keys.get(each.id), ExerciseKey)]
    if not keyed:
        return ()
    right = {each.id: model_answer(each, key) for each, key in keyed}
    wrong = {each.id: _wrong_answer(each, key) for each, key in keyed}
    crash = dict.fromkeys(right, CRASH)
    return (
        Canary("right", _notebook(assignment, "right", right), "right everywhere", _is_right),
        Canary("wrong", _notebook(assignment, "wrong", wrong), "right nowhere", _is_wrong),
        Canary("crashing", _notebook(assignment, "crashing", crash), "said to crash everywhere", _crashed),
    )


def _notebook(assignment: Assignment, name: str, sources: Mapping[str, str]) -> Submission:
    cells = [Cell(0, SETUP), *(Cell(number, source) for number, source in enumerate(sources.values(), 1))]
    matches = [Match(question, "answered", number, "cell id") for number, question in enumerate(sources, 1)]
    # No path and no digest: it is nobody's, and never kept.
    return Submission(f"(known {name})", assignment.name, "", "", tuple(cells), tuple(matches))


def _is_right(graded: ExerciseGrade) -> bool:
    return graded.verdict == "right" and graded.score == graded.max_score


def _is_wrong(graded: ExerciseGrade) -> bool:
    # A probe may ask for what a function that only raises gives as well; all that is asked it cannot give.
    if graded.kind == "implement":
        return graded.verdict in ("wrong", "partly_right")
    return graded.verdict == "wrong" and graded.score == ZERO


def _crashed(graded: ExerciseGrade) -> bool:
    return graded.verdict == "could_not_run" and graded.score == ZERO


def _wrong_answer(exercise: Exercise, key: ExerciseKey) -> str:
    if exercise.kind == "implement":
        return WRONG_FUNCTION.format(name=exercise.id)
    expected = expected_answers(exercise, key)
    return "\n".join(f"{name} = {_wrong(exercise, one)}" for name, one in zip(exercise.answers, expected, strict=True))


def _wrong(exercise: Exercise, key: Outcome) -> str:
    if exercise.kind == "raises":
        return "None" if isinstance(key, Raised) else '"ZeroDivisionError"'
    assert isinstance(key, Returned), "a key of any other kind is a value"
    if exercise.kind == "choice":
        others = [option for option, _ in exercise.options if Text(option) != key.value]
        return repr(others[0]) if others else "None"
    return typed(_changed(key.value))


def _changed(value: Value) -> Value:
    """Another value of the same form: each number 2|x| + 1 in place of x, which is far from it whatever x is."""
    if isinstance(value, Array):
        array = load(value.data)["value"]
        return Array("numpy", save({"value": _away(array)})) if array.size else Number("int", "1")
    if isinstance(value, Number):
        return (
            Array("numpy", save({"value": _away(np.asarray(complex(value.text.strip("()"))))}))
            if (value.kind == "complex")
            else _changed_number(value)
        )
    if isinstance(value, Items):
        if any(isinstance(item, Text) for item in value.items) or not value.items:
            return Items(value.kind, (*value.items, Text("one too many")))
        return Items(value.kind, tuple(_changed(item) for item in value.items))
    # `None` and texts.
    return Number("int", "1")


def _changed_number(value: Number) -> Number:
    if value.kind == "bool":
        return Number("bool", str(value.text != "True"))
    size = abs(complex(value.text))
    return Number("float", repr(2 * size + 1 if np.isfinite(size) else 0.0))


def _away(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if array.dtype == np.bool_:
        return ~array
    size = np.abs(array.astype(np.complex128 if np.iscomplexobj(array) else np.float64))
    return np.where(np.isfinite(size), 2 * size + 1, 0.0)
