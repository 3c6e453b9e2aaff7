"""The sandbox that strangers' notebooks run in: one forked process per attempt, from a warm one that knows nothing."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Protocol, Self

from grader.records import Execution, Run
from grader.sandbox import replay, scratch
from grader.sandbox.launching import Warm, WarmDiedError
from grader.sandbox.watching import watch

# A thorough warm-up costs what one notebook that uses every part pays without it.
WORTHWHILE = 2


class Sandbox(Protocol):
    """The one seam between the grader and students' code."""

    confinement: str

    def run(self, run: Run) -> Execution:
        """Run one notebook. Whatever it does comes back as a value."""
        ...


class ForkingSandbox:
    """Runs notebooks in children of a warm process; `run` may be called from several threads at once.

    Use as a context manager: entering starts the warm process (about 3 s, in the background), leaving ends it.

    Args:
        jobs: how many notebooks run at once; further calls wait.
        notebooks: how many are expected, if that is known. Where there are too few for it to pay, the warm process does
            not try out every part of the libraries first; what comes back of a notebook is the same.
    """

    confinement = "unconfined"

    def __init__(self, jobs: int = 1, notebooks: int | None = None) -> None:
        self._slots = threading.BoundedSemaphore(max(1, jobs))
        self._thorough = notebooks is None or notebooks >= WORTHWHILE
        self._lock = threading.Lock()
        self._warm: Warm | None = None

    def __enter__(self) -> Self:
        self._warm = Warm(self._thorough)
        return self

    def __exit__(self, *_: object) -> None:
        if self._warm is not None:
            self._warm.close()
            self._warm = None

    def run(self, run: Run) -> Execution:
        """Run one notebook: its cells, then its probes.

        Raises: `SandboxFault` if the warm process cannot be started; never for anything that a notebook does.
        """
        attempts = replay.Attempts(run)
        with self._slots:
            try:
                return self._finish(run, attempts, self._ready())
            except WarmDiedError:
                attempts.undone()
            # Once more, in a warm process of its own: if it was this notebook that ended it, no other is hit.
            with Warm(self._thorough) as own:
                own.wait_until_ready()
                try:
                    return self._finish(run, attempts, own)
                except WarmDiedError:
                    return replay.unfinished(run, "the process that runs notebooks ended twice while this one ran", 2)

    def _ready(self) -> Warm:
        with self._lock:
            if self._warm is None:
                raise RuntimeError("use ForkingSandbox as a context manager: with ForkingSandbox() as sandbox: ...")
            if not self._warm.alive:
                self._warm.close()
                self._warm = Warm(self._thorough)
            self._warm.wait_until_ready()
            return self._warm

    def _finish(self, run: Run, attempts: replay.Attempts, warm: Warm) -> Execution:
        while (job := attempts.next_job()) is not None:
            with ExitStack() as stack:
                folder = scratch.make(warm.root, run.files)
                stack.callback(scratch.remove, folder)
                watch(warm.fork(folder, run.limits), job, attempts, run, self.confinement, warm.first_use_seconds)
        return attempts.execution()
