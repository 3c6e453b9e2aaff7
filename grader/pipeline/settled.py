"""gradebook -> grades as people see them: with what persons decided, and with what lateness takes off."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grader import course, settling
from grader.gradebook import Gradebook
from grader.records import Calendar, Grade, Student, same_student


@dataclass(frozen=True)
class House:
    """What a course's folder says of students and dates."""

    calendar: Calendar
    roster: tuple[Student, ...]
    students: tuple[Student, ...]

    def student(self, name: str) -> Student | None:
        """Who is on the roster under an id."""
        wanted = same_student(name)
        return next((each for each in self.students if same_student(each.id) == wanted), None)


def read_house(folder: Path, roster: Path | None = None) -> House:
    """Read `course.toml` and the roster (`roster.csv` in the folder, if none is given).

    Raises: `UsageError` for either, with every problem.
    """
    names = tuple(sorted(path.stem for path in course.solution_files(folder)))
    calendar = course.read_calendar(folder, names)
    enrolled = course.class_roster(folder, roster)
    course.check_extensions(enrolled, calendar, names)
    return House(calendar, enrolled, course.known_students(folder, enrolled))


def settled_grades(book: Gradebook, house: House) -> tuple[Grade, ...]:
    """All current grades as people see them, sorted by student and assignment."""
    adjusted = book.adjustments()
    known = {same_student(each.id): each for each in house.students}
    return tuple(
        settling.settle(
            grade,
            adjusted.get((grade.student, grade.assignment), {}),
            house.calendar.of(grade.assignment),
            known.get(same_student(grade.student)),
        )
        for grade in book.grades()
    )
