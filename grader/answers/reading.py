"""A `Value` -> one numpy array, strictly: numbers, tensors and evenly nested lists of them, or the reason why not.

A 0-d tensor is the same as a Python number; shape (1,) is not shape (). Strings are never read as numbers, and
nothing is broadcast, padded or flattened.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load

from grader.records import Array, Blank, Items, Nothing, Number, Table, Text, Unreadable, Value, plain, show

Precision: TypeAlias = Literal["exact", "float64", "float32", "float16"]
COARSENESS: tuple[Precision, ...] = ("exact", "float64", "float32", "float16")
MAX_DEPTH = 12
MAX_KEPT_BYTES = 4096


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers that were read.

    Attributes:
        array: bool, integer, float or complex, of the shape that was given.
        texts: per element, row by row, its `repr` if it came as a Python number, else None. It tells how many digits
            a person typed.
        precision: of the coarsest member. A Python float that a float32 can hold exactly counts as float32: it may
            come from `.item()` or `.tolist()`.
    """

    array: NDArray[Any]
    texts: tuple[str | None, ...]
    precision: Precision


@dataclass(frozen=True)
class Refusal:
    """Why a value is not a set of numbers: one sentence to the student, and a clause that fits a table."""

    reason: Literal["blank", "unreadable", "not_a_number_kind", "none_given"]
    message: str
    brief: str


def read_numbers(value: Value) -> Numbers | Refusal:
    """Read `value` as one array of numbers.

    Lists and tuples become one axis each; their members must all have one shape, which may be that of tensors. A set
    has no order and is refused, so are strings, dicts, `None` and `...` at any depth.
    """
    return _read(value, 0)


def _read(value: Value, depth: int) -> Numbers | Refusal:
    if isinstance(value, Number):
        return _number(value)
    if isinstance(value, Array):
        # What beliefs give is compared with every wrong answer of a class.
        return _small_array(value) if len(value.data) <= MAX_KEPT_BYTES else _array(value)
    if isinstance(value, Items):
        return _items(value, depth)
    return _refuse(value)


def _refuse(value: Value) -> Refusal:
    if isinstance(value, Blank):
        return Refusal("blank", "There is still a `...` in it.", "still `...`")
    if isinstance(value, Nothing):
        return Refusal("none_given", "A number is asked, and this is `None`.", "`None` instead of a number")
    if isinstance(value, Text):
        written = show(value, 60)
        advice = f"write {plain(value.text)} without the quotes" if _is_literal(value.text) else "a number is asked"
        return Refusal("not_a_number_kind", f"{written} is a string: {advice}.", "a string instead of a number")
    if isinstance(value, Table):
        return Refusal("not_a_number_kind", "A dict is not a number or a list of numbers.", "a dict, not numbers")
    reason = plain(value.reason) if isinstance(value, Unreadable) else "it is nothing that we know"
    return Refusal("unreadable", f"It could not be read: {reason}.", f"could not be read: {reason}")


def _is_literal(text: str) -> bool:
    if text.strip() == "None":
        return True
    try:
        complex(text.strip().strip("[]()").split(",")[0])
    except ValueError:
        return False
    return len(text) <= 60


def _broken(what: str) -> Refusal:
    return Refusal("unreadable", f"It could not be read: {what}.", f"could not be read: {what}")


def _number(value: Number) -> Numbers | Refusal:
    try:
        if value.kind == "bool":
            number: object = {"True": True, "False": False}[value.text]
        elif value.kind == "int":
            number = int(value.text)
        else:
            number = float(value.text) if value.kind == "float" else complex(value.text)
        # An int beyond int64 becomes a float: numpy would make an array of objects.
        big = type(number) is int and not -(2**63) <= number < 2**63
        array = np.asarray(float(number) if big else number)  # type: ignore[arg-type]
    except (KeyError, ValueError, OverflowError):
        return _broken("it is not written as a number")
    exact = value.kind in ("bool", "int")
    return Numbers(array, (value.text,), "exact" if exact else "float32" if _fits_float32(array) else "float64")


def _fits_float32(array: NDArray[Any]) -> bool:
    narrow = np.complex64 if array.dtype.kind == "c" else np.float32
    with np.errstate(over="ignore", under="ignore"):
        return bool(np.array_equal(array.astype(narrow).astype(array.dtype), array, equal_nan=True))


@lru_cache(maxsize=4096)
def _small_array(value: Array) -> Numbers | Refusal:
    return _array(value)


def _array(value: Array) -> Numbers | Refusal:
    try:
        tensors = load(value.data)
    except Exception:  # noqa: BLE001 - the bytes are the child's claim; whatever the parser says, it is no answer
        return _broken("its bytes are damaged")
    array = tensors.get("value")
    if array is None or len(tensors) != 1 or array.dtype.kind not in "biufc":
        return _broken("its bytes are not one tensor of numbers")
    precision: Precision = "exact"
    if array.dtype.kind in "fc":
        names: dict[str, Precision] = {"float16": "float16", "float32": "float32", "complex64": "float32"}
        precision = names.get(array.dtype.name, "float64")
    return Numbers(array, (None,) * array.size, precision)


def _items(value: Items, depth: int) -> Numbers | Refusal:
    if value.kind == "set":
        return Refusal("not_a_number_kind", "A set has no order: give a list.", "a set instead of a list")
    if depth >= MAX_DEPTH:
        return _broken(f"it is nested more than {MAX_DEPTH} deep")
    members = []
    for item in value.items:
        member = _read(item, depth + 1)
        if isinstance(member, Refusal):
            return member
        members.append(member)
    if not members:
        return Numbers(np.zeros(0), (), "exact")
    if len({member.array.shape for member in members}) > 1:
        return _broken("its rows have different lengths")
    return Numbers(
        np.stack([member.array for member in members]),
        tuple(text for member in members for text in member.texts),
        max((member.precision for member in members), key=COARSENESS.index),
    )
