"""Who gets numbers of their own, and which draws there are. Private: it lies beside the solutions."""

from __future__ import annotations

import unicodedata

from grader.records.course import Varying
from grader.records.values import Record

PLATFORMS = ("canvas", "moodle", "gradescope", "blackboard", "brightspace", "github", "google", "nbgrader", "lti")
"""Who may have an id of their own for a student. "lti": the `sub` of a launch."""


class Student(Record, frozen=True):
    """One line of a roster. `id` is what the student's folder or file is called when it is handed in.

    `ids` has (platform, the student's id there). `extensions` has (assignment, or "" for all of them, and what the
    roster says: "2d", "36h" or a new due time). `accommodations` is for people alone. `group` is what
    the platform calls the group with which the student hands in.
    """

    id: str
    name: str = ""
    email: str = ""
    ids: tuple[tuple[str, str], ...] = ()
    extensions: tuple[tuple[str, str], ...] = ()
    accommodations: str = ""
    group: str = ""


def same_student(student: str) -> str:
    """The form in which two ids are compared: a folder's name may spell an accent otherwise than a roster does."""
    return unicodedata.normalize("NFC", student).strip()


class Draws(Record, frozen=True):
    """The arguments (texts of dict literals) that one exercise's students may get; their keys all differ.

    They belong to the exercise of this `fingerprint` with these bounds; `tried` is how many were
    looked at to find them.
    """

    exercise: str
    fingerprint: str
    varying: tuple[Varying, ...]
    arguments: tuple[str, ...]
    tried: int


class Roster(Record, frozen=True):
    """That an assignment is released per student: to whom, and with draws from which stock."""

    students: tuple[Student, ...]
    draws: tuple[Draws, ...]
