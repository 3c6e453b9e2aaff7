"""A class as it was found -> the class of the roster: everybody on it has a row, under the id that it has there.

Matched by ids alone: the roster's own, the platform's where the roster has a column for it, an e-mail address. A name
is no id: two students may share one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeVar

import msgspec

from grader.records import (
    ClassWork,
    FileRemark,
    Missing,
    Refused,
    Student,
    Submission,
    Undecided,
    same_student,
)

AnyRow: TypeAlias = Submission | Missing | Refused | Undecided
Row = TypeVar("Row", Submission, Missing, Refused, Undecided)


def enrol(work: ClassWork, roster: Sequence[Student], assignments: Iterable[str]) -> ClassWork:
    """The same work, its rows under the roster's ids; a group's row is each member's.

    Args:
        assignments: for these everybody on the roster has a row, missing where nothing else is there.

    Rows of who is not on the roster stay as they are, and are remarked.
    """
    known = _Known(roster)
    submissions = list(_renamed(work.submissions, known))
    refused = list(_renamed(work.refused, known))
    undecided = list(_renamed(work.undecided, known))
    missing = list(_renamed(work.missing, known))
    there = {(row.student, row.assignment) for row in _all(submissions, refused, undecided)}
    missing = [row for row in missing if (row.student, row.assignment) not in there]
    there |= {(row.student, row.assignment) for row in missing}
    nameless = {row.student for row in refused if row.assignment is None}
    missing += [
        Missing(student.id, name)
        for student in roster
        for name in assignments
        if (student.id, name) not in there and student.id not in nameless
    ]
    strangers = sorted({row.student for row in _all(submissions, refused, undecided, missing)} - known.everybody)
    return msgspec.structs.replace(
        work,
        submissions=tuple(_once(submissions)),
        refused=tuple(sorted(refused, key=lambda row: (row.student, row.assignment or "", row.path))),
        undecided=tuple(_once(undecided)),
        missing=tuple(_once(missing)),
        remarks=(*work.remarks, *(FileRemark(name, NOT_ENROLLED) for name in strangers)),
    )


NOT_ENROLLED = "is not on the roster; graded under this name."


class _Known:
    """Whom the roster knows, by every id that it has of them."""

    def __init__(self, roster: Sequence[Student]) -> None:
        self.everybody = {student.id for student in roster}
        self._ids = {same_student(student.id): student.id for student in roster}
        self._groups: dict[str, list[str]] = {}
        for student in roster:
            self._groups.setdefault(_bare(student.group), []).append(student.id)
        self._there = {
            (platform, same_student(own).casefold()): student.id for student in roster for platform, own in student.ids
        }
        self._emails = _unique((student.email.casefold(), student.id) for student in roster if student.email)

    def find(self, student: str, layout: str, email: str) -> str | None:
        """The roster's id of who is called `student` in a download of this layout."""
        found = same_student(student)
        there = self._there.get((layout, found.casefold()))
        # A platform's number may be what another student is called here: with a column for it, that one counts.
        return there or self._ids.get(found) or self._emails.get((email or found).casefold())

    def members(self, group: str) -> tuple[str, ...]:
        """The ids of a group's members; platforms write its name with other spaces and signs."""
        return tuple(self._groups.get(_bare(group), ())) if _bare(group) else ()


def _bare(group: str) -> str:
    return re.sub(r"\W|_", "", same_student(group).casefold())


def _renamed(rows: Iterable[Row], known: _Known) -> Iterator[Row]:
    for row in rows:
        members = row.handin.members or known.members(row.handin.group)
        for name in members or (row.student,):
            email = "" if members else row.handin.email
            student = known.find(name, row.handin.layout, email) or name
            yield msgspec.structs.replace(row, student=student)


def _all(
    *rows: Sequence[Submission | Missing | Refused | Undecided],
) -> list[Submission | Missing | Refused | Undecided]:
    return [row for each in rows for row in each]


def _unique(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Of addresses that several share, none tells who it is."""
    found: dict[str, str | None] = {}
    for address, student in pairs:
        found[address] = student if address not in found else None
    return {address: student for address, student in found.items() if student is not None}


def _once(rows: Sequence[Row]) -> list[Row]:
    """One row for each student and assignment, sorted; what two members' rows of one group are is the same."""
    found = {(row.student, row.assignment or ""): row for row in rows}
    return [found[key] for key in sorted(found)]
