"""Exports are exact, deterministic, documented, and harmless to a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from graded_samples import NAME, PUBLIC, classroom, everything, exercise, grade_of, missing, perfect
from hypothesis import given
from hypothesis import strategies as st

from grader.errors import ExitCode
from grader.exports import gradebook_csv, grades_jsonl
from grader.exports.csv_table import defused
from grader.records import Diagnosis, Grade, Kind, Student, Verdict

DOCUMENT = (Path(__file__).parent.parent.parent / "docs" / "grade-format.md").read_text()
ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates, too


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def documented(heading: str) -> list[str]:
    """The first column of the table under a heading of docs/grade-format.md, its code marks removed."""
    section = re.search(rf"^##+ {re.escape(heading)}\n(.*?)(?=^##+ |\Z)", DOCUMENT, re.M | re.S)
    assert section, f"docs/grade-format.md has no section {heading!r}"
    return [name.strip("`") for name in re.findall(r"^\| ([^|]+?) \|", section[1], re.M)[1:] if name != "---"]


def test_lines_are_sorted_json_with_two_decimals() -> None:
    """One line per student, sorted whatever the order given; points are numbers with two decimals or null."""
    text = grades_jsonl(tuple(reversed(classroom())))
    assert text == grades_jsonl(classroom())
    lines = [json.loads(line) for line in text.splitlines()]
    assert [line["student"] for line in lines] == ["ada", "mira", "noor", "theo"]
    ada, mira, noor, _ = text.splitlines()
    assert '"score":10.00,"score_so_far":10.00,"max_score":10.00' in ada
    assert '"score":null,"score_so_far":2.50' in mira
    assert '"submission":null,"status":"missing","score":null' in noor
    assert json.loads(mira)["exercises"][0] == {
        "id": "squaring_hook",
        "kind": "predict",
        "verdict": "wrong",
        "score": 0,
        "max_score": 2,
        "diagnosis": None,
        "message": "1 of 3 elements differs",
    }


def test_a_diagnosis_is_an_object() -> None:
    """Kind and beliefs, as recorded."""
    found = exercise("a", "predict", "wrong", "0", "1", diagnosis=Diagnosis("several", ("no-effect", "w-at-the-end")))
    line = json.loads(grades_jsonl([grade_of("ada", found)]))
    assert line["exercises"][0]["diagnosis"] == {"kind": "several", "misconceptions": ["no-effect", "w-at-the-end"]}


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_is_one_line_of_json(student: str, note: str) -> None:
    """Strings come back exactly (lone surrogates excepted), and no line has a raw control or invisible character."""
    text = grades_jsonl([msgspec.structs.replace(perfect(student), notes=(note,))])
    assert text.count("\n") == 1
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]", text)
    line = json.loads(text)
    assert line["student"] == re.sub("[\ud800-\udfff]", "\ufffd", student)
    assert line["notes"] == [re.sub("[\ud800-\udfff]", "\ufffd", note)]


def test_fields_and_document_agree() -> None:
    """Every field that is written is described in docs/grade-format.md, and nothing else is described."""
    found = exercise("a", "predict", "wrong", "0", "1", diagnosis=Diagnosis("one", ("b",)))
    line: dict[str, Any] = json.loads(grades_jsonl([grade_of("ada", found)]))
    assert documented("Fields of a line") == list(line)
    assert documented("Fields of an exercise") == list(line["exercises"][0])
    assert documented("Fields of a diagnosis") == list(line["exercises"][0]["diagnosis"])


def test_enumerations_and_document_agree() -> None:
    """Statuses, kinds, verdicts, kinds of diagnosis and exit codes: all are described, and no others."""
    types = {field.name: field.type for field in msgspec.structs.fields(Grade)}
    assert documented("Statuses") == list(get_args(types["status"]))
    assert documented("Kinds") == list(get_args(Kind))
    assert documented("Verdicts") == list(get_args(Verdict))
    kinds = {field.name: field.type for field in msgspec.structs.fields(Diagnosis)}["kind"]
    assert documented("Kinds of diagnosis") == list(get_args(kinds))
    assert documented("Exit codes") == [str(int(code)) for code in ExitCode]
    for code in ExitCode:
        assert f"| {int(code)} | `{code.name}` |" in DOCUMENT


def test_columns_and_document_agree() -> None:
    """The fixed columns of gradebook.csv are those of the document, in its order."""
    [text] = gradebook_csv([grade_of("ada")], {}).values()
    assert documented("Columns") == text.splitlines()[0].split(",")


def test_one_assignment_has_a_column_per_exercise() -> None:
    """Every student has a row; held, missing and refused have an empty score, which is no zero."""
    tables = gradebook_csv(classroom(), {NAME: PUBLIC})
    assert list(tables) == ["gradebook.csv"]
    header = tables["gradebook.csv"].splitlines()[0]
    ids = ",".join(each.id for each in PUBLIC.questions)
    assert header == f"student_id,name,email,submission,status,late,score,max_score,percent,{ids},feedback"
    ada, mira, noor, theo = rows_of(tables["gradebook.csv"])
    assert (ada["score"], ada["percent"], ada["square"], ada["feedback"]) == ("10.00", "100.00", "3.00", "")
    assert (mira["score"], mira["percent"], mira["square"], mira["clipping_factory"]) == ("", "", "1.50", "")
    assert mira["feedback"].startswith("squaring_hook (0.00 of 2.00): 1 of 3 elements differs")
    assert "clipping_factory (not graded yet of 2.00)" in mira["feedback"]
    assert (noor["status"], noor["score"], noor["submission"], noor["squaring_hook"]) == ("missing", "", "", "")
    assert (theo["status"], theo["score"], theo["square"]) == ("refused", "", "")
    assert theo["feedback"] == "The file ends in the middle (character 812)."


def test_several_assignments_have_a_table_each_and_one_of_all() -> None:
    """`gradebook.csv` then has an `assignment` column in front and no exercises."""
    other = msgspec.structs.replace(perfect("ada"), assignment="weights")
    tables = gradebook_csv((*classroom(), other), {NAME: PUBLIC})
    assert set(tables) == {"gradebook.csv", f"gradebook-{NAME}.csv", "gradebook-weights.csv"}
    rows = rows_of(tables["gradebook.csv"])
    assert [(row["student_id"], row["assignment"]) for row in rows[:2]] == [("ada", NAME), ("ada", "weights")]
    assert next(iter(rows[0])) == "assignment"
    assert "square" not in rows[0]
    assert [row["student_id"] for row in rows_of(tables["gradebook-weights.csv"])] == ["ada"]


def test_an_exercise_may_be_called_like_a_column() -> None:
    """No two columns have the same heading."""
    [text] = gradebook_csv([grade_of("ada", exercise("score", "predict", "right", "1", "1"))], {}).values()
    assert rows_of(text)[0]["score (exercise)"] == "1.00"


def test_zero_points_stay_zero() -> None:
    """A zero is written as 0.00, never as an empty cell; an assignment without points has no percentage."""
    grade = grade_of("ada", exercise("a", "predict", "wrong", "0", "1"), max_score=Decimal(0))
    [text] = gradebook_csv([grade], {}).values()
    assert (rows_of(text)[0]["score"], rows_of(text)[0]["a"], rows_of(text)[0]["percent"]) == ("0.00", "0.00", "")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("  =1+1", "'=1+1"),
        ("+SUM(A1)", "'+SUM(A1)"),
        ("-2+3", "'-2+3"),
        ("@import", "'@import"),
        ("|x", "'|x"),
        ("%0A", "'%0A"),
        ("＝1+1", "'＝1+1"),
        ("\tx", "'x"),
        ("\r=x", "'=x"),
        ("\n=x", "'=x"),
        ("-5", "-5"),
        ("+12.50", "+12.50"),
        ('plain, "quoted"', 'plain, "quoted"'),
        ("two\nlines", "two lines"),
        ("\u202e=x", r"\u202e=x"),
        ("\x1b[31m=x", r"\x1b[31m=x"),
    ],
)
def test_formulas_are_defused(cell: str, written: str) -> None:
    """What a spreadsheet would run is text; numbers stay numbers; nothing invisible gets through."""
    assert defused(cell) == written


@given(ANY_TEXT, ANY_TEXT)
def test_no_cell_of_a_table_is_a_formula(student: str, message: str) -> None:
    """Whatever a student writes, each row has its columns and no cell starts a formula."""
    grade = grade_of(student, exercise("a", "predict", "wrong", "0", "1", message), notes=(message,), path=message)
    [text] = gradebook_csv([grade], {}).values()
    header, row = csv.reader(io.StringIO(text))
    assert len(header) == len(row)
    assert not [
        cell for cell in row if cell[:1] in "=+-@|%\t\r" and cell and not re.fullmatch(r"[+-]?\d+(\.\d+)?", cell)
    ]


def test_missing_students_are_in_every_table() -> None:
    """A class in which nobody handed in still has its rows."""
    [text] = gradebook_csv([missing("a"), missing("b")], {NAME: PUBLIC}).values()
    assert [row["status"] for row in rows_of(text)] == ["missing", "missing"]
    assert everything().status == "held"


def test_names_and_addresses_come_from_the_roster() -> None:
    """By id, however its accents are spelt; who is not on the roster has none, who has no grade has no row."""
    roster = [Student("ada", "Ada L.", "ada@x.org"), Student("Zo\u00eb", "Zoë Z."), Student("nobody", "No Body")]
    [text] = gradebook_csv([grade_of("ada"), grade_of("Zoe\u0308"), grade_of("theo")], {}, roster).values()
    rows = {row["student_id"]: (row["name"], row["email"]) for row in rows_of(text)}
    assert rows == {"ada": ("Ada L.", "ada@x.org"), "Zoe\u0308": ("Zoë Z.", ""), "theo": ("", "")}


@given(ANY_TEXT, ANY_TEXT)
def test_a_roster_is_no_way_in_for_formulas(name: str, email: str) -> None:
    """A student may have chosen what an LMS calls them: no cell starts a formula, whatever stands in the roster."""
    [text] = gradebook_csv([grade_of("ada")], {}, [Student("ada", name, email)]).values()
    _, row = csv.reader(io.StringIO(text))
    for cell in row[1:3]:
        assert not cell or cell[0] not in "=+-@|%\t\r" or re.fullmatch(r"[+-]?\d+(\.\d+)?", cell)
