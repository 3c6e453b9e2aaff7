"""The working directory of one student's process: made, filled and removed by the trusted side."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from grader.errors import GraderFault
from grader.records import DataFile


def make(root: Path, files: Iterable[DataFile] = ()) -> Path:
    """A new private directory below `root` that holds `files`.

    Raises: `GraderFault` for a file whose name is not a plain name.
    """
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=root))
    for file in files:
        if file.name in ("", ".", "..") or "/" in file.name or "\\" in file.name or "\0" in file.name:
            raise GraderFault(f"shipped file {file.name!r}: give a plain file name, without folders")
        (folder / file.name).write_bytes(file.data)
    return folder


def give(folder: str, uid: int) -> None:
    """Make `folder` and the files in it that user's own; called as root, before a student has been there."""
    for path in (*(os.path.join(folder, name) for name in os.listdir(folder)), folder):
        os.chown(path, uid, uid, follow_symlinks=False)


def remove(folder: Path) -> None:
    """Remove `folder` and all in it; follows no link, and takes any depth and any permissions. Never raises."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            _flatten(descriptor)
        finally:
            os.close(descriptor)
        os.rmdir(folder)


def _flatten(top: int) -> None:
    """Empty the directory `top` by moving what is in each sub-directory up, so that no path ever grows long."""
    # Names of ours, in no directory that the student could have made before.
    fresh = (f".moved-{os.urandom(8).hex()}-{count}" for count in range(10**9))
    while names := os.listdir(top):
        for name in names:
            with suppress(OSError):
                if stat.S_ISDIR(os.stat(name, dir_fd=top, follow_symlinks=False).st_mode):
                    _empty_into(top, name, fresh)
                    os.rmdir(name, dir_fd=top)
                else:
                    os.unlink(name, dir_fd=top)
        if os.listdir(top) == names:
            return


def _empty_into(top: int, name: str, fresh: Iterator[str]) -> None:
    _unlock(top, name)
    inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
    try:
        for child in os.listdir(inner):
            if stat.S_ISDIR(os.stat(child, dir_fd=inner, follow_symlinks=False).st_mode):
                _unlock(inner, child)
                os.rename(child, next(fresh), src_dir_fd=inner, dst_dir_fd=top)
            else:
                os.unlink(child, dir_fd=inner)
    finally:
        os.close(inner)


def _unlock(parent: int, name: str) -> None:
    # A folder, not a link: checked by the caller, and no process of the student's is left to swap it.
    os.chmod(f"/proc/self/fd/{parent}/{name}", 0o700)
