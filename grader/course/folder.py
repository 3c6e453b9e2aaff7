"""The course's folder: its key and its solutions files."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from pathlib import Path

from grader.errors import UsageError

KEY_BYTES = 32


def course_key(course: Path) -> bytes:
    """The course's secret: 32 bytes from `course.key`, which is made (mode 0600) if it is not there.

    Raises: `UsageError` if it cannot be read or made, or holds something else.
    """
    path = course / "course.key"
    try:
        if not path.exists():
            _create(path)
        text = path.read_text("ascii").strip()
        key = bytes.fromhex(text)
    except OSError as error:
        what = "cannot be read or created" if course.is_dir() else "has no folder to be created in"
        mend = "give a course folder that you may write with --course"
        raise UsageError(f"{path}: {what} ({error.strerror}); {mend}") from error
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise UsageError(f"{path}: is no key (64 hexadecimal digits); restore it, or delete it and release again")
    return key


def solution_files(course: Path, names: Sequence[str] = ()) -> tuple[Path, ...]:
    """The solutions files of a course, sorted; only those called `names`, if any are given.

    Raises: `UsageError` if there is none, or none of that name (it says which there are), or one is no plain file.
    """
    folder = course / "solutions"
    found = {path.stem: path for path in sorted(folder.glob("*.py")) if path.name[0] not in "._"}
    for path in found.values():
        if not path.is_file():
            # Left out in silence, it would take an assignment and all that was handed in for it along.
            raise UsageError(f"{path}: {_no_file(path)}; put the file itself there, or begin its name with _")
    if not found:
        raise UsageError(f"{folder}: holds no solutions file; give the course's folder with --course")
    for name in names:
        if name not in found:
            raise UsageError(f"{name}: no such assignment in {folder}; there are: {', '.join(found)}")
    return tuple(path for name, path in found.items() if not names or name in names)


def _no_file(path: Path) -> str:
    if path.is_symlink() and not path.exists():
        return f"is a link to {os.readlink(path)}, which is not there"
    return "is a folder and no solutions file" if path.is_dir() else "is no plain file (a pipe or device)"


def _create(path: Path) -> None:
    """Make the key whole before it has its name, so that two processes that start together agree on one."""
    text = secrets.token_hex(KEY_BYTES) + "\n"
    beside = path.with_name(f".course.key.{os.getpid()}.{secrets.token_hex(4)}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        try:
            # A link, unlike a rename, never replaces the key that another process has just made.
            os.link(beside, path)
        except FileExistsError:
            return
        except OSError:  # a file system without links
            beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
