"""Grades of what was not judged: nothing handed in, an unreadable file, two candidates for one assignment, a fault."""

from __future__ import annotations

from grader.judging.scoring import graded, undivided
from grader.records import (
    Assignment,
    ExerciseGrade,
    Grade,
    Missing,
    Refused,
    Submission,
    Undecided,
    Verdict,
    Versions,
    plain,
)


def grade_unrun(row: Missing | Refused | Undecided, assignment: Assignment, versions: Versions) -> Grade:
    """The grade of a row of the class for which no notebook is run."""
    if isinstance(row, Missing):
        return _missing(row, assignment, versions)
    if isinstance(row, Refused):
        return _refused(row, assignment, versions)
    return _undecided(row, assignment, versions)


def hold(submission: Submission | Grade, assignment: Assignment, versions: Versions, why: str) -> Grade:
    """The grade of a notebook that the grader failed to grade, or to record: held as a whole, and never a zero.

    Args:
        why: a clause that a student may read.
    """
    exercises = _all(assignment, "grader_fault", f"the grader's own fault, your grade is held: {why}")
    return graded(
        submission.student,
        assignment.name,
        exercises,
        versions,
        path=submission.path,
        sha256=submission.sha256,
        notes=submission.notes,
        handin=submission.handin,
    )


def _missing(row: Missing, assignment: Assignment, versions: Versions) -> Grade:
    """Nothing was handed in: no score at all, which is not the same as a score of zero."""
    exercises = _all(assignment, "not_answered", "no notebook was handed in")
    notes = (plain(row.note),) if row.note else ()
    return graded(row.student, assignment.name, exercises, versions, notes=notes, status="missing", handin=row.handin)


def _refused(row: Refused, assignment: Assignment, versions: Versions) -> Grade:
    """A file that cannot be read: no score; the reason is a note."""
    exercises = _all(assignment, "not_answered", "the file could not be read")
    notes = (plain(row.reason),)
    return graded(
        row.student,
        assignment.name,
        exercises,
        versions,
        path=row.path,
        notes=notes,
        status="refused",
        handin=row.handin,
    )


def _undecided(row: Undecided, assignment: Assignment, versions: Versions) -> Grade:
    """Several files could be the one that counts: held for a person, who reads which they are in the notes."""
    exercises = _all(assignment, "needs_person", "a person must say which file counts")
    notes = (plain(row.reason), *(f"candidate: {plain(path)}" for path in row.paths))
    return graded(row.student, assignment.name, exercises, versions, notes=notes, handin=row.handin)


def _all(assignment: Assignment, verdict: Verdict, message: str) -> list[ExerciseGrade]:
    return [undivided(each, verdict, message) for each in assignment.exercises]
