"""solutions -> the students' notebooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from grader import course, files, judging, reports
from grader.errors import CourseError
from grader.pipeline.lessons import Lesson, ReferenceRunner, prepare
from grader.records import ExerciseKey, Roster


def release(
    course_folder: Path,
    names: Sequence[str] = (),
    solution: bool = False,
    reference: ReferenceRunner | None = None,
    roster: Path | None = None,
    remark: Callable[[str], None] = lambda text: None,
) -> list[tuple[Path, bool]]:
    """Write the students' notebooks (and, if asked, the model solutions); returns (file, whether it changed).

    Args:
        roster: a CSV file; everybody in it gets a notebook with numbers of their own, wherever an exercise varies any.
            What was released that way once stays so, also without it.
        remark: called with a line for each exercise that varies: how many sets of numbers its students may get;
            and for folders of students who are no longer on the roster, which are left as they are.

    Raises: `CourseError` with every problem of every file, before anything is written; `UsageError` for the roster.
    """
    sources = course.solution_files(course_folder, tuple(names))
    students = course.read_roster(roster) if roster else None
    key = course.course_key(course_folder)
    products: dict[Path, bytes] = {}
    with ExitStack() as stack:
        runner = reference or stack.enter_context(judging.Reference())
        lessons = list(prepare(sources, key, runner))
        faults = [
            f"{course_folder / 'solutions' / lesson.assignment.name}.py: {text}; mend the program, then release again"
            for lesson in lessons
            for text in lesson.keys.values()
            if isinstance(text, str)
        ]
        if faults:
            raise CourseError(*faults)
        for lesson in lessons:
            enrolled = course.enrol(lesson.assignment, lesson.roster, students, key, runner.draw)
            products |= _products(course_folder, lesson, enrolled, key, solution)
            for draws in enrolled.draws if enrolled else ():
                remark(course.stock_line(lesson.assignment.name, draws))
            left = course.left_line(course_folder, lesson.assignment, _folders(enrolled).values()) if enrolled else ""
            if left:
                remark(left)
    return [(path, files.write(path, data, path.parent.name == "solutions")) for path, data in products.items()]


def _folders(roster: Roster) -> dict[str, str]:
    """The name of each student's folder."""
    return reports.folder_names(student.id for student in roster.students)


def _products(folder: Path, lesson: Lesson, roster: Roster | None, key: bytes, solution: bool) -> dict[Path, bytes]:
    """All files that a lesson is released as."""
    assignment, public = lesson.assignment, lesson.public
    keys = [each for each in lesson.keys.values() if isinstance(each, ExerciseKey)]
    products = course.common(folder, assignment, public)
    if roster is not None:
        products |= course.per_student(folder, assignment, keys, roster, key, _folders(roster))
    if solution:
        products |= course.model(folder, assignment, public, keys, roster, key)
    return products
