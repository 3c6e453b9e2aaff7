"""Records <-> what a column can hold. Exact in both directions, also for text that is no valid UTF-8."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeVar

import msgspec
from safetensors import SafetensorError, deserialize

from grader.records import Array, Items, Outcome, Returned, Table, Value

T = TypeVar("T")
Column: TypeAlias = str | bytes | None

NO_BYTES = b""


def to_column(text: str | None) -> Column:
    """A text for a TEXT column; one with lone surrogates (an undecodable file name) as bytes."""
    if text is None:
        return None
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
    return text


def from_column(column: Column) -> str | None:
    """The text that `to_column` was given."""
    return column.decode("utf-8", "surrogatepass") if isinstance(column, bytes) else column


def to_document(thing: object, *leave_out: str) -> str:
    """A record, or a tuple of plain things, as one line of JSON in ASCII, without the fields `leave_out`."""
    plain = msgspec.to_builtins(thing)
    for name in leave_out:
        # A field of a record has a default value or a column of its own, so it need not be in its document.
        plain.pop(name, None)
    return json.dumps(plain, ensure_ascii=True, separators=(",", ":"))


def from_document(document: str, kind: type[T], /, **fields: object) -> T:
    """The record that `to_document` was given; `fields` are those which have columns of their own.

    Raises: `ValueError` where the document is not one of `kind`.
    """
    plain = json.loads(document)
    return msgspec.convert({**plain, **fields} if fields else plain, kind)


def without_tensors(value: Value) -> tuple[Value, tuple[bytes, ...]]:
    """The value with empty tensors, and their bytes from left to right."""
    taken: list[bytes] = []

    def empty(array: Array) -> Array:
        taken.append(array.data)
        return Array(array.source, NO_BYTES)

    return _each_array(value, empty), tuple(taken)


def with_tensors(value: Value, tensors: Iterable[bytes]) -> Value:
    """The inverse of `without_tensors`. Raises: `ValueError` if there are too few."""
    rest: Iterator[bytes] = iter(tensors)

    def fill(array: Array) -> Array:
        data = next(rest, None)
        if data is None:
            raise ValueError("a tensor of a stored value is missing")
        return Array(array.source, data)

    return _each_array(value, fill)


def outcome_without_tensors(outcome: Outcome) -> tuple[Outcome, tuple[bytes, ...]]:
    """As `without_tensors`, for what a probe gave."""
    if not isinstance(outcome, Returned):
        return outcome, ()
    value, taken = without_tensors(outcome.value)
    return Returned(value), taken


def outcome_with_tensors(outcome: Outcome, tensors: Iterable[bytes]) -> Outcome:
    """The inverse of `outcome_without_tensors`."""
    return Returned(with_tensors(outcome.value, tensors)) if isinstance(outcome, Returned) else outcome


def describe(data: bytes) -> tuple[str | None, str | None]:
    """(dtype, shape as JSON) of a safetensors document with one tensor; (None, None) if it is none: a claim may lie."""
    try:
        [(_, tensor)] = deserialize(data)  # type: ignore[no-untyped-call]
    except (SafetensorError, ValueError):
        return None, None
    return tensor["dtype"], json.dumps(tensor["shape"])


def _each_array(value: Value, change: Any) -> Value:
    if isinstance(value, Array):
        changed: Value = change(value)
        return changed
    if isinstance(value, Items):
        return Items(value.kind, tuple(_each_array(item, change) for item in value.items))
    if isinstance(value, Table):
        return Table(tuple((name, _each_array(item, change)) for name, item in value.items))
    return value
