"""A throw-away child that is confined as every other one and tries to break out. What it cannot do is proved.

Versions are not read: where Landlock is compiled in but switched off, or a container's profile refuses it, a version
says nothing. Each attempt is one that gave something away on some system.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from functools import partial

from grader.sandbox.confinement.level import Trial, Tried


def try_all(trial: Trial, scratch: str) -> Tried:
    """Make every attempt, in this process."""
    could = tuple(what for what, attempt in _attempts(trial) if _works(attempt))
    needs: tuple[tuple[str, Callable[[], object]], ...] = (
        (f"read {trial.needed}", lambda: _read(trial.needed)),
        ("write into its own folder", lambda: _write(os.path.join(scratch, "own"))),
    )
    return Tried(could, tuple(what for what, need in needs if not _works(need)))


def _attempts(trial: Trial) -> Iterator[tuple[str, Callable[[], object]]]:
    bait = trial.bait
    for path in trial.secrets:
        yield f"open {path}", partial(_open, path)
    covered = trial.covered_bait
    if covered is not None:
        yield "see that a covered file exists", lambda: os.stat(covered)
    yield "read a file outside of its own folder", lambda: _read(bait)
    yield "write to a file outside of its own folder", lambda: _open(bait, os.O_WRONLY)
    yield "empty a file by truncate()", lambda: os.truncate(bait, 0)
    yield "empty a file that it may read", lambda: _open(trial.readable_bait, os.O_TRUNC)
    yield "make a file outside of its own folder", lambda: _write(bait + ".made")
    yield "change a file's mode", lambda: _chmod(bait)
    yield "open a network socket", lambda: socket.socket(socket.AF_INET).close()
    yield "open a UNIX socket", lambda: socket.socket(socket.AF_UNIX).close()
    yield "make a datagram pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    yield "signal another process", lambda: os.kill(_neighbour(), 0)
    yield "limit another process", lambda: resource.prlimit(_neighbour(), resource.RLIMIT_NOFILE)
    yield "watch a folder", _watch_root
    yield "make memory that no limit counts", lambda: os.memfd_create("trial")
    yield "start a process", _fork
    # Last: where it works, nothing comes after it.
    yield "run a program", lambda: os.execv("/bin/true", ["true"])  # noqa: S606 - it must fail


def _works(attempt: Callable[[], object]) -> bool:
    try:
        return attempt() is not False
    except (OSError, AttributeError):
        return False


def _neighbour() -> int:
    # In a pid namespace of its own it has no parent; there is always a first process.
    return os.getppid() or 1


def _open(path: str, flags: int = os.O_RDONLY) -> None:
    os.close(os.open(path, flags))


def _read(path: str) -> None:
    with open(path, "rb") as file:
        file.read(1)


def _write(path: str) -> None:
    with open(path, "wb") as file:
        file.write(b"1")


def _chmod(path: str) -> bool:
    before = os.stat(path).st_mode
    os.chmod(path, before ^ 0o100)
    return os.stat(path).st_mode != before


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)


def _watch_root() -> bool:
    return bool(ctypes.CDLL(None).inotify_init1(0) >= 0)
