"""What exists at all: a warm process in namespaces of its own, where secrets are covered and each child has its tmpfs.

Taken on where the system lets us (as root, or where an ordinary user may make user namespaces), before any library is
loaded and any thread exists. Nothing here is needed for a notebook to be confined: Landlock and seccomp do that without
it. What it adds: `stat()` learns nothing of what is covered, the scratch folder has a size, and what a notebook starts,
where it may start processes, lives in a pid namespace that ends with it.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache

from grader.sandbox.confinement.level import MAX_INODES

# <linux/sched.h>
NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000,
    0x0400_0000,
    0x0800_0000,
    0x1000_0000,
    0x2000_0000,
    0x4000_0000,
)
# <sys/mount.h>
RDONLY, NOSUID, NODEV, NOEXEC, BIND, REC, PRIVATE = 1, 2, 4, 8, 4096, 16384, 1 << 18
DETACH = 2


@lru_cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def possible() -> bool:
    """Whether this process could `enter`: a forked one does it all and ends."""
    pid = os.fork()
    if pid == 0:
        status = 1
        with suppress(BaseException):
            enter()
            status = 0
        os._exit(status)
    return os.waitpid(pid, 0)[1] == 0


def enter() -> None:
    """Go on, in a fork, inside new namespaces; this process itself waits for the fork and ends as it ends.

    Raises: `OSError` where the system does not allow it; in the fork or before it.
    """
    uid, gid = os.getuid(), os.getgid()
    kinds = NEWNS | NEWPID | NEWIPC | NEWUTS | NEWNET
    _call(_libc().unshare(kinds if os.geteuid() == 0 else kinds | NEWUSER), "unshare")
    if uid != 0:
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    pid = os.fork()
    if pid:
        os._exit(_wait(pid))
    mount("none", "/", None, REC | PRIVATE)
    mount("proc", "/proc", "proc", NOSUID | NODEV | NOEXEC)


def _wait(pid: int) -> int:
    # Ours are the ends of the grader's sockets, too: the grader must see them closed when the fork closes its own.
    os.closerange(3, 1 << 16)
    status = os.waitpid(pid, 0)[1]
    return os.waitstatus_to_exitcode(status) & 0xFF


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """mount(2). Raises: `OSError`."""
    arguments = [source.encode(), os.fsencode(target), kind.encode() if kind else None]
    _call(_libc().mount(*arguments, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def cover(paths: Iterable[str], needed: Iterable[str], empty: str) -> None:
    """Put an empty read-only folder, or the file `empty`, over each path that exists.

    A path that has one of the `needed` ones inside it stays as it is: Landlock alone keeps it closed.
    """
    wanted = [os.path.realpath(path) for path in needed]
    for path in map(os.path.realpath, paths):
        if not os.path.exists(path) or any(each == path or each.startswith(path + "/") for each in wanted):
            continue
        if stat.S_ISDIR(os.stat(path).st_mode):
            mount("tmpfs", path, "tmpfs", RDONLY | NOSUID | NODEV | NOEXEC, "size=4k,nr_inodes=1,mode=0555")
        else:
            mount(empty, path, None, BIND)


def give_tmpfs(folder: str, megabytes: int, uid: int | None) -> None:
    """Put a tmpfs of a fixed size over `folder`; the files that lie in it are copied."""
    below = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        owner = "" if uid is None else f",uid={uid},gid={uid}"
        options = f"size={megabytes}m,nr_inodes={MAX_INODES},mode=0700{owner}"
        mount("tmpfs", folder, "tmpfs", NOSUID | NODEV | NOEXEC, options)
        for name in os.listdir(below):
            # The grader's own files; no student has been here yet.
            shutil.copyfile(f"/proc/self/fd/{below}/{name}", f"{folder}/{name}")
            if uid is not None:
                os.chown(f"{folder}/{name}", uid, uid)
    finally:
        os.close(below)


def take_tmpfs(folder: str) -> None:
    """Take it away again, with all that is in it."""
    with suppress(OSError):
        _call(_libc().umount2(os.fsencode(folder), DETACH), f"umount {folder}")


class PidNamespaces:
    """A pid namespace for each child that may start processes: the child is its first process and ends it.

    One fork, not two: a process says beforehand in which namespace its next child begins.
    """

    def __init__(self) -> None:
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def next_child_in_its_own(self) -> None:
        # From one that has ended, no process can be begun: back to ours first.
        self.next_child_in_ours()
        _call(_libc().unshare(NEWPID), "unshare")

    def next_child_in_ours(self) -> None:
        _call(_libc().setns(self._own, NEWPID), "setns")


def _call(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
