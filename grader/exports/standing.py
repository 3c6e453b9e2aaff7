"""What may be handed over of a grade: a number, or why there is none."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, TypeAlias

from grader.exports.options import chosen
from grader.exports.seam import NotExportable, Roll
from grader.records import ZERO, Grade, PublicAssignment, in_cents

Standing: TypeAlias = Literal["decided", "held", "fault", "missing", "refused"]
WHY = {
    "held": "held: a person must decide",
    "fault": "held: the grader failed, run it again",
    "missing": "nothing handed in",
    "refused": "the file cannot be graded",
}


def standing(grade: Grade) -> Standing:
    """Where a grade stands; `decided` alone has a number."""
    if grade.score is not None:
        return "decided"
    if any(each.verdict == "grader_fault" for each in grade.exercises):
        return "fault"
    if grade.status == "missing" or grade.status == "refused":
        return grade.status
    return "held"


def points(roll: Roll, grade: Grade) -> Decimal | None:
    """The points to hand over, in steps of 0.01; None where nothing is decided.

    Who handed in nothing has none, and 0 only where the option `missing` asks for it.
    """
    zero = chosen(roll, "missing", "zero")
    if standing(grade) == "missing" and zero:
        return ZERO
    return None if grade.score is None else in_cents(grade.score)


def the_assignment(roll: Roll) -> PublicAssignment | None:
    """The one assignment of a roll for a format that holds one; None if nothing is known of it any more.

    Raises: `NotExportable` if there are several, or no grades at all.
    """
    names = sorted({grade.assignment for grade in roll.grades})
    if len(names) != 1:
        there = f"these are grades of {len(names)} ({', '.join(names)})" if names else "there are no grades"
        raise NotExportable(f"this format holds one assignment, and {there}; give one with --assignment")
    return roll.assignments.get(names[0])


def feedback(grade: Grade) -> list[str]:
    """What a student should read beside the points: what is not right, lateness, notes on the file; our sentences."""
    remarks = []
    if grade.status not in ("missing", "refused"):
        remarks = [
            f"{each.id} ({_of(each.score)} of {in_cents(each.max_score)}): "
            f"{each.message or each.verdict.replace('_', ' ')}"
            for each in grade.exercises
            if each.verdict != "right"
        ]
    remarks += [f"{each.id}: {each.adjusted.note}" for each in grade.exercises if each.adjusted and each.adjusted.note]
    if grade.lateness and grade.lateness.arithmetic:
        remarks.append(grade.lateness.arithmetic)
    return [*remarks, *grade.notes]


def _of(score: Decimal | None) -> str:
    return "not graded yet" if score is None else str(in_cents(score))
