"""Slips of the pen: wrong numbers that need no belief to explain them.

A student who computes rightly and writes 17 for 18 must not be told what they believe. So a belief whose numbers differ
from the key in one element only, and there by no more than a slip does, is not named.
"""

from __future__ import annotations

import numpy as np

from grader.answers import Numbers, read_numbers
from grader.records import Exercise, Items, Nothing, Outcome, Returned, Table, Value

# Off by one is a slip where there was something to compute: nobody writes 1 for 2 because the sum came out wrong.
MIN_COMPUTED = 4
# A lost sign; a zero too many or too few.
_FACTORS = (-1.0, 10.0, 0.1)


def differences(believed: Value, key: Value) -> list[bool]:
    """One entry for each element in which two values differ: whether it could be a slip (18 for 17, -18, 180, 81).

    Dicts are compared key by key. Values that are not numbers of one shape differ in one thing, which is no slip.
    """
    if isinstance(believed, Table) and isinstance(key, Table):
        theirs = dict(believed.items)
        return [each for name, value in key.items for each in differences(theirs.get(name, Nothing()), value)]
    given, right = read_numbers(believed), read_numbers(key)
    if not (isinstance(given, Numbers) and isinstance(right, Numbers)) or given.array.shape != right.array.shape:
        return [] if believed == key else [False]
    pairs = zip(given.array.reshape(-1).tolist(), right.array.reshape(-1).tolist(), strict=True)
    return [
        _slip(one, other) for one, other in pairs if not np.isclose(one, other, rtol=1e-6, atol=1e-9, equal_nan=True)
    ]


def is_slip(exercise: Exercise, believed: Outcome, key: Outcome) -> bool:
    """Whether all that a belief gives for an exercise could be a slip in one element: then it is never named."""
    if exercise.kind != "predict" or not (isinstance(believed, Returned) and isinstance(key, Returned)):
        return False
    pairs = [(believed.value, key.value)]
    if len(exercise.answers) > 1 and isinstance(believed.value, Items) and isinstance(key.value, Items):
        pairs = list(zip(believed.value.items, key.value.items, strict=True))
    found = [each for pair in pairs for each in differences(*pair)]
    return found == [True]


def _slip(written: complex, meant: complex) -> bool:
    if abs(meant) >= MIN_COMPUTED and abs(abs(written - meant) - 1) < 1e-6:
        return True
    # Of zero there is no sign and no zero too many.
    if meant and any(abs(written - factor * meant) < 1e-6 * abs(meant) for factor in _FACTORS):
        return True
    digits = _digits(meant)
    return digits is not None and len(digits) > 1 and _digits(written) == digits


def _digits(number: complex) -> list[str] | None:
    """The digits of a whole number, sorted: 81 and 18 have the same. None for any other number."""
    if number.imag or not abs(number.real) < 1e9 or number.real != round(number.real):
        return None
    return sorted(str(abs(round(number.real))))
