"""A `Value` as one short line of plain text, the way a student would write it; a name in words.

The text has no control, bidirectional or zero-width characters; it is not escaped for HTML, Markdown or CSV.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from grader.records.execution import NotRun, Outcome, Raised, Returned
from grader.records.values import Array, Blank, Items, Nothing, Number, Table, Text, Unreadable, Value

if TYPE_CHECKING:
    import numpy as np

MAX_CHARACTERS = 200
MAX_NUMBERS = 24
EDGE_NUMBERS = 3
MAX_DEPTH = 12


def show(value: Value, limit: int = MAX_CHARACTERS) -> str:
    """Write `value` in at most `limit` characters.

    `[3, 18, 7]`, `tensor([3., 18., 7.])`, `None`, `0.3333`; of a long list or tensor the middle is left out and its
    size named: `tensor([0., 1., 2., … 1,000 numbers …, 997., 998., 999.])`.
    """
    return _cut(_show(value, 0), limit)


def show_outcome(outcome: Outcome, limit: int = MAX_CHARACTERS) -> str:
    """Write what a program or probe gave: its value, `raised RuntimeError: ...` or `no result: ...`."""
    if isinstance(outcome, Returned):
        return show(outcome.value, limit)
    if isinstance(outcome, Raised):
        message = f": {plain(outcome.message)}" if outcome.message else ""
        return _cut(f"raised {plain(outcome.exception)}{message}", limit)
    if isinstance(outcome, NotRun):
        return _cut(f"no result: {plain(outcome.reason)}", limit)
    raise TypeError(f"not an outcome: {outcome!r}")


def show_number(number: Any, *, python: bool = True) -> str:
    """Write one number: as Python does (`3.0`) or, with `python=False`, as torch does inside a tensor (`3.`).

    A float32 is written with the digits of a float32: 0.1 and not 0.10000000149011612.
    """
    if isinstance(number, bool) or type(number).__name__ in ("bool", "bool_"):
        return str(bool(number))
    if isinstance(number, complex) or type(number).__name__ in ("complex64", "complex128"):
        real, imaginary = show_number(number.real, python=python), show_number(number.imag, python=python)
        return f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    if not isinstance(number, float) and not type(number).__name__.startswith("float"):
        return str(int(number))
    text = _shortest(float(number))
    return text.removesuffix("0") if not python and text.endswith(".0") else text


def plain(text: str) -> str:
    """One line of printable characters: line breaks become blanks, all else that is not printable an escape."""
    return "".join(c if c.isprintable() else " " if c in "\n\r\t" else repr(c)[1:-1] for c in text).strip()


def human_name(name: str) -> str:
    """`squaring_hook` -> `Squaring hook`, `GradientReversal` -> `Gradient reversal`, `my-first` -> `My first`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").split()
    spoken = [word if word.isupper() and len(word) > 1 else word.lower() for word in words]
    text = " ".join(spoken) or name
    return text[:1].upper() + text[1:]


def _shortest(number: float) -> str:
    import numpy as np

    if not math.isfinite(number):
        return repr(number)
    with np.errstate(over="ignore", under="ignore"):
        narrow = np.float32(number)
    return str(narrow) if float(narrow) == number else repr(number)


def _show(value: Value, depth: int) -> str:
    if depth > MAX_DEPTH:
        return "…"
    if isinstance(value, Blank):
        return "..."
    if isinstance(value, Nothing):
        return "None"
    if isinstance(value, Number):
        return _python_number(value)
    if isinstance(value, Text):
        return repr(_cut(value.text, MAX_CHARACTERS))
    if isinstance(value, Array):
        return _array(value)
    if isinstance(value, Items):
        left, right = {"list": ("[", "]"), "tuple": ("(", ")"), "set": ("{", "}")}[value.kind]
        if value.kind == "set" and not value.items:
            return "set()"
        inner = _shorten(value.items, lambda item: _show(item, depth + 1), "entries")
        return f"{left}{inner}{',' if value.kind == 'tuple' and len(value.items) == 1 else ''}{right}"
    if isinstance(value, Table):
        inner = _shorten(value.items, lambda row: f"{_cut(row[0], 40)!r}: {_show(row[1], depth + 1)}", "entries")
        return f"{{{inner}}}"
    if isinstance(value, Unreadable):
        return f"could not be read: {plain(value.reason)}"
    raise TypeError(f"not a value: {value!r}")


def _python_number(value: Number) -> str:
    if value.kind != "float":
        return plain(value.text)
    try:
        return show_number(float(value.text))
    except ValueError:
        return plain(value.text)


def _array(value: Array) -> str:
    from safetensors.numpy import load

    name = "tensor" if value.source == "torch" else "array"
    try:
        array: np.ndarray[Any, Any] = load(value.data)["value"]
    except Exception:  # noqa: BLE001 - the bytes are the child's claim; a page must still be made
        return f"a {name} whose bytes could not be read"
    if array.size == 0 and array.shape != (0,):
        return f"{name} of shape {array.shape} (no numbers)"
    if array.ndim > 1 and array.size > MAX_NUMBERS:
        return f"{name} of shape {array.shape}: {_row(array.reshape(-1))}"
    return f"{name}({_nested(array)})"


def _nested(array: np.ndarray[Any, Any]) -> str:
    if array.ndim == 0:
        return show_number(array[()], python=False)
    if array.ndim == 1:
        return f"[{_row(array)}]"
    return f"[{', '.join(_nested(row) for row in array)}]"


def _row(array: np.ndarray[Any, Any]) -> str:
    return _shorten(array, lambda number: show_number(number, python=False), "numbers")


def _shorten(members: Any, write: Callable[[Any], str], what: str) -> str:
    count = len(members)
    if count <= MAX_NUMBERS:
        return ", ".join(write(member) for member in members)
    head = ", ".join(write(member) for member in members[:EDGE_NUMBERS])
    tail = ", ".join(write(member) for member in members[-EDGE_NUMBERS:])
    return f"{head}, … {count:,} {what} …, {tail}"


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = (limit - 3) * 2 // 3
    return f"{text[:head]} … {text[len(text) - (limit - 3 - head) :]}"
