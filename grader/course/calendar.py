"""`course.toml`: dates and late rules. They are no part of a question, so that a date never changes its fingerprint."""

from __future__ import annotations

import tomllib
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from grader.errors import UsageError
from grader.records import Calendar, Deadline, LateRule, Student
from grader.settling import local, parse_extension, parse_span

EXAMPLE = "see docs/deadlines.md for an example"


class _Late(msgspec.Struct, forbid_unknown_fields=True):
    per: Literal["day", "hour"]
    percent: float
    grace: str = "0m"
    most: float = 100
    of: Literal["points", "score"] = "points"


class _Assignment(msgspec.Struct, forbid_unknown_fields=True):
    due: datetime
    zone: str | None = None
    cut_off: datetime | None = None
    late: _Late | None = None


class _Course(msgspec.Struct, forbid_unknown_fields=True):
    zone: str = "UTC"
    assignments: dict[str, _Assignment] = {}


def read_calendar(course: Path, known: tuple[str, ...] = ()) -> Calendar:
    """The deadlines in `course.toml`; none if it is not there.

    Args:
        known: the assignments of the course; a deadline for another one is an error. Empty for any.

    Raises: `UsageError` with every problem of the file.
    """
    path = course / "course.toml"
    if not path.exists():
        return Calendar()
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        written = msgspec.convert(document, _Course)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); fix its rights, or remove it") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not text in UTF-8 (byte {error.start + 1}); save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: is not TOML ({error}); {EXAMPLE}") from error
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {error}; {EXAMPLE}") from error
    problems: list[str] = []
    deadlines = []
    for name, each in written.assignments.items():
        if known and name not in known:
            problems.append(
                f"{path}: [assignments.{name}]: the course has no such assignment; it has {', '.join(known)}"
            )
            continue
        try:
            deadlines.append(_deadline(name, each, written.zone))
        except ValueError as error:
            problems.append(f"{path}: [assignments.{name}]: {error}")
    if problems:
        raise UsageError("\n".join(problems))
    return Calendar(written.zone, tuple(deadlines))


def check_extensions(roster: tuple[Student, ...], calendar: Calendar, known: tuple[str, ...]) -> None:
    """Raises: `UsageError` with every extension of the roster that is for no assignment, or that nobody can read."""
    problems: list[str] = []
    for student in roster:
        for name, text in student.extensions:
            if name and name not in known:
                problems.append(f"roster: {student.id}: extension for {name}: the course has no such assignment")
                continue
            for deadline in calendar.deadlines:
                if name in ("", deadline.assignment):
                    try:
                        parse_extension(text, deadline.due, deadline.zone)
                    except ValueError as error:
                        problems.append(f"roster: {student.id}: {error}")
                        break
    if problems:
        raise UsageError("\n".join(problems))


def _deadline(name: str, written: _Assignment, of_course: str) -> Deadline:
    zone = written.zone or of_course
    try:
        ZoneInfo(zone)
    except (KeyError, ValueError, OSError):
        raise ValueError(f"zone {zone!r} is no time zone; write one such as Europe/Berlin") from None
    due = local(written.due, zone)
    cut_off = None if written.cut_off is None else local(written.cut_off, zone)
    if cut_off is not None and cut_off < due:
        raise ValueError("cut_off is before due; it is the time after which nothing counts")
    return Deadline(name, due, zone, cut_off, _late(written.late))


def _late(written: _Late | None) -> LateRule | None:
    if written is None:
        return None
    for name, percent in (("percent", written.percent), ("most", written.most)):
        if not 0 < percent <= 100:
            raise ValueError(f"late.{name} = {percent:g}: give a percentage from 0 to 100")
    grace: timedelta = parse_span(written.grace)
    return LateRule(written.per, _decimal(written.percent), grace, _decimal(written.most), written.of)


def _decimal(number: Any) -> Decimal:
    return Decimal(str(number))
