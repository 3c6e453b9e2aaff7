"""What every export is made from, and what it is: one seam for all formats. Pure: bytes in, bytes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from grader.records import Grade, PublicAssignment, Student, same_student


@dataclass(frozen=True)
class Roll:
    """The grades that an export is made from.

    Attributes:
        grades: as people see them: lateness and adjustments are applied. Sorted by student and assignment.
        assignments: by name.
        students: the roster, and whoever else a name or an id is known of.
        pages: the feedback page (HTML) of each student.
        into: the instructor's own file (a Canvas gradebook, a Moodle worksheet), for formats that fill one in.
        options: what else was asked for, by name; each format documents its own.
    """

    grades: tuple[Grade, ...]
    assignments: Mapping[str, PublicAssignment]
    students: tuple[Student, ...] = ()
    pages: Mapping[str, bytes] = field(default_factory=dict)
    into: bytes | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def student(self, grade: Grade) -> Student:
        """What is known of a grade's student; the download's name and address where no roster has one."""
        wanted = same_student(grade.student)
        known = next((each for each in self.students if same_student(each.id) == wanted), Student(grade.student))
        facts = grade.handin
        return Student(
            grade.student, known.name or facts.name, known.email or facts.email, known.ids, group=known.group
        )

    def id_for(self, grade: Grade, platform: str) -> str:
        """What `platform` calls a grade's student: by the roster, else by its own download; "" if unknown."""
        of_roster = dict(self.student(grade).ids).get(platform)
        of_download = next((own for what, own in grade.handin.ids if what.partition(" ")[0] == platform), "")
        return of_roster or of_download


@dataclass(frozen=True)
class Given:
    """Who gets what, for people to look over: `where` is the row, file or entry that says so."""

    student: str
    assignment: str
    points: Decimal | None
    where: str


@dataclass(frozen=True)
class Exported:
    """The files of an export, by name, and what stands in them.

    Attributes:
        unmatched: a line for each student here who has no place there, and each place there without a grade here.
        remarks: a line for whatever else a person should look at: a cell that was left alone, another maximum.
        printed: what a CI reads on its standard output; whole lines, escaped for it.
        appended: what a CI reads from the files that it names in these environment variables.
    """

    files: Mapping[str, bytes]
    given: tuple[Given, ...] = ()
    unmatched: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    printed: str = ""
    appended: Mapping[str, bytes] = field(default_factory=dict)


Maker: TypeAlias = Callable[[Roll], Exported]


@dataclass(frozen=True)
class Format:
    """A format by its name on the command line.

    Attributes:
        title: one line for `grade export --help`.
        into: what file of the instructor's it fills in; "" if it needs none.
        single: whether it holds one assignment.
        pages: whether it needs the feedback pages.
        options: names that `--set NAME=VALUE` may have, each with what it is.
    """

    name: str
    title: str
    make: Maker
    into: str = ""
    single: bool = False
    pages: bool = False
    options: Mapping[str, str] = field(default_factory=dict)


class NotExportable(Exception):
    """The instructor's file is not what the format fills in, or an option is wrong; the text says what to do."""
