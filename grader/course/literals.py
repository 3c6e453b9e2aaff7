"""Plain literals: which values an author may give as arguments, their text, and their size."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping
from typing import Any


def is_literal(thing: object) -> bool:
    """Whether `thing` can be written as a Python literal: numbers, strings, None, and lists, tuples, dicts of those.

    NaN and infinity have no literal, and a set has no order: they are none.
    """
    kind = type(thing)
    if thing is None or kind in (bool, int, str):
        return True
    if kind in (float, complex):
        return ast.literal_eval(repr(thing)) == thing if _finite(thing) else False
    if kind in (list, tuple):
        return all(is_literal(item) for item in thing)  # type: ignore[attr-defined]
    if kind is dict:
        return all(is_literal(each) for pair in thing.items() for each in pair)  # type: ignore[attr-defined]
    return False


def arguments_text(arguments: Mapping[str, Any]) -> str:
    """The dict literal of `arguments`, in their order."""
    return repr(dict(arguments))


def size(arguments: Mapping[str, Any]) -> tuple[int, float]:
    """(how many elements all values have together, the sum of their absolute values)."""
    leaves = [leaf for value in arguments.values() for leaf in _leaves(value)]
    # fsum does not depend on the order of its terms.
    return len(leaves), math.fsum(abs(leaf) for leaf in leaves if isinstance(leaf, (int, float, complex)))


def _finite(thing: Any) -> bool:
    return math.isfinite(thing.real) and math.isfinite(thing.imag)


def _leaves(thing: object) -> Iterator[object]:
    if isinstance(thing, (list, tuple)):
        for item in thing:
            yield from _leaves(item)
    elif isinstance(thing, dict):
        for item in thing.values():
            yield from _leaves(item)
    else:
        yield thing
