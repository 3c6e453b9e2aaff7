"""Gradescope's `results.json`, one for each student."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from grader.exports.door import block, json_bytes, short
from grader.exports.options import MISSING, chosen
from grader.exports.seam import Exported, Given, NotExportable, Roll
from grader.exports.standing import WHY, feedback, points, standing, the_assignment
from grader.exports.zipping import zip_bytes
from grader.records import ExerciseGrade, Grade, human_name, same_student
from grader.reports.naming import folder_names

OPTIONS = {
    **MISSING,
    "student": "NAME: the result of this one alone",
    "visibility": "WHEN: visible (the usual), hidden, after_due_date or after_published",
    "without-score": "zero: whoever has no points gets a result of 0 that says why, as an autograder must answer",
}


def gradescope(roll: Roll) -> Exported:
    """`results.json` of one student, or `gradescope.zip` with `results/<student>.json`.

    Who is held, or handed in nothing that can be graded, has no file: Gradescope knows no result without a number.

    Raises: `NotExportable` if the one student is not there.
    """
    the_assignment(roll)
    visibility = chosen(roll, "visibility", "visible", "hidden", "after_due_date", "after_published") or "visible"
    grades = one_student(roll)
    folders = folder_names(grade.student for grade in grades)
    files: dict[str, bytes] = {}
    given, unmatched = [], []
    for grade in grades:
        number = points(roll, grade)
        zero = number is None and chosen(roll, "without-score", "zero") == "zero"
        if number is None and not zero:
            given.append(Given(grade.student, grade.assignment, None, f"no file; {WHY[standing(grade)]}"))
            if "student" in roll.options:
                unmatched.append(
                    f"{short(grade.student, 60)}: {WHY[standing(grade)]}; there is no results.json to give"
                )
            continue
        name = f"results/{folders[grade.student]}.json"
        files[name] = json_bytes(_result(grade, number, visibility), indent=1)
        given.append(Given(grade.student, grade.assignment, number, name))
    if "student" in roll.options:
        files = dict(zip(("results.json",), files.values(), strict=False))
        return Exported(files, tuple(given), tuple(unmatched))
    return Exported({"gradescope.zip": zip_bytes(files)}, tuple(given), tuple(unmatched))


def one_student(roll: Roll) -> tuple[Grade, ...]:
    """The grades of whom the option `student` names; all of them without it.

    Raises: `NotExportable` if there is no such student.
    """
    wanted = roll.options.get("student")
    if wanted is None:
        return roll.grades
    found = tuple(grade for grade in roll.grades if same_student(grade.student) == same_student(wanted))
    if not found:
        raise NotExportable(f"student={short(wanted, 60)}: has no grade here; `grade export csv` lists who has")
    return found


def _result(grade: Grade, number: Decimal | None, visibility: str) -> dict[str, Any]:
    tests = [_test(position, each, grade) for position, each in enumerate(grade.exercises, 1)]
    why = (
        [] if number is not None else [f"This is no grade yet: {WHY[standing(grade)]}. Your course staff sees it, too."]
    )
    return {
        "score": float(number or 0),
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "output": block([*why, *feedback(grade)], 10_000) or "Everything is right.",
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "tests": tests if number is not None else [],
    }


def _test(position: int, exercise: ExerciseGrade, grade: Grade) -> dict[str, Any]:
    looked_at = grade.status not in ("missing", "refused")
    score = exercise.score if looked_at and exercise.score is not None else Decimal(0)
    return {
        "number": str(position),
        "name": short(human_name(exercise.id), 200),
        "score": float(score),
        "max_score": float(exercise.max_score),
        "status": "passed" if exercise.verdict == "right" else "failed",
        "output": short(exercise.message),
    }
