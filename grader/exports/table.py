"""The generic table as an export."""

from __future__ import annotations

import codecs

import msgspec

from grader.exports.csv_table import gradebook_csv
from grader.exports.options import MISSING, asked
from grader.exports.seam import Exported, Given, Roll
from grader.exports.standing import WHY, points, standing
from grader.records import Grade

OPTIONS = {**MISSING, "bom": "yes: a byte-order mark in front, by which Excel knows UTF-8"}


def csv(roll: Roll) -> Exported:
    """`gradebook.csv`, and one for each of several assignments; documented in docs/grade-format.md."""
    grades = tuple(_as_given(roll, grade) for grade in roll.grades)
    mark = codecs.BOM_UTF8 if asked(roll, "bom") else b""
    tables = gradebook_csv(grades, roll.assignments, roll.students)
    given = tuple(
        Given(each.student, each.assignment, points(roll, each), f"its row{_why(each)}") for each in roll.grades
    )
    return Exported({name: mark + text.encode() for name, text in tables.items()}, given)


def _as_given(roll: Roll, grade: Grade) -> Grade:
    return msgspec.structs.replace(grade, score=points(roll, grade))


def _why(grade: Grade) -> str:
    return "" if standing(grade) == "decided" else f"; {WHY[standing(grade)]}"
