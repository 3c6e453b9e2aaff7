"""One notebook: plan -> run -> judge -> record, and what becomes of it where the grader itself fails.

Whatever breaks holds the grade of the notebook that it broke at, as the grader's own fault, and is told; the rest of
the class is graded. What only explains a grade (the diagnosis) costs nobody points when it breaks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version as installed
from typing import TypeVar

import msgspec

import grader
from grader import judging, settling
from grader.errors import GraderFault
from grader.gradebook import Gradebook
from grader.pipeline.examining import examine, tell
from grader.pipeline.guarding import moved_canaries
from grader.pipeline.lessons import Lesson
from grader.records import (
    Assignment,
    ClassWork,
    Execution,
    ExerciseKey,
    Grade,
    Missing,
    Refused,
    Run,
    Source,
    Submission,
    Undecided,
    Versions,
)
from grader.sandbox import Sandbox

BROKE = "grading this notebook failed"
MISTRUSTED = "the run that graded it did not grade its own test notebooks as it must"
T = TypeVar("T")


@dataclass(frozen=True)
class Decided:
    """A grade and what it was made from; `reused` if an earlier run recorded it."""

    grade: Grade
    execution: Execution | None = None
    reused: bool = False
    source: Source | None = None


@dataclass(frozen=True)
class _Plan:
    """A notebook that has to be graded now."""

    standard: judging.Standard
    versions: Versions


class Desk:
    """Where the notebooks of one run are decided.

    `faults` has a line for each fault of the grader so far, for the instructor's eyes alone; `reused` counts the grades
    of earlier runs.

    Args:
        canaries: whether notebooks whose grades are known come first.
        reasons: by assignment and exercise, what it is graded by now and was not before.
    """

    def __init__(
        self,
        lessons: dict[str, Lesson],
        sandbox: Sandbox,
        book: Gradebook,
        jobs: int,
        canaries: bool,
        reasons: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.faults: list[str] = []
        self.reused = 0
        self._lessons = lessons
        self._sandbox = sandbox
        self._book = book
        self._jobs = jobs
        self._canaries = canaries
        self._reasons = reasons
        self._stamps = {name: _versions(lesson.assignment, sandbox) for name, lesson in lessons.items()}

    def decide(self, work: ClassWork) -> Iterator[Decided]:
        """Every row of the class, as each is decided: first what needs no run, then the rest in any order."""
        unrun: list[Missing | Refused | Undecided] = [*work.missing, *work.refused, *work.undecided]
        for row in unrun:
            if (name := row.assignment) is not None:
                yield Decided(judging.grade_unrun(row, self._lessons[name].assignment, self._stamps[name]))
        plans = []
        for submission in work.submissions:
            planned = self._plan(submission)
            if isinstance(planned, _Plan):
                plans.append(planned)
            else:
                yield planned
        yield from self._run_all(plans)

    def record(self, decided: Decided) -> Grade | None:
        """Commit a grade with what it was made from; returns what was committed, None if not even a held grade.

        Raises: `GradebookFault` if the gradebook takes nothing at all.
        """
        grade = self._with_changes(decided.grade)
        held = judging.hold(grade, self._lessons[grade.assignment].assignment, grade.versions, BROKE)
        for each, execution, source in ((grade, decided.execution, decided.source), (held, None, decided.source)):
            try:
                self._book.record(each, execution, source)
            except GraderFault:
                raise
            except Exception as error:  # noqa: BLE001 - this one cannot be stored: the others' can
                self._tell(f"{grade.path or grade.student}: the grade could not be stored", error)
            else:
                return each
        return None

    def _with_changes(self, grade: Grade) -> Grade:
        """The grade with what moved since the same notebook was graded before."""
        if grade.sha256 is None:
            return grade
        old = self._book.grade(grade.student, grade.assignment)
        if old is None or old.sha256 != grade.sha256:
            return grade
        changes = settling.moved(old, grade, self._reasons.get(grade.assignment, {}))
        return msgspec.structs.replace(grade, changes=(*old.changes, *changes))

    def _plan(self, submission: Submission) -> _Plan | Decided:
        try:
            numbers = self._lessons[submission.assignment].numbers
            standard = numbers.standard(submission)
            versions = msgspec.structs.replace(
                self._stamps[submission.assignment],
                assignment=_digest(standard.assignment, *numbers.stock),
                submission=_digest(standard.submission),
            )
        except Exception as error:  # noqa: BLE001 - see above
            self._tell(submission.path, error)
            return self._held(submission, BROKE)
        # Why there is no key may quote the reference: it stands here alone.
        for key in standard.keys.values():
            if isinstance(key, str):
                self._note(key)
        known = self._book.find(submission.student, submission.assignment, submission.sha256, versions)
        if known is None:
            return _Plan(standard, versions)
        self.reused += 1
        return Decided(known, reused=True)

    def _run_all(self, plans: list[_Plan]) -> Iterator[Decided]:
        if not plans:
            return
        pool = ThreadPoolExecutor(self._jobs)
        try:
            if self._canaries and self._mistrusted(plans, pool):
                yield from (self._held(plan.standard.submission, MISTRUSTED) for plan in plans)
                return
            running = {_start(pool, self._run, plan) for plan in plans}
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                # What is decided comes first: one that was interrupted ends this loop.
                for future in sorted(done, key=lambda each: each.exception() is not None):
                    yield future.result()
        finally:
            # Not waited for: after Ctrl-C the sandbox is closed next, and that ends what still runs.
            pool.shutdown(wait=False, cancel_futures=True)

    def _mistrusted(self, plans: list[_Plan], pool: ThreadPoolExecutor) -> bool:
        """Whether a notebook whose grade is known was graded otherwise: then no grade of this run is worth anything."""
        names = {plan.standard.submission.assignment for plan in plans}
        moved = moved_canaries([self._lessons[name] for name in sorted(names)], partial(self._judge_canary, pool))
        self.faults += moved
        return bool(moved)

    def _judge_canary(
        self, pool: ThreadPoolExecutor, submission: Submission, lesson: Lesson
    ) -> Future[tuple[Grade, Execution | None]]:
        versions = self._stamps[submission.assignment]
        return _start(pool, _judged, submission, lesson.assignment, lesson.keys, self._sandbox, versions)

    def _run(self, plan: _Plan) -> Decided:
        standard = plan.standard
        submission = standard.submission
        try:
            run, execution = _executed(standard, self._sandbox)
            grade = examine(standard, execution, self._lessons[submission.assignment], plan.versions, self._note)
            return Decided(grade, execution, source=Source(submission, judging.asked(run)))
        except Exception as error:  # noqa: BLE001 - whatever it is, the rest of the class is graded
            self._tell(submission.path, error)
            return self._held(submission, BROKE)

    def _held(self, submission: Submission, why: str) -> Decided:
        lesson = self._lessons[submission.assignment]
        return Decided(judging.hold(submission, lesson.assignment, self._stamps[submission.assignment], why))

    def _tell(self, where: str, error: Exception) -> None:
        tell(self._note, where, error)

    def _note(self, line: str) -> None:
        # What befalls the whole class is told once.
        if line not in self.faults:
            self.faults.append(line)


def _executed(standard: judging.Standard, sandbox: Sandbox) -> tuple[Run, Execution | None]:
    """What was asked of a notebook, and what came back; nothing is run where nothing was answered."""
    submission = standard.submission
    run = judging.graded_run(submission, standard.assignment)
    answered = any(match.state == "answered" for match in submission.matches)
    return run, sandbox.run(run) if answered else None


def _judged(
    submission: Submission,
    assignment: Assignment,
    keys: Mapping[str, ExerciseKey | str],
    sandbox: Sandbox,
    made: Versions,
) -> tuple[Grade, Execution | None]:
    """Run what was answered, and compare it with the key."""
    execution = None
    if any(match.state == "answered" for match in submission.matches):
        execution = sandbox.run(judging.graded_run(submission, assignment))
    return judging.judge(submission, execution, assignment, keys, made), execution


def _start(pool: ThreadPoolExecutor, work: Callable[..., T], *arguments: object) -> Future[T]:
    """Have `work` done by the pool; here and now, if no thread can be started for it."""
    try:
        return pool.submit(work, *arguments)
    except RuntimeError:
        here: Future[T] = Future()
        try:
            here.set_result(work(*arguments))
        except Exception as error:  # noqa: BLE001 - told by the future, as the pool would
            here.set_exception(error)
        return here


def _versions(assignment: Assignment, sandbox: Sandbox) -> Versions:
    return Versions(grader.__version__, installed("torch"), _digest(assignment), sandbox.confinement)


def _digest(*records: msgspec.Struct) -> str:
    return hashlib.sha256(msgspec.json.encode(records)).hexdigest()[:16]
