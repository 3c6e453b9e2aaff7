"""Blackboard's Grade Center: the instructor's own download with one column filled in."""

from __future__ import annotations

import re

from grader.exports.door import cell, short
from grader.exports.filling import Column, fill, find_column, has_decimal_comma, number_of
from grader.exports.matching import Key, Matched, Row, match, own_id, roster_id, with_fallback
from grader.exports.options import asked
from grader.exports.seam import Exported, NotExportable, Roll
from grader.exports.sheet import Sheet, read_sheet
from grader.exports.standing import feedback, points, the_assignment
from grader.records import Grade, same_student

_COLUMN = re.compile(
    r"(?P<title>.*?) \[Total Pts: (?P<pts>[\d.,]+|up to [\d.,]+) (?P<display>\w+)\](?: \|(?P<id>\d+))?", re.DOTALL
)
_NO_POINTS = ("Percentage", "Letter", "Text", "Complete")
_FEEDBACK, _FORM = "Feedback to Learner", "Feedback Format"


def blackboard(roll: Roll) -> Exported:
    """`blackboard.csv` (or `.xls`, where the download is parted by tabs): byte for byte but for this column's cells.

    Raises: `NotExportable` if the file is no such download, or Blackboard would make a new column of it.
    """
    sheet = read_sheet(roll.into, roll.options.get("encoding", ""))
    headers = [each.strip() for each in sheet.texts(0)]
    found = [_COLUMN.fullmatch(each) for each in headers]
    if "Username" not in headers or not any(found):
        mend = "in Blackboard: Grade Center, Work Offline, Download"
        what = "no column Username, or none with [Total Pts: ...]"
        raise NotExportable(f"the file to fill in is no download of Blackboard ({what}); {mend}")
    titles = [each["title"] if each else "" for each in found]
    ids = [each["id"] or "" if each else "" for each in found]
    at = find_column(roll, headers, titles, ids, the_assignment(roll))
    heading = found[at]
    if heading is None or not heading["id"]:
        raise NotExportable(f"{short(headers[at], 80)}: has no |id, so Blackboard would make a new column of it")
    if heading["display"] in _NO_POINTS:
        raise NotExportable(
            f"{short(headers[at], 80)}: shows no points; set its primary display to Score, download again"
        )
    rows = _students(sheet, headers)
    matched = match(roll, rows, lambda grade: _keys(roll, grade), asked(roll, "names"))
    texts = [sheet.text(row.number, column).strip() for row in rows for column, each in enumerate(found) if each]
    most = number_of(_plain_number(heading["pts"].removeprefix("up to ")))
    column = Column(at, headers[at], most, has_decimal_comma(texts, sheet.delimiter))
    name = "blackboard.xls" if sheet.delimiter == "\t" else "blackboard.csv"
    return fill(roll, sheet, column, matched, name, _comments(roll, sheet, headers, matched))


def _plain_number(text: str) -> str:
    """`1,000.00` and `1.000,00` without what parts the thousands."""
    whole, sign, rest = text.rpartition(max(".,", key=text.rfind))
    return f"{re.sub('[.,]', '', whole)}{sign}{rest}" if sign else text


def _students(sheet: Sheet, headers: list[str]) -> list[Row]:
    user = headers.index("Username")
    names = [headers.index(each) for each in ("Last Name", "First Name") if each in headers]
    rows = []
    for row in range(1, len(sheet.rows)):
        name = ", ".join(sheet.text(row, at).strip() for at in names)
        own = sheet.text(row, user).strip()
        if own:
            ids = {"Username": own}
            if "Student ID" in headers:
                ids["Student ID"] = sheet.text(row, headers.index("Student ID")).strip()
            rows.append(Row(row, ids, name, f"row {row + 1} ({short(name or own, 60)})"))
    return rows


def _keys(roll: Roll, grade: Grade) -> list[Key]:
    """Blackboard itself takes the Username alone; a Student ID is what a roster may call somebody."""
    user = ("Username",)
    trusted: list[Key] = [
        (user, roster_id(roll, grade, "blackboard")),
        (user, own_id(roll, grade, "blackboard username")),
    ]
    here = (("Username", "Student ID"), same_student(grade.student))
    return with_fallback(trusted, here, (user, roll.student(grade).email))


def _comments(roll: Roll, sheet: Sheet, headers: list[str], matched: Matched) -> dict[tuple[int, int], str]:
    """Plain feedback where the file has a column for it and nobody has written into it."""
    if _FEEDBACK not in headers or _FORM not in headers:
        return {}
    at, form = headers.index(_FEEDBACK), headers.index(_FORM)
    cells = {}
    for row, grade in matched.rows.items():
        text = cell(" | ".join(feedback(grade)))
        if text and points(roll, grade) is not None and not sheet.text(row, at).strip():
            cells[row, at] = text
            cells[row, form] = "PLAIN_TEXT"
    return cells
