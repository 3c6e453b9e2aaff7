"""The main program of a forked process: nothing of the warm one's is left to it, then it serves one notebook."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from typing import NoReturn

import msgspec

from grader import processes
from grader.sandbox.budget import Budget
from grader.sandbox.confinement.applying import apply, environment
from grader.sandbox.confinement.level import Confinement, Trial, Tried
from grader.sandbox.confinement.trial import try_all
from grader.sandbox.restoring import Originals, reset_torch, seed
from grader.sandbox.serving import Student
from grader.sandbox.shell import StudentShell
from grader.sandbox.wire import CHANNEL, ForkRequest, Job, frame, receive

# Exit status where the channel was closed under us, or our own code failed.
OWN_FAILURE = 70


def main(
    descriptor: int,
    parent: int,
    request: ForkRequest,
    confinement: Confinement,
    shell: StudentShell,
    originals: Originals,
) -> NoReturn:
    """Never returns: the process ends here.

    Args:
        descriptor: the channel to the grader.
        parent: the warm process's id, as this process sees it.
        request: this process's own folder, its limits, and whether it is a trial.
        confinement: what it takes on before the first cell.
        shell: made in the warm process.
        originals: taken in the warm process.
    """
    try:
        channel = _detach(descriptor, parent, request.scratch)
        if request.trial is not None:
            channel.sendall(frame(_tried(request.trial, request, confinement, parent)))
        else:
            job = receive(channel, Job)
            budget = Budget(request.limits)
            budget.enforce()
            reset_torch()
            seed(job.seed)
            apply(confinement, request.slot, request.scratch, request.limits, parent)
            shell.commands = request.limits.processes > 0 and confinement.level == "namespaces"
            Student(channel, job, budget, shell, originals).serve(confinement.level)
        status = 0
    except BaseException:  # noqa: BLE001 - there is nobody left to tell
        status = OWN_FAILURE
    # No atexit handler, finaliser or thread of the student's gets another turn.
    os._exit(status)


def _detach(descriptor: int, parent: int, scratch: str) -> socket.socket:
    """Keep the channel and nothing else of the warm process's: signals, session, descriptors, directory."""
    os.setsid()
    processes.die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.dup2(descriptor, CHANNEL, inheritable=False)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.closerange(3, CHANNEL)
    os.closerange(CHANNEL + 1, 1 << 20)
    os.chdir(scratch)
    own = environment(os.environ, scratch)
    os.environ.clear()
    os.environ.update(own)
    tempfile.tempdir = None
    # Last, so that no file of the student's hides a module of the library.
    sys.path.append(scratch)
    return socket.socket(fileno=CHANNEL)


def _tried(trial: Trial, request: ForkRequest, confinement: Confinement, parent: int) -> Tried:
    baited = msgspec.structs.replace(confinement, readable=(*confinement.readable, trial.readable_bait))
    try:
        apply(baited, request.slot, request.scratch, request.limits, parent)
    except OSError as error:
        return Tried((), (f"take on the confinement ({error.strerror or error})",))
    return try_all(trial, request.scratch)
