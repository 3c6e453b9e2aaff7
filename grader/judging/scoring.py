"""From parts to an exercise's verdict and score, and from exercises to a grade."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from grader.records import HELD, ZERO, Exercise, ExerciseGrade, Grade, Handin, Part, Status, Verdict, Versions, in_cents

# A part, and a clause on it that fits a table.
Rated = tuple[Part, str]


def undivided(exercise: Exercise, verdict: Verdict, message: str) -> ExerciseGrade:
    """An exercise of which every part has the same verdict, none of them right."""
    assert verdict not in ("right", "partly_right"), "only a comparison gives marks"
    names = [probe.program.name for probe in exercise.probes] if exercise.kind == "implement" else exercise.answers
    parts = tuple(
        Part(name, verdict, ZERO, in_cents(credit))
        for name, credit in zip(names, exercise.credit, strict=True)
        if credit
    )
    score = None if verdict in HELD else ZERO
    return ExerciseGrade(exercise.id, exercise.kind, verdict, score, in_cents(exercise.points), message, parts)


def from_parts(exercise: Exercise, rated: Sequence[Rated]) -> ExerciseGrade:
    """An exercise from its judged parts: points for each right one, held as a whole while one of them is.

    A part that is worth nothing is a remark: it stays where it is wrong, and has no say in the verdict.
    """
    remarks = tuple(part for part, _ in rated if not part.max_score and part.verdict == "wrong")
    rated = [(part, clause) for part, clause in rated if part.max_score]
    if not rated:
        # "All parts are right" holds of no parts at all; that must never give marks.
        return undivided(exercise, "grader_fault", "it has nothing that could be checked")
    parts = tuple(msgspec.structs.replace(part, max_score=in_cents(part.max_score)) for part, _ in rated)
    verdict = verdict_of([part.verdict for part in parts])
    if exercise.all_or_nothing and verdict == "partly_right":
        parts = tuple(msgspec.structs.replace(part, score=ZERO) for part in parts)
        nothing = "all parts must be right for the points; " + _summary(rated, verdict)
        points = in_cents(exercise.points)
        return ExerciseGrade(exercise.id, exercise.kind, "wrong", ZERO, points, nothing, parts + remarks)
    score = None if verdict in HELD else in_cents(sum((part.score for part in parts if part.verdict == "right"), ZERO))
    return ExerciseGrade(
        exercise.id, exercise.kind, verdict, score, in_cents(exercise.points), _summary(rated, verdict), parts + remarks
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


def graded(
    student: str,
    assignment: str,
    exercises: Sequence[ExerciseGrade],
    versions: Versions,
    *,
    path: str | None = None,
    sha256: str | None = None,
    notes: tuple[str, ...] = (),
    status: Status | None = None,
    handin: Handin | None = None,
) -> Grade:
    """A grade from its exercises: the sum of their points, held while one of them is.

    Args:
        status: "missing" or "refused" where there was nothing to look at: then there is no score, which is not zero.
    """
    decided = [each.score for each in exercises if each.score is not None]
    score_so_far = in_cents(sum(decided, ZERO))
    status = status or ("graded" if len(decided) == len(exercises) else "held")
    return Grade(
        student=student,
        assignment=assignment,
        path=path,
        sha256=sha256,
        status=status,
        score=score_so_far if status == "graded" else None,
        score_so_far=score_so_far,
        max_score=in_cents(sum((each.max_score for each in exercises), ZERO)),
        exercises=tuple(exercises),
        notes=notes,
        versions=versions,
        handin=handin or Handin(),
    )
