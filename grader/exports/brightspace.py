"""D2L Brightspace's grades: the instructor's own export with one item filled in."""

from __future__ import annotations

import re

from grader.exports.door import short
from grader.exports.filling import Column, fill, find_column, has_decimal_comma, number_of
from grader.exports.matching import Key, Row, match, own_id, roster_id, with_fallback
from grader.exports.options import asked
from grader.exports.seam import Exported, NotExportable, Roll
from grader.exports.sheet import Sheet, read_sheet
from grader.exports.standing import the_assignment
from grader.records import Grade, same_student

_ITEM = re.compile(r"(?P<title>.+?) Points Grade(?:\s*<(?P<about>.*)>)?", re.DOTALL)
_MOST = re.compile(r"MaxPoints:\s*(?P<most>[\d.,]+)")
_IDS = ("OrgDefinedId", "Username")
_END = "End-of-Line Indicator"


def brightspace(roll: Roll) -> Exported:
    """`brightspace.csv`: byte for byte but for this item's cells. `#` before ids, and at the end of each row, stays.

    The number in the names of a download is D2L's own and stands nowhere in the export: ids are the roster's, or what
    a student is called here.

    Raises: `NotExportable` if the file is no such export.
    """
    sheet = read_sheet(roll.into, roll.options.get("encoding", ""))
    headers = [each.strip() for each in sheet.texts(0)]
    if headers[-1] != _END or not set(_IDS) & set(headers):
        mend = "in Brightspace: Grades, Enter Grades, Export, with OrgDefinedId and Username, Points grade, CSV"
        raise NotExportable(f"the file to fill in is no export of Brightspace (no {_IDS[0]} or no {_END}); {mend}")
    found = [_ITEM.fullmatch(each) for each in headers]
    at = find_column(
        roll, headers, [each["title"] if each else "" for each in found], [""] * len(headers), the_assignment(roll)
    )
    rows = _students(sheet, headers)
    matched = match(roll, rows, lambda grade: _keys(roll, grade), asked(roll, "names"))
    texts = [sheet.text(row.number, column).strip() for row in rows for column, each in enumerate(found) if each]
    about = _MOST.search(headers[at])
    most = number_of(about["most"]) if about else None
    column = Column(at, headers[at], most, has_decimal_comma(texts, sheet.delimiter))
    return fill(roll, sheet, column, matched, "brightspace.csv", {})


def _students(sheet: Sheet, headers: list[str]) -> list[Row]:
    names = [headers.index(each) for each in ("Last Name", "First Name") if each in headers]
    rows = []
    for row in range(1, len(sheet.rows)):
        texts = {
            name: sheet.text(row, headers.index(name)).strip().removeprefix("#") for name in _IDS if name in headers
        }
        name = ", ".join(sheet.text(row, at).strip() for at in names)
        if any(texts.values()):
            shown = name or next(text for text in texts.values() if text)
            rows.append(Row(row, texts, name, f"row {row + 1} ({short(shown, 60)})"))
    return rows


def _keys(roll: Roll, grade: Grade) -> list[Key]:
    trusted: list[Key] = [(_IDS, roster_id(roll, grade, "brightspace"))]
    here = same_student(grade.student)
    if here == own_id(roll, grade, "brightspace user"):
        # A number of D2L's own, which may be somebody else's OrgDefinedId.
        here = ""
    return with_fallback(trusted, (_IDS, here), (("Username",), roll.student(grade).email))
