"""Running instructors' code from the trusted side: in a worker process that can be killed, with a deadline.

A reference may hang or crash (torch itself can segfault). That costs one call: the worker is killed, the next call
gets a new one, and the caller is told which exercise it was.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from grader.errors import CourseError, ReferenceFault
from grader.judging.process import Lost, WorkerProcess
from grader.judging.wire import (
    Believe,
    Believed,
    Draw,
    Drawn,
    Failed,
    Load,
    Loaded,
    Look,
    Looked,
    Problems,
    Reply,
    Request,
    Separate,
    Separated,
    Solve,
    Solved,
)
from grader.misconceptions.catalogue import CATALOGUE, ON_ANSWERS
from grader.records import Assignment, Audit, Beliefs, Exercise, ExerciseKey, Separation

SOLVE_SECONDS = 20.0
LOAD_SECONDS = 120.0
BELIEVE_SECONDS = 300.0
DRAW_SECONDS = 600.0
DRAW_ALONE_SECONDS = 60.0
AUDIT_SECONDS = 300.0
SEPARATE_SECONDS = 30.0


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
        self._worker: WorkerProcess | None = WorkerProcess()

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
        except Lost as lost:
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
        except Lost as lost:
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

        A world that hangs or crashes on one of them is left out, and takes no other along.

        Raises: `ReferenceFault` naming the exercise, if its program hangs or crashes on one of them.
        """
        what = f"the numbers of one's own in exercise {exercise.id!r}"
        texts = tuple(candidates)
        try:
            return self._drawn(Draw(exercise, texts, None, DRAW_SECONDS), what)
        except Lost as lost:
            why = lost
        try:
            # The program alone, then each world alone: one that ends the process or hangs takes no other along.
            self._drawn(Draw(exercise, texts, (), DRAW_SECONDS), what)
            sound = tuple(
                name for name in CATALOGUE if name not in ON_ANSWERS and self._survives(exercise, texts, name)
            )
            return self._drawn(Draw(exercise, texts, sound, DRAW_SECONDS), what)
        except Lost:
            raise ReferenceFault(f"{what}: {why}; narrow the bounds of its `vary`, or vary nothing") from why

    def _survives(self, exercise: Exercise, candidates: tuple[str, ...], world: str) -> bool:
        try:
            self._drawn(Draw(exercise, candidates, (world,), DRAW_ALONE_SECONDS), world)
        except Lost:
            return False
        return True

    def _drawn(self, request: Draw, what: str) -> tuple[tuple[str, ...], int]:
        reply = self._ask(request, what)
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
        except Lost as lost:
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
        except Lost:
            return None
        return reply.separation if isinstance(reply, Separated) else None

    def _believed(
        self, exercise: Exercise, key: ExerciseKey, pairs: bool, ids: tuple[str, ...] | None
    ) -> Beliefs | None:
        what = f"the beliefs about exercise {exercise.id!r}"
        try:
            reply = self._ask(Believe(exercise, key, pairs, ids, self._believe_seconds), what)
        except Lost:
            return None
        return reply.beliefs if isinstance(reply, Believed) else None

    def _ask(self, request: Request, what: str) -> Reply:
        with self._lock:
            try:
                return self._once(request, what)
            except Lost as lost:
                if not lost.from_outside:
                    raise
            # Somebody, or the kernel for want of memory, hit the worker: what a reference gives must not hang on that.
            return self._once(request, what)

    def _once(self, request: Request, what: str) -> Reply:
        if self._closed:
            raise ReferenceFault(f"{what}: the worker is closed")
        if self._worker is None:
            self._worker = WorkerProcess()
        worker = self._worker
        try:
            return worker.ask(request)
        except BaseException:
            # Also on Ctrl-C: a half-read reply would be taken for the next one's.
            worker.kill()
            self._worker = None
            raise
