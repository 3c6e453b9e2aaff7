"""The shipped course, loaded once, and what its tests ask of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from grader.answers import compare, read_numbers
from grader.course import load
from grader.program import define, run_probe, run_program
from grader.records import (
    Array,
    Assignment,
    Exercise,
    Items,
    Nothing,
    Number,
    Outcome,
    Raised,
    Returned,
    Table,
    Text,
    Value,
)

SOLUTIONS = Path(__file__).parents[1] / "solutions"
COURSE = ["vectors-and-weights", "observing-hooks", "hooks-that-change-gradients", "implement-your-own"]


class Asked(NamedTuple):
    """One exercise and the assignment it stands in."""

    assignment: str
    exercise: Exercise


class Tried(NamedTuple):
    """What one case gave."""

    probe: str
    origin: str
    outcome: Outcome


def assignments() -> list[Assignment]:
    return [load(SOLUTIONS / f"{name}.py", b"k" * 32) for name in COURSE]


LOADED = assignments()
ASKED = [Asked(assignment.name, exercise) for assignment in LOADED for exercise in assignment.exercises]
PROGRAMS = [asked for asked in ASKED if asked.exercise.kind != "implement"]
IMPLEMENTS = [asked for asked in ASKED if asked.exercise.kind == "implement"]


def each(asked: list[Asked]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("exercise", [pytest.param(it.exercise, id=it.exercise.id) for it in asked])


def outcomes_of(exercise: Exercise) -> tuple[Outcome, ...]:
    """What torch computes for an exercise of any kind, in the order of `ExerciseKey`."""
    if exercise.program is not None:
        return (run_program(exercise.program, exercise.arguments),)
    return tuple(it.outcome for it in try_out(exercise, define(exercise.reference, exercise.id)))


def key_of(exercise: Exercise) -> Value:
    """The key of a program exercise as one value; the exception's name for `raises`."""
    assert exercise.program is not None
    outcome = run_program(exercise.program, exercise.arguments)
    if exercise.kind == "raises":
        return Text(outcome.exception) if isinstance(outcome, Raised) else Nothing()
    assert isinstance(outcome, Returned), outcome
    return outcome.value


def answers_of(exercise: Exercise) -> list[Value]:
    """The key, one value per answer name."""
    key = key_of(exercise)
    if len(exercise.answers) == 1:
        return [key]
    assert isinstance(key, Items)
    assert len(key.items) == len(exercise.answers)
    return list(key.items)


def plain(value: Value) -> Any:
    """A value as lists, numbers and strings."""
    if isinstance(value, (Array, Number)):
        numbers = read_numbers(value)
        return numbers.array.tolist()  # type: ignore[union-attr]
    if isinstance(value, Items):
        return [plain(item) for item in value.items]
    if isinstance(value, Table):
        return {name: plain(item) for name, item in value.items}
    return value.text if isinstance(value, Text) else None


def try_out(exercise: Exercise, subject: object) -> list[Tried]:
    """What every probe gives on every case with `subject` in the student's place."""
    return [
        Tried(probe.program.name, case.origin, run_probe(probe.program, subject, case.arguments))
        for probe in exercise.probes
        for case in probe.cases
    ]


def agrees(given: Outcome, expected: Outcome) -> bool:
    """Whether a student with this outcome would get the marks of the case."""
    if isinstance(given, Returned) and isinstance(expected, Returned):
        return compare(given.value, expected.value).right
    return False


def verdicts(exercise: Exercise, subject: object) -> Iterator[tuple[Tried, bool]]:
    """Each case tried with `subject`, and whether it agrees with the reference."""
    reference = try_out(exercise, define(exercise.reference, exercise.id))
    for given, expected in zip(try_out(exercise, subject), reference, strict=True):
        yield given, agrees(given.outcome, expected.outcome)


def fails_every_probe(exercise: Exercise, subject: object) -> bool:
    """Whether `subject` would get no credit: in each probe, some case is wrong."""
    failed = {tried.probe for tried, right in verdicts(exercise, subject) if not right}
    return failed == {probe.program.name for probe in exercise.probes}
