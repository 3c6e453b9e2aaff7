"""By which numbers a notebook is judged where every student has their own.

The notebook is never trusted about them: they follow from the course's key and the student's id in the roster. Its tags
can only be checked; where they and the name it was handed in under disagree, a person decides.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import msgspec

from grader import course
from grader.errors import CourseError, ReferenceFault
from grader.judging.coincidence import plausible, right_for
from grader.judging.diagnosis import BeliefsOf
from grader.judging.remembering import Believer, RememberedBeliefs
from grader.records import (
    Assignment,
    Beliefs,
    Draws,
    Execution,
    Exercise,
    ExerciseGrade,
    ExerciseKey,
    Grade,
    Match,
    OwnNumbers,
    Roster,
    Separation,
    Submission,
    same_student,
)

Key = ExerciseKey | str

CHANGED = "The question has changed since numbers were drawn for it."
NO_ROSTER = "This notebook has numbers of its own, and the course's folder no longer says which."
NOT_DRAWN = "Each student has numbers of their own here, and this notebook does not say for whom its were drawn."
UNKNOWN = "Each student has numbers of their own here, and nobody in the course's roster is called like its author."
ANOTHER = "This notebook's numbers were drawn for another name than the one under which it was handed in."
FORGED = "The mark that says for whom this notebook's numbers were drawn is not one of this course's."
LOST = "The notebook no longer says for whom its numbers were drawn; those of {} were taken."


class Solver(Believer, Protocol):
    """Who can run references; `Reference` is one."""

    def solve(self, exercise: Exercise) -> ExerciseKey: ...


@dataclass(frozen=True)
class Standard:
    """What one notebook is judged by: the assignment with its author's numbers, and the keys to them.

    `submission` has those matches changed that only a person can decide. `own` is by exercise, empty where everybody
    has the same numbers.
    """

    submission: Submission
    assignment: Assignment
    keys: dict[str, Key]
    beliefs: BeliefsOf
    own: Mapping[str, OwnNumbers]


class PersonalNumbers:
    """Everybody's numbers in one assignment. Each draw is solved, and tried in worlds, once. Safe for threads.

    Args:
        keys: of the assignment as its author wrote it.
        roster: of a release per student; None if everybody got the same notebook.
    """

    def __init__(
        self,
        solver: Solver,
        course_key: bytes,
        assignment: Assignment,
        keys: dict[str, Key],
        roster: Roster | None,
    ) -> None:
        self._solver = solver
        self._course_key = course_key
        self._assignment = assignment
        self._keys = keys
        self._roster = roster
        self._varied = {each.id: each for each in assignment.exercises if each.varying}
        self._stock = course.usable_draws(assignment, roster) if roster else {}
        self._students = {same_student(each.id): each.id for each in roster.students} if roster else {}
        self._solved: dict[tuple[str, str], Key] = {}
        self._believed: dict[tuple[str, str], RememberedBeliefs] = {}
        self._lock = threading.Lock()

    @property
    def stock(self) -> tuple[Draws, ...]:
        """The draws in use."""
        return tuple(self._stock.values())

    def standard(self, submission: Submission) -> Standard:
        """What `submission` is judged by."""
        if not self._varied or (self._roster is None and submission.tags is None):
            return Standard(submission, self._assignment, self._keys, self._beliefs(self._assignment), {})
        settled = {each: self._settle(submission, each) for each in self._varied}
        own = {each: numbers for each, (numbers, _) in settled.items()}
        exercises = tuple(self._with_numbers(each, own.get(each.id)) for each in self._assignment.exercises)
        assignment = msgspec.structs.replace(self._assignment, exercises=exercises)
        keys = {each.id: self._key(each) for each in exercises}
        reasons = {each: why for each, (numbers, why) in settled.items() if numbers.arguments is None}
        notes = dict.fromkeys(why for numbers, why in settled.values() if numbers.arguments is not None and why)
        return Standard(
            msgspec.structs.replace(
                submission,
                matches=tuple(_held(match, reasons.get(match.question)) for match in submission.matches),
                notes=(*submission.notes, *notes),
            ),
            assignment,
            keys,
            self._beliefs(assignment),
            own,
        )

    def noted(self, grade: Grade, standard: Standard, execution: Execution | None) -> Grade:
        """The grade with what its author's numbers say: which they are, and for whose a wrong answer is right."""
        if not standard.own:
            return grade
        exercises = {each.id: each for each in standard.assignment.exercises}
        return msgspec.structs.replace(
            grade,
            exercises=tuple(
                msgspec.structs.replace(
                    each, own=self._compared(each, exercises[each.id], standard.own[each.id], execution)
                )
                if each.id in standard.own
                else each
                for each in grade.exercises
            ),
        )

    def _settle(self, submission: Submission, exercise: str) -> tuple[OwnNumbers, str]:
        """(whose numbers these are, why: the reason where nobody can tell, else a note or "")."""
        if self._roster is None:
            return OwnNumbers(None), NO_ROSTER
        draws = self._stock.get(exercise)
        if draws is None:
            return OwnNumbers(None), CHANGED
        student = self._students.get(same_student(submission.student))
        if submission.tags is None:
            if submission.described:
                return OwnNumbers(None), NOT_DRAWN
            if student is None:
                return OwnNumbers(None), UNKNOWN
            return OwnNumbers(self._arguments(draws, student)), LOST.format(student)
        tag = dict(submission.tags).get(exercise)
        if student is not None and tag == self._tag(draws, student):
            return OwnNumbers(self._arguments(draws, student)), ""
        if student is None and tag == self._model_tag(exercise):
            return OwnNumbers(self._varied[exercise].arguments), ""
        meant = next((each for each in self._students.values() if tag == self._tag(draws, each)), "")
        return OwnNumbers(None, released_to=meant), ANOTHER if meant else FORGED

    def _arguments(self, draws: Draws, student: str) -> str:
        return course.own_arguments(self._course_key, self._assignment.name, draws, student)

    def _tag(self, draws: Draws, student: str) -> str:
        arguments = self._arguments(draws, student)
        return course.tag(self._course_key, self._assignment.name, draws.exercise, student, arguments)

    def _model_tag(self, exercise: str) -> str:
        arguments = self._varied[exercise].arguments
        return course.tag(self._course_key, self._assignment.name, exercise, course.NOBODY, arguments)

    def _with_numbers(self, exercise: Exercise, own: OwnNumbers | None) -> Exercise:
        if own is None or own.arguments is None:
            return exercise
        return course.with_arguments(exercise, own.arguments)

    def _key(self, exercise: Exercise) -> Key:
        original = self._varied.get(exercise.id)
        if original is None or original.arguments == exercise.arguments:
            return self._keys[exercise.id]
        return self.key_with(exercise)

    def key_with(self, exercise: Exercise) -> Key:
        """The key to an exercise with other arguments than its author's, solved once; a text says why there is none."""
        with self._lock:
            place = (exercise.id, exercise.arguments)
            if place not in self._solved:
                try:
                    self._solved[place] = self._solver.solve(exercise)
                except (CourseError, ReferenceFault) as fault:
                    self._solved[place] = str(fault)
            return self._solved[place]

    def _beliefs(self, assignment: Assignment) -> BeliefsOf:
        return _OwnBeliefs(self, {each.id: each for each in assignment.exercises})

    def remembered(self, exercise: Exercise) -> RememberedBeliefs:
        """What beliefs give in an exercise with these arguments, whoever has them."""
        alone = msgspec.structs.replace(self._assignment, exercises=(exercise,))
        fresh = RememberedBeliefs(self._solver, alone, {exercise.id: self._key(exercise)})
        with self._lock:
            return self._believed.setdefault((exercise.id, exercise.arguments), fresh)

    def _compared(
        self, graded: ExerciseGrade, exercise: Exercise, own: OwnNumbers, execution: Execution | None
    ) -> OwnNumbers:
        draws = self._stock.get(exercise.id)
        wrong = graded.verdict in ("wrong", "partly_right")
        if draws is None or execution is None or own.arguments is None or not wrong:
            return own
        keys = {each: self._key(course.with_arguments(exercise, each)) for each in draws.arguments}
        known = {each: key for each, key in keys.items() if isinstance(key, ExerciseKey)}
        others = right_for(exercise, dict(execution.answers), known)
        return msgspec.structs.replace(own, right_for=others, plausible=plausible(exercise, known) if others else 1)


@dataclass(frozen=True)
class _OwnBeliefs:
    """What beliefs give in one student's exercises."""

    numbers: PersonalNumbers
    exercises: Mapping[str, Exercise]

    def __call__(self, exercise: str, pairs: bool) -> Beliefs:
        return self.numbers.remembered(self.exercises[exercise])(exercise, pairs)

    def separation(self, exercise: str, ids: tuple[str, ...]) -> Separation | None:
        return self.numbers.remembered(self.exercises[exercise]).separation(exercise, ids)


def _held(match: Match, reason: str | None) -> Match:
    # "changed" is the state in which judging leaves an answer to a person; what nobody answered needs none.
    if reason is None or match.state != "answered":
        return match
    return msgspec.structs.replace(match, state="changed", note=reason)
