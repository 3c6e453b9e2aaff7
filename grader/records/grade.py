"""What was decided, and what a page needs to explain it. Safe for the student: no hidden input or key."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal, TypeAlias

from grader.records.belief import Diagnosis
from grader.records.decision import Adjustment, Change, Lateness
from grader.records.execution import Outcome, Output, StudentError
from grader.records.submission import Handin
from grader.records.values import Record, Value

Verdict: TypeAlias = Literal[
    "right", "partly_right", "wrong", "not_answered", "could_not_run", "grader_fault", "needs_person"
]
Status: TypeAlias = Literal["graded", "held", "missing", "refused"]

HELD: tuple[Verdict, ...] = ("grader_fault", "needs_person")
"""The verdicts that hold the points, the first one before the second."""


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


class OwnNumbers(Record, frozen=True):
    """What a student's numbers of their own say. All but `arguments` is for the instructor alone.

    `arguments` (the text of a dict literal) are this student's; None where nobody can tell which those are. `right_for`
    are other arguments for which the wrong answer would be right, `plausible` how many answers can be made of numbers
    that stand at their place in some right answer: the more, the less is that an accident. `released_to` says whose
    notebook this is by its tag, where that is not who handed it in.
    """

    arguments: str | None
    right_for: tuple[str, ...] = ()
    plausible: int = 1
    released_to: str = ""


class ExerciseGrade(Record, frozen=True):
    """The verdict on one exercise. `score` is None while it is held (`grader_fault`, `needs_person`).

    `own` is None where everybody has the same numbers. `adjusted` is a person's decision, from which `score` is then.
    """

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
    own: OwnNumbers | None = None
    adjusted: Adjustment | None = None


class Versions(Record, frozen=True):
    """What a grade was made with; a grade is reused only while all of this and the notebook are unchanged.

    `assignment` is a digest of the whole private record (programs, hidden and drawn cases, points, limits);
    `submission` one of what intake made of the file (cells, matches, notes, path).
    """

    grader: str
    torch: str
    assignment: str
    confinement: str
    submission: str = ""


class Grade(Record, frozen=True):
    """One student, one assignment.

    `score` is None while any exercise is held, or where nothing could be graded; `score_so_far` sums what is decided.
    `path` is None for a missing notebook. `handin` is what the download says of it. `lateness` and adjustments are no
    part of a recorded grade: they are applied whenever grades are read, and `score` is what is left then. `changes` are
    those of the same notebook since it was first graded.
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
    handin: Handin = Handin()
    lateness: Lateness | None = None
    changes: tuple[Change, ...] = ()


class CheckLine(Record, frozen=True):
    """What the self-check can say of one question.

    `recorded`: an answer was read, but whether it is right is not checked here. `passes`: all public cases are right;
    other cases will be tried when it is graded.
    """

    question: str
    points: Decimal
    state: Literal["recorded", "passes", "fails", "not_answered", "could_not_run"]
    message: str


class SelfCheck(Record, frozen=True):
    """A student's own check of one file, and the receipt: which answers, in which bytes."""

    assignment: str
    title: str
    path: str
    sha256: str
    lines: tuple[CheckLine, ...]
    answers: tuple[tuple[str, Value], ...]
    notes: tuple[str, ...] = ()
