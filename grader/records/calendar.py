"""When assignments are due, and what being late costs. From `course.toml`: no date is part of a question."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from grader.records.values import Record


class LateRule(Record, frozen=True):
    """What is taken off for each started `per` after the due time.

    `percent` is of the points that the assignment gives, or of the student's own (`of`). Within `grace` nothing is;
    beyond it all counts from the due time. At most `most` percent go.
    """

    per: Literal["day", "hour"]
    percent: Decimal
    grace: timedelta = timedelta()
    most: Decimal = Decimal(100)
    of: Literal["points", "score"] = "points"


class Deadline(Record, frozen=True):
    """When one assignment is due. `due` and `cut_off` know their offset; `zone` is the IANA name whose days count.

    After `cut_off` nothing counts; None if there is none. Without a `late` rule nothing is taken off.
    """

    assignment: str
    due: datetime
    zone: str
    cut_off: datetime | None = None
    late: LateRule | None = None


class Calendar(Record, frozen=True):
    """All deadlines of a course. `zone` is that of times without an offset where an assignment has none of its own."""

    zone: str = "UTC"
    deadlines: tuple[Deadline, ...] = ()

    def of(self, assignment: str) -> Deadline | None:
        """The deadline of an assignment; None if it has none."""
        return next((each for each in self.deadlines if each.assignment == assignment), None)
