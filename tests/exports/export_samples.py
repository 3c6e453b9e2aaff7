"""A class for the exports: decided, held, at fault, missing and refused; with names and texts that try things."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import msgspec
from graded_samples import NAME, PUBLIC, exercise, grade_of, missing, refused

from grader.exports import Roll
from grader.records import Grade, Handin, Lateness, Student

NASTY = (
    "=cmd|'/c calc'!A1, \"q\" ::error::x\r\n::set-output name=a::b \x1b[31mred\x1b[0m ]]> <b>&amp; "
    "\u202eabc\u200b \ud800 @SUM"
)
FULL = Decimal(10)
# student, name, Canvas id, SIS id, participant, Blackboard user, OrgDefinedId, LTI sub
PEOPLE = (
    ("ada", "Lovelace, Ada", "1234", "s0012", "1327601", "alovelace", "100200", "sub-ada"),
    ("ben", "O'Brien, Ben", "1235", "s0013", "1327602", "bobrien", "100201", "sub-ben"),
    ("cem", "Yılmaz, Cem", "1236", "s0014", "1327603", "cyilmaz", "100202", "sub-cem"),
    ("dai", "李, 小龙", "1237", "s0015", "1327604", "dli", "100203", "sub-dai"),
    ("eve", "=HYPERLINK(1)", "1238", "s0016", "1327605", "eeve", "100204", "sub-eve"),
    ("fay", "Late, Fay", "1239", "s0017", "1327606", "flate", "100205", "sub-fay"),
)


def scored(student: str, score: str, **more: Any) -> Grade:
    """A decided grade with so many points of ten, over two exercises."""
    got = Decimal(score)
    first = min(got, Decimal(4))
    exercises = (
        exercise("squaring_hook", "predict", "right" if first == 4 else "wrong", str(first), "4", NASTY),
        exercise("square", "implement", "partly_right" if got < 10 else "right", str(got - first), "6", "1 of 2 cases"),
    )
    return grade_of(student, *exercises, **{"max_score": FULL, **more})


def held(student: str) -> Grade:
    exercises = (
        exercise("squaring_hook", "predict", "right", "4", "4", "Right."),
        exercise("square", "implement", "needs_person", None, "6", "the question itself was changed"),
    )
    return grade_of(student, *exercises)


def at_fault(student: str) -> Grade:
    return grade_of(student, exercise("square", "implement", "grader_fault", None, "10", "the grader's own fault"))


def late(student: str) -> Grade:
    taken = Lateness(
        "2026-03-01T23:59+01:00", "2026-03-02T08:00:00+01:00", 28_860, Decimal("1.00"), "8 h 1 min late: 1 point."
    )
    return msgspec.structs.replace(scored(student, "9"), score=Decimal("8.00"), lateness=taken)


def handed_in(grade: Grade, layout: str) -> Grade:
    """The same grade, as the download of a platform would have it."""
    if grade.status == "missing":
        return grade
    row = next(each for each in PEOPLE if each[0] == grade.student)
    cleaned = "".join(letter for letter in row[1].lower() if letter.isalnum() or letter == "_")
    facts = {
        "canvas": (("canvas user", row[2]), ("canvas attachment hw.ipynb", f"9{row[2]}")),
        "moodle": (("moodle participant", row[4]),),
        "blackboard": (("blackboard username", row[5]),),
        "plain": (),
    }[layout]
    name = cleaned if layout == "canvas" else " ".join(reversed(row[1].split(", ")))
    path = f"submissions.zip/{cleaned}_{row[2]}_9{row[2]}_hw.ipynb" if layout == "canvas" else grade.path
    handin = Handin(
        layout, "2026-03-02T08:00:00+01:00", late=(grade.student == "fay") if layout == "canvas" else None, name=name
    )
    return msgspec.structs.replace(grade, path=path, handin=msgspec.structs.replace(handin, ids=facts))


def classroom() -> tuple[Grade, ...]:
    """ada 8.5, ben held, cem missing, dai refused, eve 0, fay late with 8."""
    return (scored("ada", "8.5"), held("ben"), missing("cem"), refused("dai"), scored("eve", "0"), late("fay"))


def students(*platforms: str) -> tuple[Student, ...]:
    """The roster with the ids of these platforms."""
    columns = {"canvas": 2, "moodle": 4, "blackboard": 5, "brightspace": 6, "lti": 7}
    return tuple(
        Student(row[0], row[1], f"{row[0]}@example.org", tuple((each, row[columns[each]]) for each in platforms))
        for row in PEOPLE
    )


def roll(
    layout: str = "plain",
    into: str | bytes | None = None,
    grades: Iterable[Grade] | None = None,
    roster: tuple[str, ...] = (),
    **options: str,
) -> Roll:
    own = classroom() if grades is None else tuple(grades)
    placed = tuple(handed_in(grade, layout) for grade in own) if grades is None else own
    data = into.encode() if isinstance(into, str) else into
    named = {name.replace("_", "-"): value for name, value in options.items()}
    pages = {grade.student: f"<p>{grade.student}</p>".encode() for grade in placed}
    return Roll(placed, {NAME: PUBLIC}, students(*roster), pages, data, named)


TITLE = "Hooks that change gradients"
CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Old one (11),"
    f"{TITLE} (98765),Current Score\r\n"
    "    Points Possible,,,,,5.00,10.00,(read only)\r\n"
    + "".join(
        f'"{name}",{canvas},{sis},{user}@example.org,"CS 101, A",4.5 ,"",88.1\r\n'
        for user, name, canvas, sis, *_ in PEOPLE
    )
    + '"Student, Test",999,,tess,"CS 101, A",,,\r\n'
)
MOODLE = (
    "\ufeffIdentifikator,Vollständiger Name,ID-Nummer,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,"
    "Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar\n"
    + "".join(
        f'Teilnehmer/in{pid},"{name}",{sis},"Zur Bewertung abgegeben","","10,00",Ja,"Montag, 2. März 2026, 08:00",-,\n'
        for _, name, _, sis, pid, *_ in PEOPLE
    )
)
BLACKBOARD = (
    '\ufeff"Last Name","First Name","Username","Student ID",'
    f'"Old [Total Pts: 5 Score] |11","{TITLE} [Total Pts: 10 Score] |4711",'
    '"Feedback to Learner","Feedback Format"\r\n'
    + "".join(
        f'"{name.partition(", ")[0]}","{name.partition(", ")[2]}","{user}","{sis}","4.00000","","",""\r\n'
        for _, name, _, sis, _, user, *_ in PEOPLE
    )
)
BRIGHTSPACE = (
    f"\ufeffOrgDefinedId,Username,Old Points Grade <Numeric MaxPoints:5>,{TITLE} Points Grade "
    "<Numeric MaxPoints:10 Weight:5>,End-of-Line Indicator\r\n"
    + "".join(f"#{org},#{user},4,,#\r\n" for _, _, _, _, _, user, org, _ in PEOPLE)
)
