"""An instructor's own file: every byte stays but what is asked for, and nobody gets another one's points."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import export_readers as read
import export_samples as samples
import pytest
from export_samples import roll
from graded_samples import NAME, PUBLIC, missing
from hypothesis import given
from hypothesis import strategies as st

from grader.exports import FORMATS, Exported, NotExportable, Roll
from grader.exports.sheet import read_sheet
from grader.records import Handin, Student

CELL = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8)
TABLES = st.lists(st.lists(CELL, min_size=2, max_size=4), min_size=1, max_size=5)


def made(name: str, given_roll: Roll) -> Exported:
    return FORMATS[name].make(given_roll)


def canvas_of(*rows: str, points: str = "10.00", title: str = f"{NAME} (7)") -> str:
    header = f"Student,ID,SIS Login ID,Section,{title}\n    Points Possible,,,,{points}\n"
    return header + "".join(f"{row}\n" for row in rows)


def given_points(export: Exported) -> dict[str, Decimal]:
    return {each.student: each.points for each in export.given if each.points is not None}


@given(
    TABLES,
    st.sampled_from(",;\t"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_a_table_keeps_every_byte(rows: list[list[str]], delimiter: str, end: str, quoting: int, encoding: str) -> None:
    """Whatever is in a table: it reads as csv reads it, comes out as it went in, and a filled cell changes no other."""
    buffer = io.StringIO(newline="")
    header = ["a", "b", "c", "d"]
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=end, quoting=quoting)  # type: ignore[call-overload]
    writer.writerows([header, *rows])
    data = buffer.getvalue().encode(encoding)
    sheet = read_sheet(data)
    assert sheet.filled({}) == data
    cells = list(csv.reader(io.StringIO(buffer.getvalue(), newline=""), delimiter=delimiter, strict=True))
    assert [sheet.texts(row) for row in range(len(cells))] == [each or [""] for each in cells]
    filled = sheet.filled({(1, 1): '8,5"\n'})
    again = read_sheet(filled)
    cells[1][1] = '8,5"\n'
    assert [again.texts(row) for row in range(len(cells))] == [each or [""] for each in cells]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "is empty"),
        (b"", "is empty"),
        (b"PK\x03\x04rest", "Excel workbook"),
        (b'a,"b\n1,2\n', "does not end"),
        ("a,b\nö,1\n".encode("cp1252"), "encoding=cp1252"),
    ],
)
def test_a_file_that_is_no_table_is_refused(data: bytes | None, reason: str) -> None:
    """What is no CSV is refused with what to do, before anything is made of it."""
    with pytest.raises(NotExportable, match=reason):
        read_sheet(data)


def test_an_old_encoding_stays() -> None:
    """A file of an old system is read and written in its own encoding."""
    data = canvas_of("Müller,77,x,A,").encode("cp1252")
    grade = samples.scored("77", "5")
    export = made("canvas", Roll((grade,), {}, into=data, options={"encoding": "cp1252"}))
    assert export.files["canvas.csv"] == canvas_of("Müller,77,x,A,5.00").encode("cp1252")
    with pytest.raises(NotExportable, match="no such encoding"):
        made("canvas", Roll((grade,), {}, into=data, options={"encoding": "klingon"}))


@pytest.mark.parametrize("name", ["canvas", "moodle", "blackboard", "brightspace"])
def test_anothers_file_is_refused(name: str) -> None:
    """Each format says what it fills in when it is given something else, another platform's file too."""
    others = [samples.CANVAS, samples.MOODLE, samples.BLACKBOARD, samples.BRIGHTSPACE, "a,b\n1,2\n"]
    own = {"canvas": 0, "moodle": 1, "blackboard": 2, "brightspace": 3}[name]
    for at, text in enumerate(others):
        if at != own:
            with pytest.raises(NotExportable, match="the file to fill in is no"):
                made(name, roll(into=text))


def test_the_column_is_found_by_title_id_or_heading() -> None:
    """The assignment's title or name finds its column; the option takes the id, the id in brackets, or the heading."""
    for title in (f"{NAME} (7)", f"{PUBLIC.title.upper()} (7)"):
        assert given_points(made("canvas", roll(into=canvas_of("A,ada,,S,", title=title))))["ada"] == Decimal("8.50")
    for wanted in ("7", "(7)", "Homework 1 (7)", "Homework 1"):
        text = canvas_of("A,ada,,S,", title="Homework 1 (7)")
        assert given_points(made("canvas", roll(into=text, assignment_column=wanted)))["ada"] == Decimal("8.50")
    with pytest.raises(NotExportable, match=r"there are: Homework 1 \(7\)"):
        made("canvas", roll(into=canvas_of("A,ada,,S,", title="Homework 1 (7)")))
    with pytest.raises(NotExportable, match="assignment-column=8"):
        made("canvas", roll(into=canvas_of("A,ada,,S,"), assignment_column="8"))


def test_two_columns_of_one_title_are_not_guessed_between() -> None:
    """With two columns of the title, the instructor says which."""
    text = f"Student,ID,Section,{NAME} (7),{NAME} (8)\nA,ada,S,,\n"
    with pytest.raises(NotExportable, match="several columns"):
        made("canvas", roll(into=text))
    export = made("canvas", roll(into=text, assignment_column="8"))
    assert export.files["canvas.csv"].decode().splitlines()[1] == "A,ada,S,,8.50"


def test_a_column_that_canvas_would_drop_or_not_write_is_refused() -> None:
    """A title that Canvas ignores, and a column that is read only, would lose all grades in silence."""
    with pytest.raises(NotExportable, match="ignores"):
        made("canvas", roll(into=canvas_of("A,ada,,S,", title="Final Grade check (7)"), assignment_column="7"))
    with pytest.raises(NotExportable, match="read only"):
        made("canvas", roll(into=canvas_of("A,ada,,S,", points="(read only)")))


def test_blackboard_makes_no_new_column() -> None:
    """A heading without an id, by which Blackboard would make a column, and one without points, are refused."""
    head = "Last Name,First Name,Username,{}\nL,A,ada,\n"
    with pytest.raises(NotExportable, match="new column"):
        made("blackboard", roll(into=head.format(f"{NAME} [Total Pts: 10 Score]")))
    with pytest.raises(NotExportable, match="primary display"):
        made("blackboard", roll(into=head.format(f"{NAME} [Total Pts: 10 Percentage] |4")))


def test_blackboards_tabs_in_utf16_stay() -> None:
    """The `.xls` that is text with tabs in UTF-16 is filled in as it is, with or without its mark."""
    text = f"Last Name\tUsername\t{NAME} [Total Pts: 10 Score] |4\r\nL\tada\t\r\n"
    for mark in (b"\xff\xfe", b""):
        export = made("blackboard", roll(into=mark + text.encode("utf-16-le")))
        filled = text.replace("ada\t", "ada\t8.50")
        assert export.files == {"blackboard.xls": mark + filled.encode("utf-16-le")}


def test_whoever_has_no_row_and_every_row_without_a_grade_is_named() -> None:
    """Students without a row, and rows without a student, are named; neither gets anything of another's."""
    text = canvas_of('"Lovelace, Ada",ada,,S,', '"Stranger, Sam",555,,S,', '"Student, Test",999,,S,')
    export = made("canvas", roll(into=text, grades=[samples.scored("ada", "5"), samples.scored("zoe", "6")]))
    assert export.unmatched == (
        "zoe: no row has an id of theirs",
        "row 4 (Stranger, Sam): there is no grade here for it",
    )
    assert read.canvas(export.files["canvas.csv"], 7) == {"ada": "5.00"}


def test_a_name_is_taken_only_when_asked_and_only_if_it_is_one() -> None:
    """Names are no ids: `names=yes` takes one that a single student and a single row have, and marks it."""
    twins = ('"Lee, Ann",1,,S,', '"Lee, Ann",2,,S,', '"Yu, Bo",3,,S,')
    people = (Student("x", "Ann Lee"), Student("y", "Bo Yu"))
    grades = (samples.scored("x", "5"), samples.scored("y", "6"))
    into = canvas_of(*twins).encode()
    plain = made("canvas", Roll(grades, {}, people, into=into))
    assert given_points(plain) == {}
    assert "row 5 (Yu, Bo) has the name: --set names=yes takes it" in plain.unmatched[1]
    named = made("canvas", Roll(grades, {}, people, into=into, options={"names": "yes"}))
    assert given_points(named) == {"y": Decimal("6.00")}
    assert [each.where for each in named.given] == ["row 5, by the name alone"]


def test_two_grades_for_one_row_are_none() -> None:
    """A row that two students claim gets nobody's points, and both are named."""
    people = tuple(Student(name, ids=(("canvas", "1"),)) for name in ("x", "y"))
    grades = (samples.scored("x", "5"), samples.scored("y", "6"))
    export = made("canvas", Roll(grades, {}, people, into=canvas_of('"Lee, Ann",1,,S,').encode()))
    assert given_points(export) == {}
    assert [line.partition(":")[0] for line in export.unmatched] == ["x", "y", "row 3 (Lee, Ann)"]


def test_a_number_of_ones_own_is_not_another_students_id() -> None:
    """A student called 12 here whose Canvas id is known to be 34 is not whoever Canvas calls 12."""
    into = canvas_of("A,12,,S,", "B,34,,S,").encode()
    grade = samples.scored("12", "5", handin=Handin("canvas", ids=(("canvas user", "34"),)))
    assert read.canvas(made("canvas", Roll((grade,), {}, into=into)).files["canvas.csv"], 7) == {"34": "5.00"}
    people = (Student("12", ids=(("canvas", "99"),)),)
    grade = samples.scored("12", "5")
    assert given_points(made("canvas", Roll((grade,), {}, people, into=into))) == {}


def test_brightspaces_own_number_is_no_orgdefinedid() -> None:
    """The number in a Brightspace download is D2L's own: it is not looked for among other ids."""
    into = f"OrgDefinedId,Username,{NAME} Points Grade,End-of-Line Indicator\n#39786,#other,,#\n".encode()
    grade = samples.scored("39786", "5", handin=Handin("brightspace", ids=(("brightspace user", "39786"),)))
    assert given_points(made("brightspace", Roll((grade,), {}, into=into))) == {}


def test_a_groups_members_each_have_their_own_row() -> None:
    """The download has the id of one member: the others are found by the roster's id, or by none."""
    facts = Handin("canvas", group="seven", ids=(("canvas user", "1"), ("canvas attachment a.ipynb", "5")))
    grades = tuple(samples.scored(name, "7", handin=facts, path="g_1_5_a.ipynb") for name in ("x", "y"))
    people = (Student("x", ids=(("canvas", "1"),)), Student("y", ids=(("canvas", "2"),)))
    into = canvas_of("A,1,,S,", "B,2,,S,").encode()
    export = made("canvas", Roll(grades, {}, people, into=into))
    assert read.canvas(export.files["canvas.csv"], 7) == {"1": "7.00", "2": "7.00"}
    assert given_points(made("canvas", Roll(grades, {}, into=into))) == {}
    pages = made("canvas-feedback", Roll(grades, {}, people, pages={"x": b"page", "y": b"page"}))
    assert read.canvas_feedback(pages.files["canvas-feedback.zip"]) == {("1", "5"): b"page"}


def test_excused_and_earlier_points_stay_and_are_said() -> None:
    """`EX` is never overwritten; a number there for who has none here stays, and both are said."""
    text = canvas_of("A,ada,,S,EX", "B,ben,,S,3.00", "C,cem,,S,")
    export = made("canvas", roll(into=text, grades=[samples.scored("ada", "5"), samples.held("ben"), missing("cem")]))
    assert export.files["canvas.csv"].decode() == text
    assert export.remarks == (
        "ada, row 3: excused there; the cell stays as it is",
        "ben, row 4: held: a person must decide; the 3.00 there stays as it is",
    )


def test_an_equal_number_is_not_written_again() -> None:
    """A cell that says the same number keeps its own writing."""
    text = canvas_of("A,ada,,S,8.5")
    assert made("canvas", roll(into=text)).files["canvas.csv"].decode() == text


def test_another_maximum_is_said_and_scaled_only_when_asked() -> None:
    """8.5 of 10 in a column of 100 points: written as 8.50 and said aloud; `scale=yes` makes it 85.00."""
    text = canvas_of("A,ada,,S,", points="100.00")
    grades = [samples.scored("ada", "8.5")]
    plain = made("canvas", roll(into=text, grades=grades))
    assert given_points(plain) == {"ada": Decimal("8.50")}
    assert "has 100 points there and 10 here" in plain.remarks[0]
    scaled = made("canvas", roll(into=text, grades=grades, scale="yes"))
    assert given_points(scaled) == {"ada": Decimal("85.00")}
    assert scaled.remarks == ()


def test_a_decimal_comma_is_kept() -> None:
    """Where the file writes numbers with a comma, so do we: in quotes, if commas part its cells."""
    text = canvas_of('A,ada,,S,"3,5"', points='"10,00"')
    assert made("canvas", roll(into=text)).files["canvas.csv"].decode().splitlines()[2] == 'A,ada,,S,"8,50"'
    semicolons = canvas_of("A,ada,,S,", points="10").replace(",", ";")
    assert made("canvas", roll(into=semicolons)).files["canvas.csv"].decode().splitlines()[2] == "A;ada;;S;8,50"


def test_moodle_in_a_language_that_nobody_knows() -> None:
    """Without a known word the grade stands left of the maximum, the one column with one number in all rows."""
    text = "Xx,Yy,Zz,Gg,Mm,Dd,Ee\n" + "".join(f'Qq{n},N {n},s{n},,"10,00",-,-\n' for n in (31, 32))
    grades = [
        samples.scored(str(n), "5", handin=Handin("moodle", ids=(("moodle participant", str(n)),))) for n in (31, 32)
    ]
    export = made("moodle", roll(into=text, grades=grades))
    assert export.files["moodle.csv"].decode().splitlines()[1] == 'Qq31,N 31,s31,"5,00","10,00",-,-'
    odd = text.replace('"10,00"', "ten")
    with pytest.raises(NotExportable, match="grade-column"):
        made("moodle", roll(into=odd, grades=grades))
    export = made("moodle", roll(into=odd, grades=grades, grade_column="Gg"))
    assert given_points(export) == {"31": Decimal("5.00"), "32": Decimal("5.00")}


def test_moodles_anonymous_worksheet_has_no_names() -> None:
    """With blind marking there are no names: the number alone leads to the row."""
    text = "Identifier,Status,Grade,Maximum grade,Last modified (grade)\nParticipant 31,x,,10.00,-\n"
    grade = samples.scored("31", "5", handin=Handin("moodle", ids=(("moodle participant", "31"),)))
    export = made("moodle", roll(into=text, grades=[grade]))
    assert export.files["moodle.csv"].decode().splitlines()[1] == "Participant 31,x,5.00,10.00,-"


def test_a_moodle_id_of_the_roster_is_no_participants_number() -> None:
    """A Moodle user id that happens to be another's participant number finds an identity column, never that row."""
    text = (
        "Identifier,Full name,ID number,Grade,Maximum grade\nParticipant 31,A,s1,,10.00\nParticipant 32,B,s2,,10.00\n"
    )
    people = (Student("x", ids=(("moodle", "32"),)), Student("y", ids=(("moodle", "s2"),)))
    export = made("moodle", Roll((samples.scored("x", "5"), samples.scored("y", "6")), {}, people, into=text.encode()))
    assert given_points(export) == {"y": Decimal("6.00")}
    assert export.files["moodle.csv"].decode().splitlines()[1:] == [
        "Participant 31,A,s1,,10.00",
        "Participant 32,B,s2,6.00,10.00",
    ]


def test_what_moodle_would_skip_is_said() -> None:
    """More than the maximum is skipped by Moodle without a word: here it is said."""
    text = "Identifier,Full name,Grade,Maximum grade\nParticipant 31,A,,5.00\n"
    grade = samples.scored("31", "8", handin=Handin("moodle", ids=(("moodle participant", "31"),)))
    export = made("moodle", roll(into=text, grades=[grade]))
    assert export.remarks[-1] == "31: 8.00 is above the maximum there: Moodle skips it"


def test_a_persons_comment_in_the_worksheet_stays() -> None:
    """What somebody wrote into the worksheet stays, unless it is to be replaced."""
    text = "Identifier,Full name,Grade,Maximum grade,Feedback comments\nParticipant 31,A,,10.00,<p>mine</p>\n"
    grade = samples.scored("31", "8", handin=Handin("moodle", ids=(("moodle participant", "31"),)))
    assert b"<p>mine</p>" in made("moodle", roll(into=text, grades=[grade])).files["moodle.csv"]
    replaced = made("moodle", roll(into=text, grades=[grade], feedback="replace"))
    assert b"<p>square (4.00 of 6.00)" in replaced.files["moodle.csv"]
