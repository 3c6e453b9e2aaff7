"""Rosters are read strictly: every mistake is an error with its line, none a missing student."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.course import read_roster
from grader.errors import UsageError
from grader.records import Student


def read(folder: Path, data: str | bytes) -> tuple[Student, ...]:
    path = folder / "roster.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_roster(path)


@pytest.mark.parametrize(
    "text",
    [
        "id,name,email\nbob,Bob B.,b@x.org\nada,Ada,\n",
        "\ufeffid,name,email\r\nbob,Bob B.,b@x.org\r\nada,Ada,\r\n",
        "ID;Name;Email\nbob;Bob B.;b@x.org\nada;Ada\n",
        'email,section,id,name\nb@x.org,2,bob,"Bob B."\n\n,1,ada,Ada\n,,,\n',
    ],
    ids=["plain", "windows", "semicolons", "other columns"],
)
def test_a_roster_is_read_whatever_program_saved_it(tmp_path: Path, text: str) -> None:
    """The same students, sorted by id, from commas or semicolons, with a byte order mark, in any order of columns."""
    assert read(tmp_path, text) == (Student("ada", "Ada", ""), Student("bob", "Bob B.", "b@x.org"))


def test_only_the_id_is_needed(tmp_path: Path) -> None:
    """Names and addresses are empty where the file has none; an id may hold what a folder may not."""
    assert read(tmp_path, "id\nada\n../bob\nZoë\n") == (Student("../bob"), Student("Zoë"), Student("ada"))


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("name,email\nAda,a@x.org\n", "has no column id (it has name, email)"),
        ("id,name,id\nada,Ada,7\n", "has the column id twice"),
        ("id,name\n", "names no student"),
        ("id,name\nada,Ada\nada,Another\n", "roster.csv:3: has the id ada, as line 2 has"),
        ("id,name\nada,Ada\n,Bob\n", "roster.csv:3: has no id"),
        ("id,name\nada,Lovelace, Ada\n", "roster.csv:2: has 3 cells under 2 columns"),
        ('id,name\nada,"Ada\n', "is not CSV"),
        ("id\na\u200bda\n", "characters that cannot be seen"),
        (b"id,name\n\xe4da,x\n", "is not text in UTF-8 (byte 9)"),
    ],
)
def test_a_mistake_is_an_error(tmp_path: Path, data: str | bytes, complaint: str) -> None:
    """What is wrong, in which line, and never a roster that lacks somebody."""
    with pytest.raises(UsageError) as caught:
        read(tmp_path, data)
    assert complaint in str(caught.value)
    assert "roster.csv" in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """Two bad lines make two lines of complaint."""
    with pytest.raises(UsageError) as caught:
        read(tmp_path, "id\nada\nada\n \n\nada\n")
    assert len(str(caught.value).splitlines()) == 2


def test_a_roster_that_is_not_there(tmp_path: Path) -> None:
    """The message names the file and the option."""
    with pytest.raises(UsageError, match=r"gone\.csv: cannot be read .* --roster"):
        read_roster(tmp_path / "gone.csv")


def test_ids_extensions_and_groups(tmp_path: Path) -> None:
    """A roster may hold each platform's ids, extensions for all deadlines or one, groups and accommodations."""
    path = tmp_path / "roster.csv"
    path.write_text(
        "id,Canvas ID,github,LTI,Extension,extension: small-lesson,group,Accommodations\n"
        "ada,1234,AdaCodes,u-1,2d,2026-05-04 12:00,Team 7,large print\nben,,,,,,,\n"
    )
    ada, ben = read_roster(path)
    assert ada.ids == (("canvas", "1234"), ("github", "AdaCodes"), ("lti", "u-1"))
    assert ada.extensions == (("", "2d"), ("small-lesson", "2026-05-04 12:00"))
    assert (ada.group, ada.accommodations) == ("Team 7", "large print")
    assert ben == Student("ben")
