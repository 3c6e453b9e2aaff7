"""The whole road on one page: from a folder of notebooks to a gradebook and what is rendered from it.

solutions -> lessons;  folders -> submissions;  each: plan -> run -> judge -> record;  then render

What happens between plan and record, to one notebook and whatever breaks there, is in `grader.pipeline.deciding`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from grader import course, files, intake, judging
from grader.errors import ExitCode, UsageError
from grader.gradebook import Gradebook
from grader.pipeline.bases import keep_bases, other_keys
from grader.pipeline.deciding import Desk
from grader.pipeline.lessons import ReferenceRunner, prepare, publics_of
from grader.pipeline.rendering import mark_unfinished, render
from grader.pipeline.settled import read_house, settled_grades
from grader.records import ClassWork, Grade, PublicAssignment
from grader.sandbox import Sandbox, for_strangers


@dataclass(frozen=True)
class Order:
    """What the command line asks for: where and how many, never how to judge."""

    paths: tuple[Path, ...]
    course: Path
    output: Path
    assignment: str | None = None
    jobs: int = 1
    confined: bool = True
    roster: Path | None = None

    @property
    def secrets(self) -> tuple[Path, ...]:
        """What no notebook may read, whether it exists yet or not."""
        own = (self.course / name for name in ("solutions", "course.key", "course.toml", "assignments"))
        return (*own, self.output, *self.paths)


@dataclass(frozen=True)
class Graded:
    """The end of the road: the grades of this run, what intake remarked, and where the results lie.

    `faults` are for the instructor's eyes alone: they may quote a reference, so no grade holds them. So are `remarks`,
    on the course and not on anybody's work.
    """

    grades: tuple[Grade, ...]
    assignments: dict[str, PublicAssignment]
    work: ClassWork
    output: Path
    reused: int
    confinement: str
    faults: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """What this run ends with; grades of an earlier run over other paths have no say."""
        verdicts = {exercise.verdict for grade in self.grades for exercise in grade.exercises}
        if self.faults or "grader_fault" in verdicts:
            return ExitCode.GRADER_FAULT
        held = "needs_person" in verdicts or any(grade.status == "held" for grade in self.grades)
        return ExitCode.NEEDS_PERSON if held else ExitCode.DONE


Progress = Callable[[Grade, int, int], None]


def grade(
    order: Order,
    progress: Progress = lambda grade, done, total: None,
    reference: ReferenceRunner | None = None,
    sandbox: Sandbox | None = None,
    canaries: bool = True,
) -> Graded:
    """Grade every notebook under `order.paths`; each grade is committed as it is decided.

    Args:
        progress: called in this thread after each grade with it, the count of decided ones and the count of all.
        reference, sandbox: other runners than the real ones, for tests.
        canaries: whether notebooks whose grades are known are graded first; only a test of something else goes without.

    Raises: `UsageError`, `CourseError`, and a `GraderFault` where nothing can go on (no sandbox, no gradebook).
    """
    asked = course.solution_files(order.course, (order.assignment,) if order.assignment else ())
    others = [path for path in course.solution_files(order.course) if path not in asked]
    key = course.course_key(order.course)
    house = read_house(order.course, order.roster)
    with ExitStack() as stack:
        runner = reference or stack.enter_context(judging.Reference())
        box = sandbox or stack.enter_context(for_strangers(order.jobs, order.secrets, order.confined))
        lessons = {lesson.assignment.name: lesson for lesson in prepare(asked, key, runner)}
        # A notebook is recognised among all assignments, also where one alone is graded.
        known = [*(lesson.public for lesson in lessons.values()), *publics_of(others, key, runner)]
        work = intake.collect(order.paths, known, order.assignment, order.output)
        if house.roster:
            # One student's work says nothing of the others'.
            work = intake.enrol(work, house.roster, work.in_play if len(work.students) > 1 else ())
        if not (work.submissions or work.missing or work.refused or work.undecided):
            where = ", ".join(map(str, order.paths))
            raise UsageError(f"{where}: there is no notebook (.ipynb) of this course's in it; is it the right folder?")
        # Made only now: an order that comes to nothing leaves nothing behind. It is hidden from notebooks, so that it
        # has to be there before they are confined.
        output = files.private_folder(order.output)
        confinement = box.confinement
        for name in {submission.assignment for submission in work.submissions}:
            box.admit(lessons[name].assignment.limits)
        book = stack.enter_context(Gradebook(output / "gradebook.db"))
        mark_unfinished(output)
        told = [line for each in lessons.values() for line in other_keys(book.bases(each.assignment.name), each)]
        reasons = {name: keep_bases(book, lesson) for name, lesson in lessons.items()}
        for lesson in lessons.values():
            book.publish(lesson.public)
        desk = Desk(lessons, box, book, order.jobs, canaries, reasons)
        decided: set[tuple[str, str]] = set()
        total = _count_rows(work)
        for each in desk.decide(work):
            if kept := each.grade if each.reused else desk.record(each):
                decided.add((kept.student, kept.assignment))
                progress(kept, len(decided), total)
        book.close_run(decided, [str(path.absolute()) for path in order.paths], order.assignment)
        grades, assignments = settled_grades(book, house), book.assignments()
        unmade = render(output, grades, assignments, house.students)
    own = tuple(each for each in grades if (each.student, each.assignment) in decided)
    faults = (*desk.faults, *unmade)
    return Graded(own, assignments, work, output, desk.reused, confinement, faults, tuple(told))


def _count_rows(work: ClassWork) -> int:
    placed = [each for each in work.refused if each.assignment is not None]
    return len(work.submissions) + len(work.missing) + len(placed) + len(work.undecided)
