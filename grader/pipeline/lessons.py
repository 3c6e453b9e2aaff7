"""solutions -> lessons: each assignment with the keys that torch computes for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader import course, judging
from grader.errors import CourseError, ReferenceFault
from grader.records import Assignment, Beliefs, Exercise, ExerciseKey, NotRun, PublicAssignment, Roster, Separation


class ReferenceRunner(Protocol):
    """The trusted side's runner of instructor code; `judging.Reference` is the one that lives in a worker."""

    def load(self, path: Path, key: bytes) -> Assignment: ...

    def solve(self, exercise: Exercise) -> ExerciseKey: ...

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs: ...

    def separation(self, exercise: Exercise, ids: Sequence[str]) -> Separation | None: ...

    def draw(self, exercise: Exercise, candidates: Sequence[str]) -> tuple[tuple[str, ...], int]: ...


@dataclass(frozen=True)
class Lesson:
    """An assignment with its key: all that judging needs. A key that is text says why there is none.

    `roster` is that of a release per student, None if everybody got the same notebook.
    """

    assignment: Assignment
    keys: dict[str, ExerciseKey | str]
    public: PublicAssignment
    roster: Roster | None
    numbers: judging.PersonalNumbers


def prepare(sources: Sequence[Path], key: bytes, reference: ReferenceRunner) -> Iterator[Lesson]:
    """Load each solutions file and let torch compute its key.

    Raises: `CourseError` with the problems of all files together. A reference that hangs or crashes is no course
    error here, nor is whatever else fails on our side: the exercise gets a text instead of a key, and everybody's grade
    for it is held.
    """
    problems: list[str] = []
    lessons = []
    for source in sources:
        try:
            assignment = reference.load(source, key)
        except CourseError as error:
            problems += error.problems
            continue
        keys: dict[str, ExerciseKey | str] = {}
        for exercise in assignment.exercises:
            try:
                keys[exercise.id] = solved = reference.solve(exercise)
                problems += course.verify(exercise, solved, course.shown(source))
            except CourseError as error:
                problems += (f"{course.shown(source)}:{exercise.line}: {each}" for each in error.problems)
            except ReferenceFault as fault:
                keys[exercise.id] = str(fault)
            except Exception as error:  # noqa: BLE001 - ours; it holds this exercise, and the others are graded
                keys[exercise.id] = f"the reference of exercise {exercise.id!r}: {type(error).__name__}: {error}"
        if not problems:
            public = course.publish(assignment, [_public_key(each, keys[each.id]) for each in assignment.exercises])
            roster = course.kept_roster(source.parent.parent, assignment.name)
            numbers = judging.PersonalNumbers(reference, key, assignment, keys, roster)
            lessons.append(Lesson(assignment, keys, public, roster, numbers))
    if problems:
        raise CourseError(*problems)
    yield from lessons


def publics_of(sources: Sequence[Path], key: bytes, reference: ReferenceRunner) -> Iterator[PublicAssignment]:
    """The public halves of assignments that are not graded now; one that cannot be loaded is nobody's concern here."""
    for source in sources:
        with suppress(CourseError):
            yield from (lesson.public for lesson in prepare([source], key, reference))


def _public_key(exercise: Exercise, key: ExerciseKey | str) -> ExerciseKey:
    if isinstance(key, ExerciseKey):
        return key
    cases = sum(len(probe.cases) for probe in exercise.probes) or 1
    return ExerciseKey(exercise.id, (NotRun("died", key),) * cases)
