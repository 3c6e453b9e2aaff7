"""How late a hand-in was and what that costs, from its own time; never from the time at which it is graded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from grader.records import ZERO, Deadline, Handin, Lateness, LateRule, Student, count_points, in_cents, show_points
from grader.settling.spans import later, local, parse_extension

# Who is late by more units than this is late by all of it.
MAX_UNITS = 100_000


def lateness_of(
    handin: Handin, deadline: Deadline, student: Student | None, score: Decimal | None, max_score: Decimal
) -> Lateness | None:
    """The lateness of a hand-in; None where the download says neither when it came nor that it was late.

    Args:
        student: whose extensions count.
        score: what the work is worth by itself; None while that is not decided, when nothing is taken off yet.
    """
    due, cut_off = _extended(deadline, student)
    shown = due.isoformat(timespec="minutes")
    if not handin.submitted_at:
        if not handin.late:
            return None
        unknown = "The download says that it came late, and not how late: nothing is taken off."
        return Lateness(shown, "", None, ZERO, unknown)
    submitted = local(datetime.fromisoformat(handin.submitted_at), deadline.zone)
    beyond = max(submitted.astimezone(UTC) - due.astimezone(UTC), timedelta())
    when = submitted.isoformat(timespec="seconds")
    seconds = int(beyond.total_seconds())
    if cut_off is not None and submitted > cut_off:
        why = f"It came after {cut_off.isoformat(timespec='minutes')}, when nothing counts any more."
        return Lateness(shown, when, seconds, score or ZERO, why, refused=True)
    if not seconds:
        return Lateness(shown, when, 0, ZERO, "")
    deduction, arithmetic = _cost(deadline, due, submitted, beyond, score, max_score)
    return Lateness(shown, when, seconds, deduction, f"{_span(beyond)} late: {arithmetic}")


def _extended(deadline: Deadline, student: Student | None) -> tuple[datetime, datetime | None]:
    """The due time and the cut-off of one student: an extension moves both."""
    given = dict(student.extensions) if student else {}
    text = given.get(deadline.assignment) or given.get("")
    if not text:
        return deadline.due, deadline.cut_off
    due = max(parse_extension(text, deadline.due, deadline.zone), deadline.due)
    cut_off = None if deadline.cut_off is None else deadline.cut_off + (due - deadline.due)
    return due, cut_off


def _cost(
    deadline: Deadline, due: datetime, submitted: datetime, beyond: timedelta, score: Decimal | None, most: Decimal
) -> tuple[Decimal, str]:
    rule = deadline.late
    if rule is None:
        return ZERO, "nothing is taken off."
    if beyond <= rule.grace:
        return ZERO, f"within the {_span(rule.grace)} of grace, nothing is taken off."
    units = _units(rule, deadline, due, submitted, beyond)
    percent = min(units * rule.percent, rule.most)
    started = f"{units} started {rule.per}{'' if units == 1 else 's'}"
    capped = f", {show_points(rule.most)} % at most" if units * rule.percent > rule.most else ""
    sum_ = f"{started} * {show_points(rule.percent)} %{capped}"
    if score is None:
        return ZERO, f"{sum_}; taken off when all is decided."
    base = most if rule.of == "points" else score
    wanted = in_cents(base * percent / 100)
    taken = min(wanted, score)
    left = "" if taken == wanted else f", of which {count_points(taken)} are there"
    return taken, f"{sum_} of {count_points(base)} = {count_points(wanted)}{left}."


def _units(rule: LateRule, deadline: Deadline, due: datetime, submitted: datetime, beyond: timedelta) -> int:
    if rule.per == "hour":
        return int(-(-beyond // timedelta(hours=1)))
    # Days of the calendar: one that is 25 hours long is one day.
    days = max(beyond.days - 1, 0)
    while days < MAX_UNITS and submitted > later(due, timedelta(days=days), deadline.zone):
        days += 1
    return days


def _span(span: timedelta) -> str:
    minutes, seconds = divmod(int(span.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = [f"{count} {unit}" for count, unit in ((days, "d"), (hours, "h"), (minutes, "min")) if count]
    return " ".join(parts) or f"{seconds} s"
