"""An answer beside its key, element by element, so that a page can mark the ones that differ.

A pointer for the eye and no judgement: that was made before, with its own tolerance.
"""

from __future__ import annotations

import cmath
from typing import Any, NamedTuple, TypeAlias

from safetensors import SafetensorError
from safetensors.numpy import load

from grader.records import Array, Items, Nothing, Number, Text, Value, show, show_number

MAX_ELEMENTS = 24
RELATIVE, ABSOLUTE = 1e-4, 1e-6


class Piece(NamedTuple):
    """A stretch of shown text; `off` if it is an element that differs from the key."""

    text: str
    off: bool = False


class _Leaf(NamedTuple):
    text: str
    worth: object


_Node: TypeAlias = "_Leaf | list[_Node]"


def pieces(given: Value, expected: Value | None) -> tuple[Piece, ...]:
    """`given` as text; its differing elements are marked where the key may be shown and has the same shape."""
    whole = (Piece(show(given)),)
    if expected is None or not isinstance(given, (Array, Items)):
        return whole
    own, key = _read(given), _read(expected)
    if own is None or key is None or not _same_shape(own, key) or not 1 < len(_leaves(own)) <= MAX_ELEMENTS:
        return whole
    left, right = _brackets(given)
    scale = max(map(_magnitude, _leaves(key)), default=0.0)
    found = [Piece(left), *_walk(own, key, ABSOLUTE * scale, _edges(given)), Piece(right)]
    return tuple(piece for piece in found if piece.text)


def _read(value: Value) -> _Node | None:
    """Nested lists of leaves; None for what has no elements to compare."""
    if isinstance(value, Number):
        try:
            return _Leaf(show(value), complex(value.text) if value.kind != "bool" else complex(value.text == "True"))
        except ValueError:
            return None
    if isinstance(value, Text):
        return _Leaf(show(value), value.text)
    if isinstance(value, Nothing):
        return _Leaf("None", None)
    if isinstance(value, Array):
        try:
            array = load(value.data)["value"]
        except (SafetensorError, ValueError, KeyError):
            return None
        return _nested(array) if array.size <= MAX_ELEMENTS else None
    if isinstance(value, Items) and value.kind != "set" and len(value.items) <= MAX_ELEMENTS:
        members = [_read(item) for item in value.items]
        return None if None in members else [member for member in members if member is not None]
    return None


def _nested(array: Any) -> _Node:
    if array.ndim == 0:
        return _Leaf(show_number(array[()], python=False), complex(array[()]))
    return [_nested(row) for row in array]


def _walk(own: _Node, key: _Node, absolute: float, edges: tuple[str, str]) -> list[Piece]:
    if isinstance(own, _Leaf):
        return [Piece(own.text, not (isinstance(key, _Leaf) and _alike(own.worth, key.worth, absolute)))]
    found = [Piece(edges[0])]
    for position, (member, other) in enumerate(zip(own, key, strict=True)):
        found += [Piece(", ")] if position else []
        found += _walk(member, other, absolute, ("[", "]"))  # type: ignore[arg-type]
    return [*found, Piece(edges[1])]


def _alike(own: object, key: object, absolute: float) -> bool:
    if not isinstance(own, complex) or not isinstance(key, complex):
        return type(own) is type(key) and own == key
    if cmath.isnan(own) or cmath.isnan(key):
        return cmath.isnan(own) and cmath.isnan(key)
    return cmath.isclose(own, key, rel_tol=RELATIVE, abs_tol=absolute)


def _same_shape(own: _Node, key: _Node) -> bool:
    if isinstance(own, _Leaf) or isinstance(key, _Leaf):
        return isinstance(own, _Leaf) and isinstance(key, _Leaf)
    return len(own) == len(key) and all(_same_shape(*pair) for pair in zip(own, key, strict=True))


def _leaves(node: _Node) -> list[_Leaf]:
    return [node] if isinstance(node, _Leaf) else [leaf for member in node for leaf in _leaves(member)]


def _magnitude(leaf: _Leaf) -> float:
    return abs(leaf.worth) if isinstance(leaf.worth, complex) and cmath.isfinite(leaf.worth) else 0.0


def _brackets(value: Array | Items) -> tuple[str, str]:
    return ("tensor(" if value.source == "torch" else "array(", ")") if isinstance(value, Array) else ("", "")


def _edges(value: Array | Items) -> tuple[str, str]:
    return ("(", ")") if isinstance(value, Items) and value.kind == "tuple" else ("[", "]")
