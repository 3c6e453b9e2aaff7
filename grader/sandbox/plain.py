"""A sandbox for one's own notebook on any system: a fresh interpreter per attempt, limits of time and nothing else.

For `grade check` on macOS, on Windows and wherever there is nothing to confine with. Strangers' code is never run here.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeAlias

from grader.errors import SandboxFault
from grader.records import Execution, Limits, ProbeRun, Run
from grader.records.values import Record
from grader.sandbox import scratch
from grader.sandbox.confinement.level import OWN
from grader.sandbox.replay import Attempts
from grader.sandbox.wire import LENGTH, BrokenChannelError, Event, Job, Ready, frame, max_frame, read_event

# Our own set-up in the process: importing torch from a cold disk.
START_SECONDS = 180.0

# What the reader finds: an event, or why there will be no more of them (None: the process ended).
_Found: TypeAlias = Event | BrokenChannelError | None


class PlainSandbox:
    """Runs one notebook after another, each attempt in a process of its own. Use as a context manager."""

    confinement = OWN

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def admit(self, limits: Limits) -> None:
        """Everything is: it is one's own code."""

    def run(self, run: Run) -> Execution:
        """Run one notebook: its cells, then its probes. Raises `SandboxFault` if no process can be started."""
        attempts = Attempts(run)
        with tempfile.TemporaryDirectory(prefix="grader-check-", ignore_cleanup_errors=True) as root:
            while (job := attempts.next_job()) is not None:
                _Attempt(run.limits, attempts, scratch.make(Path(root), run.files)).until_over(job)
        return attempts.execution()


class _Attempt:
    def __init__(self, limits: Limits, attempts: Attempts, folder: Path) -> None:
        self._limits = limits
        self._attempts = attempts
        command = [sys.executable, "-P", "-m", "grader.sandbox.plain_child", str(folder)]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=folder,
                env=_environment(os.environ),
            )
        except OSError as error:
            raise SandboxFault(f"the process that runs your notebook could not be started: {error}") from error
        self._found: queue.SimpleQueue[_Found] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._began = time.monotonic()

    def until_over(self, job: Job) -> None:
        """Until all is done, a limit is reached, or the process has ended; then it is gone."""
        try:
            self._put(job)
            while not (self._attempts.ready and self._attempts.doing is None) and self._next():
                pass
        except BrokenChannelError as error:
            self._attempts.broke(str(error))
        finally:
            self._process.kill()
            self._process.wait()
            self._reader.join()
            for stream in (self._process.stdin, self._process.stdout):
                with suppress(OSError):
                    stream.close()  # type: ignore[union-attr]

    def _next(self) -> bool:
        """Take one event; False when there will be none."""
        try:
            found = self._found.get(timeout=max(0.0, self._began + self._seconds() - time.monotonic()))
        except queue.Empty:
            self._too_long()
            return False
        if isinstance(found, BrokenChannelError):
            raise found
        if found is None:
            if not self._attempts.ready:
                raise SandboxFault("the process that runs your notebook did not start; is torch installed soundly?")
            self._attempts.fatal("died", f"it ended its own process (exit code {self._process.wait()})")
            return False
        self._take(found)
        return True

    def _take(self, event: Event) -> None:
        before = self._attempts.doing
        self._attempts.event(event)
        step = self._attempts.doing
        if step is not before or isinstance(event, Ready):
            self._began = time.monotonic()
            if isinstance(step, ProbeRun):
                self._put(step)

    def _seconds(self) -> float:
        if not self._attempts.ready:
            return START_SECONDS
        probing = isinstance(self._attempts.doing, ProbeRun)
        seconds = self._limits.probe_seconds if probing else self._limits.cell_seconds
        return seconds * self._limits.wall_factor

    def _too_long(self) -> None:
        if not self._attempts.ready:
            raise SandboxFault(f"the process that runs your notebook was not ready within {START_SECONDS:g} s")
        self._attempts.fatal("timed_out", f"it did not finish within {self._seconds():g} s")

    def _put(self, record: Record) -> None:
        # If it has ended, the reader will say so.
        with suppress(OSError):
            self._process.stdin.write(frame(record))  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]

    def _read(self) -> None:
        """In a thread of its own: pipes cannot be waited for with a deadline on every system."""
        try:
            while (event := self._event()) is not None:
                self._found.put(event)
        except BrokenChannelError as error:
            self._found.put(error)
        self._found.put(None)

    def _event(self) -> Event | None:
        stream, cap = self._process.stdout, max_frame(self._limits)
        head = stream.read(LENGTH.size)  # type: ignore[union-attr]
        if len(head) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack(head)
        if length > cap:
            raise BrokenChannelError(f"a message of {length} bytes was announced; the limit is {cap}")
        data = stream.read(length)  # type: ignore[union-attr]
        return read_event(data) if len(data) == length else None


def _environment(own: Mapping[str, str]) -> dict[str, str]:
    fixed = {"PYTHONHASHSEED": "0", "MPLBACKEND": "Agg", "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    return {**own, **fixed}
