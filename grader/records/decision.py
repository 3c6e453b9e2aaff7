"""What people and calendars decide about a grade after it was judged: adjustments, lateness, and what moved since."""

from __future__ import annotations

from decimal import Decimal

from grader.records.values import Record


class Adjustment(Record, frozen=True):
    """A person's decision on one exercise; it stands, whatever the exercise is graded again with.

    `at` is a time of day in ISO 8601 with an offset, `by` whoever the system says gave the command.
    """

    points: Decimal
    note: str
    by: str
    at: str


class Lateness(Record, frozen=True):
    """How late a hand-in was, and what that costs.

    Times are ISO 8601 with an offset. `seconds` counts what is beyond the due time (an extension is part of it), 0 if
    it was in time; None where the download says "late" and not how late. `deduction` is in points, never more than
    there are. `arithmetic` says it in words; `refused` is whether it came after the cut-off, when nothing counts.
    """

    due: str
    submitted: str
    seconds: int | None
    deduction: Decimal
    arithmetic: str
    refused: bool = False

    @property
    def is_late(self) -> bool:
        """Whether it came late at all, also within the grace period."""
        return self.seconds is None or self.seconds > 0


class Change(Record, frozen=True):
    """What grading the same notebook again did to one exercise. Scores are None while held."""

    exercise: str
    before: Decimal | None
    after: Decimal | None
    why: str = ""


class Basis(Record, frozen=True):
    """What one exercise was graded by, for saying later what is different now.

    `program` and `cases` are digests; `key` is the right answer as people are shown it, "" where there are only cases.
    """

    exercise: str
    points: Decimal
    tolerance: float | None
    program: str
    cases: str
    key: str
    torch: str
