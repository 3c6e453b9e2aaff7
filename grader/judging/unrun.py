"""Grades of what was never run: nothing handed in, a file that cannot be read, two candidates for one assignment."""

from __future__ import annotations

import msgspec

from grader.judging.scoring import ZERO, total, undivided
from grader.records import Assignment, Grade, Missing, Refused, Undecided, Verdict, Versions, plain


def grade_unrun(row: Missing | Refused | Undecided, assignment: Assignment, versions: Versions) -> Grade:
    """The grade of a row of the class for which no notebook is run."""
    if isinstance(row, Missing):
        return grade_missing(row, assignment, versions)
    if isinstance(row, Refused):
        return grade_refused(row, assignment, versions)
    return grade_undecided(row, assignment, versions)


def grade_missing(row: Missing, assignment: Assignment, versions: Versions) -> Grade:
    """Nothing was handed in: no score at all, which is not the same as a score of zero."""
    grade = _all(row.student, assignment, versions, "not_answered", "no notebook was handed in")
    return _with(grade, None, "missing", (plain(row.note),) if row.note else ())


def grade_refused(row: Refused, assignment: Assignment, versions: Versions) -> Grade:
    """A file that cannot be read: no score; the reason is a note."""
    grade = _all(row.student, assignment, versions, "not_answered", "the file could not be read")
    return _with(grade, row.path, "refused", (plain(row.reason),))


def grade_undecided(row: Undecided, assignment: Assignment, versions: Versions) -> Grade:
    """Several files could be the one that counts: held for a person, who reads which they are in the notes."""
    grade = _all(row.student, assignment, versions, "needs_person", "a person must say which file counts")
    return _with(grade, None, "held", (plain(row.reason), *(f"candidate: {plain(path)}" for path in row.paths)))


def _all(student: str, assignment: Assignment, versions: Versions, verdict: Verdict, message: str) -> Grade:
    exercises = tuple(undivided(each, verdict, message) for each in assignment.exercises)
    return total(
        Grade(student, assignment.name, None, None, "graded", None, ZERO, ZERO, exercises, (), versions),
    )


def _with(grade: Grade, path: str | None, status: str, notes: tuple[str, ...]) -> Grade:
    return msgspec.structs.replace(grade, path=path, status=status, score=None, notes=notes)
