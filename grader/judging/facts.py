"""What is certain about wrong numbers where no belief explains them. Said only where the key is shown anyway."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.answers import Numbers, Refusal, compare, read_numbers
from grader.errors import ReferenceFault
from grader.records import Exercise, ExerciseKey, Items, Outcome, Returned, Value

MAX_FACTS = 2
# What students multiply by too often or too seldom; any other ratio is a coincidence of one number.
_FACTORS = (2.0, 0.5, 3.0, 1 / 3, 4.0, 0.25, 10.0, 0.1)

Numeric = NDArray[Any]


def met_elsewhere(
    exercise: Exercise,
    keyed: Sequence[tuple[Value | None, Outcome]],
    values: Sequence[tuple[str, Value]],
    keys: Mapping[str, ExerciseKey | str],
) -> tuple[str, ...]:
    """Sentences about wrong numbers that are right for something else: a value, a hook's return, another question.

    Args:
        keyed: what was given and the key, by answer name.
        values: what the program's variables held, and what its hooks returned.
        keys: of the exercises whose keys are shown.
    """
    return tuple(
        sentence
        for name, given, _ in _wrong_numbers(exercise, keyed)
        for sentence in _met(exercise, name, given, values, keys)
    )[:MAX_FACTS]


def certain_facts(exercise: Exercise, keyed: Sequence[tuple[Value | None, Outcome]]) -> tuple[str, ...]:
    """Sentences about how wrong numbers relate to the right ones: a factor, a sign, another order or shape.

    Args:
        keyed: what was given and the key, by answer name.
    """
    return tuple(
        sentence
        for name, given, key in _wrong_numbers(exercise, keyed)
        for sentence in _related(name, read_numbers(given), read_numbers(key))
    )[:MAX_FACTS]


def _wrong_numbers(
    exercise: Exercise, keyed: Sequence[tuple[Value | None, Outcome]]
) -> Iterator[tuple[str, Value, Value]]:
    for name, (given, key) in zip(exercise.answers, keyed, strict=True) if exercise.kind == "predict" else ():
        if (
            given is not None
            and isinstance(key, Returned)
            and not compare(given, key.value, exercise.tolerance, rounding=True).right
        ):
            yield name, given, key.value


def _related(name: str, given: Numbers | Refusal, key: Numbers | Refusal) -> list[str]:
    if isinstance(given, Refusal) or isinstance(key, Refusal):
        return []
    return _facts(name, given.array, key.array)


def _facts(name: str, given: Numeric, key: Numeric) -> list[str]:
    if given.shape != key.shape:
        return _of_another_shape(name, given, key)
    if given.size < 2 or not key.any():
        return []
    if np.allclose(given, -key):
        return [f"All numbers of `{name}` have the wrong sign and are right otherwise."]
    if np.allclose(np.abs(given), np.abs(key)):
        return [f"The numbers of `{name}` are right but for the sign of some."]
    if np.count_nonzero(key) > 1:
        for factor in _FACTORS:
            if np.allclose(given, factor * key):
                return [f"Every number of `{name}` is {_times(factor)} the right one."]
    if given.ndim == 2 and given.shape[0] == given.shape[1] and np.allclose(given, key.T):
        return [f"`{name}` is transposed: rows and columns are exchanged."]
    flat, right = np.sort(given.reshape(-1)), np.sort(key.reshape(-1))
    if np.unique(right).size > 1 and np.allclose(flat, right):
        return [f"The numbers of `{name}` are the right ones in another order."]
    return []


def _of_another_shape(name: str, given: Numeric, key: Numeric) -> list[str]:
    if given.ndim == key.ndim == 2 and given.T.shape == key.shape and np.allclose(given.T, key):
        return [f"`{name}` is transposed: rows and columns are exchanged."]
    if given.ndim > key.ndim:
        for axis in (each for each in range(given.ndim) if given.shape[each] > 1):
            summed = given.sum(axis=axis)
            if summed.shape == key.shape and np.allclose(summed, key):
                return [f"`{name}` is not summed over the axis that was broadcast: its sum is right."]
    if given.size == key.size and np.allclose(given.reshape(-1), key.reshape(-1)):
        return [f"The numbers of `{name}` are right, the shape is not."]
    return []


def _met(
    exercise: Exercise,
    name: str,
    given: Value,
    values: Sequence[tuple[str, Value]],
    keys: Mapping[str, ExerciseKey | str],
) -> list[str]:
    numbers = read_numbers(given)
    if not isinstance(numbers, Numbers) or numbers.array.size < 2 or np.unique(numbers.array).size < 2:
        # A single number, or one number again and again, turns up anywhere.
        return []
    for what, value in values:
        if _equal(given, value):
            if what == "the hook's return":
                return [f"`{name}` is what the hook returned, before it flowed on."]
            return [f"`{name}` has the numbers of `{what}` itself: a value, where a gradient is asked."]
    for other, key in keys.items():
        if other != exercise.id and isinstance(key, ExerciseKey):
            for outcome in key.outcomes if len(key.outcomes) == 1 else ():
                if isinstance(outcome, Returned) and any(_equal(given, value) for value in _members(outcome.value)):
                    return [f"`{name}` has the right numbers of another question, `{other}`."]
    return []


def _members(value: Value) -> tuple[Value, ...]:
    return (value, *value.items) if isinstance(value, Items) else (value,)


def _equal(given: Value, other: Value) -> bool:
    try:
        return isinstance(read_numbers(other), Numbers) and compare(given, other, rounding=True).right
    except ReferenceFault:
        return False


def _times(factor: float) -> str:
    for number, words in ((2, "twice"), (3, "three times"), (4, "four times"), (10, "ten times")):
        if factor == number:
            return words
        if abs(factor * number - 1) < 1e-9:
            return {2: "half", 3: "a third of", 4: "a quarter of", 10: "a tenth of"}[number]
    return f"{factor:g} times"
