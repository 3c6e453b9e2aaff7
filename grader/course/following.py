"""Answers that build on earlier ones: a later program is called with the earlier answer, the right one or a student's.

Only numbers are passed on, as plain literals: nothing of a student's but digits reaches an author's program.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from grader.answers import Numbers, read_numbers
from grader.course.literals import arguments_text
from grader.course.problems import Problems
from grader.records import Exercise, Items, Outcome, Returned, Value


class NotPlain(Exception):
    """A value that is no finite number and no list of them, or not of the shape that is wanted."""


def plain_numbers(value: Value, like: Value | None = None) -> Any:
    """`value` as a number or a nested list of numbers.

    Args:
        like: what it stands for: it must have that shape, and integers become floats where that has floats.

    Raises: `NotPlain`.
    """
    array = _array(value)
    if like is not None:
        wanted = _array(like)
        if array.shape != wanted.shape or (array.dtype.kind == "b") != (wanted.dtype.kind == "b"):
            raise NotPlain
        if wanted.dtype.kind == "f" and array.dtype.kind in "iu":
            array = array.astype(np.float64)
    return _listed(array)


def build_on(exercises: Sequence[Exercise], problems: Problems) -> tuple[Exercise, ...]:
    """Give each exercise that builds on an earlier answer the key of that answer; what cannot be is a problem.

    The earlier programs are run here: a later exercise is whole before its own key is asked for.
    """
    # Imported here: importing a course imports no torch.
    from grader.program import run_program

    filled: list[Exercise] = []
    for exercise in exercises:
        own = ast.literal_eval(exercise.arguments)
        for name, _ in exercise.builds_on:
            earlier = next((each for each in filled if name in each.answers), None)
            reason = _unusable(exercise, name, earlier, exercises)
            if earlier is not None and earlier.program is not None and not reason:
                outcome = run_program(earlier.program, earlier.arguments)
                try:
                    own[name] = plain_numbers(_part(earlier, outcome, name))
                except NotPlain:
                    reason = "which is neither a finite number nor a list of them; build on another answer"
            if reason:
                problems.add(exercise.line, exercise.id, f"builds on `{name}`, {reason}")
        filled.append(msgspec.structs.replace(exercise, arguments=arguments_text(own)))
    return tuple(filled)


def own_arguments_alone(exercise: Exercise) -> str:
    """The arguments that students may see: without the keys of earlier answers."""
    built = dict(exercise.builds_on)
    given = ast.literal_eval(exercise.arguments)
    return arguments_text({name: value for name, value in given.items() if name not in built})


def _unusable(exercise: Exercise, name: str, earlier: Exercise | None, exercises: Sequence[Exercise]) -> str:
    if earlier is None:
        later = next((each for each in exercises if name in each.answers), None)
        if later is None:
            return "which no exercise asks for; give an answer name of an earlier `predict`"
        return f"which `{later.id}` asks for, and that is no earlier exercise; move it above"
    if earlier.kind != "predict":
        return f"an answer of `{earlier.id}`, which asks for no numbers; give an answer name of an earlier `predict`"
    for each in (earlier, exercise):
        if each.varying:
            return f"but the numbers of `{each.id}` vary; write them out, or build on nothing"
    return ""


def _part(exercise: Exercise, outcome: Outcome, name: str) -> Value:
    if not isinstance(outcome, Returned):
        raise NotPlain
    if len(exercise.answers) == 1:
        return outcome.value
    if not isinstance(outcome.value, Items) or len(outcome.value.items) != len(exercise.answers):
        raise NotPlain
    return outcome.value.items[exercise.answers.index(name)]


def _array(value: Value) -> np.ndarray[Any, Any]:
    numbers = read_numbers(value)
    if (
        not isinstance(numbers, Numbers)
        or numbers.array.dtype.kind not in "biufc"
        or not np.isfinite(numbers.array).all()
    ):
        raise NotPlain
    return numbers.array


def _listed(array: np.ndarray[Any, Any]) -> Any:
    if array.ndim:
        return [_listed(each) for each in array]
    # By its shortest text: 0.1 in single precision is meant as 0.1, and becomes the same single again.
    return float(str(array)) if array.dtype.kind == "f" else array.item()
