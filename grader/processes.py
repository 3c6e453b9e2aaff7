"""Processes as /proc shows them: who descends from whom, what they have used; and ending whole trees of them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PROC = Path("/proc")


class Usage(NamedTuple):
    """What a process and its living descendants have used so far.

    Args:
        cpu: processor seconds, those of ended and awaited descendants included.
        waited: seconds for which the process could have run but no core was free.
        processes: how many there are, the first one included.
    """

    cpu: float
    waited: float
    processes: int


def children(pid: int) -> list[int]:
    """The children of all threads of `pid`, zombies included; empty if it is gone."""
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(FileNotFoundError, ProcessLookupError):
                found += map(int, _read(f"/proc/{pid}/task/{task}/children").split())
    if not found and not os.path.exists(f"/proc/{os.getpid()}/task/{os.getpid()}/children"):
        # A kernel without CONFIG_PROC_CHILDREN.
        found = [other for other in everyone() if _parent(other) == pid]
    return found


def descendants(pid: int) -> list[int]:
    """All processes below `pid`, parents before children."""
    found: list[int] = []
    new = children(pid)
    while new:
        found += new
        new = [grandchild for child in new for grandchild in children(child) if grandchild not in found]
    return found


def usage(pid: int) -> Usage:
    """What `pid` and its descendants have used. All zero once it is gone."""
    everybody = [pid, *descendants(pid)]
    return Usage(
        cpu=sum(_cpu_seconds(each) for each in everybody),
        waited=_waited_seconds(pid),
        processes=len(everybody),
    )


def pid_of(pidfd: int) -> int:
    """The process behind a pidfd, as our own /proc numbers it; 0 if it is gone or in none of our namespaces."""
    with suppress(OSError, ValueError, IndexError), open(f"/proc/self/fdinfo/{pidfd}") as file:
        return max(0, *(int(line.split()[1]) for line in file if line.startswith("Pid:")), 0)
    return 0


def kill_trees(tops: list[int]) -> None:
    """Stop every process of these trees first, so that none can fork away from the kill, then kill them all."""
    stopped: set[int] = set()
    while True:
        members = {pid for top in tops for pid in (top, *descendants(top))}
        if members <= stopped:
            break
        for pid in members - stopped:
            send_signal(pid, signal.SIGSTOP)
        stopped |= members
    for pid in stopped:
        send_signal(pid, signal.SIGKILL)


def sweep(registered: set[int], seconds: float = 5.0) -> None:
    """End and reap every child of this process that is not `registered`, and what descends from it.

    An orphan of a student's process becomes a child of ours (we are its subreaper), so nothing can hide by forking
    twice. Gives up after `seconds`, which only a process stuck in the kernel can make happen.
    """
    deadline = time.monotonic() + seconds
    while orphans := [pid for pid in children(os.getpid()) if pid not in registered]:
        kill_trees(orphans)
        for pid in orphans:
            _reap(pid, deadline)
        if time.monotonic() > deadline:
            return


def _reap(pid: int, deadline: float) -> None:
    with suppress(ChildProcessError):
        while os.waitpid(pid, os.WNOHANG)[0] == 0 and time.monotonic() < deadline:
            time.sleep(0.001)


def kill_marked(marker: str) -> None:
    """Kill all processes that have `marker` in their environment: a last resort, when their reaper has died."""
    for pid in everyone():
        if pid != os.getpid():
            with suppress(OSError):
                if marker.encode() in (PROC / str(pid) / "environ").read_bytes():
                    send_signal(pid, signal.SIGKILL)


def everyone() -> list[int]:
    """All process ids that /proc shows."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def send_signal(pid: int, number: signal.Signals) -> None:
    """Send it, unless the process is gone or not ours."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def become_subreaper() -> None:
    """Orphans below this process become its children, instead of init's."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Ask the kernel to kill this process when `parent` dies; exit at once if it is dead already."""
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def threads() -> int:
    """How many threads this process has, native ones included."""
    return len(os.listdir("/proc/self/task"))


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()


def _stat(pid: int) -> list[str]:
    # The name, in parentheses, may hold blanks and parentheses of its own.
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _parent(pid: int) -> int:
    with suppress(OSError, IndexError):
        return int(_stat(pid)[1])
    return 0


def _cpu_seconds(pid: int) -> float:
    with suppress(OSError, IndexError):
        return sum(map(int, _stat(pid)[11:15])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def _waited_seconds(pid: int) -> float:
    # Absent without CONFIG_SCHED_INFO; then waiting for a core counts against the wall limit.
    with suppress(OSError, IndexError, ValueError):
        return int(_read(f"/proc/{pid}/schedstat").split()[1]) / 1e9
    return 0.0
