"""What the exercises of a lesson are graded by, kept in the gradebook: for saying later what is different."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.metadata import version as installed

import msgspec

from grader import settling
from grader.gradebook import Gradebook
from grader.pipeline.lessons import Lesson
from grader.records import Basis, Exercise, ExerciseKey, show_outcome

SHOWN = 200


def bases_of(lesson: Lesson) -> dict[str, Basis]:
    """By exercise, in the assignment's order. Exercises without a key are left out: nothing can be said of them."""
    return {
        each.id: _basis(each, key)
        for each in lesson.assignment.exercises
        if isinstance(key := lesson.keys.get(each.id), ExerciseKey)
    }


def keep_bases(book: Gradebook, lesson: Lesson) -> dict[str, str]:
    """Keep what a lesson is graded by from now on. Returns: by exercise, what is different from the last time."""
    old, new = book.bases(lesson.assignment.name), bases_of(lesson)
    if old != new:
        book.keep_bases(lesson.assignment.name, new.values())
    return settling.basis_changes(old, new) if old else {}


def other_keys(old: Mapping[str, Basis], lesson: Lesson) -> list[str]:
    """A line for each exercise whose key another torch has changed."""
    name = lesson.assignment.name
    return [f"{name}: {each}" for each in settling.moved_with_torch(old.values(), bases_of(lesson))]


def _basis(exercise: Exercise, key: ExerciseKey) -> Basis:
    of_cases = exercise.kind == "implement"
    return Basis(
        exercise.id,
        exercise.points,
        exercise.tolerance,
        program=_digest(exercise.reference, exercise.program, exercise.arguments),
        # Drawn cases come from the course's key, so they are part of what a grade was made with.
        cases=_digest([[each.program, each.cases] for each in exercise.probes], key.outcomes if of_cases else ()),
        key="" if of_cases else show_outcome(key.outcomes[0], SHOWN),
        torch=installed("torch"),
    )


def _digest(*things: object) -> str:
    plain = msgspec.to_builtins(things)
    return hashlib.sha256(msgspec.json.encode(plain)).hexdigest()[:16]
