"""What travels between the grader, the warm process and a student's process: length-capped frames of strict JSON.

A frame is four bytes of length, big-endian, and so many bytes of JSON. Everything that a student's process sends is
decoded here and nowhere else, into tagged records whose values are checked (an `Array` must be a safetensors document
with one tensor, `value`; a `Number` must be a number).
"""

from __future__ import annotations

import re
import struct
from typing import Literal, Protocol, TypeAlias, TypeVar

import msgspec
import safetensors.numpy

from grader.records import (
    Array,
    Items,
    Limits,
    NotRun,
    Number,
    Outcome,
    Output,
    Returned,
    StudentError,
    Table,
    Value,
)
from grader.records.values import Record
from grader.sandbox.confinement.level import Confinement, Level, Trial

LENGTH = struct.Struct(">I")
# The descriptor of the channel in a student's process: out of the way, and below the lowest limits that are in use.
CHANNEL = 40
MAX_DEPTH = 16
MAX_NUMBER = 800


class BrokenChannelError(Exception):
    """The student's process sent bytes that are no message, or a message that was not due. The text says which."""


class JobCell(Record, frozen=True):
    """One cell to run. `known`: its report and answers arrived in an earlier attempt, so none is sent again."""

    index: int
    source: str
    answers: tuple[str, ...]
    known: bool


class Job(Record, frozen=True):
    """Grader -> student's process, first: the cells to run.

    Every probe comes as a message of its own (a `ProbeRun`), the first one after the last cell has ended: what a cell
    finds in its own process it can print, and what it prints is shown.
    """

    cells: tuple[JobCell, ...]
    limits: Limits
    seed: int


class Ready(Record, frozen=True, tag="ready"):
    """Student's process -> grader: set up and confined as `level` says; no student code has run yet."""

    level: Level


class Answer(Record, frozen=True, tag="answer"):
    """The value that `name` holds at the end of its cell."""

    cell: int
    name: str
    value: Value


class CellEnded(Record, frozen=True, tag="cell"):
    """A cell ended in a living process. `exhausted`: too little memory is left for the cells after it."""

    cell: int
    outcome: Literal["ok", "raised", "out_of_memory"]
    error: StudentError | None
    output: Output
    exhausted: bool = False


class ProbeEnded(Record, frozen=True, tag="probe"):
    """A probe ended in a living process."""

    id: str
    outcome: Outcome


Event: TypeAlias = Ready | Answer | CellEnded | ProbeEnded


class ForkRequest(Record, frozen=True, tag="fork"):
    """Grader -> warm process, with the two ends of the student's channel and of its lifeline as descriptors.

    Args:
        scratch: the child's own folder, made by the grader.
        slot: counted from 0; no two children that live at the same time have the same one.
        trial: what to try in place of a notebook; answered with a `Tried` on the channel.
    """

    scratch: str
    limits: Limits
    slot: int = 0
    trial: Trial | None = None


class Cover(Record, frozen=True, tag="cover"):
    """Grader -> warm process that is in namespaces: hide these paths. Answered with `Covered`."""

    paths: tuple[str, ...]


class Covered(Record, frozen=True):
    """Warm process -> grader. `error` is empty if all is covered."""

    error: str


class Booted(Record, frozen=True, tag="booted"):
    """Warm process -> grader: warmed up, one thread, ready to fork; and how its children will be confined.

    `why_not` says why they will not, where the level is "none" and was not asked for.
    """

    confinement: Confinement
    why_not: str = ""


class Forked(Record, frozen=True, tag="forked"):
    """Warm process -> grader, on the lifeline, with the child's pidfd as a descriptor.

    `pid` is as the warm process sees it; the pidfd tells the grader what it is outside of the warm one's namespace.
    """

    pid: int


class Ended(Record, frozen=True, tag="ended"):
    """Warm process -> grader, on the lifeline: the process and all its descendants are gone and reaped."""

    status: int
    cpu_seconds: float


Life: TypeAlias = Forked | Ended
T = TypeVar("T")


class Receiving(Protocol):
    """Something to read bytes from; a socket is one."""

    def recv(self, count: int, /) -> bytes: ...


_encoder = msgspec.json.Encoder()


def encode(record: Record) -> bytes:
    """`record` as JSON."""
    return _encoder.encode(record)


def decode(data: bytes, kind: type[T]) -> T:
    """Strict JSON -> `kind`. For messages of the grader's own processes; raises `msgspec.MsgspecError`."""
    return msgspec.json.decode(data, type=kind)


def frame(record: Record) -> bytes:
    """`record` as one frame."""
    data = encode(record)
    return LENGTH.pack(len(data)) + data


def max_frame(limits: Limits) -> int:
    """The largest frame, in bytes, that a student's process may send under `limits`."""
    # JSON and base64 make text at most six times as long; an error's message and traceback have caps of their own.
    return max(2 * limits.answer_bytes, 6 * limits.output_bytes) + (1 << 18)


def receive(sock: Receiving, kind: type[T]) -> T:
    """Block until the grader's next frame has arrived. Raises `EOFError` once the grader has no more to say."""
    (length,) = LENGTH.unpack(_exactly(sock, LENGTH.size))
    return decode(_exactly(sock, length), kind)


def _exactly(sock: Receiving, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        more = sock.recv(min(count - len(data), 1 << 20))
        if not more:
            raise EOFError("the grader closed the channel")
        data += more
    return bytes(data)


def read_event(data: bytes) -> Event:
    """One frame's bytes -> an event whose values are sound. Raises `BrokenChannelError`."""
    try:
        event: Event = msgspec.json.decode(data, type=Event)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise BrokenChannelError(f"a message could not be read ({type(error).__name__})") from None
    if isinstance(event, Answer):
        _check_value(event.value, 0)
    elif isinstance(event, ProbeEnded):
        if isinstance(event.outcome, Returned):
            _check_value(event.outcome.value, 0)
        elif isinstance(event.outcome, NotRun) and event.outcome.cause not in ("no_subject", "out_of_memory"):
            raise BrokenChannelError("a living process cannot say that it died")
    return event


_NUMBER = {
    "bool": re.compile(r"True|False"),
    "int": re.compile(r"-?[0-9]+"),
    "float": re.compile(r"-?([0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?|inf|nan)"),
    "complex": re.compile(r"\(?[-+0-9.einfa]*j\)?"),
}


def _check_value(value: Value, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise BrokenChannelError(f"an answer is nested more than {MAX_DEPTH} deep")
    if isinstance(value, Array):
        _check_array(value.data)
    elif isinstance(value, Number):
        _check_number(value)
    elif isinstance(value, Items):
        for item in value.items:
            _check_value(item, depth + 1)
    elif isinstance(value, Table):
        if len({name for name, _ in value.items}) != len(value.items):
            raise BrokenChannelError("a table has the same key twice")
        for _, item in value.items:
            _check_value(item, depth + 1)


def _check_number(value: Number) -> None:
    if len(value.text) <= MAX_NUMBER and _NUMBER[value.kind].fullmatch(value.text):
        try:
            complex(value.text.strip("()")) if value.kind == "complex" else None
        except ValueError:
            pass
        else:
            return
    raise BrokenChannelError(f"a number of kind {value.kind} is no number")


def _check_array(data: bytes) -> None:
    try:
        tensors = safetensors.numpy.load(data)
    except Exception as error:  # noqa: BLE001 - the bytes are the student's; the library's errors are many
        raise BrokenChannelError(f"a tensor could not be read ({type(error).__name__})") from None
    if set(tensors) != {"value"}:
        raise BrokenChannelError("a tensor's document must hold one tensor, named 'value'")
