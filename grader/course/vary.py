"""`vary`: numbers that differ from student to student and from case to case, always on a grid the author chose."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

Number: TypeAlias = "int | float"
Choose: TypeAlias = Callable[[str, int], int]


@dataclass(frozen=True)
class Vary:
    """Numbers in the shape of `default`, each of them `low + k * step` and at most `high`."""

    default: Any
    low: Number
    high: Number
    step: Number = 1


def vary(default: Any, low: Number, high: Number, step: Number = 1) -> Any:
    """Let the numbers of a parameter vary.

    Args:
        default: a number, or a (nested) list or tuple of numbers: what the parameter is in the text and the examples.
        low, high: the least and the greatest number that may be drawn.
        step: numbers are drawn from `low`, `low + step`, `low + 2 * step`, ... Integers stay integers, floats floats.

    Returns: a placeholder (typed `Any`, because it stands where a plain literal would).
    """
    return Vary(default, low, high, step)


def problem_of(varying: Vary) -> str | None:
    """What is wrong with the arguments of a `vary`, and the mend; None if nothing is."""
    low, high, step = varying.low, varying.high, varying.step
    for name, bound in {"low": low, "high": high, "step": step}.items():
        if not _is_number(bound):
            return f"vary has {name}={bound!r}; give a finite number"
    if low > high:
        return f"vary has low={low!r} above high={high!r}; swap them"
    if step <= 0:
        return f"vary has step={step!r}; give a positive one"
    leaves = list(_leaves(varying.default))
    if not leaves:
        return f"vary has no number in its default {varying.default!r}; give a number or a nested list of numbers"
    for leaf in leaves:
        if not _is_number(leaf):
            return f"vary has {leaf!r} in its default; give a number or a nested list of numbers"
        if not low <= leaf <= high:
            return f"vary has a default of {leaf!r} outside low={low!r} and high={high!r}; widen the bounds"
        if type(leaf) is int and not (_whole(low) and _whole(step)):
            return (
                f"vary has the integer {leaf!r} in its default, but low={low!r}, step={step!r}; write {float(leaf)!r}"
            )
    return None


def choices(varying: Vary) -> int:
    """How many numbers each place may hold."""
    return math.floor((_exact(varying.high) - _exact(varying.low)) / _exact(varying.step)) + 1


def places(varying: Vary) -> int:
    """How many numbers there are in the shape of `default`."""
    return sum(1 for _ in _leaves(varying.default))


def draw(varying: Vary, choose: Choose) -> Any:
    """Draw numbers in the shape of `default`.

    Args:
        varying: without a problem (see `problem_of`).
        choose: given the place of a number ("0.2") and a count `n`, returns an integer of `range(n)`.
    """
    low, step = _exact(varying.low), _exact(varying.step)
    count = choices(varying)

    def at(place: str, like: Any) -> Any:
        if isinstance(like, (list, tuple)):
            return type(like)(at(f"{place}.{number}", item) for number, item in enumerate(like))
        number = low + choose(place, count) * step
        return int(number) if type(like) is int else float(number)

    return at("", varying.default)


def _exact(number: Number) -> Fraction:
    # Through the text: 0.1 is meant as a tenth, so that three steps of it make 0.3 and not 0.30000000000000004.
    return Fraction(repr(number))


def _whole(number: Number) -> bool:
    return _exact(number).denominator == 1


def _is_number(thing: object) -> bool:
    return type(thing) in (int, float) and math.isfinite(thing)  # type: ignore[arg-type]


def _leaves(thing: object) -> Iterator[Any]:
    if type(thing) in (list, tuple):
        for item in thing:  # type: ignore[attr-defined]
            yield from _leaves(item)
    else:
        yield thing
