"""What the sandbox is sent, and what comes back. It sees cells, names, probe text and literals: no exercise, no key."""

from __future__ import annotations

from typing import Literal, TypeAlias

from grader.records.program import DataFile, Limits, Program
from grader.records.values import Record, Value


class Returned(Record, frozen=True, tag="returned"):
    """A program or probe ran to its end."""

    value: Value


class Raised(Record, frozen=True, tag="raised"):
    """A program or probe raised. `bases` are the names of the exception's classes, most derived first."""

    exception: str
    message: str
    bases: tuple[str, ...] = ()


class NotRun(Record, frozen=True, tag="not_run"):
    """There is no result. `reason` is a clause for a person, such as "it ran for more than 5 s"."""

    cause: Literal["no_subject", "timed_out", "out_of_memory", "died", "skipped", "not_reached"]
    reason: str


Outcome: TypeAlias = Returned | Raised | NotRun


class CellRun(Record, frozen=True):
    """One code cell. `answers` are the names to capture right after it ran, in this order."""

    index: int
    source: str
    answers: tuple[str, ...] = ()


class ProbeRun(Record, frozen=True):
    """One case: `program` called with the student's `subject` as first argument and the literals of `arguments`."""

    id: str
    subject: str
    program: Program
    arguments: str


class Run(Record, frozen=True):
    """All that the sandbox learns of a submission. Probes run after the last cell, in the order given.

    Probes with one `subject` are in order of size: after one that hangs, the rest of that subject is skipped.
    """

    cells: tuple[CellRun, ...]
    probes: tuple[ProbeRun, ...] = ()
    files: tuple[DataFile, ...] = ()
    limits: Limits = Limits()
    seed: int = 0


class StudentError(Record, frozen=True):
    """An exception in a student's cell; the grader's and the libraries' frames are removed from `traceback`.

    `line` counts from 1 within the cell; None where the failure has no line (a killed process).
    """

    type: str
    message: str
    line: int | None
    source_line: str
    traceback: str


class Output(Record, frozen=True):
    """What a cell printed: head and tail, and how many bytes were dropped between them."""

    text: str = ""
    dropped_bytes: int = 0


class CellReport(Record, frozen=True):
    """How one cell ended. A cell that killed its process keeps that outcome in later replays."""

    index: int
    outcome: Literal["ok", "raised", "timed_out", "out_of_memory", "died", "not_reached"]
    error: StudentError | None = None
    output: Output = Output()
    cpu_seconds: float = 0.0


class ProbeReport(Record, frozen=True):
    """What one probe gave."""

    id: str
    outcome: Outcome


class Execution(Record, frozen=True):
    """Everything that came back for one notebook; every value in it is the child's claim and nothing more.

    `answers` holds a name only if its cell ran to the end and then held that name. A function or class is
    `Unreadable` here and is exercised by probes. `fault` says that the grader's side failed: hold the grade.
    `broken` says that the child sent something that is no message of ours: a person must look at the notebook.
    """

    cells: tuple[CellReport, ...]
    answers: tuple[tuple[str, Value], ...] = ()
    probes: tuple[ProbeReport, ...] = ()
    attempts: int = 1
    cpu_seconds: float = 0.0
    notes: tuple[str, ...] = ()
    fault: str | None = None
    broken: bool = False
