"""The public half of an assignment: all that a student may see, and all that a self-check needs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import msgspec

from grader.course.following import own_arguments_alone
from grader.errors import UsageError
from grader.records import (
    Assignment,
    Exercise,
    ExerciseKey,
    Outcome,
    Probe,
    PublicAssignment,
    PublicCase,
    PublicProbe,
    Question,
)


def publish(assignment: Assignment, keys: Sequence[ExerciseKey]) -> PublicAssignment:
    """The public half: of the keys, only what the reference gives for public cases goes into it.

    Args:
        keys: one per exercise, in order.
    """
    return PublicAssignment(
        name=assignment.name,
        title=assignment.title,
        fingerprint=assignment.fingerprint,
        questions=tuple(_question(*pair) for pair in zip(assignment.exercises, keys, strict=True)),
        limits=assignment.limits,
        files=assignment.files,
    )


def public_bytes(public: PublicAssignment) -> bytes:
    """The file `<name>.public.json`: the same bytes for the same public half."""
    return msgspec.json.format(msgspec.json.encode(public, order="deterministic"), indent=1) + b"\n"


def read_public(data: bytes) -> PublicAssignment:
    """Read what `public_bytes` wrote.

    Raises: `UsageError` if it is something else, or of another version of the grader.
    """
    try:
        return msgspec.json.decode(data, type=PublicAssignment)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        what = "an assignment's .public.json cannot be read"
        raise UsageError(f"{what} ({error}); get it again from your instructor, or release it again") from error


def probe_outcomes(exercise: Exercise, key: ExerciseKey) -> list[tuple[Probe, tuple[Outcome, ...]]]:
    """Each probe with the reference's outcomes for its cases, in stored order.

    Raises: `ValueError` if there are more or fewer outcomes than cases.
    """
    cases = sum(len(probe.cases) for probe in exercise.probes)
    if cases != len(key.outcomes):
        raise ValueError(f"{exercise.id}: the key has {len(key.outcomes)} outcomes, the exercise {cases} cases")
    outcomes = iter(key.outcomes)
    return [(probe, tuple(islice(outcomes, len(probe.cases)))) for probe in exercise.probes]


def _question(exercise: Exercise, key: ExerciseKey) -> Question:
    if exercise.id != key.exercise:
        raise ValueError(f"the key of {key.exercise} was given for {exercise.id}")
    probes = probe_outcomes(exercise, key) if exercise.kind == "implement" else []
    return Question(
        id=exercise.id,
        kind=exercise.kind,
        prompt=exercise.prompt,
        points=exercise.points,
        credit=exercise.credit,
        answers=exercise.answers,
        stub=exercise.stub,
        fingerprint=exercise.fingerprint,
        show_key=exercise.show_key,
        program=exercise.program,
        arguments=own_arguments_alone(exercise) if exercise.builds_on else exercise.arguments,
        options=exercise.options,
        probes=tuple(_public_probe(*pair) for pair in probes),
        tolerance=exercise.tolerance,
        all_or_nothing=exercise.all_or_nothing,
        builds_on=tuple(name for name, _ in exercise.builds_on),
    )


def _public_probe(probe: Probe, outcomes: tuple[Outcome, ...]) -> PublicProbe:
    cases = tuple(
        PublicCase(case.arguments, outcome)
        for case, outcome in zip(probe.cases, outcomes, strict=True)
        if case.origin == "public"
    )
    return PublicProbe(probe.program, probe.points, cases)
