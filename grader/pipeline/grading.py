"""The whole road on one page: from a folder of notebooks to a gradebook and what is rendered from it.

solutions -> lessons;  folders -> submissions;  each: plan -> run -> judge -> record;  then render
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import version as installed
from pathlib import Path

import msgspec

import grader
from grader import course, files, intake, judging
from grader.errors import ExitCode, UsageError
from grader.gradebook import Gradebook
from grader.pipeline.lessons import Lesson, ReferenceRunner, prepare, publics_of
from grader.pipeline.rendering import render
from grader.records import (
    Assignment,
    ClassWork,
    Execution,
    Grade,
    Missing,
    PublicAssignment,
    Refused,
    Undecided,
    Versions,
)
from grader.sandbox import ForkingSandbox, Sandbox


@dataclass(frozen=True)
class Order:
    """What the command line asks for: where and how many, never how to judge."""

    paths: tuple[Path, ...]
    course: Path
    output: Path
    assignment: str | None = None
    jobs: int = 1


@dataclass(frozen=True)
class Graded:
    """The end of the road: the grades of this run, what intake remarked, and where the results lie.

    `faults` are for the instructor's eyes alone: they may quote a reference, so no grade holds them.
    """

    grades: tuple[Grade, ...]
    assignments: dict[str, PublicAssignment]
    work: ClassWork
    output: Path
    reused: int
    confinement: str
    faults: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """What this run ends with; grades of an earlier run over other paths have no say."""
        verdicts = {exercise.verdict for grade in self.grades for exercise in grade.exercises}
        if "grader_fault" in verdicts:
            return ExitCode.GRADER_FAULT
        held = "needs_person" in verdicts or any(grade.status == "held" for grade in self.grades)
        return ExitCode.NEEDS_PERSON if held else ExitCode.DONE


Progress = Callable[[Grade, int, int], None]


def grade(
    order: Order,
    progress: Progress = lambda grade, done, total: None,
    reference: ReferenceRunner | None = None,
    sandbox: Sandbox | None = None,
) -> Graded:
    """Grade every notebook under `order.paths`; each grade is committed as it is decided.

    Args:
        progress: called in this thread after each grade with it, the count of decided ones and the count of all.
        reference, sandbox: other runners than the real ones, for tests.

    Raises: `UsageError`, `CourseError`, and a `GraderFault` where nothing can go on (no sandbox, no gradebook).
    """
    asked = course.solution_files(order.course, (order.assignment,) if order.assignment else ())
    others = [path for path in course.solution_files(order.course) if path not in asked]
    key = course.course_key(order.course)
    with ExitStack() as stack:
        runner = reference or stack.enter_context(judging.Reference())
        box = sandbox or stack.enter_context(ForkingSandbox(order.jobs))
        lessons = {lesson.assignment.name: lesson for lesson in prepare(asked, key, runner)}
        # A notebook is recognised among all assignments, also where one alone is graded.
        known = [*(lesson.public for lesson in lessons.values()), *publics_of(others, key, runner)]
        work = intake.collect(order.paths, known, order.assignment, order.output)
        if not (work.submissions or work.missing or work.refused or work.undecided):
            where = ", ".join(map(str, order.paths))
            raise UsageError(f"{where}: there is no notebook (.ipynb) of this course's in it; is it the right folder?")
        # Made only now: an order that comes to nothing leaves nothing behind.
        output = files.private_folder(order.output)
        book = stack.enter_context(Gradebook(output / "gradebook.db"))
        for lesson in lessons.values():
            book.publish(lesson.public)
        reused = 0
        decided: set[tuple[str, str]] = set()
        faults = [key for lesson in lessons.values() for key in lesson.keys.values() if isinstance(key, str)]
        placed = [each for each in work.refused if each.assignment is not None]
        total = len(work.submissions) + len(work.missing) + len(placed) + len(work.undecided)
        for result, execution, old in _decide(work, lessons, box, book, order.jobs, faults):
            if not old:
                book.record(result, execution)
            reused += old
            decided.add((result.student, result.assignment))
            progress(result, len(decided), total)
        book.close_run(decided, [str(path.absolute()) for path in order.paths], order.assignment)
        grades, assignments = book.grades(), book.assignments()
    render(output, grades, assignments)
    own = tuple(each for each in grades if (each.student, each.assignment) in decided)
    return Graded(own, assignments, work, output, reused, box.confinement, tuple(faults))


def _decide(
    work: ClassWork, lessons: dict[str, Lesson], sandbox: Sandbox, book: Gradebook, jobs: int, faults: list[str]
) -> Iterator[tuple[Grade, Execution | None, bool]]:
    """Yield (grade, execution, reused) for every row of the class, as each is decided.

    A fault of ours in one notebook is noted in `faults`, holds that notebook's grade and costs nobody else anything.
    """
    stamps = {name: _versions(lesson.assignment, sandbox) for name, lesson in lessons.items()}
    unrun: list[Missing | Refused | Undecided] = [*work.missing, *work.refused, *work.undecided]
    for row in unrun:
        if row.assignment is not None:
            yield judging.grade_unrun(row, lessons[row.assignment].assignment, stamps[row.assignment]), None, False

    def run(standard: judging.Standard, versions: Versions) -> tuple[Grade, Execution | None]:
        submission = standard.submission
        try:
            return _graded(standard, lessons[submission.assignment], sandbox, versions)
        except Exception as error:  # noqa: BLE001 - whatever it is, the rest of the class is graded
            faults.append(f"{submission.path}: {type(error).__name__}: {error}")
            broken = Execution(cells=(), fault="grading it failed")
            return judging.judge(submission, broken, standard.assignment, standard.keys, versions), broken

    pool = ThreadPoolExecutor(jobs)
    try:
        running: set[Future[tuple[Grade, Execution | None]]] = set()
        for submission in work.submissions:
            numbers = lessons[submission.assignment].numbers
            standard = numbers.standard(submission)
            versions = msgspec.structs.replace(
                stamps[submission.assignment],
                assignment=_digest(standard.assignment, *numbers.stock),
                submission=_digest(standard.submission),
            )
            known = book.find(submission.student, submission.assignment, submission.sha256, versions)
            if known:
                yield known, None, True
            else:
                running.add(pool.submit(run, standard, versions))
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            # What is decided comes first: one that was interrupted ends this loop.
            for future in sorted(done, key=lambda each: each.exception() is not None):
                yield *future.result(), False
    finally:
        # Not waited for: after Ctrl-C the sandbox is closed next, and that ends what still runs.
        pool.shutdown(wait=False, cancel_futures=True)


def _graded(
    standard: judging.Standard, lesson: Lesson, sandbox: Sandbox, versions: Versions
) -> tuple[Grade, Execution | None]:
    """One notebook: run what was answered, judge it, and name the beliefs behind what is wrong."""
    submission, assignment, keys = standard.submission, standard.assignment, standard.keys
    execution = None
    if any(match.state == "answered" for match in submission.matches):
        execution = sandbox.run(judging.graded_run(submission, assignment))
    result = judging.judge(submission, execution, assignment, keys, versions)
    if execution is not None:
        result = judging.follow_through(result, execution, assignment, keys, lesson.numbers.key_with)
        result = judging.explain(result, execution, assignment, keys, standard.beliefs)
    return lesson.numbers.noted(result, standard, execution), execution


def _versions(assignment: Assignment, sandbox: Sandbox) -> Versions:
    return Versions(grader.__version__, installed("torch"), _digest(assignment), sandbox.confinement)


def _digest(*records: msgspec.Struct) -> str:
    return hashlib.sha256(msgspec.json.encode(records)).hexdigest()[:16]
