"""GitHub Classroom's autograding result: JSON in base64, as its reporter reads it from a grader step."""

from __future__ import annotations

from base64 import b64encode
from decimal import Decimal
from typing import Any

from grader.exports.door import Names, json_bytes, short
from grader.exports.gradescope import one_student
from grader.exports.options import MISSING
from grader.exports.seam import Exported, Given, Roll
from grader.exports.standing import WHY, points, standing, the_assignment
from grader.records import ExerciseGrade, Grade, in_cents
from grader.reports.naming import folder_names

OPTIONS = {**MISSING, "student": "NAME: the result of this one alone"}
MAX_OUTPUT = 500


def github_classroom(roll: Roll) -> Exported:
    """`github-classroom/<student>.txt`; of one student alone also the step's output `result`.

    What Classroom keeps is the sum of the tests' points: it is the grade, with a test for what is not an exercise's.
    Without a number the result is an error with a maximum of 0, which Classroom does not count.

    Raises: `NotExportable` if the one student is not there.
    """
    the_assignment(roll)
    grades = [grade for grade in one_student(roll) if grade.status != "missing" or points(roll, grade) is not None]
    folders = folder_names(grade.student for grade in grades)
    files: dict[str, bytes] = {}
    given = []
    for grade in grades:
        number = points(roll, grade)
        name = f"github-classroom/{folders[grade.student]}.txt"
        files[name] = b64encode(json_bytes(_result(grade, number))) + b"\n"
        why = "" if number is not None else f"; {WHY[standing(grade)]}"
        given.append(Given(grade.student, grade.assignment, number, f"{name}{why}"))
    alone = next(iter(files.values())) if len(files) == 1 else None
    return Exported(files, tuple(given), appended={"GITHUB_OUTPUT": b"result=" + alone} if alone else {})


def _result(grade: Grade, number: Decimal | None) -> dict[str, Any]:
    if number is None:
        why = short(" ".join((WHY[standing(grade)], *grade.notes)), MAX_OUTPUT)
        return {
            "version": 3,
            "status": "error",
            "max_score": 0,
            "message": why,
            "tests": [_test("grade", 0, "error", why)],
        }
    names = Names()
    counted = grade.exercises if grade.status != "missing" else ()
    tests = [_of_exercise(names, each) for each in counted]
    rest = number - sum((in_cents(each.score or Decimal(0)) for each in counted), Decimal(0))
    if rest or not tests:
        what = "lateness" if grade.lateness and grade.lateness.deduction else "other points"
        text = grade.lateness.arithmetic if grade.lateness else WHY.get(standing(grade), "")
        tests.append(_test(names.once(what), float(rest), "fail", short(text, MAX_OUTPUT)))
    full = number >= grade.max_score
    return {
        "version": 3,
        "status": "pass" if full else "fail",
        "max_score": float(grade.max_score),
        "tests": tests,
    }


def _of_exercise(names: Names, exercise: ExerciseGrade) -> dict[str, Any]:
    errors = ("could_not_run", "grader_fault")
    status = "pass" if exercise.verdict == "right" else "error" if exercise.verdict in errors else "fail"
    score = float(in_cents(exercise.score or Decimal(0)))
    return _test(names.once(short(exercise.id, 100)), score, status, short(exercise.message, MAX_OUTPUT))


def _test(name: str, score: float, status: str, text: str) -> dict[str, Any]:
    return {
        "name": name,
        "status": status,
        "message": text,
        "test_code": "",
        "task_id": 0,
        "filename": "",
        "line_no": 0,
        "duration": 0.0,
        "score": score,
        "output": text,
    }
