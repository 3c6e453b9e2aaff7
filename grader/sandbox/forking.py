"""The sandbox that strangers' notebooks run in: one forked process per attempt, from a warm one that knows nothing."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal, Self, TypeAlias

from grader.errors import ConfinementError, SandboxFault
from grader.records import Execution, Limits, Run
from grader.sandbox import replay, scratch
from grader.sandbox.confinement.level import OWN, REMEDY, WORDS, Level
from grader.sandbox.launching import Warm, WarmDiedError
from grader.sandbox.proving import prove
from grader.sandbox.watching import watch

# A thorough warm-up costs what one notebook that uses every part pays without it.
WORTHWHILE = 2

# "required": refuse where it cannot be had. "possible": one's own code; confine it where that can be had. "off": never.
Confine: TypeAlias = Literal["required", "possible", "off"]


class ForkingSandbox:
    """Runs notebooks in children of a warm process; `run` may be called from several threads at once.

    Use as a context manager: entering starts the warm process (about 3 s, in the background), leaving ends it.

    Args:
        jobs: how many notebooks run at once; further calls wait.
        notebooks: how many are expected, if that is known. Where there are too few for it to pay, the warm process does
            not try out every part of the libraries first; what comes back of a notebook is the same.
        confine: whether notebooks are kept from everything that is not theirs.
        secrets: files and folders that no notebook may read; the trial at the start tries them.
        namespaces: False to leave them out where they could be had.
    """

    def __init__(
        self,
        jobs: int = 1,
        notebooks: int | None = None,
        confine: Confine = "required",
        secrets: Sequence[Path] = (),
        namespaces: bool = True,
    ) -> None:
        self._slots: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(max(1, jobs)):
            self._slots.put(slot)
        self._thorough = notebooks is None or notebooks >= WORTHWHILE
        self._confine = confine
        self._secrets = tuple(secrets)
        self._namespaces = namespaces
        self._lock = threading.Lock()
        self._warm: Warm | None = None
        self._level: Level | None = None

    def __enter__(self) -> Self:
        self._warm = self._start()
        return self

    def __exit__(self, *_: object) -> None:
        # First of all: a thread that loses its process to this must not start another one.
        warm, self._warm = self._warm, None
        if warm is not None:
            warm.close()

    def _start(self) -> Warm:
        return Warm(self._thorough, self._confine != "off", self._namespaces)

    @property
    def confinement(self) -> str:
        """How notebooks are run. Waits until the warm process is ready and its trial is over.

        Raises: `ConfinementError` where they are to be confined and cannot be; `SandboxFault`.
        """
        self._ready()
        if self._level == "none" and self._confine == "possible":
            return OWN
        return WORDS[self._level or "none"]

    def admit(self, limits: Limits) -> None:
        """Whether notebooks may run under these limits: processes of their own need a namespace that ends with them.

        Raises: `ConfinementError`.
        """
        self._ready()
        if limits.processes > 0 and self._level == "kernel":
            raise ConfinementError(
                f"notebooks that may start processes (processes={limits.processes} in their assignment) need "
                f"namespaces, which this system does not allow; leave `processes` out, or {REMEDY}"
            )

    def run(self, run: Run) -> Execution:
        """Run one notebook: its cells, then its probes.

        Raises: `SandboxFault` if the warm process cannot be started, `ConfinementError` if it does not confine; never
        for anything that a notebook does.
        """
        self.admit(run.limits)
        attempts = replay.Attempts(run)
        with self._slot() as slot:
            try:
                return self._finish(run, attempts, self._ready(), slot)
            except WarmDiedError:
                attempts.undone()
            if self._warm is None:
                raise SandboxFault("the run was ended while this notebook ran")
            # Once more, in a warm process of its own: if it was this notebook that ended it, no other is hit.
            with self._start() as own:
                try:
                    self._prove(own)
                    return self._finish(run, attempts, own, slot)
                except WarmDiedError:
                    return replay.unfinished(run, "the process that runs notebooks ended twice while this one ran", 2)

    @contextmanager
    def _slot(self) -> Iterator[int]:
        slot = self._slots.get()
        try:
            yield slot
        finally:
            self._slots.put(slot)

    def _ready(self) -> Warm:
        with self._lock:
            if self._warm is None:
                raise RuntimeError("use ForkingSandbox as a context manager: with ForkingSandbox() as sandbox: ...")
            if not self._warm.alive:
                self._warm.close()
                self._warm = self._start()
                self._level = None
            if self._level is None:
                self._level = self._prove(self._warm)
            return self._warm

    def _prove(self, warm: Warm) -> Level:
        """The level of `warm`, seen and not believed."""
        unasked = self._confine == "off"
        if unasked or (self._confine == "possible" and warm.wait_until_ready().confinement.level == "none"):
            return warm.wait_until_ready().confinement.level
        return prove(warm, self._secrets)

    def _finish(self, run: Run, attempts: replay.Attempts, warm: Warm, slot: int) -> Execution:
        level = warm.wait_until_ready().confinement.level
        while (job := attempts.next_job()) is not None:
            with ExitStack() as stack:
                folder = scratch.make(warm.root, run.files)
                stack.callback(scratch.remove, folder)
                watch(warm.fork(folder, run.limits, slot), job, attempts, run, level, folder, warm.first_use_seconds)
        return attempts.execution()
