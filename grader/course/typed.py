"""A `Value` as the Python text that a student would type for it: what the model solution's cells hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from safetensors.numpy import load

from grader.records import Array, Items, Nothing, Number, Table, Text, Value, show_number

_READ: dict[str, Callable[[str], Any]] = {
    "bool": lambda text: text == "True",
    "int": int,
    "float": float,
    "complex": complex,
}


def typed(value: Value) -> str:
    """Write `value` as Python: nested lists, numbers, strings and `None`, so that reading it back loses nothing.

    A float32 is written with the digits of a float32, NaN as `float("nan")`.

    Raises: `ValueError` for what cannot be typed (a placeholder, something unreadable).
    """
    if isinstance(value, Nothing):
        return "None"
    if isinstance(value, Number):
        return _number(_READ[value.kind](value.text))
    if isinstance(value, Text):
        return _string(value.text)
    if isinstance(value, Array):
        return _array(value)
    if isinstance(value, Items):
        return _items(value)
    if isinstance(value, Table):
        return "{" + ", ".join(f"{_string(name)}: {typed(item)}" for name, item in value.items) + "}"
    raise ValueError(f"cannot be typed as an answer: {value!r}")


def _items(value: Items) -> str:
    inner = ", ".join(typed(item) for item in value.items)
    if value.kind == "list":
        return f"[{inner}]"
    if value.kind == "tuple":
        return f"({inner},)" if len(value.items) == 1 else f"({inner})"
    return f"{{{inner}}}" if value.items else "set()"


def _string(text: str) -> str:
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return f'"{text}"' if plain else repr(text)


def _array(value: Array) -> str:
    array: np.ndarray[Any, Any] = load(value.data)["value"]
    if array.size == 0 and array.ndim > 1:
        # A nested list cannot say (0, 3).
        return f"torch.zeros({array.shape})"
    return _nested(array)


def _nested(array: np.ndarray[Any, Any]) -> str:
    if array.ndim == 0:
        return _number(array[()])
    return "[" + ", ".join(_nested(row) if array.ndim > 1 else _number(row) for row in array) + "]"


def _number(number: Any) -> str:
    if isinstance(number, (complex, np.complexfloating)):
        return _complex(complex(number))
    if isinstance(number, (float, np.floating)) and not np.isfinite(number):
        return f'float("{float(number)!r}")'
    return show_number(number)


def _complex(number: complex) -> str:
    if np.isfinite(number.real) and np.isfinite(number.imag):
        return repr(number)
    return f"complex({_number(number.real)}, {_number(number.imag)})"
