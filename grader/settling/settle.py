"""A recorded grade -> the grade that people see."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from grader.records import HELD, ZERO, Adjustment, Deadline, ExerciseGrade, Grade, Student, in_cents
from grader.settling.lateness import lateness_of


def settle(
    grade: Grade,
    adjustments: Mapping[str, Adjustment],
    deadline: Deadline | None = None,
    student: Student | None = None,
) -> Grade:
    """Apply a person's decisions, exercise by exercise, then what lateness takes off the sum.

    A decision on an exercise that is held decides it. Where nothing was handed in there is a score only if a person
    gave points. Nothing is below zero.
    """
    exercises = tuple(_adjusted(each, adjustments.get(each.id)) for each in grade.exercises)
    looked_at = grade.status in ("graded", "held")
    # Nothing was handed in: only what a person gave counts.
    counting = [each for each in exercises if looked_at or each.adjusted]
    decided = [each.score for each in counting if each.score is not None]
    so_far = in_cents(sum(decided, ZERO))
    whole = bool(counting) and len(decided) == len(counting)
    status = grade.status if not whole else "graded"
    score = so_far if whole else None
    lateness = None
    if deadline is not None and grade.status != "missing":
        lateness = lateness_of(grade.handin, deadline, student, score, grade.max_score)
    if lateness is not None and score is not None:
        score = max(in_cents(score - lateness.deduction), ZERO)
    return msgspec.structs.replace(
        grade,
        exercises=exercises,
        status=status,
        score=score,
        score_so_far=so_far if score is None else score,
        lateness=lateness,
    )


def _adjusted(exercise: ExerciseGrade, adjustment: Adjustment | None) -> ExerciseGrade:
    if adjustment is None:
        return exercise
    points = in_cents(adjustment.points)
    verdict = exercise.verdict
    if verdict in HELD:
        verdict = "wrong" if not points else "right" if points >= exercise.max_score else "partly_right"
    return msgspec.structs.replace(exercise, score=points, verdict=verdict, adjusted=adjustment)
