"""Spans of time and local times, as instructors write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

_UNITS = {"m": "minutes", "h": "hours", "d": "days"}


def parse_span(text: str) -> timedelta:
    """`15m`, `36h` or `2d`. Raises: `ValueError`, saying what a span looks like."""
    match = re.fullmatch(r"(\d{1,5})\s*([mhd])", text.strip().casefold())
    if match is None:
        raise ValueError(f"{text!r} is no span of time; write 15m, 36h or 2d")
    return timedelta(**{_UNITS[match[2]]: int(match[1])})


def parse_extension(text: str, due: datetime, zone: str) -> datetime:
    """The due time that an extension gives: a span after `due`, or a time of its own.

    Days are those of the calendar in `zone`: two days later at the same time of day, also where clocks change between.

    Raises: `ValueError`, saying what an extension looks like.
    """
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        try:
            span = parse_span(text)
        except ValueError:
            raise ValueError(f"{text!r} is no extension; write 2d, 36h or a time such as 2026-05-04 12:00") from None
        return later(due, span, zone)
    return local(moment, zone)


def later(moment: datetime, span: timedelta, zone: str) -> datetime:
    """`moment` and whole days of the calendar in `zone`, then the rest of the span."""
    there = moment.astimezone(ZoneInfo(zone))
    days = timedelta(days=span.days)
    moved = (there.replace(tzinfo=None) + days).replace(tzinfo=ZoneInfo(zone), fold=there.fold)
    return (moved.astimezone(UTC) + (span - days)).astimezone(ZoneInfo(zone))


def local(moment: datetime, zone: str) -> datetime:
    """`moment`, in `zone` if it has no offset. Of an hour that comes twice it is the second, which nobody can miss.

    Raises: `ValueError` for a time that the clocks of that zone skip.
    """
    if moment.tzinfo is not None:
        return moment
    there = moment.replace(tzinfo=ZoneInfo(zone), fold=1)
    if there.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) != moment:
        raise ValueError(f"{moment:%Y-%m-%d %H:%M} does not exist in {zone}, where clocks go forward then")
    return there
