"""The course's key and its solutions files."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from grader.course import course_key, solution_files
from grader.errors import UsageError


def test_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    """The first call makes 32 random bytes in a file that only its owner reads; later calls read them."""
    key = course_key(tmp_path)
    path = tmp_path / "course.key"
    assert len(key) == 32
    assert course_key(tmp_path) == key == bytes.fromhex(path.read_text())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["course.key"]


def test_processes_that_start_together_agree_on_a_key(tmp_path: Path) -> None:
    """Whoever comes second takes the key of the first."""
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: course_key(tmp_path), range(40)))
    assert len(set(keys)) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["course.key"]


def test_two_courses_have_two_keys(tmp_path: Path) -> None:
    """Keys are random."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert course_key(tmp_path / "a") != course_key(tmp_path / "b")


@pytest.mark.parametrize("text", ["", "abc", "00" * 31, "zz" * 32, "00" * 33])
def test_broken_key_is_never_replaced(tmp_path: Path, text: str) -> None:
    """A damaged key stops the run: a new one would silently draw other numbers for everybody."""
    path = tmp_path / "course.key"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        course_key(tmp_path)
    assert str(caught.value) == (
        f"{path}: is no key (64 hexadecimal digits); restore it, or delete it and release again"
    )
    assert path.read_text() == text


def test_key_without_a_folder(tmp_path: Path) -> None:
    """A course folder that is not there is named, with what to do."""
    with pytest.raises(UsageError) as caught:
        course_key(tmp_path / "none")
    assert str(caught.value) == (
        f"{tmp_path / 'none' / 'course.key'}: has no folder to be created in (No such file or directory); "
        "give a course folder that you may write with --course"
    )


def test_key_that_cannot_be_read(tmp_path: Path) -> None:
    """A key that cannot be read is said to be, also to root."""
    (tmp_path / "course.key").mkdir()
    with pytest.raises(UsageError, match=r"course\.key: cannot be read or created \(Is a directory\); give a course"):
        course_key(tmp_path)


def test_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read-only course folder is said to be one, with what to do."""

    def refuse(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(UsageError) as caught:
        course_key(tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'course.key'}: cannot be read or created (Permission denied); "
        "give a course folder that you may write with --course"
    )


def test_file_system_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hard links are not supported, the key is made all the same."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    assert course_key(tmp_path) == course_key(tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["course.key"]


def test_solutions_are_listed_in_order(tmp_path: Path) -> None:
    """All solutions files, sorted; drafts that begin with `_` and other files are none."""
    folder = tmp_path / "solutions"
    folder.mkdir()
    for name in ("b.py", "a.py", "_draft.py", "a.ipynb", "notes.txt"):
        (folder / name).touch()
    assert solution_files(tmp_path) == (folder / "a.py", folder / "b.py")
    assert solution_files(tmp_path, ["b"]) == (folder / "b.py",)


def test_unknown_assignment_is_told_what_there_is(tmp_path: Path) -> None:
    """A wrong name lists the right ones; an empty course says where solutions belong."""
    folder = tmp_path / "solutions"
    with pytest.raises(UsageError) as caught:
        solution_files(tmp_path)
    assert str(caught.value) == f"{folder}: holds no solutions file; give the course's folder with --course"
    folder.mkdir()
    (folder / "a.py").touch()
    (folder / "b.py").touch()
    with pytest.raises(UsageError) as caught:
        solution_files(tmp_path, ["c"])
    assert str(caught.value) == f"c: no such assignment in {folder}; there are: a, b"


def test_a_solutions_file_that_is_none_is_said(tmp_path: Path) -> None:
    """A dangling link, a pipe or a folder under a solution's name stops the run with what to do; drafts do not."""
    folder = tmp_path / "solutions"
    folder.mkdir()
    (folder / "a.py").write_text("")
    (folder / "_draft.py").symlink_to("nowhere")
    (folder / "real.txt").write_text("")
    (folder / "b.py").symlink_to("real.txt")
    assert solution_files(tmp_path) == (folder / "a.py", folder / "b.py")
    makers = {
        "is a link to nowhere.py, which is not there": lambda path: path.symlink_to("nowhere.py"),
        "is no plain file": os.mkfifo,
        "is a folder and no solutions file": os.mkdir,
    }
    for number, (why, make) in enumerate(makers.items()):
        path = folder / f"odd{number}.py"
        make(path)
        with pytest.raises(UsageError) as caught:
            solution_files(tmp_path, ["a"])
        assert str(caught.value).startswith(f"{path}: {why}")
        path.rmdir() if path.is_dir() else path.unlink()
