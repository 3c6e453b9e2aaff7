"""A class in an archive, and what students packed: the same rows as from folders, and a bad one costs one row."""

from __future__ import annotations

import gzip
import os
import tempfile
import tracemalloc
from pathlib import Path

import pytest
from intake_samples import COURSE, as_bytes, released, solved
from packing import in_directory, link, tarred, zipped
from test_intake_class import OTHER, SOLVED, SOLVED_WEIGHTS, lay_all, note, remark, rows

from grader.errors import UsageError
from grader.intake import collect, read_one
from grader.records import ClassWork, Refused

UNTOUCHED = as_bytes(released())
CLASS = {
    "ada/hooks.ipynb": SOLVED,
    "ada/.ipynb_checkpoints/hooks-checkpoint.ipynb": b"x",
    "ben/my work.ipynb": UNTOUCHED,
    "ben/report.pdf": b"%PDF",
    "cleo/hooks.ipynb": b"null",
    "dan/notes.txt": b"",
    "eve/": b"",
    "__MACOSX/ada/._hooks.ipynb": b"\0\1",
}
PACKERS = {
    "zip": zipped,
    "tar": tarred,
    "tar.gz": lambda files: tarred(files, "w:gz"),
    "tgz": lambda f: tarred(f, "w:gz"),
}


def given(tmp_path: Path, data: bytes, name: str = "submissions.zip") -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


def graded(work: ClassWork) -> dict[str, str]:
    return {row.student: row.path for row in work.submissions}


@pytest.mark.parametrize("ending", PACKERS)
def test_a_packed_class_is_the_class(tmp_path: Path, ending: str) -> None:
    """The rows of an archive are those of the folder it was packed from, whether or not that folder is around them."""
    folder = tmp_path / "submissions"
    for name, data in CLASS.items():
        if name.endswith("/"):
            (folder / name).mkdir(parents=True)
        else:
            lay_all(folder, {name: data})
    expected = collect([folder], COURSE)
    bare = given(tmp_path, PACKERS[ending](CLASS), f"submissions.{ending}")
    assert collect([bare], COURSE) == expected
    wrapped = {f"submissions/{name}": data for name, data in CLASS.items()}
    assert collect([given(tmp_path, PACKERS[ending](wrapped), f"week 1.{ending}")], COURSE) == expected
    assert len(expected.submissions) == 2


def test_one_students_archive(tmp_path: Path) -> None:
    """An archive with one notebook is its student's, by the folder in it or by the archive's own name."""
    assert graded(collect([given(tmp_path, zipped({"hooks.ipynb": SOLVED}), "ada.zip")], COURSE)) == {
        "ada": "hooks.ipynb"
    }
    assert graded(collect([given(tmp_path, zipped({"ada/mine.ipynb": SOLVED}))], COURSE)) == {"ada": "ada/mine.ipynb"}
    both = {"ada/hooks.ipynb": SOLVED, "ada/vector-weights.ipynb": SOLVED_WEIGHTS}
    assert set(graded(collect([given(tmp_path, zipped(both))], COURSE))) == {"ada"}


@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_what_students_packed(tmp_path: Path, packed: bool) -> None:
    """An archive in a student's folder or under a student's name is opened, one deep; the notebook in it counts."""
    files = {
        "ada/work.zip": zipped({"some/where/hooks.ipynb": SOLVED}),
        "ben.tar.gz": tarred({"x.ipynb": SOLVED}, "w:gz"),
        "hooks_cleo.zip": zipped({"hooks/hooks.ipynb": SOLVED, "__MACOSX/._hooks.ipynb": b"\0"}),
        "dan/work.zip": zipped({"hooks.py": b"x = 1"}),
        "eve/outer.zip": zipped({"inner.zip": zipped({"hooks.ipynb": SOLVED})}),
        "fay/hooks.zip": zipped({}),
        "hal.zip": b"PK",
        "gus/hooks.ipynb": SOLVED,
        "gus/work.zip": b"PK\x03\x04 not really",
    }
    path = given(tmp_path, zipped(files)) if packed else lay_all(tmp_path / "class", files)
    work = collect([path], COURSE)
    assert graded(work) == {
        "ada": "ada/work.zip/some/where/hooks.ipynb",
        "ben": "ben.tar.gz/x.ipynb",
        "cleo": "hooks_cleo.zip/hooks/hooks.ipynb",
        "gus": "gus/hooks.ipynb",
    }
    assert "There is no notebook but dan/work.zip/hooks.py" in note(work, "dan")
    assert note(work, "eve").startswith("eve/outer.zip/inner.zip is an archive inside an archive, and those are not")
    assert [(row.student, row.path) for row in work.refused] == [
        ("fay", "fay/hooks.zip"),
        ("gus", "gus/work.zip"),
        ("hal", "hal.zip"),
    ]
    assert "is an archive with nothing in it" in work.refused[0].reason


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"PK\x03\x04" + bytes(50), "is a damaged zip archive"),
        (b"7z\xbc\xaf\x27\x1c", "is a 7z archive, and those are not opened"),
        (b"<html>", "is a web page"),
        (b"", "it is empty"),
        (zipped({f"{number}.txt": b"" for number in range(201)}), "holds more than 200 files"),
        (gzip.compress(bytes(200 * 2**20), 1), "unpacks to more than 100 MB"),
        (in_directory(zipped({"hooks.ipynb": SOLVED}), 8, "H", 1), "is encrypted: pack it without a password"),
        (zipped({"hooks.ipynb": bytes(40 * 2**20)}), "is too large (40 MB; at most 16 MB)"),
        (link(), "is a symbolic link, and links are not followed"),
        (zipped({"../hooks.ipynb": SOLVED}), "leads out of the archive"),
    ],
)
def test_a_bad_archive_costs_its_students_row(tmp_path: Path, data: bytes, why: str) -> None:
    """Whatever one student packed, that row says what to do and everybody else's is as it was."""
    files = {"ada/hooks.ipynb": SOLVED, "ben/work.zip": data, "cleo/hooks.ipynb": SOLVED}
    for path in (lay_all(tmp_path / "class", files), given(tmp_path, zipped(files))):
        work = collect([path], COURSE)
        assert graded(work) == {"ada": "ada/hooks.ipynb", "cleo": "cleo/hooks.ipynb"}
        (said,) = [row.reason for row in work.refused] or [note(work, "ben")]
        assert why in said
        assert "\n" not in said
        assert set(rows(work)) == {("ada", "hooks"), ("ben", "hooks"), ("cleo", "hooks")}


def test_a_bad_member_of_the_class_archive_costs_one_row(tmp_path: Path) -> None:
    """A damaged, encrypted, linked or too large member is refused; a name that leads out is nobody's, and said."""
    files = {"ada/hooks.ipynb": SOLVED, "ben/hooks.ipynb": SOLVED, "cleo/hooks.ipynb": SOLVED}
    for field, kind, value in ((8, "H", 1), (10, "H", 12), (16, "I", 5), (24, "I", 2**30), (38, "I", 0o120777 << 16)):
        work = collect([given(tmp_path, in_directory(zipped(files), field, kind, value, number=1))], COURSE)
        assert graded(work) == {"ada": "ada/hooks.ipynb", "cleo": "cleo/hooks.ipynb"}
        assert [row.path for row in work.refused] == ["ben/hooks.ipynb"]
    files = {"ada/hooks.ipynb": SOLVED, "../../ben/hooks.ipynb": SOLVED, "dan/../ben/hooks.ipynb": SOLVED, "b/": b""}
    work = collect([given(tmp_path, zipped(files))], COURSE)
    assert set(rows(work)) == {("ada", "hooks"), ("b", "hooks")}
    assert len(work.remarks) == 2
    assert all("leads out of the archive" in each.remark for each in work.remarks)
    assert not (tmp_path.parent / "ben").exists()


def test_a_bad_class_archive_is_one_clear_line(tmp_path: Path) -> None:
    """What is no archive, or breaks off, ends the command with a line that says what to do."""
    whole = zipped({"ada/hooks.ipynb": SOLVED})
    for name, data, why in (
        ("all.zip", whole[:-9], "damaged zip archive, or breaks off: send it again"),
        ("all.zip", b"<html>log in</html>", "it is a web page"),
        ("all.rar", b"Rar!\x1a\x07", "unpack it and pack it as a .zip"),
        ("all.tgz", gzip.compress(tarred({"ada/hooks.ipynb": SOLVED * 9}))[:-99], "breaks off"),
        ("all.7z", whole, ""),
    ):
        path = given(tmp_path, data, name)
        if not why:  # told by its bytes, not by its name
            assert set(graded(collect([path], COURSE))) == {"ada"}
            continue
        with pytest.raises(UsageError, match=f"^{path}: .*{why}") as caught:
            collect([path], COURSE)
        assert "\n" not in str(caught.value)


def test_a_name_that_stands_twice(tmp_path: Path) -> None:
    """The same file twice is one; two different ones under one name are for a person to decide."""
    for data, expected in ((SOLVED, "graded ada/hooks.ipynb"), (UNTOUCHED, "undecided")):
        packed = tarred([("ada/hooks.ipynb", SOLVED), ("ada/hooks.ipynb", data), ("ben/hooks.ipynb", SOLVED)])
        work = collect([given(tmp_path, packed, "all.tar")], COURSE)
        assert rows(work) == {("ada", "hooks"): expected, ("ben", "hooks"): "graded ben/hooks.ipynb"}


def test_names_alike_but_for_capitals(tmp_path: Path) -> None:
    """Students whose ids differ in capitals alone are kept apart, as on disk; nothing overwrites anything."""
    work = collect([given(tmp_path, zipped({"Ada/hooks.ipynb": SOLVED, "ada/hooks.ipynb": UNTOUCHED}))], COURSE)
    assert set(graded(work)) == {"Ada", "ada"}
    assert "differ in capitals alone" in remark(work, "Ada")


def test_hidden_folders_in_an_archive_are_said_once(tmp_path: Path) -> None:
    """A hidden folder is not looked into; it is one remark, however much is in it."""
    files = {"ada/hooks.ipynb": SOLVED, ".ben/hooks.ipynb": SOLVED, ".ben/more.ipynb": OTHER, "ada/.bashrc": b""}
    work = collect([given(tmp_path, zipped(files))], COURSE)
    assert set(rows(work)) == {("ada", "hooks")}
    assert [each.path for each in work.remarks] == [".ben"]


def test_several_archives(tmp_path: Path) -> None:
    """Parts of one download are one class: a student may have something in each."""
    one = given(tmp_path, zipped({"ada/hooks.ipynb": SOLVED, "ben/hooks.ipynb": SOLVED}), "all-001.zip")
    two = given(tmp_path, zipped({"ada/w.ipynb": SOLVED_WEIGHTS, "cleo/hooks.ipynb": SOLVED}), "all-002.zip")
    work = collect([one, two], COURSE)
    assert {(row.student, row.assignment) for row in work.submissions} == {
        ("ada", "hooks"),
        ("ada", "vector-weights"),
        ("ben", "hooks"),
        ("cleo", "hooks"),
    }
    assert len({row.path for row in work.submissions}) == 4


def test_an_archive_of_ten_thousand_files_and_flat_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only notebooks are unpacked, one at a time, and nothing of an archive is left on disk."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    document = solved()
    document["cells"][1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * 4 * 2**20}]
    big = as_bytes(document)
    files = {f"s{number:03}/hooks.ipynb": big for number in range(20)}
    files |= {f"s{number % 20:03}/data/{number}.bin": b"" for number in range(10_000)}
    files |= {f"t{number:03}/work.tgz": tarred({"hooks.ipynb": big}, "w:gz") for number in range(10)}
    path = given(tmp_path, zipped(files))
    tracemalloc.start()
    work = collect([path], COURSE)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(work.submissions) == 30
    assert peak < 60 * 2**20  # 30 notebooks of 4 MiB, twice each (bytes and text), would be 240
    assert os.listdir(tmp_path / "temporary") == []


def test_the_self_check_does_not_open_archives(tmp_path: Path) -> None:
    """A student who checks the archive is told to name the notebook in it."""
    found = read_one(given(tmp_path, zipped({"hooks.ipynb": SOLVED}), "ada.zip"), COURSE)
    assert isinstance(found, Refused)
    assert "name the .ipynb file in it" in found.reason
