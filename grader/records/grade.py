"""What was decided, and what a page needs to explain it. Safe for the student: no hidden input or key."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, TypeAlias

from grader.records.execution import Outcome, Output, StudentError
from grader.records.values import Record, Value

Verdict: TypeAlias = Literal[
    "right", "partly_right", "wrong", "not_answered", "could_not_run", "grader_fault", "needs_person"
]
Status: TypeAlias = Literal["graded", "held", "missing", "refused"]


class Diagnosis(Record, frozen=True):
    """The beliefs that give exactly the student's numbers (see docs/grade-format.md)."""

    kind: Literal["one", "several", "pair", "fact", "none"]
    misconceptions: tuple[str, ...] = ()


class CaseShown(Record, frozen=True):
    """The smallest failing case that may be shown. `expected` is None where the course does not show keys."""

    probe: str
    arguments: str
    given: Outcome
    expected: Outcome | None = None


class Part(Record, frozen=True):
    """One named answer, or one probe, and its share of the points.

    `given` is None where nothing was captured; `expected` is None where the course does not show keys.
    """

    name: str
    verdict: Verdict
    score: Decimal
    max_score: Decimal
    message: str = ""
    given: Value | None = None
    expected: Outcome | None = None
    case: CaseShown | None = None


class ExerciseGrade(Record, frozen=True):
    """The verdict on one exercise. `score` is None while it is held (`grader_fault`, `needs_person`)."""

    id: str
    kind: str
    verdict: Verdict
    score: Decimal | None
    max_score: Decimal
    message: str
    parts: tuple[Part, ...] = ()
    source: str = ""
    matched: str = ""
    error: StudentError | None = None
    output: Output = Output()
    diagnosis: Diagnosis | None = None


class Versions(Record, frozen=True):
    """What a grade was made with; a grade is reused only while all of this and the notebook are unchanged."""

    grader: str
    torch: str
    assignment: str
    confinement: str


class Grade(Record, frozen=True):
    """One student, one assignment.

    `score` is None while any exercise is held, or where nothing could be graded; `score_so_far` sums what is decided.
    `path` is None for a missing notebook.
    """

    student: str
    assignment: str
    path: str | None
    sha256: str | None
    status: Status
    score: Decimal | None
    score_so_far: Decimal
    max_score: Decimal
    exercises: tuple[ExerciseGrade, ...]
    notes: tuple[str, ...]
    versions: Versions
