"""Who gets numbers of their own, and which draws there are. Private: it lies beside the solutions."""

from __future__ import annotations

import unicodedata

from grader.records.course import Varying
from grader.records.values import Record


class Student(Record, frozen=True):
    """One line of a roster. `id` is what the student's folder or file is called when it is handed in."""

    id: str
    name: str = ""
    email: str = ""


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
