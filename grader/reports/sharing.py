"""Where students have numbers of their own: what only the instructor is told about two of them. Never an accusation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grader.records import ExerciseGrade, Grade, OwnNumbers, show
from grader.reports.words import looked_at

# Rarer than this is not worth telling apart.
RAREST = 1_000_000

# (assignment, exercise, arguments) -> the students who have these numbers
Owners: TypeAlias = dict[tuple[str, str, str | None], list[str]]


@dataclass(frozen=True)
class Shared:
    """A wrong answer that would be right with the numbers of `others`, and how often that happens by accident."""

    student: str
    assignment: str
    exercise: str
    answer: str
    others: tuple[str, ...]
    chance: str


@dataclass(frozen=True)
class Strayed:
    """A notebook whose numbers were drawn for `owner`, but which was handed in as another's."""

    student: str
    assignment: str
    owner: str


def shared_answers(grades: Sequence[Grade]) -> tuple[Shared, ...]:
    """All such answers among `grades`, sorted by student; numbers that nobody among them has are not counted."""
    return tuple(sorted(_shared(grades), key=lambda each: (each.student, each.assignment, each.exercise)))


def strayed_notebooks(grades: Sequence[Grade]) -> tuple[Strayed, ...]:
    """All such notebooks, sorted by student."""
    found = {
        (grade.student, grade.assignment, exercise.own.released_to)
        for grade in grades
        for exercise in looked_at(grade)
        if exercise.own is not None and exercise.own.released_to
    }
    return tuple(Strayed(*each) for each in sorted(found))


def chance_words(chance: float) -> str:
    """`about 1 in 3,000`."""
    if chance * RAREST < 1:
        return f"less than 1 in {RAREST:,}"
    often = 1 / min(chance, 1)
    digits = max(len(str(int(often))) - 2, 0)
    return f"about 1 in {round(often, -digits):,.0f}"


def _shared(grades: Sequence[Grade]) -> Iterator[Shared]:
    having = [
        (grade, exercise, exercise.own)
        for grade in grades
        for exercise in looked_at(grade)
        if exercise.own is not None and exercise.own.arguments is not None
    ]
    owners: Owners = defaultdict(list)
    for grade, exercise, own in having:
        owners[grade.assignment, exercise.id, own.arguments].append(grade.student)
    for grade, exercise, own in having:
        others = sorted(
            student for each in own.right_for for student in owners.get((grade.assignment, exercise.id, each), ())
        )
        if others:
            answer = _answer(exercise)
            chance = chance_words(_others_in_use(owners, grade, exercise, own) / own.plausible)
            yield Shared(grade.student, grade.assignment, exercise.id, answer, tuple(others), chance)


def _others_in_use(owners: Owners, grade: Grade, exercise: ExerciseGrade, own: OwnNumbers) -> int:
    """How many sets of numbers other than this student's somebody has: so many answers could have been hit."""
    place = (grade.assignment, exercise.id)
    return sum(arguments != own.arguments for *there, arguments in owners if tuple(there) == place)


def _answer(exercise: ExerciseGrade) -> str:
    given = [f"{part.name} = {show(part.given, 80)}" for part in exercise.parts if part.given is not None]
    return ", ".join(given)
