"""The folder that a warm process and its children work in, and what a killed run has left of it.

Whoever uses such a folder holds a lock on it, which the kernel gives back when the last of them has died. So a folder
whose lock is free is nobody's any more, and the next run removes it, with every process that was started in it.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from grader import processes
from grader.errors import SandboxFault
from grader.sandbox import scratch

PREFIX = "grader-sandbox-"
# Below this nothing works that writes files, so that other messages would be beside the point.
LITTLE_SPACE = 1 << 20
_MEND = "free some space there, or set TMPDIR to another folder"


def make() -> tuple[Path, int]:
    """A new folder, and the descriptor that holds its lock: to be inherited by the warm process.

    Raises: `SandboxFault` where none can be made.
    """
    try:
        while True:
            folder = Path(tempfile.mkdtemp(prefix=PREFIX))
            held = _lock(folder)
            if held is not None:
                return folder, held
            # Another run took it for left behind, in the moment before we had locked it.
    except OSError as error:
        what = f"no folder can be made for notebooks to run in ({error.strerror or error})"
        raise SandboxFault(f"{what}; {_MEND}") from error


def is_full(folder: Path) -> str:
    """A clause that says that there is no space left where `folder` is; "" if there is."""
    with suppress(OSError):
        room = os.statvfs(folder)
        if room.f_bavail * room.f_frsize < LITTLE_SPACE or (room.f_files and not room.f_favail):
            return f"the disk is full where {folder.parent} is; {_MEND}"
    return ""


def sweep() -> None:
    """Remove the folders that killed runs of this user have left, and end what still runs in them."""
    for folder in sorted(Path(tempfile.gettempdir()).glob(f"{PREFIX}*")):
        with suppress(OSError):
            found = folder.lstat()
            if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid():
                _remove_if_left(folder)


def _remove_if_left(folder: Path) -> None:
    held = _lock(folder)
    if held is None:
        return
    try:
        processes.kill_marked(str(folder))
        scratch.remove(folder)
    finally:
        os.close(held)


def _lock(folder: Path) -> int | None:
    """The descriptor of `folder`, locked; None if somebody else has it, or it is gone."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(descriptor), os.stat(folder)):
            return descriptor
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None
