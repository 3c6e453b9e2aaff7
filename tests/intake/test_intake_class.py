"""Folders of a class: whose work lies there, which file counts, and that every student has a row."""

from __future__ import annotations

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

import msgspec
import pytest
from intake_samples import COURSE, HOOKS, WEIGHTS, as_bytes, code, released, saved_by_colab, solved, stripped

from grader.errors import UsageError
from grader.intake import BadFile, collect, embedded_public, read_one
from grader.intake.walking import read_file
from grader.records import ClassWork, Missing, Refused, Submission

OTHER = as_bytes({"nbformat": 4, "metadata": {}, "cells": [code("print('scratch')")]})
SOLVED = as_bytes(solved())
SOLVED_WEIGHTS = as_bytes(solved(WEIGHTS))
UNTOUCHED = as_bytes(released())


def lay(folder: Path, **files: bytes) -> Path:
    """Write files; in the keywords `__` stands for `/`."""
    return lay_all(folder, {name.replace("__", "/") + ".ipynb": data for name, data in files.items()})


def lay_all(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def rows(work: ClassWork) -> dict[tuple[str, str | None], str]:
    """What became of each student and assignment; a pair with two rows is an error."""
    every = [
        *((row.student, row.assignment, f"graded {row.path}") for row in work.submissions),
        *((row.student, row.assignment, "missing") for row in work.missing),
        *((row.student, row.assignment, f"refused {row.path}") for row in work.refused),
        *((row.student, row.assignment, "undecided") for row in work.undecided),
    ]
    found = {(student, assignment): what for student, assignment, what in every}
    assert len(found) == len(every)
    return found


def note(work: ClassWork, student: str, assignment: str = "hooks") -> str:
    (row,) = [row for row in work.missing if (row.student, row.assignment) == (student, assignment)]
    return row.note


def remark(work: ClassWork, path: str) -> str:
    (found,) = [each.remark for each in work.remarks if each.path == path]
    return found


def test_one_folder_per_student(tmp_path: Path) -> None:
    """The folder is the student, whatever the file is called."""
    work = collect([lay(tmp_path, ada__hooks=SOLVED, ben__my_work=SOLVED)], COURSE)
    assert rows(work) == {("ada", "hooks"): "graded ada/hooks.ipynb", ("ben", "hooks"): "graded ben/my_work.ipynb"}
    assert work.remarks == ()


def test_one_file_per_student(tmp_path: Path) -> None:
    """The file's name without the assignment's is the student."""
    files = dict.fromkeys(["ada.ipynb", "hooks_ben.ipynb", "cleo - Hooks.ipynb", "dan-hooks (1).ipynb"], SOLVED)
    work = collect([lay_all(tmp_path, files)], COURSE)
    assert {row.student for row in work.submissions} == {"ada", "ben", "cleo", "dan"}


@pytest.mark.parametrize(
    "path", ["ada/hooks/x.ipynb", "hooks/ada/x.ipynb", "hooks/ada.ipynb", "ada/deep/er/x.ipynb", "Hooks/ada/x.ipynb"]
)
def test_nested(tmp_path: Path, path: str) -> None:
    """Folders named like an assignment are looked through; then the first folder is the student."""
    assert rows(collect([lay_all(tmp_path, {path: SOLVED})], COURSE)) == {("ada", "hooks"): f"graded {path}"}


def test_several_assignments(tmp_path: Path) -> None:
    """Every student has one row for each assignment that anybody handed in, sorted; others are not in play."""
    lay(tmp_path, ben__hooks=SOLVED, ada__hooks__hooks=SOLVED)
    lay_all(tmp_path, {"ada/vector-weights/vector-weights.ipynb": SOLVED_WEIGHTS})
    (tmp_path / "cleo").mkdir()
    work = collect([tmp_path], COURSE)
    assert list(rows(work)) == [
        ("ada", "hooks"),
        ("ada", "vector-weights"),
        ("ben", "hooks"),
        ("ben", "vector-weights"),
        ("cleo", "hooks"),
        ("cleo", "vector-weights"),
    ]
    assert note(work, "ben", "vector-weights") == ""
    assert note(work, "cleo") == "The folder is empty."
    assert {assignment for _, assignment in rows(collect([tmp_path / "ben"], COURSE))} == {"hooks"}


def test_one_students_folder(tmp_path: Path) -> None:
    """A given folder in which the released notebook lies is one student's, all that lies below included."""
    root = lay(tmp_path / "ada", hooks=SOLVED, scratch=OTHER, notes__more=OTHER)
    lay_all(root, {"vector-weights/vector-weights.ipynb": SOLVED_WEIGHTS, "report.pdf": b"x"})
    work = collect([root], COURSE)
    assert rows(work) == {
        ("ada", "hooks"): "graded hooks.ipynb",
        ("ada", "vector-weights"): "graded vector-weights/vector-weights.ipynb",
    }
    assert {each.path for each in work.remarks} == {"scratch.ipynb", "notes/more.ipynb"}


def test_the_folder_of_an_assignment_is_no_student(tmp_path: Path) -> None:
    """`ada/hooks/hooks.ipynb`, given as a file or as its folder, is ada's."""
    root = lay(tmp_path, ada__hooks__hooks=SOLVED)
    for given in ("ada/hooks", "ada", "ada/hooks/hooks.ipynb"):
        assert {row.student for row in collect([root / given], COURSE).submissions} == {"ada"}


def test_a_stray_notebook_does_not_swallow_the_class(tmp_path: Path) -> None:
    """A released notebook beside the students' folders is remarked, and their work stays theirs."""
    root = lay(tmp_path / "class", hooks=UNTOUCHED, ada__hooks=SOLVED, ben__hooks=SOLVED)
    work = collect([root], COURSE)
    assert {row.student for row in work.submissions} == {"ada", "ben", "class"}
    assert "names no student" in remark(work, "hooks.ipynb")


def test_single_files(tmp_path: Path) -> None:
    """A file is its student's; one that is named after the assignment is that of its folder's."""
    lay(tmp_path, ada__hooks=SOLVED, ben__hooks=SOLVED, hooks_cleo=SOLVED)
    given = [tmp_path / "ada/hooks.ipynb", tmp_path / "ben/hooks.ipynb", tmp_path / "hooks_cleo.ipynb"]
    work = collect(given, COURSE)
    assert [row.student for row in work.submissions] == ["ada", "ben", "cleo"]
    assert len({row.path for row in work.submissions}) == 3
    assert collect([given[2]], COURSE).submissions[0].path == "hooks_cleo.ipynb"


def test_given_twice_is_read_once(tmp_path: Path) -> None:
    """Paths that overlap give no second candidate."""
    root = lay(tmp_path, ada__hooks=SOLVED)
    work = collect([root, root / "ada", root], COURSE)
    assert len(work.submissions) == 1
    assert not work.undecided


def test_junk_is_skipped_silently(tmp_path: Path) -> None:
    """Checkpoints, archives' shadows, hidden files and results of an earlier run are nobody's work."""
    junk = [
        ".ipynb_checkpoints/hooks-checkpoint.ipynb",
        "ada/.ipynb_checkpoints/hooks-checkpoint.ipynb",
        "__MACOSX/ada/hooks.ipynb",
        "ada/._hooks.ipynb",
        "ada/~$hooks.ipynb",
        "ada/__pycache__/hooks.ipynb",
        ".git/x.ipynb",
        ".venv/lib/x.ipynb",
        "ada/.virtual_documents/hooks.ipynb",
        "ada/.DS_Store",
        "graded/hooks.ipynb",
    ]
    lay_all(tmp_path, dict.fromkeys(junk, b"\0\1\2"))
    work = collect([lay(tmp_path, ada__hooks=SOLVED)], COURSE, results=tmp_path / "graded")
    assert rows(work) == {("ada", "hooks"): "graded ada/hooks.ipynb"}
    assert work.remarks == ()
    assert work.submissions[0].notes == ()


def test_what_is_hidden_is_said(tmp_path: Path) -> None:
    """A folder or notebook with a dot that no program makes may be somebody's work: one remark, and no row lost."""
    files = {".ben/hooks.ipynb": SOLVED, "cleo/.mine/hooks.ipynb": SOLVED, "ada/.hooks.ipynb": SOLVED}
    work = collect([lay_all(lay(tmp_path, ada__hooks=SOLVED), files)], COURSE)
    assert rows(work) == {("ada", "hooks"): "graded ada/hooks.ipynb", ("cleo", "hooks"): "missing"}
    assert [each.path for each in work.remarks] == [".ben", "ada/.hooks.ipynb", "cleo/.mine"]
    assert "rename it" in remark(work, ".ben")
    assert note(work, "cleo").startswith("cleo/.mine is hidden, and was not looked into")


def test_a_student_cannot_pass_for_a_folder_of_results(tmp_path: Path) -> None:
    """A file called gradebook.db hides nobody: only this run's own output is no submission."""
    lay_all(tmp_path, {"bob/gradebook.db": b"", "bob/class.html": b""})
    work = collect([lay(tmp_path, ada__hooks=SOLVED, bob__hooks=SOLVED)], COURSE)
    assert set(rows(work)) == {("ada", "hooks"), ("bob", "hooks")}


def test_an_unrelated_second_notebook(tmp_path: Path) -> None:
    """Another notebook beside the right one is remarked and changes nothing."""
    work = collect([lay(tmp_path, ada__hooks=SOLVED, ada__scratch=OTHER, ada__hooks2__x=OTHER)], COURSE)
    assert rows(work) == {("ada", "hooks"): "graded ada/hooks.ipynb"}
    assert work.submissions[0].notes == ()
    assert "none of the course's notebooks" in remark(work, "ada/scratch.ipynb")


def test_only_an_unrelated_notebook(tmp_path: Path) -> None:
    """A student who handed in something else is missing, and the note names it and the right thing."""
    work = collect([lay(tmp_path, ada__hooks=SOLVED, ben__x=OTHER)], COURSE)
    assert rows(work)["ben", "hooks"] == "missing"
    assert note(work, "ben").startswith("ben/x.ipynb is none of the course's notebooks")
    assert "hooks" in note(work, "ben")


def test_the_right_name_with_nothing_of_it_inside(tmp_path: Path) -> None:
    """A file of the released name without any of its cells is refused for that assignment."""
    work = collect([lay(tmp_path, ada__hooks=SOLVED, ben__hooks=OTHER)], COURSE)
    assert rows(work)["ben", "hooks"] == "refused ben/hooks.ipynb"
    assert work.refused[0].reason.startswith("is none of the course's notebooks")


def test_wrong_assignment_handed_in(tmp_path: Path) -> None:
    """A notebook counts for the assignment it is; the note says so, and so does the row of the missing one."""
    work = collect([lay(tmp_path, ada__hooks=SOLVED_WEIGHTS, ben__hooks=SOLVED)], COURSE)
    assert rows(work)["ada", "vector-weights"] == "graded ada/hooks.ipynb"
    assert work.submissions[0].notes == (
        "It was handed in as hooks but is the notebook of vector-weights, and counts for that.",
    )
    assert note(work, "ada") == "ada/hooks.ipynb was handed in for it but is the notebook of vector-weights."


def test_wrong_folder(tmp_path: Path) -> None:
    """A notebook in another assignment's folder counts for what it is, with a note."""
    work = collect([lay_all(tmp_path, {"ada/hooks/vector-weights.ipynb": SOLVED_WEIGHTS})], COURSE)
    assert rows(work) == {("ada", "vector-weights"): "graded ada/hooks/vector-weights.ipynb"}
    assert "handed in as hooks" in work.submissions[0].notes[0]


def test_released_name_wins(tmp_path: Path) -> None:
    """Of two different notebooks the one with the released name counts, and both are named."""
    work = collect([lay(tmp_path, ada__hooks=SOLVED, ada__a_draft=UNTOUCHED)], COURSE)
    assert rows(work) == {("ada", "hooks"): "graded ada/hooks.ipynb"}
    expected = "ada/hooks.ipynb counts, because it has the released name; ada/a_draft.ipynb does not."
    assert work.submissions[0].notes == (expected,)


def test_two_candidates_need_a_person(tmp_path: Path) -> None:
    """Two different notebooks, neither or both with the released name: a person decides."""
    work = collect(
        [lay(tmp_path, ada__a=SOLVED, ada__b=UNTOUCHED, ben__x__hooks=SOLVED, ben__y__hooks=UNTOUCHED)], COURSE
    )
    assert rows(work) == {("ada", "hooks"): "undecided", ("ben", "hooks"): "undecided"}
    assert [row.paths for row in work.undecided] == [
        ("ada/a.ipynb", "ada/b.ipynb"),
        ("ben/x/hooks.ipynb", "ben/y/hooks.ipynb"),
    ]


def test_identical_copies_are_one(tmp_path: Path) -> None:
    """The same bytes twice are no conflict, under whatever names."""
    files = {"ada/hooks (1).ipynb": SOLVED, "ada/hooks.ipynb": SOLVED, "ben/b.ipynb": SOLVED, "ben/a.ipynb": SOLVED}
    work = collect([lay_all(tmp_path, files)], COURSE)
    assert [row.path for row in work.submissions] == ["ada/hooks.ipynb", "ben/a.ipynb"]
    assert work.submissions[1].notes == ("ben/a.ipynb was taken; the same file lies at ben/b.ipynb.",)


def test_a_broken_file_beside_a_good_one(tmp_path: Path) -> None:
    """A file that cannot be read never stands in the way of one that can."""
    work = collect([lay_all(tmp_path, {"ada/hooks.ipynb": SOLVED[:900], "ada/hooks (1).ipynb": SOLVED})], COURSE)
    assert rows(work) == {("ada", "hooks"): "graded ada/hooks (1).ipynb"}
    assert work.submissions[0].notes[0].startswith("ada/hooks.ipynb breaks off")
    assert "breaks off" in remark(work, "ada/hooks.ipynb")


@pytest.mark.parametrize("path", ["ben/hooks.ipynb", "ben/hooks/x.ipynb", "hooks/ben/x.ipynb", "ben/my hooks.ipynb"])
def test_a_broken_file_is_the_row_of_its_assignment(tmp_path: Path, path: str) -> None:
    """A refused file whose name or folder tells its assignment is that row, and the class goes on."""
    lay(tmp_path, ada__hooks=SOLVED, cleo__w=SOLVED_WEIGHTS)
    work = collect([lay_all(tmp_path, {path: b"<html>"})], COURSE)
    assert rows(work)["ben", "hooks"] == f"refused {path}"
    assert rows(work)["ben", "vector-weights"] == "missing"
    assert work.refused[0].reason.startswith("is a web page")


def test_a_broken_file_told_by_its_text(tmp_path: Path) -> None:
    """What is left of a truncated file tells its assignment."""
    lay(tmp_path, ada__hooks=SOLVED, cleo__w=SOLVED_WEIGHTS)
    work = collect([lay_all(tmp_path, {"ben/x.ipynb": SOLVED_WEIGHTS[:-40]})], COURSE)
    assert rows(work)["ben", "vector-weights"] == "refused ben/x.ipynb"


def test_a_broken_file_of_unknown_assignment(tmp_path: Path) -> None:
    """It takes the row of the only assignment in play; with several it stands apart and the missing rows name it."""
    lay(tmp_path, ada__hooks=SOLVED, ben__x=b"null")
    assert rows(collect([tmp_path], COURSE))["ben", "hooks"] == "refused ben/x.ipynb"
    work = collect([lay(tmp_path, ada__w=SOLVED_WEIGHTS)], COURSE)
    assert rows(work)["ben", None] == "refused ben/x.ipynb"
    assert note(work, "ben").startswith("ben/x.ipynb holds null")


def test_no_notebook_but_something_else(tmp_path: Path) -> None:
    """A student without a notebook is missing; the note says what lies there and what to do."""
    lay(tmp_path, ada__hooks=SOLVED)
    lay_all(tmp_path, {"ben/hooks.py": b"x = 1", "ben/report.pdf": b"%PDF", "cleo/work.zip": b"PK"})
    work = collect([tmp_path], COURSE)
    assert (
        note(work, "ben") == "There is no notebook but ben/hooks.py and ben/report.pdf: hand in the .ipynb file itself."
    )
    assert rows(work)["cleo", "hooks"] == "refused cleo/work.zip"
    assert "is no archive, whatever its name says" in work.refused[0].reason


def test_documents_beside_one_file_per_student(tmp_path: Path) -> None:
    """Where each student has one file, a PDF is its student's; rosters, and papers beside folders, are nobody's."""
    flat = lay_all(tmp_path / "flat", {"ada.ipynb": SOLVED, "ben.pdf": b"x", "roster.csv": b"x", "cleo.zip": b"PK"})
    assert rows(collect([flat], COURSE)) == {
        ("ada", "hooks"): "graded ada.ipynb",
        ("ben", "hooks"): "missing",
        ("cleo", "hooks"): "refused cleo.zip",
    }
    files = {"ada/hooks.ipynb": SOLVED, "ben.pdf": b"x", "demo.ipynb": OTHER, "all.zip": b"PK"}
    work = collect([lay_all(tmp_path / "folders", files)], COURSE)
    assert rows(work) == {("ada", "hooks"): "graded ada/hooks.ipynb"}
    assert "is no archive" in remark(work, "all.zip")


@pytest.mark.parametrize("ending", [".ipynb.txt", ".ipynb.json", ".ipynb.download", ".IPYNB"])
def test_other_endings_of_a_notebook(tmp_path: Path, ending: str) -> None:
    """A notebook that a browser gave another ending is read all the same, and that is noted."""
    work = collect([lay_all(tmp_path, {f"ada/hooks{ending}": SOLVED})], COURSE)
    assert rows(work) == {("ada", "hooks"): f"graded ada/hooks{ending}"}
    assert (ending == ".IPYNB") == (work.submissions[0].notes == ())


def test_only(tmp_path: Path) -> None:
    """With one assignment asked for, everybody has that row alone, and other notebooks are no remark."""
    lay(tmp_path, ada__hooks=SOLVED, ada__w=SOLVED_WEIGHTS, ben__w=SOLVED_WEIGHTS)
    for course in (COURSE, [HOOKS]):
        work = collect([tmp_path], course, "hooks")
        assert rows(work) == {("ada", "hooks"): "graded ada/hooks.ipynb", ("ben", "hooks"): "missing"}
        assert work.remarks == ()
        assert note(work, "ben") == ""
    lay(tmp_path, cleo__hooks=SOLVED_WEIGHTS)
    assert "is the notebook of vector-weights" in note(collect([tmp_path], [HOOKS], "hooks"), "cleo")
    with pytest.raises(UsageError, match="hw9: the course has no such assignment; it has hooks and vector-weights"):
        collect([tmp_path], COURSE, "hw9")


def test_nothing_there(tmp_path: Path) -> None:
    """A folder without notebooks gives no rows; a path that does not exist is a usage error that names it."""
    assert collect([tmp_path], COURSE) == ClassWork()
    lay_all(tmp_path, {"ada/notes.txt": b"x"})
    assert collect([tmp_path], COURSE, "hooks") == ClassWork()
    lay_all(tmp_path, {"all.zip": b"PK"})
    assert "is no archive" in remark(collect([tmp_path], COURSE), "all.zip")
    with pytest.raises(UsageError, match="nowhere: there is no such file or folder"):
        collect([tmp_path / "nowhere"], COURSE)


def test_links_are_never_followed(tmp_path: Path) -> None:
    """A link to a file is refused, one to a folder remarked; what they point to is not read."""
    outside = lay(tmp_path / "outside", hooks=SOLVED)
    root = lay(tmp_path / "class", ada__hooks=SOLVED)
    (root / "ben").mkdir()
    (root / "ben/hooks.ipynb").symlink_to(outside / "hooks.ipynb")
    (root / "cleo").symlink_to(outside)
    (root / "ada/loop").symlink_to(root)
    work = collect([root], COURSE)
    assert rows(work) == {("ada", "hooks"): "graded ada/hooks.ipynb", ("ben", "hooks"): "refused ben/hooks.ipynb"}
    assert "symbolic link" in work.refused[0].reason
    assert {each.path for each in work.remarks} == {"cleo", "ada/loop"}
    (tmp_path / "link").symlink_to(root)  # the path itself is the owner's word
    assert rows(collect([tmp_path / "link"], COURSE)) == rows(work)


def test_pipes_and_devices_are_refused_without_waiting(tmp_path: Path) -> None:
    """A FIFO under a notebook's name, found or given, is refused at once."""
    lay(tmp_path, ada__hooks=SOLVED)
    os.mkfifo(tmp_path / "ada/vector-weights.ipynb")
    work = collect([tmp_path], COURSE)
    assert rows(work)["ada", "vector-weights"] == "refused ada/vector-weights.ipynb"
    found = read_one(tmp_path / "ada/vector-weights.ipynb", COURSE)
    assert isinstance(found, Refused)
    assert "no plain file" in found.reason


def test_reading_a_file_is_safe_by_itself(tmp_path: Path) -> None:
    """Even if a file was swapped after it was found, a link is not followed and a FIFO not waited for."""
    lay(tmp_path, real=SOLVED)
    (tmp_path / "link.ipynb").symlink_to(tmp_path / "real.ipynb")
    os.mkfifo(tmp_path / "pipe.ipynb")
    assert read_file(tmp_path / "real.ipynb") == SOLVED
    for name, why in (("link", "cannot be opened"), ("pipe", "no plain file"), ("gone", "cannot be opened")):
        found = read_file(tmp_path / f"{name}.ipynb")
        assert isinstance(found, BadFile)
        assert why in found.reason


def test_ids_are_normalised_and_lookalikes_kept_apart(tmp_path: Path) -> None:
    """Students are told in NFC; ids that differ in capitals alone are two students, and that is remarked."""
    jose = "josé"
    lay_all(tmp_path, {f"{unicodedata.normalize('NFD', jose)}/hooks.ipynb": SOLVED})
    lay(tmp_path, Ada__hooks=SOLVED, ada__hooks=SOLVED)
    work = collect([tmp_path], COURSE)
    assert [row.student for row in work.submissions] == ["Ada", "ada", unicodedata.normalize("NFC", jose)]
    assert remark(work, "Ada") == "Ada and ada differ in capitals alone; they are kept apart."


def test_odd_names_travel_safely(tmp_path: Path) -> None:
    """A name that is no UTF-8, or holds control characters, can be written down; notes stay on one line."""
    raw = os.fsencode(tmp_path) + b"/b\xffd\nname"
    try:
        os.mkdir(raw)
    except OSError:
        pytest.skip("this file system takes no such names")
    Path(os.fsdecode(raw + b"/hooks.ipynb")).write_bytes(SOLVED)
    Path(os.fsdecode(raw + b"/\x1b[31m.ipynb")).write_bytes(UNTOUCHED)
    (found,) = collect([tmp_path], COURSE).submissions
    assert found.student == "b\\xffd\nname"
    assert found.notes
    assert all(each.isprintable() for each in found.notes)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Submission) == found


def test_unreadable_files_and_folders(tmp_path: Path) -> None:
    """What may not be read costs its own student alone and says what to do."""
    lay(tmp_path, ada__hooks=SOLVED, ben__hooks=SOLVED, cleo__hooks=SOLVED)
    (tmp_path / "ben/hooks.ipynb").chmod(0)
    if os.access(tmp_path / "ben/hooks.ipynb", os.R_OK):
        pytest.skip("root may read everything")
    (tmp_path / "cleo").chmod(0)
    try:
        work = collect([tmp_path], COURSE)
    finally:
        (tmp_path / "cleo").chmod(0o700)
    assert rows(work)["ben", "hooks"] == "refused ben/hooks.ipynb"
    assert "cannot be looked into" in note(work, "cleo")


def test_an_old_release_is_graded_where_nothing_changed(tmp_path: Path) -> None:
    """With an old fingerprint the unchanged questions are graded and the changed ones are for a person."""
    document: dict[str, Any] = solved()
    ours = document["metadata"]["autograd_grader"]
    ours["fingerprint"] = "older"
    lay(tmp_path, ada__hooks=as_bytes(document))
    ours["questions"]["square"] = "older"
    lay(tmp_path, ben__hooks=as_bytes(document))
    ada, ben = collect([tmp_path], COURSE).submissions
    assert {match.state for match in ada.matches} == {"answered"}
    assert ada.notes == ("The notebook is of an earlier release of hooks; its questions have not changed since.",)
    assert [match.state for match in ben.matches] == ["answered", "answered", "answered", "changed"]
    assert ben.notes == (
        "The notebook is of an earlier release of hooks; square changed since; the others are graded.",
    )


@pytest.mark.parametrize("save", [stripped, saved_by_colab])
def test_how_cells_were_matched_is_noted(tmp_path: Path, save: Any) -> None:
    """A notebook that lost its ids is graded in full, with two notes: how it and how its cells were recognised."""
    (found,) = collect([lay(tmp_path, ada__renamed=as_bytes(save(solved())))], COURSE).submissions
    assert [match.state for match in found.matches] == ["answered"] * 4
    assert "recognised as hooks by the answer names" in found.notes[0]
    assert found.notes[1].startswith(
        "4 questions were matched by the answer names that cells assign (cells 4, 6, 8 and 10)"
    )


def test_same_class_same_work(tmp_path: Path) -> None:
    """The order in which files were made makes no difference."""
    names = ["ada/hooks", "ben/a", "ben/b", "cleo/x", "dan/vector-weights"]
    contents = [SOLVED, SOLVED, UNTOUCHED, b"null", SOLVED_WEIGHTS]
    files = {f"{name}.ipynb": data for name, data in zip(names, contents, strict=True)}
    one = lay_all(tmp_path / "one/class", files)
    two = lay_all(tmp_path / "two/class", dict(reversed(files.items())))
    assert collect([one], COURSE) == collect([two], COURSE)
    assert collect([one], COURSE) == collect([one], COURSE[::-1])


def test_read_one(tmp_path: Path) -> None:
    """One file for the self-check: the same matching, or why not; a folder is a usage error."""
    lay(tmp_path, ada__hooks=SOLVED, ada__x=OTHER)
    found = read_one(tmp_path / "ada/hooks.ipynb", COURSE)
    assert isinstance(found, Submission)
    assert (found.student, found.assignment, found.path) == ("ada", "hooks", "hooks.ipynb")
    assert found == msgspec.structs.replace(collect([tmp_path], COURSE).submissions[0], path="hooks.ipynb")
    refused = read_one(tmp_path / "ada/x.ipynb", COURSE)
    assert isinstance(refused, Refused)
    assert "Hand in the notebook that came with the assignment" in refused.reason
    with pytest.raises(UsageError, match="is a folder"):
        read_one(tmp_path / "ada", COURSE)
    with pytest.raises(UsageError, match="no such file"):
        read_one(tmp_path / "no.ipynb", COURSE)


def test_embedded_public_half(tmp_path: Path) -> None:
    """The public half comes out of the notebook's metadata as it went in; anything else there gives none."""
    document = released()
    document["metadata"]["autograd_grader"]["public"] = msgspec.to_builtins(HOOKS)
    lay(tmp_path, good=as_bytes(document))
    assert embedded_public(tmp_path / "good.ipynb") == [HOOKS]
    for odd in (None, {}, {"name": 5}, {**msgspec.to_builtins(HOOKS), "extra": 1}, {"name": "\ud800"}):
        document["metadata"]["autograd_grader"]["public"] = odd
        lay(tmp_path, odd=json.dumps(document).encode())
        assert embedded_public(tmp_path / "odd.ipynb") == []
    lay(tmp_path, broken=b"null")
    assert embedded_public(tmp_path / "broken.ipynb") == []


def test_missing_is_a_row_like_any_other(tmp_path: Path) -> None:
    """A class in which one folder has every fault still has a row for each of its students."""
    files = {"a/hooks.ipynb": SOLVED, "b/hooks.ipynb": b"", "c/x.txt": b"", "d/hooks.ipynb": b"[]", "e/x.ipynb": OTHER}
    work = collect([lay_all(tmp_path, files)], COURSE)
    assert {student for student, _ in rows(work)} == set("abcde")
    assert [type(row) for row in work.missing] == [Missing, Missing]
