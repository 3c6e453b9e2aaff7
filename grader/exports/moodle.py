"""Moodle's offline grading worksheet, filled in. Its headings are of the site's language and stay so."""

from __future__ import annotations

import re
from decimal import Decimal

from grader.exports.door import cell
from grader.exports.filling import Column, fill, has_decimal_comma, number_of
from grader.exports.matching import Key, Matched, Row, match, own_id, roster_id, with_fallback
from grader.exports.options import asked, chosen
from grader.exports.seam import Exported, NotExportable, Roll
from grader.exports.sheet import Sheet, read_sheet
from grader.exports.standing import feedback, points, the_assignment
from grader.records import Grade, same_student
from grader.reports.escape import html

# A word of the site's language, and the number.
_PARTICIPANT = re.compile(r"\s*[^\W\d_]\D*?(?P<pid>\d+)\s*")
# "Grade" as Moodle's language packs have it.
_GRADE = re.compile(
    "grade|bewertung|note|calificación|valutazione|voto|nota|avaliação|cijfer|beoordeling|betyg|karakter|arvosana|ocena|"
    "známka|hodnocení|оценка|оцінка|βαθμός|not|puan|qualificació|成绩|成績|評点|評定|성적|점수|الدرجة|ציון|điểm|nilai"
)
_FEEDBACK = frozenset(
    ("feedback comments", "feedback als kommentar", "feedback par commentaires", "comentarios de retroalimentación")
)


def moodle(roll: Roll) -> Exported:
    """`moodle.csv`: the worksheet, byte for byte but for grades and, where there is a column for it, feedback.

    Raises: `NotExportable` if the file is no worksheet, or its columns cannot be told.
    """
    the_assignment(roll)
    sheet = read_sheet(roll.into, roll.options.get("encoding", ""))
    headers = [each.strip() for each in sheet.texts(0)]
    students = [row for row in range(1, len(sheet.rows)) if sheet.text(row, 0).strip()]
    _check(sheet, students)
    at = _grade_column(roll, sheet, headers, students)
    rows = [_row(sheet, headers, row, at) for row in students]
    numbering = _roster_has_participants(roll)
    matched = match(roll, rows, lambda grade: _keys(roll, grade, headers[1:at], numbering), asked(roll, "names"))
    near = [sheet.text(row, column).strip() for row in students for column in (at, at + 1)]
    column = Column(at, headers[at], _most(sheet, students, at), has_decimal_comma(near, sheet.delimiter))
    return _with_too_much(
        roll, column, fill(roll, sheet, column, matched, "moodle.csv", _comments(roll, sheet, headers, matched))
    )


def _check(sheet: Sheet, students: list[int]) -> None:
    if not students or not all(_PARTICIPANT.fullmatch(sheet.text(row, 0)) for row in students):
        mend = "in Moodle: the assignment, Submissions, Download grading worksheet"
        raise NotExportable(
            f"the file to fill in is no worksheet of Moodle (its first column is no Identifier); {mend}"
        )


def _grade_column(roll: Roll, sheet: Sheet, headers: list[str], students: list[int]) -> int:
    wanted = roll.options.get("grade-column", "").strip()
    if wanted:
        named = [at for at, header in enumerate(headers) if header == wanted]
    else:
        named = [at for at, header in enumerate(headers) if _GRADE.fullmatch(header.casefold())]
        # In any language: left of the maximum, the one column that says the same number in every row.
        named = named or [at - 1 for at in range(2, len(headers)) if _same_number(sheet, students, at)]
    if len(named) == 1 and named[0] > 0:
        return named[0]
    raise NotExportable(
        f"which column holds the grades cannot be told ({', '.join(headers)[:200]}); --set grade-column=HEADING says it"
    )


def _same_number(sheet: Sheet, students: list[int], at: int) -> bool:
    texts = {sheet.text(row, at).strip() for row in students}
    beside = [sheet.text(row, at - 1).strip() for row in students]
    is_one = len(texts) == 1 and number_of(next(iter(texts))) is not None
    return is_one and all(text in ("", "-") or number_of(text) is not None for text in beside)


def _most(sheet: Sheet, students: list[int], at: int) -> Decimal | None:
    texts = {sheet.text(row, at + 1).strip() for row in students}
    return number_of(texts.pop()) if len(texts) == 1 else None


def _row(sheet: Sheet, headers: list[str], row: int, at: int) -> Row:
    """A participant; what stands between the number and the grade may be an id, whatever the site calls it."""
    found = _PARTICIPANT.fullmatch(sheet.text(row, 0))
    ids = {header: sheet.text(row, column).strip() for column, header in enumerate(headers[:at]) if column > 1}
    anonymous = at < 3
    name = "" if anonymous else sheet.text(row, 1)
    shown = f"row {row + 1} ({cell(name or sheet.text(row, 0), 60)})"
    return Row(row, {**ids, "": found["pid"].lstrip("0") if found else ""}, name, shown)


def _keys(roll: Roll, grade: Grade, identities: list[str], numbering: bool) -> list[Key]:
    """The participant's number above all: a name, and a number that counts elsewhere, is none."""
    own = roster_id(roll, grade, "moodle")
    there = tuple(identities)
    trusted: list[Key] = [
        (("",), own_id(roll, grade, "moodle participant").lstrip("0")),
        *([(("",), own.lstrip("0"))] if numbering else []),
        (there, own),
    ]
    return with_fallback(trusted, (there, same_student(grade.student)), (there, roll.student(grade).email))


def _roster_has_participants(roll: Roll) -> bool:
    """Whether the roster's ids for Moodle are participants' numbers: they are those of all whose number is known."""
    pairs = [(roster_id(roll, grade, "moodle"), own_id(roll, grade, "moodle participant")) for grade in roll.grades]
    both = [(own, number) for own, number in pairs if own and number]
    return bool(both) and all(own == number for own, number in both)


def _comments(roll: Roll, sheet: Sheet, headers: list[str], matched: Matched) -> dict[tuple[int, int], str]:
    """What is not right, as HTML, where the worksheet has a column for it; what a person wrote there stays."""
    how = chosen(roll, "feedback", "replace", "none")
    wanted = roll.options.get("feedback-column", "").strip()
    names = [at for at, each in enumerate(headers) if each == wanted or (not wanted and each.casefold() in _FEEDBACK)]
    if wanted and len(names) != 1:
        raise NotExportable(f"feedback-column={cell(wanted, 60)}: there is no one such column; leave it out for none")
    if len(names) != 1 or how == "none":
        return {}
    return {
        (row, names[0]): "".join(f"<p>{html(each)}</p>" for each in feedback(grade))
        for row, grade in matched.rows.items()
        if points(roll, grade) is not None
        and feedback(grade)
        and (how == "replace" or not sheet.text(row, names[0]).strip())
    }


def _with_too_much(roll: Roll, column: Column, made: Exported) -> Exported:
    """Moodle skips what is above its maximum, and says nothing: it is said here."""
    if column.most is None:
        return made
    over = [each for each in made.given if each.points is not None and each.points > column.most]
    remarks = (f"{cell(each.student, 60)}: {each.points} is above the maximum there: Moodle skips it" for each in over)
    return Exported(made.files, made.given, made.unmatched, (*made.remarks, *remarks))
