"""What the grader and its reference worker say to each other: records in frames, `length (4 bytes) + msgpack`.

Both ends are ours and trusted; records rather than pickle, so that an author's odd object is refused where it is made.
"""

from __future__ import annotations

import os
import select
import struct
import time
from typing import TypeAlias, TypeVar

import msgspec

from grader.records import Assignment, Audit, Beliefs, Exercise, ExerciseKey, Record, Separation

MAX_FRAME = 1 << 30
_CHUNK = 1 << 20

T = TypeVar("T")


class Load(Record, frozen=True, tag="load"):
    """Load the solutions file `path`, drawing inputs with the course's `key`."""

    path: str
    key: bytes
    seconds: float


class Solve(Record, frozen=True, tag="solve"):
    """Run an exercise's reference."""

    exercise: Exercise
    seconds: float


class Believe(Record, frozen=True, tag="believe"):
    """Run an exercise in every world, or in those of `ids` alone."""

    exercise: Exercise
    key: ExerciseKey
    pairs: bool
    ids: tuple[str, ...] | None
    seconds: float


class Draw(Record, frozen=True, tag="draw"):
    """Choose, among `candidates`, the arguments that students may get, held against these `worlds` (None: all)."""

    exercise: Exercise
    candidates: tuple[str, ...]
    worlds: tuple[str, ...] | None
    seconds: float


class Look(Record, frozen=True, tag="look"):
    """Audit an exercise: which beliefs it cannot see or tell apart."""

    exercise: Exercise
    seconds: float


class Separate(Record, frozen=True, tag="separate"):
    """Find a version of an exercise in which the beliefs of `ids` answer differently."""

    exercise: Exercise
    ids: tuple[str, ...]
    seconds: float


class Ready(Record, frozen=True, tag="ready"):
    """The worker has imported torch."""


class Loaded(Record, frozen=True, tag="loaded"):
    assignment: Assignment


class Solved(Record, frozen=True, tag="solved"):
    key: ExerciseKey


class Believed(Record, frozen=True, tag="believed"):
    beliefs: Beliefs


class Drawn(Record, frozen=True, tag="drawn"):
    arguments: tuple[str, ...]
    tried: int


class Looked(Record, frozen=True, tag="looked"):
    audit: Audit


class Separated(Record, frozen=True, tag="separated"):
    """`separation` is None where none was found."""

    separation: Separation | None


class Problems(Record, frozen=True, tag="problems"):
    """A `CourseError`, with its problems."""

    problems: tuple[str, ...]


class Failed(Record, frozen=True, tag="failed"):
    """Something raised that is no `CourseError`; `what` completes "the reference ..."."""

    what: str


Request: TypeAlias = Load | Solve | Believe | Draw | Look | Separate
Reply: TypeAlias = Ready | Loaded | Solved | Believed | Drawn | Looked | Separated | Problems | Failed


class ChannelClosed(Exception):
    """The other end is gone."""


class DeadlinePassed(Exception):
    """Nothing complete arrived in time."""


def send(descriptor: int, message: Request | Reply) -> None:
    """Write one frame. Raises: `ChannelClosed`."""
    body = msgspec.msgpack.encode(message)
    left = memoryview(struct.pack(">I", len(body)) + body)
    try:
        while left:
            left = left[os.write(descriptor, left) :]
    except OSError as error:
        raise ChannelClosed from error


def receive(descriptor: int, kind: type[T], deadline: float | None = None) -> T:
    """Read one frame and decode it as `kind` (a union of records).

    Args:
        deadline: on `time.monotonic()`'s clock; None waits for ever.

    Raises: `ChannelClosed`, `DeadlinePassed`; `msgspec.DecodeError` for a frame that is no message.
    """
    (size,) = struct.unpack(">I", _read(descriptor, 4, deadline))
    if size > MAX_FRAME:
        raise ChannelClosed
    return msgspec.msgpack.decode(_read(descriptor, size, deadline), type=kind)


def _read(descriptor: int, size: int, deadline: float | None) -> bytes:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    data = bytearray()
    while len(data) < size:
        if deadline is not None and not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise DeadlinePassed
        chunk = os.read(descriptor, min(size - len(data), _CHUNK))
        if not chunk:
            raise ChannelClosed
        data += chunk
    return bytes(data)
