"""`gradebook.csv`: one row per student, for a spreadsheet or an LMS that has no dialect of its own."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TypeAlias

from grader.records import Grade, PublicAssignment, Student, in_cents, plain, same_student

FIXED_COLUMNS = ("student_id", "name", "email", "submission", "status", "late", "score", "max_score", "percent")
LAST_COLUMN = "feedback"
# What a spreadsheet takes for the start of a formula; the full-width forms count in some locales.
_FORMULA = tuple("=+-@|%＝＋－＠｜％")
_Known: TypeAlias = Mapping[str, Student]
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def gradebook_csv(
    grades: Sequence[Grade], assignments: Mapping[str, PublicAssignment], roster: Iterable[Student] = ()
) -> dict[str, str]:
    """The tables of a run: file name -> text.

    With one assignment, `gradebook.csv` has a column per exercise. With several, each has such a table in
    `gradebook-<assignment>.csv`, and `gradebook.csv` has all rows, an `assignment` column in front and no exercises.
    Rows are sorted by student (and assignment); `\\n` ends a line. `assignments` gives the order of the columns,
    `roster` names and addresses of those who are in it; who is in it and has no grade has no row.
    """
    known = {same_student(student.id): student for student in roster}
    ordered = sorted(grades, key=lambda grade: (grade.student, grade.assignment))
    names = sorted({grade.assignment for grade in ordered})
    if len(names) <= 1:
        return {"gradebook.csv": _table(ordered, _exercise_columns(ordered, assignments), known)}
    tables = {"gradebook.csv": _all_assignments(ordered, known)}
    for name in names:
        own = [grade for grade in ordered if grade.assignment == name]
        tables[f"gradebook-{name}.csv"] = _table(own, _exercise_columns(own, assignments), known)
    return tables


def defused(cell: str) -> str:
    """The cell on one line, with a leading `'` if a spreadsheet could run it. Numbers stay as they are."""
    line = plain(cell)
    if _NUMBER.fullmatch(line):
        return line
    return f"'{line}" if line.startswith(_FORMULA) or cell.startswith(("\t", "\r")) else line


def _table(grades: Sequence[Grade], exercises: Sequence[str], known: _Known) -> str:
    headings = [f"{name} (exercise)" if name in (*FIXED_COLUMNS, LAST_COLUMN) else name for name in exercises]
    rows = []
    for grade in grades:
        scores = {exercise.id: _points(exercise.score) for exercise in grade.exercises} if _looked_at(grade) else {}
        rows.append([*_fixed(grade, known), *(scores.get(name, "") for name in exercises), _feedback(grade)])
    return _text([[*FIXED_COLUMNS, *headings, LAST_COLUMN], *rows])


def _all_assignments(grades: Sequence[Grade], known: _Known) -> str:
    rows = [[grade.assignment, *_fixed(grade, known), _feedback(grade)] for grade in grades]
    return _text([["assignment", *FIXED_COLUMNS, LAST_COLUMN], *rows])


def _exercise_columns(grades: Sequence[Grade], assignments: Mapping[str, PublicAssignment]) -> list[str]:
    """The assignment's own order; then what only some notebooks have, from an older release of it."""
    names = {grade.assignment for grade in grades} & set(assignments)
    current = [question.id for name in sorted(names) for question in assignments[name].questions]
    return list(dict.fromkeys([*current, *(exercise.id for grade in grades for exercise in grade.exercises)]))


def _fixed(grade: Grade, known: _Known) -> list[str]:
    student = known.get(same_student(grade.student), Student(grade.student))
    score = grade.score
    percent = None if score is None or not grade.max_score else 100 * score / grade.max_score
    return [
        grade.student,
        student.name,
        student.email,
        grade.path or "",
        grade.status,
        _late(grade),
        _points(score),
        _points(grade.max_score),
        _points(percent),
    ]


def _late(grade: Grade) -> str:
    """By the course's deadline, else by what the download says; "" if neither does."""
    late = grade.handin.late if grade.lateness is None else grade.lateness.is_late
    return "" if late is None else "yes" if late else "no"


def _feedback(grade: Grade) -> str:
    """What is not right, exercise by exercise, and the notes on the file; one line."""
    remarks = [
        f"{exercise.id} ({_points(exercise.score) or 'not graded yet'} of {_points(exercise.max_score)}): "
        f"{exercise.message or exercise.verdict.replace('_', ' ')}"
        for exercise in grade.exercises
        if exercise.verdict != "right" and _looked_at(grade)
    ]
    return " | ".join([*remarks, *grade.notes])


def _looked_at(grade: Grade) -> bool:
    return grade.status not in ("missing", "refused")


def _points(points: Decimal | None) -> str:
    return "" if points is None else str(in_cents(points))


def _text(rows: list[list[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([[defused(cell) for cell in row] for row in rows])
    return buffer.getvalue()
