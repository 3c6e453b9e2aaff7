"""One answer as data.

Numbers travel as text, because JSON has no NaN and no exact big integers; a tensor travels as a safetensors
document that holds exactly one tensor named `value`, so that dtype, shape and bytes are checked by that library
when it is read. Nothing here can hold a Python object of the student's.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of all records: immutable, equal by value, strict when decoded."""


class Blank(Record, frozen=True, tag="blank"):
    """`...`: the starter's placeholder; nothing was typed."""


class Nothing(Record, frozen=True, tag="none"):
    """`None`: for a gradient that does not exist."""


class Number(Record, frozen=True, tag="number"):
    """A Python number. `text` is its `repr`: `3`, `0.1`, `nan`, `-inf`, `(1+2j)`, `True`."""

    kind: Literal["bool", "int", "float", "complex"]
    text: str


class Text(Record, frozen=True, tag="text"):
    """A string; also the name of an exception class that was given as the class itself."""

    text: str


class Array(Record, frozen=True, tag="array"):
    """A torch tensor or a numpy array, at most a few megabytes.

    `data` is a safetensors document with one tensor, `value`: contiguous, little-endian. bfloat16 arrives as float32
    and complex128 as complex64: numpy, respectively safetensors, has no name for them.
    """

    source: Literal["torch", "numpy"]
    data: bytes


class Items(Record, frozen=True, tag="items"):
    """A list, tuple or set (a set is sorted by `repr`)."""

    kind: Literal["list", "tuple", "set"]
    items: tuple[Value, ...]


class Table(Record, frozen=True, tag="table"):
    """A dict with string keys, in its own order."""

    items: tuple[tuple[str, Value], ...]


class Unreadable(Record, frozen=True, tag="unreadable"):
    """Something that cannot be an answer. `reason` completes "could not be read: ..."."""

    reason: str


Value: TypeAlias = Blank | Nothing | Number | Text | Array | Items | Table | Unreadable
