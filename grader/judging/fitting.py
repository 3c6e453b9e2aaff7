"""Whether a belief gives exactly a student's answer, and whether that is more than an accident."""

from __future__ import annotations

from itertools import compress

import msgspec
import numpy as np

from grader.answers import Numbers, compare, is_mask, read_numbers
from grader.errors import ReferenceFault
from grader.judging.parts import compare_part, expected_answers
from grader.judging.planning import probe_id, scored_cases
from grader.judging.slips import differences
from grader.records import (
    Alternative,
    Blank,
    Execution,
    Exercise,
    ExerciseKey,
    Nothing,
    Outcome,
    Raised,
    Returned,
    Table,
    Unreadable,
    Value,
)

# A pair has many ways to hit one number: it must explain this many elements that are not right.
MIN_PAIR_ELEMENTS = 2


class Answer(msgspec.Struct, frozen=True):
    """One wrong answer, laid out like its key: by answer name for programs, by case for implement.

    `given` has None where a part was not answered: it speaks neither for nor against a belief.
    """

    exercise: Exercise
    key: ExerciseKey
    given: tuple[Value | None, ...] | tuple[Outcome, ...]


def answer_of(exercise: Exercise, key: ExerciseKey, execution: Execution) -> Answer | None:
    """What a student answered, or None where there is nothing that a belief could be compared with."""
    if exercise.kind == "implement":
        outcomes = {report.id: report.outcome for report in execution.probes}
        ids = [
            probe_id(exercise.id, probe.program.name, number)
            for probe in exercise.probes
            for number in range(len(probe.cases))
        ]
        given = tuple(outcomes[each] for each in ids if each in outcomes)
        complete = len(given) == len(ids) and all(
            isinstance(each, (Returned, Raised)) for each in _scored(exercise, given)
        )
        return Answer(exercise, key, given) if complete else None
    answers = dict(execution.answers)
    values = tuple(answers.get(name) for name in exercise.answers)
    read = tuple(None if isinstance(each, (Blank, Unreadable)) else each for each in values)
    return Answer(exercise, key, read) if any(each is not None for each in read) else None


def keyed(answer: Answer) -> tuple[tuple[Value | None, Outcome], ...]:
    """What was given and the key, by answer name; nothing for `implement`."""
    if answer.exercise.kind == "implement":
        return ()
    return tuple(zip(answer.given, expected_answers(answer.exercise, answer.key), strict=True))  # type: ignore[arg-type]


def fits(answer: Answer, alternative: Alternative) -> bool:
    """Whether a belief gives exactly this answer: in all its parts, or in all cases that are worth points."""
    if answer.exercise.kind == "implement":
        given, believed = (_scored(answer.exercise, some) for some in (answer.given, alternative.outcomes))
        return all(_same_outcome(one, other, answer.exercise) for one, other in zip(given, believed, strict=True))
    parts = _parts(answer, alternative)
    if parts is None:
        return False
    return all(
        given is None
        or (_agrees(answer.exercise, given, part) and not (isinstance(key, Returned) and _is_cast(given, key.value)))
        for (given, key), part in zip(keyed(answer), parts, strict=True)
    )


def fits_remarks(answer: Answer, alternative: Alternative) -> bool:
    """Whether a belief about code that fits also gives what the probes without points saw."""
    return all(
        _same_outcome(one, other, answer.exercise)
        for one, other in zip(answer.given, alternative.outcomes, strict=True)
    )


def may_be_a_slip(answer: Answer, alternative: Alternative) -> bool:
    """Whether all that a belief gives could be the right answer with one number written down wrongly."""
    if answer.exercise.kind != "predict":
        return False
    differing = _differing(answer, alternative)
    return len(differing) == 1 and differing[0]


def explains_enough(answer: Answer, alternative: Alternative) -> bool:
    """Whether two beliefs at once explain so much that it is no accident: several numbers in an answer of numbers."""
    if answer.exercise.kind != "predict" or not all(_like_the_key(given, key) for given, key in keyed(answer)):
        return False
    return len(_differing(answer, alternative)) >= MIN_PAIR_ELEMENTS


def _scored(exercise: Exercise, outcomes: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(compress(outcomes, scored_cases(exercise)))


def _parts(answer: Answer, alternative: Alternative) -> tuple[Outcome, ...] | None:
    """What a belief gives for each answer name; None where that is nothing that could be answered."""
    try:
        return expected_answers(answer.exercise, ExerciseKey(answer.exercise.id, alternative.outcomes))
    except ReferenceFault:
        return None


def _agrees(exercise: Exercise, given: Value, part: Outcome) -> bool:
    try:
        return compare_part(exercise, given, part).right
    except ReferenceFault:
        return False


def _is_cast(given: Value, key: Value) -> bool:
    """Whether True and False were given for numbers: they are 1 and 0 only where the right answer is a mask."""
    if isinstance(given, Table) and isinstance(key, Table):
        asked = dict(key.items)
        return any(_is_cast(value, asked.get(name, Nothing())) for name, value in given.items)
    read, right = read_numbers(given), read_numbers(key)
    if not isinstance(read, Numbers) or read.array.dtype.kind != "b":
        return False
    return not (isinstance(right, Numbers) and is_mask(right.array))


def _like_the_key(given: Value | None, key: Outcome) -> bool:
    """Whether an answer is made of finite numbers in the key's shape, wherever the key is; "not answered" passes."""
    if given is None:
        return True
    asked = read_numbers(key.value) if isinstance(key, Returned) else None
    read = read_numbers(given)
    if not isinstance(read, Numbers) or not isinstance(asked, Numbers) or read.array.shape != asked.array.shape:
        return False
    return bool((np.isfinite(read.array) | ~np.isfinite(asked.array)).all())


def _same_outcome(given: object, believed: object, exercise: Exercise) -> bool:
    if isinstance(given, Raised) and isinstance(believed, Raised):
        return given.exception == believed.exception
    if not (isinstance(given, Returned) and isinstance(believed, Returned)):
        return False
    try:
        return compare(given.value, believed.value, exercise.tolerance).right
    except ReferenceFault:
        return False


def _differing(answer: Answer, alternative: Alternative) -> list[bool]:
    """One entry per element, of the answered parts, in which a belief differs from the key: whether by a slip."""
    parts = _parts(answer, alternative) or ()
    return [
        slip
        for (given, key), part in zip(keyed(answer), parts, strict=True)
        if given is not None and isinstance(part, Returned) and isinstance(key, Returned)
        for slip in differences(part.value, key.value)
    ]
