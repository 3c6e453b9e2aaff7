"""Follow-through: credit for a later answer that is wrong, but right for the student's own earlier answer.

The author's program is run with the student's earlier numbers in the place of the right ones. Whatever goes wrong with
that is no fault of the student's: there is no follow-through then, and the answer stays what it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from grader.course import NotPlain, plain_numbers
from grader.errors import ReferenceFault
from grader.judging.parts import compare_part, expected_answers
from grader.judging.scoring import graded
from grader.records import (
    ZERO,
    Assignment,
    Execution,
    Exercise,
    ExerciseGrade,
    ExerciseKey,
    Grade,
    Outcome,
    Part,
    Returned,
    Value,
    count_points,
    in_cents,
    show_points,
)

# An author may take an earlier answer for a size: what is too long to be one is not run.
MAX_ARGUMENTS = 10_000

Solve = Callable[[Exercise], ExerciseKey | str]
"""The key to an exercise with other arguments; a text where there is none."""


def follow_through(
    grade: Grade, execution: Execution, assignment: Assignment, keys: Mapping[str, ExerciseKey | str], solve: Solve
) -> Grade:
    """Give credit for what is right for the student's own earlier answers, where the author says so.

    Args:
        grade: as judged against the keys. Only what is wrong in it can change, and never for the worse.
    """
    given = dict(execution.answers)
    own = _OwnAnswers(assignment, keys, given)
    exercises = tuple(
        _followed(each, exercise, own, solve)
        if exercise.builds_on and each.verdict in ("wrong", "partly_right")
        else each
        for each, exercise in zip(grade.exercises, assignment.exercises, strict=True)
    )
    if exercises == grade.exercises:
        return grade
    return graded(
        grade.student,
        grade.assignment,
        exercises,
        grade.versions,
        path=grade.path,
        sha256=grade.sha256,
        notes=grade.notes,
    )


def is_followed(graded: ExerciseGrade) -> bool:
    """Whether an answer in it is explained by an earlier one: no belief is looked for then."""
    return any(part.verdict == "partly_right" for part in graded.parts)


@dataclass(frozen=True)
class _OwnAnswers:
    """What a student answered earlier, and whether it was wrong."""

    assignment: Assignment
    keys: Mapping[str, ExerciseKey | str]
    given: Mapping[str, Value]

    def wrong_ones(self, exercise: Exercise) -> dict[str, object]:
        """Of the answers that `exercise` builds on, those that are numbers of the right shape, and wrong."""
        found = {}
        for name, _ in exercise.builds_on:
            earlier = next(each for each in self.assignment.exercises if name in each.answers)
            key, value = self.keys.get(earlier.id), self.given.get(name)
            if not isinstance(key, ExerciseKey) or value is None:
                continue
            expected = expected_answers(earlier, key)[earlier.answers.index(name)]
            try:
                if isinstance(expected, Returned) and not compare_part(earlier, value, expected).right:
                    found[name] = plain_numbers(value, expected.value)
            except NotPlain:
                continue
        return found


def _followed(each: ExerciseGrade, exercise: Exercise, own: _OwnAnswers, solve: Solve) -> ExerciseGrade:
    try:
        wrong = own.wrong_ones(exercise)
        expected = _expected(exercise, wrong, solve) if wrong else ()
    except ReferenceFault:
        return each
    if not expected:
        return each
    fraction = min(share for name, share in exercise.builds_on if name in wrong)
    names = " and ".join(f"`{name}`" for name in wrong)
    parts = tuple(
        _followed_part(part, exercise, own.given.get(part.name), outcome, fraction, names)
        for part, outcome in zip(each.parts, expected, strict=True)
    )
    if parts == each.parts:
        return each
    score = in_cents(sum((part.score for part in parts), ZERO))
    return msgspec.structs.replace(
        each, parts=parts, verdict="partly_right", score=score, message=_summary(parts, names)
    )


def _expected(exercise: Exercise, wrong: Mapping[str, object], solve: Solve) -> tuple[Outcome, ...]:
    """What the exercise gives with a student's earlier answers, by answer name; () if it gives nothing."""
    arguments = repr({**ast.literal_eval(exercise.arguments), **wrong})
    if len(arguments) > MAX_ARGUMENTS:
        return ()
    key = solve(msgspec.structs.replace(exercise, arguments=arguments))
    if not isinstance(key, ExerciseKey) or not isinstance(key.outcomes[0], Returned):
        return ()
    return expected_answers(exercise, key)


def _followed_part(
    part: Part, exercise: Exercise, given: Value | None, expected: Outcome, fraction: Decimal, names: str
) -> Part:
    if part.verdict != "wrong" or given is None or not compare_part(exercise, given, expected).right:
        return part
    message = f"Right for your own {names}; with the right one it is not."
    score = in_cents(part.max_score * fraction)
    return msgspec.structs.replace(part, verdict="partly_right", score=score, message=message)


def _summary(parts: tuple[Part, ...], names: str) -> str:
    followed = [part for part in parts if part.verdict == "partly_right"]
    got = sum((part.score for part in followed), ZERO)
    full = sum((part.max_score for part in followed), ZERO)
    said = f"right for your own {names}; that gives {show_points(got)} of {count_points(full)}"
    if len(parts) == 1:
        return said
    right = sum(part.verdict == "right" for part in parts)
    return f"{right} of {len(parts)} parts right; {', '.join(f'`{part.name}`' for part in followed)}: {said}"
