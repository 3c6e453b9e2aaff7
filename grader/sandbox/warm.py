"""The warm process: a fresh interpreter that imports torch and IPython once and forks one child per notebook.

It never holds a notebook, a probe or a key: a child can read all of its parent's memory. It passes descriptors on,
reaps, and ends whatever a child leaves behind. It ends itself when the grader does. `entering` starts it.
"""

from __future__ import annotations

import gc
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from grader import processes
from grader.sandbox import scratch, student
from grader.sandbox.confinement import namespaces
from grader.sandbox.confinement.choosing import choose
from grader.sandbox.confinement.level import Confinement
from grader.sandbox.restoring import Originals
from grader.sandbox.shell import StudentShell, make_shell
from grader.sandbox.warming import stub_notebook_check, warm_up
from grader.sandbox.wire import Booted, Cover, Covered, Ended, Forked, ForkRequest, decode, encode

TICK = 0.5
MAX_REQUEST = 1 << 16


def main(descriptor: int, root: Path, thorough: bool, confined: bool, inside: bool) -> None:
    """Warm up, say so, serve until the grader closes the control socket at `descriptor`; then remove `root`.

    Args:
        thorough: see `warm_up`.
        confined: whether children are to be confined.
        inside: whether this process is in namespaces of its own.
    """
    try:
        _work(descriptor, root, thorough, confined, inside)
    finally:
        # Here, too, and not only in the grader: it may have been killed.
        scratch.remove(root)


def _work(descriptor: int, root: Path, thorough: bool, confined: bool, inside: bool) -> None:
    parent = os.getppid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    processes.become_subreaper()
    control = socket.socket(fileno=descriptor)
    stub_notebook_check()
    shell = make_shell()
    warm_up(shell, thorough)
    originals = Originals()
    gc.collect()
    # Without it a child's first collection touches every page: 70 MB and 0.2 s each.
    gc.freeze()
    _assert_one_thread()
    confinement, why_not = choose(confined, inside, root)
    control.send(encode(Booted(confinement, why_not)))
    _Server(control, parent, shell, originals, confinement).serve()


def _assert_one_thread() -> None:
    if (count := processes.threads()) != 1:
        raise RuntimeError(f"the warm process has {count} threads; a forked child would hang")


class _Child(NamedTuple):
    pid: int
    pidfd: int
    lifeline: socket.socket
    scratch: str


class _Server:
    def __init__(
        self,
        control: socket.socket,
        parent: int,
        shell: StudentShell,
        originals: Originals,
        confinement: Confinement,
    ) -> None:
        self._control = control
        self._parent = parent
        self._shell = shell
        self._originals = originals
        self._confinement = confinement
        self._inside = confinement.level == "namespaces"
        self._pids = namespaces.PidNamespaces() if self._inside else None
        self._children: dict[int, _Child] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ, None)

    def serve(self) -> None:
        try:
            while os.getppid() == self._parent:
                for key, _ in self._selector.select(TICK):
                    if key.data is None:
                        if not self._accept():
                            return
                    elif key.data in self._children:
                        self._attend(self._children[key.data], died=key.fd == self._children[key.data].pidfd)
                # A process whose parent has ended has come to us; whose it was cannot be told, nor is it needed.
                processes.sweep(set(self._children))
        finally:
            for pid in self._children:
                processes.send_signal(pid, signal.SIGKILL)
            processes.sweep(set())
            if self._inside:
                for child in self._children.values():
                    namespaces.take_tmpfs(child.scratch)

    def _accept(self) -> bool:
        """Do what one request asks for; False when the grader has gone."""
        data, descriptors, _, _ = socket.recv_fds(self._control, MAX_REQUEST, 2)
        if not data:
            return False
        request = decode(data, ForkRequest | Cover)  # type: ignore[arg-type]
        if isinstance(request, Cover):
            self._control.send(encode(Covered(self._cover(request))))
        else:
            self._fork(request, *descriptors)
        return True

    def _cover(self, request: Cover) -> str:
        home = Path(os.environ["HOME"])
        empty = home / "empty"
        try:
            empty.touch(0o600)
            namespaces.cover(request.paths, (*self._confinement.readable, str(home)), str(empty))
        except OSError as error:
            return str(error)
        return ""

    def _fork(self, request: ForkRequest, channel: int, line: int) -> None:
        lifeline = socket.socket(fileno=line)
        uid = self._confinement.uid(request.slot)
        if self._inside:
            namespaces.give_tmpfs(request.scratch, request.limits.file_mb, uid)
        elif uid is not None:
            scratch.give(request.scratch, uid)
        _assert_one_thread()
        alone = self._pids is not None and request.limits.processes > 0
        if self._pids is not None:
            self._pids.next_child_in_its_own() if alone else self._pids.next_child_in_ours()
        # In a pid namespace of its own it has no parent.
        parent = 0 if alone else os.getpid()
        pid = os.fork()
        if pid == 0:
            student.main(channel, parent, request, self._confinement, self._shell, self._originals)
        os.close(channel)
        self._register(_Child(pid, os.pidfd_open(pid), lifeline, request.scratch))

    def _register(self, child: _Child) -> None:
        self._children[child.pid] = child
        self._selector.register(child.pidfd, selectors.EVENT_READ, child.pid)
        self._selector.register(child.lifeline, selectors.EVENT_READ, child.pid)
        with suppress(OSError):
            socket.send_fds(child.lifeline, [encode(Forked(child.pid))], [child.pidfd])

    def _attend(self, child: _Child, died: bool) -> None:
        if not died:
            # A byte, or its end, on the lifeline: the grader has no more use for this child.
            self._selector.unregister(child.lifeline)
            processes.kill_trees([child.pid])
            return
        _, status, used = os.wait4(child.pid, 0)
        del self._children[child.pid]
        processes.sweep(set(self._children))
        if self._inside:
            namespaces.take_tmpfs(child.scratch)
        self._tell(child, Ended(status, used.ru_utime + used.ru_stime))
        self._selector.unregister(child.pidfd)
        if child.lifeline.fileno() in self._selector.get_map():
            self._selector.unregister(child.lifeline)
        os.close(child.pidfd)
        _close_read(child.lifeline)

    def _tell(self, child: _Child, event: Ended) -> None:
        # The grader may have given it up; the sweep has been done all the same.
        with suppress(OSError):
            child.lifeline.send(encode(event))


def _close_read(lifeline: socket.socket) -> None:
    # Closed with a byte unread, the socket would give the grader an error in place of our last message.
    with suppress(OSError):
        lifeline.shutdown(socket.SHUT_RD)
        lifeline.setblocking(False)
        while lifeline.recv(16):
            pass
    lifeline.close()
