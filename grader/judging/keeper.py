"""The process above the worker: it sees to it that nothing of the worker outlives the grader, however that ended.

A solutions file may start processes that leave their parent (`daemon`); a worker may crash; the grader may be killed.
This process does nothing but wait: when the worker has ended, or the grader has gone, it ends all that descends from
the worker, and ends as the worker did. It reads no message and holds no key.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
from contextlib import suppress

from grader import processes


def main(lifeline: int) -> None:
    """Fork; the child returns from here and becomes the worker, the parent never does.

    Args:
        lifeline: the reading end of a pipe whose other end the grader alone holds.
    """
    if sys.platform != "linux":
        # There the worker is by itself: it ends when its channel does.
        return
    processes.become_subreaper()
    keeper = os.getpid()
    worker = os.fork()
    if worker == 0:
        processes.die_with_parent(keeper)
        os.close(lifeline)
        return
    status = 0
    try:
        _let_go_of_the_channel()
        status = _wait(worker, lifeline)
        processes.sweep(set())
    finally:
        _end_as(status)


def _let_go_of_the_channel() -> None:
    # The grader sees the worker's end by the channel's: nobody else may hold it.
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)


def _wait(worker: int, lifeline: int) -> int:
    """Until the worker has ended, by itself or because the grader has gone; its wait status."""
    pidfd = os.pidfd_open(worker)
    ready, _, _ = select.select([pidfd, lifeline], [], [])
    if pidfd not in ready:
        processes.kill_trees([worker])
    return os.waitpid(worker, 0)[1]


def _end_as(status: int) -> None:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)
