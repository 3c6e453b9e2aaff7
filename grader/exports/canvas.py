"""Canvas's gradebook: the instructor's own export with one column filled in."""

from __future__ import annotations

import re
from decimal import Decimal

from grader.exports.filling import Column, fill, find_column, has_decimal_comma, number_of
from grader.exports.matching import Key, Row, match, own_id, roster_id, with_fallback
from grader.exports.options import asked
from grader.exports.seam import Exported, NotExportable, Roll
from grader.exports.sheet import Sheet, read_sheet
from grader.exports.standing import the_assignment
from grader.records import Grade, same_student

_ASSIGNMENT = re.compile(r"(?P<title>.*)\s\((?P<id>\d+)\)", re.DOTALL)
# Canvas drops such columns when it reads the file, wherever the words stand.
_DROPPED = re.compile(r"(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)")
_IDS = ("ID", "SIS User ID", "SIS Login ID", "Integration ID")
_TEST_STUDENT = "Student, Test"


def canvas(roll: Roll) -> Exported:
    """`canvas.csv`: the exported gradebook, byte for byte but for this assignment's cells.

    Raises: `NotExportable` if the file is no such export, or Canvas could not take the column back.
    """
    sheet = read_sheet(roll.into, roll.options.get("encoding", ""))
    headers = [each.strip() for each in sheet.texts(0)]
    first = _first_assignment(headers)
    found = [_ASSIGNMENT.fullmatch(each) if at >= first else None for at, each in enumerate(headers)]
    titles = [each["title"] if each else "" for each in found]
    at = find_column(roll, headers, titles, [each["id"] if each else "" for each in found], the_assignment(roll))
    if _DROPPED.search(headers[at]):
        raise NotExportable(f"{headers[at]}: Canvas ignores columns with these words; call the assignment otherwise")
    row_of_points = next((row for row in range(1, len(sheet.rows)) if _is_points(sheet, row)), None)
    most = None if row_of_points is None else _most(sheet, row_of_points, at, headers[at])
    rows = _students(sheet, headers, row_of_points, first)
    matched = match(roll, rows, lambda grade: _keys(roll, grade), asked(roll, "names"))
    numbers = [
        sheet.text(row, column).strip() for row in range(1, len(sheet.rows)) for column in range(first, len(headers))
    ]
    column = Column(at, headers[at], most, has_decimal_comma(numbers, sheet.delimiter), _kept)
    return fill(roll, sheet, column, matched, "canvas.csv", {})


def _first_assignment(headers: list[str]) -> int:
    """The column after the student's own ones, by the rules of Canvas's importer."""
    named = headers[:1] == ["Student"] or headers[:2] == ["LastName", "FirstName"]
    if not named or "ID" not in headers[:3] or "Section" not in headers[:8] or len(headers) < 4:
        mend = "export it in Canvas: Grades, Export, Export Entire Gradebook"
        raise NotExportable(f"the file to fill in is no gradebook of Canvas (no columns Student, ID, Section); {mend}")
    return headers.index("Section") + 1


def _is_points(sheet: Sheet, row: int) -> bool:
    return "Points Possible" in sheet.text(row, 0)


def _most(sheet: Sheet, row: int, at: int, header: str) -> Decimal | None:
    text = sheet.text(row, at).strip()
    if "read only" in text:
        raise NotExportable(f"{header}: Canvas says that this column is read only; give another one")
    return number_of(text)


def _students(sheet: Sheet, headers: list[str], row_of_points: int | None, first: int) -> list[Row]:
    """Everybody in the table but its own rows and the test student."""
    at = {name: headers.index(name) for name in _IDS if name in headers[:first]}
    rows = []
    for row in range(1, len(sheet.rows)):
        ids = {name: sheet.text(row, column).strip() for name, column in at.items()}
        name = sheet.text(row, 0) if headers[0] == "Student" else f"{sheet.text(row, 0)}, {sheet.text(row, 1)}"
        if row != row_of_points and any(ids.values()) and name.strip() != _TEST_STUDENT:
            rows.append(Row(row, ids, name, f"row {row + 1} ({' '.join(name.split())[:60]})"))
    return rows


def _keys(roll: Roll, grade: Grade) -> list[Key]:
    """The roster's word, then the download's, then what the student is called here."""
    there, login = ("ID", "SIS User ID", "SIS Login ID", "Integration ID"), ("SIS Login ID",)
    trusted: list[Key] = [
        (there, roster_id(roll, grade, "canvas")),
        (("ID",), own_id(roll, grade, "canvas user")),
    ]
    return with_fallback(trusted, (there, same_student(grade.student)), (login, roll.student(grade).email))


def _kept(text: str) -> str:
    return "excused" if text.upper() == "EX" else ""
