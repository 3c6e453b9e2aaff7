"""Running instructors' code from the trusted side: in a worker process that can be killed, with a deadline.

A reference may hang or crash (torch itself can segfault). That costs one call: the worker is killed, the next call
gets a new one, and the caller is told which exercise it was.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO

import msgspec

from grader.errors import CourseError, GraderFault, ReferenceFault
from grader.judging.wire import (
    Believe,
    Believed,
    ChannelClosed,
    DeadlinePassed,
    Draw,
    Drawn,
    Failed,
    Load,
    Loaded,
    Look,
    Looked,
    Problems,
    Ready,
    Reply,
    Request,
    Separate,
    Separated,
    Solve,
    Solved,
    receive,
    send,
)
from grader.misconceptions.catalogue import CATALOGUE
from grader.records import Assignment, Audit, Beliefs, Exercise, ExerciseKey, Separation

SOLVE_SECONDS = 20.0
LOAD_SECONDS = 120.0
BELIEVE_SECONDS = 300.0
DRAW_SECONDS = 600.0
AUDIT_SECONDS = 300.0
SEPARATE_SECONDS = 30.0
BOOT_SECONDS = 180.0

# Not `-m`: the worker must find exactly the modules that this process finds, however it came by its path.
_START = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from grader.judging.worker import main; main()"


class Reference:
    """A worker process that loads solutions files and computes keys. A context manager; safe to share by threads.

    The process starts at once and boots in the background; the first call waits for it.

    Args:
        solve_seconds: wall time for one exercise.
        load_seconds: wall time for loading one solutions file.
        believe_seconds: wall time for one exercise in all worlds.
    """

    def __init__(
        self,
        solve_seconds: float = SOLVE_SECONDS,
        load_seconds: float = LOAD_SECONDS,
        believe_seconds: float = BELIEVE_SECONDS,
    ) -> None:
        self._believe_seconds = believe_seconds
        self._solve_seconds = solve_seconds
        self._load_seconds = load_seconds
        self._lock = threading.Lock()
        self._closed = False
        self._worker: _Worker | None = _Worker()

    def __enter__(self) -> Reference:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the worker. Harmless when called twice."""
        self._closed = True
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def load(self, path: Path, key: bytes) -> Assignment:
        """Load and check one solutions file.

        Args:
            key: the course's secret, which all draws of inputs are seeded with.

        Raises: `CourseError` with every problem of the file, a file that hangs or crashes among them; `ReferenceFault`
            if the worker cannot be started.
        """
        try:
            reply = self._ask(Load(str(path), key, self._load_seconds), f"loading {path.name}")
        except _Lost as lost:
            raise CourseError(f"{path}: while it was loaded, {lost}; run it by itself to see why") from lost
        if isinstance(reply, Problems):
            raise CourseError(*reply.problems)
        if isinstance(reply, Failed):
            raise CourseError(f"{path}: loading it {reply.what}")
        assert isinstance(reply, Loaded), "a load is answered by an assignment"
        return reply.assignment

    def solve(self, exercise: Exercise) -> ExerciseKey:
        """Run an exercise's reference. What a program or probe raises is an outcome in the key.

        Raises: `ReferenceFault` naming the exercise, if its reference hangs, crashes or cannot even be defined;
            `CourseError`, "exercise: what is wrong; what to do", if it gives another result each time.
        """
        what = f"the reference of exercise {exercise.id!r}"
        try:
            reply = self._ask(Solve(exercise, self._solve_seconds), what)
        except _Lost as lost:
            raise ReferenceFault(f"{what}: {lost}") from lost
        if isinstance(reply, Failed):
            raise ReferenceFault(f"{what} {reply.what}")
        if isinstance(reply, Problems):
            raise CourseError(*reply.problems)
        assert isinstance(reply, Solved), "a solve is answered by a key"
        return reply.key

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs:
        """Run an exercise in every world (and, if asked, in two at once) and with its author's foreseen mistakes.

        A world that crashes the process or hangs is left out, and takes no other along.
        """
        whole = self._believed(exercise, key, pairs, None)
        if whole is not None:
            return whole
        # One of the worlds ended the process: each by itself, and no pairs.
        alone = [self._believed(exercise, key, False, (name,)) for name in CATALOGUE]
        singles = tuple(single for each in alone if each is not None for single in each.singles)
        return Beliefs(exercise.id, singles, () if pairs else None)

    def draw(self, exercise: Exercise, candidates: Sequence[str]) -> tuple[tuple[str, ...], int]:
        """Choose the arguments that students may get, as `grader.misconceptions.draws.find_draws` does.

        Raises: `ReferenceFault` naming the exercise, if its program or a world hangs or crashes on one of them.
        """
        what = f"the numbers of one's own in exercise {exercise.id!r}"
        try:
            reply = self._ask(Draw(exercise, tuple(candidates), DRAW_SECONDS), what)
        except _Lost as lost:
            raise ReferenceFault(f"{what}: {lost}; narrow the bounds of its `vary`, or vary nothing") from lost
        if not isinstance(reply, Drawn):
            raise ReferenceFault(f"{what}: {reply.what if isinstance(reply, Failed) else 'gave no draws'}")
        return reply.arguments, reply.tried

    def audit(self, exercise: Exercise) -> Audit:
        """Say which beliefs an exercise cannot see or tell apart, as `grader.misconceptions.audit.audit` does.

        Raises: `ReferenceFault` naming the exercise, if its program or a world hangs or crashes.
        """
        what = f"the audit of exercise {exercise.id!r}"
        try:
            reply = self._ask(Look(exercise, AUDIT_SECONDS), what)
        except _Lost as lost:
            raise ReferenceFault(f"{what}: {lost}; make its program smaller") from lost
        if not isinstance(reply, Looked):
            raise ReferenceFault(f"{what}: {reply.what if isinstance(reply, Failed) else 'gave no findings'}")
        return reply.audit

    def separation(self, exercise: Exercise, ids: Sequence[str]) -> Separation | None:
        """Find a version of the exercise in which beliefs of different families have different answers.

        Args:
            ids: the misconceptions that an answer fits.

        Returns: None where there is none, also where looking for one hangs or crashes.
        """
        request = Separate(exercise, tuple(ids), SEPARATE_SECONDS)
        try:
            reply = self._ask(request, f"what tells beliefs apart in exercise {exercise.id!r}")
        except _Lost:
            return None
        return reply.separation if isinstance(reply, Separated) else None

    def _believed(
        self, exercise: Exercise, key: ExerciseKey, pairs: bool, ids: tuple[str, ...] | None
    ) -> Beliefs | None:
        what = f"the beliefs about exercise {exercise.id!r}"
        try:
            reply = self._ask(Believe(exercise, key, pairs, ids, self._believe_seconds), what)
        except _Lost:
            return None
        return reply.beliefs if isinstance(reply, Believed) else None

    def _ask(self, request: Request, what: str) -> Reply:
        with self._lock:
            if self._closed:
                raise ReferenceFault(f"{what}: the worker is closed")
            if self._worker is None:
                self._worker = _Worker()
            worker = self._worker
            try:
                return worker.ask(request)
            except BaseException:
                # Also on Ctrl-C: a half-read reply would be taken for the next one's.
                worker.kill()
                self._worker = None
                raise


class _Lost(GraderFault):
    """The worker hung or died during a request; the message is a clause."""


class _Worker:
    """One process and its two pipes."""

    def __init__(self) -> None:
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by kill()
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
            [sys.executable, "-P", "-c", _START, json.dumps([entry for entry in sys.path if entry])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env=_environment(),
            bufsize=0,
            # Ctrl-C in a terminal reaches the grader alone, which then ends the worker.
            start_new_session=True,
        )
        self._booted = False

    def ask(self, request: Request) -> Reply:
        if not self._booted:
            self._boot()
        assert self._process.stdin is not None, "opened as a pipe"
        try:
            send(self._process.stdin.fileno(), request)
            return self._receive(time.monotonic() + request.seconds)
        except DeadlinePassed:
            raise _Lost(f"it ran for more than {request.seconds:g} s and was stopped") from None
        except (ChannelClosed, msgspec.DecodeError):
            raise _Lost(f"its process ended ({self._death()})") from None

    def _boot(self) -> None:
        try:
            ready = self._receive(time.monotonic() + BOOT_SECONDS)
        except DeadlinePassed:
            raise ReferenceFault(f"the reference worker did not start within {BOOT_SECONDS:g} s") from None
        except (ChannelClosed, msgspec.DecodeError):
            raise ReferenceFault(f"the reference worker did not start: {self._last_complaint()}") from None
        assert isinstance(ready, Ready), "a worker's first word"
        self._booted = True

    def _receive(self, deadline: float) -> Reply:
        assert self._process.stdout is not None, "opened as a pipe"
        return receive(self._process.stdout.fileno(), Reply, deadline)  # type: ignore[arg-type]

    def _death(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "its channel broke"
        if code >= 0:
            return f"exit code {code}"
        return f"signal {-code}, {signal.strsignal(-code) or 'unknown'}"

    def _last_complaint(self) -> str:
        death = self._death()
        self._complaints.seek(0)
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else death

    def kill(self) -> None:
        """End the process and whatever it started; free its pipes."""
        # No such group: its leader was reaped already, and nothing of ours is left to end.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._complaints):
            if pipe is not None:
                pipe.close()


def _environment() -> dict[str, str]:
    """This process's environment, with everything in it pinned that could change a result."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    single = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {**kept, **single, "PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "Agg"}
