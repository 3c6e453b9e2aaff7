"""What an author wrote, the key that torch computed from it, and the half of it that students may see."""

from __future__ import annotations

import hashlib
import re
from decimal import Decimal
from typing import Literal, TypeAlias

from grader.records.execution import Outcome
from grader.records.program import DataFile, Limits, Program
from grader.records.values import Record

Kind: TypeAlias = Literal["predict", "order", "raises", "choice", "implement"]
Origin: TypeAlias = Literal["public", "hidden", "generated"]

CELL_ID_PREFIX = "question-"


def cell_id(question_id: str) -> str:
    """The id of the released code cell that answers a question; intake matches cells by it.

    `question-` and the question's id. An id that nbformat 4.5 would not allow (longer than 64 characters in all, or
    not ASCII) is cut and ends in a digest, so that two questions never share a cell id.
    """
    plain = CELL_ID_PREFIX + question_id
    if re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", plain):
        return plain
    digest = hashlib.sha256(question_id.encode()).hexdigest()[:8]
    return re.sub(r"[^a-zA-Z0-9_-]", "-", plain)[:55] + "-" + digest


class Case(Record, frozen=True):
    """One set of arguments for a probe. `arguments` is the text of a Python dict literal."""

    origin: Origin
    arguments: str


class Probe(Record, frozen=True):
    """A program that exercises the student's function or class, which it gets as its first argument."""

    program: Program
    points: Decimal
    cases: tuple[Case, ...]


class Mistake(Record, frozen=True):
    """A wrong implementation that the author foresees, and the belief behind it in one sentence."""

    id: str
    belief: str
    source: str


class Varying(Record, frozen=True):
    """A parameter whose numbers may differ from student to student: in the shape of `default`, the text of a literal.

    Each number is one of `low`, `low + step`, ... up to `high`.
    """

    name: str
    default: str
    low: int | float
    high: int | float
    step: int | float


class Exercise(Record, frozen=True):
    """One exercise as its author wrote it. Private: it holds the reference and the hidden cases.

    For `implement`, `reference` is the source of the function or class and `program` is None; for the other kinds
    `program` is the shown program and `arguments` the dict literal it is called with. `credit` has the points of
    each answer name (or of each probe), in order; they sum to `points`. `tolerance` is relative, None for the rule
    that follows dtype and scale. `all_or_nothing`: the points are given only if every answer or probe is right.
    `varying` are the parameters of `program` that may be drawn per student; `arguments` has their defaults.
    `builds_on`: earlier answers that `program` gets by these names (their keys are in `arguments`), each with the share
    of the credit for an answer that is right for the student's own, wrong one.
    `blind_to`: beliefs (of a misconception, family or mistake) that it cannot see or tell apart, each with the reason.
    """

    id: str
    kind: Kind
    line: int
    prompt: str
    points: Decimal
    credit: tuple[Decimal, ...]
    answers: tuple[str, ...]
    stub: str
    fingerprint: str
    show_key: bool
    program: Program | None = None
    arguments: str = "{}"
    options: tuple[tuple[str, str], ...] = ()
    reference: str = ""
    probes: tuple[Probe, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    tolerance: float | None = None
    all_or_nothing: bool = False
    varying: tuple[Varying, ...] = ()
    blind_to: tuple[tuple[str, str], ...] = ()
    builds_on: tuple[tuple[str, Decimal], ...] = ()


class Assignment(Record, frozen=True):
    """One `solutions/<name>.py`, loaded and checked."""

    name: str
    title: str
    intro: str
    exercises: tuple[Exercise, ...]
    fingerprint: str
    limits: Limits
    files: tuple[DataFile, ...] = ()


class ExerciseKey(Record, frozen=True):
    """What torch computed for one exercise: one outcome for a program, one per case (probe by probe) for implement."""

    exercise: str
    outcomes: tuple[Outcome, ...]


class PublicCase(Record, frozen=True):
    """A public case and what the reference gives for it."""

    arguments: str
    expected: Outcome


class PublicProbe(Record, frozen=True):
    """A probe with its public cases alone."""

    program: Program
    points: Decimal
    cases: tuple[PublicCase, ...]


class Question(Record, frozen=True):
    """The public half of an exercise: all that `grade check`, matching, the sandbox and the pages need.

    `builds_on` names earlier answers that `program` gets besides `arguments`.
    """

    id: str
    kind: Kind
    prompt: str
    points: Decimal
    credit: tuple[Decimal, ...]
    answers: tuple[str, ...]
    stub: str
    fingerprint: str
    show_key: bool
    program: Program | None = None
    arguments: str = "{}"
    options: tuple[tuple[str, str], ...] = ()
    probes: tuple[PublicProbe, ...] = ()
    tolerance: float | None = None
    all_or_nothing: bool = False
    builds_on: tuple[str, ...] = ()


class PublicAssignment(Record, frozen=True):
    """The public half of an assignment; it lies in the notebook's metadata and beside the notebook."""

    name: str
    title: str
    fingerprint: str
    questions: tuple[Question, ...]
    limits: Limits
    files: tuple[DataFile, ...] = ()
