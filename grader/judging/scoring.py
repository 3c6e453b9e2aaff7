"""From parts to an exercise's verdict and score, and from exercises to a grade."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal

import msgspec

from grader.records import Exercise, ExerciseGrade, Grade, Part, Verdict

HELD: tuple[Verdict, ...] = ("grader_fault", "needs_person")
ZERO = Decimal("0.00")
CENT = Decimal("0.01")

# A part, and a clause on it that fits a table.
Rated = tuple[Part, str]


def points(value: Decimal) -> Decimal:
    """`value` in steps of 0.01."""
    return value.quantize(CENT, rounding=ROUND_HALF_UP)


def undivided(exercise: Exercise, verdict: Verdict, message: str) -> ExerciseGrade:
    """An exercise of which every part has the same verdict, none of them right."""
    assert verdict not in ("right", "partly_right"), "only a comparison gives marks"
    names = [probe.program.name for probe in exercise.probes] if exercise.kind == "implement" else exercise.answers
    parts = tuple(
        Part(name, verdict, ZERO, points(credit)) for name, credit in zip(names, exercise.credit, strict=False)
    )
    score = None if verdict in HELD else ZERO
    return ExerciseGrade(exercise.id, exercise.kind, verdict, score, points(exercise.points), message, parts)


def from_parts(exercise: Exercise, rated: Sequence[Rated]) -> ExerciseGrade:
    """An exercise from its judged parts: points for each right one, held as a whole while one of them is."""
    if not rated:
        # "All parts are right" holds of no parts at all; that must never give marks.
        return undivided(exercise, "grader_fault", "it has nothing that could be checked")
    parts = tuple(msgspec.structs.replace(part, max_score=points(part.max_score)) for part, _ in rated)
    verdict = verdict_of([part.verdict for part in parts])
    if exercise.all_or_nothing and verdict == "partly_right":
        parts = tuple(msgspec.structs.replace(part, score=ZERO) for part in parts)
        nothing = "all parts must be right for the points; " + _summary(rated, verdict)
        return ExerciseGrade(exercise.id, exercise.kind, "wrong", ZERO, points(exercise.points), nothing, parts)
    score = None if verdict in HELD else points(sum((part.score for part in parts if part.verdict == "right"), ZERO))
    return ExerciseGrade(
        exercise.id, exercise.kind, verdict, score, points(exercise.points), _summary(rated, verdict), parts
    )


def verdict_of(parts: Sequence[Verdict]) -> Verdict:
    """One verdict from those of the parts, of which there is at least one."""
    for held in HELD:
        if held in parts:
            return held
    if all(each == "right" for each in parts):
        return "right"
    if "right" in parts:
        return "partly_right"
    for same in ("not_answered", "could_not_run"):
        if all(each == same for each in parts):
            return same
    return "could_not_run" if set(parts) == {"not_answered", "could_not_run"} else "wrong"


def _summary(rated: Sequence[Rated], verdict: Verdict) -> str:
    if verdict == "right":
        return "right"
    # What holds the grade comes first, then what is wrong, then what is only absent.
    order: list[Verdict] = ["grader_fault", "needs_person", "wrong", "could_not_run", "not_answered", "right"]
    part, clause = min(rated, key=lambda each: order.index(each[0].verdict))
    if len({each for _, each in rated}) == 1:
        return clause
    right = sum(each.verdict == "right" for each, _ in rated)
    named = clause if f"`{part.name}`" in clause else f"`{part.name}`: {clause}"
    return f"{right} of {len(rated)} parts right; {named}"


def total(grade: Grade) -> Grade:
    """Fill in the scores of `grade` from its exercises; held while one of them is held."""
    decided = [each.score for each in grade.exercises if each.score is not None]
    score_so_far = points(sum(decided, ZERO))
    held = len(decided) < len(grade.exercises)
    return msgspec.structs.replace(
        grade,
        status="held" if held else "graded",
        score=None if held else score_so_far,
        score_so_far=score_so_far,
        max_score=points(sum((each.max_score for each in grade.exercises), ZERO)),
    )
