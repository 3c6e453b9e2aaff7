"""Wrong answers that are right for other numbers, and among how many answers that would be an accident."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import zip_longest

from grader.answers.reading import Numbers, read_numbers
from grader.errors import ReferenceFault
from grader.judging.parts import compare_part, expected_answers
from grader.records import Exercise, ExerciseKey, Items, Returned, Value, show_outcome


def right_for(exercise: Exercise, answers: Mapping[str, Value], keys: Mapping[str, ExerciseKey]) -> tuple[str, ...]:
    """The arguments for which all named answers together are right.

    Args:
        answers: what a student gave, by answer name.
        keys: the exercise's key by arguments.
    """
    return tuple(arguments for arguments, key in keys.items() if _all_right(exercise, answers, key))


def plausible(exercise: Exercise, keys: Mapping[str, ExerciseKey]) -> int:
    """How many answers there are whose every number stands at its place in one of `keys`.

    An accident is thought of as one of these, each as probable as the others. That is generous to accident: most wrong
    numbers stand in no key at all.
    """
    rows = zip_longest(*(list(_places(exercise, key)) for key in keys.values()))
    return max(math.prod(len({each for each in row if each is not None}) for row in rows), 1)


def _all_right(exercise: Exercise, answers: Mapping[str, Value], key: ExerciseKey) -> bool:
    try:
        expected = expected_answers(exercise, key)
        return all(
            name in answers and compare_part(exercise, answers[name], part).right
            for name, part in zip(exercise.answers, expected, strict=True)
        )
    except ReferenceFault:
        return False


def _places(exercise: Exercise, key: ExerciseKey) -> Iterator[str]:
    """What stands at each place of a key: its numbers one by one, anything else whole."""
    for part in expected_answers(exercise, key):
        if isinstance(part, Returned):
            yield from _numbers(part.value)
        else:
            yield show_outcome(part)


def _numbers(value: Value) -> Iterator[str]:
    read = read_numbers(value)
    if isinstance(read, Numbers):
        yield from (repr(number) for number in read.array.reshape(-1).tolist())
    elif isinstance(value, Items):
        for item in value.items:
            yield from _numbers(item)
    else:
        yield show_outcome(Returned(value))
