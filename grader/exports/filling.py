"""One column of an instructor's table -> the same table with this assignment's points in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from grader.exports.door import short
from grader.exports.matching import Matched
from grader.exports.options import asked
from grader.exports.seam import Exported, Given, NotExportable, Roll
from grader.exports.sheet import Sheet
from grader.exports.standing import WHY, points, standing
from grader.records import Grade, PublicAssignment, in_cents, show_points

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


@dataclass(frozen=True)
class Column:
    """The column to fill in.

    Attributes:
        most: the maximum that it has there; None if the file does not say.
        most_of: the same row by row, where rows say it.
        comma: whether numbers have a decimal comma there.
        kept: why a cell with this text must stay ("excused"); "" if it need not.
    """

    at: int
    title: str
    most: Decimal | None = None
    comma: bool = False
    kept: Callable[[str], str] = lambda text: ""


def fill(
    roll: Roll, sheet: Sheet, column: Column, matched: Matched, name: str, more: dict[tuple[int, int], str]
) -> Exported:
    """The sheet with the points of all matched rows; a cell that says the same number already stays as it is.

    Args:
        name: of the file.
        more: other cells to fill in, by (row, column).
    """
    cells = dict(more)
    given, remarks = [], list(_other_maximum(roll, column))
    for row, grade in sorted(matched.rows.items()):
        old = sheet.text(row, column.at).strip()
        number = _scaled(roll, grade, column)
        where = f"row {row + 1}" + (", by the name alone" if row in matched.by_name else "")
        kept = column.kept(old)
        if kept and number is not None:
            remarks.append(f"{_shown(grade)}, row {row + 1}: {kept} there; the cell stays as it is")
            number = None
        elif number is None and _NUMBER.fullmatch(old):
            why = WHY.get(standing(grade), "no points")
            remarks.append(f"{_shown(grade)}, row {row + 1}: {why}; the {short(old, 20)} there stays as it is")
        if number is not None and number_of(old) != number:
            text = str(number)
            cells[row, column.at] = text.replace(".", ",") if column.comma else text
        if number is None and not kept:
            where += f"; {WHY.get(standing(grade), 'no points')}"
        given.append(Given(grade.student, grade.assignment, number, where))
    return Exported({name: sheet.filled(cells)}, tuple(given), matched.unmatched, tuple(remarks))


def find_column(
    roll: Roll, headers: Sequence[str], titles: Sequence[str], ids: Sequence[str], public: PublicAssignment | None
) -> int:
    """The column of the assignment: the one that the option names by heading or id, else the one with its title.

    Args:
        headers: the whole headings, in order.
        titles: the assignments' titles in them, "" for what is no assignment's column.
        ids: the ids in them, "" for those that have none.

    Raises: `NotExportable` if that is not exactly one.
    """
    there = ", ".join(short(header, 60) for header, title in zip(headers, titles, strict=True) if title) or "none"
    wanted = roll.options.get("assignment-column", "").strip()
    if wanted:
        at = [
            at
            for at, (header, title, id_) in enumerate(zip(headers, titles, ids, strict=True))
            if title and wanted in (header.strip(), id_, f"({id_})", title.strip())
        ]
    else:
        names = {_loose(each) for each in ((public.title, public.name) if public else ())}
        names |= {_loose(grade.assignment) for grade in roll.grades}
        at = [at for at, title in enumerate(titles) if title and _loose(title) in names]
    if len(at) == 1:
        return at[0]
    what = f"assignment-column={short(wanted, 60)}" if wanted else "the assignment's title"
    reason = "several columns are called by" if at else "no column is called by"
    raise NotExportable(f"{reason} {what}; say which with --set assignment-column=HEADING (there are: {there})")


def number_of(text: str) -> Decimal | None:
    """The number that a cell says; None if it says none."""
    return Decimal(text.replace(",", ".")) if _NUMBER.fullmatch(text) and text.isascii() else None


def has_decimal_comma(texts: Sequence[str], delimiter: str) -> bool:
    """Whether the numbers among these cells are written `8,50`; where none tells, a file parted by `;` is."""
    numbers = [text for text in texts if _NUMBER.fullmatch(text) and ("." in text or "," in text)]
    return any("," in text for text in numbers) if numbers else delimiter == ";"


def _scaled(roll: Roll, grade: Grade, column: Column) -> Decimal | None:
    number = points(roll, grade)
    if number is None or not asked(roll, "scale") or column.most is None or not grade.max_score:
        return number
    return in_cents(number * column.most / grade.max_score)


def _other_maximum(roll: Roll, column: Column) -> list[str]:
    most = max((grade.max_score for grade in roll.grades), default=None)
    if column.most is None or most is None or column.most == most or asked(roll, "scale"):
        return []
    return [
        f"{short(column.title, 60)} has {show_points(column.most)} points there and {show_points(most)} here: points "
        "are written as they are here; --set scale=yes converts them"
    ]


def _shown(grade: Grade) -> str:
    return short(grade.student, 60)


def _loose(title: str) -> str:
    """A title as compared: capitals and the signs between its words make no difference."""
    return " ".join(re.findall(r"\w+", title.replace("_", " ").casefold()))
