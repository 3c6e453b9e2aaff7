"""LTI 1.3 Assignment and Grade Services: a score message for each student, as JSON lines."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from grader.exports.door import block, json_bytes, short
from grader.exports.matching import roster_id
from grader.exports.options import MISSING
from grader.exports.seam import Exported, Given, NotExportable, Roll
from grader.exports.standing import WHY, feedback, points, standing, the_assignment
from grader.records import Grade, in_cents

OPTIONS = {**MISSING, "timestamp": "TIME: of all messages, ISO 8601 with an offset, or now; else each hand-in's own"}
_PROGRESS = {"fault": "Failed", "held": "PendingManual", "refused": "PendingManual"}


def ags(roll: Roll) -> Exported:
    """`ags-scores.jsonl`: a line for each student whose `lti` id (the `sub` of a launch) the roster has.

    Raises: `NotExportable` if the option `timestamp` is no time.
    """
    the_assignment(roll)
    fixed = _fixed_time(roll)
    lines, given, unmatched = [], [], []
    for grade in roll.grades:
        number, state = points(roll, grade), standing(grade)
        if state == "missing" and number is None:
            given.append(Given(grade.student, grade.assignment, None, f"no line; {WHY['missing']}"))
            continue
        user, when = roster_id(roll, grade, "lti"), fixed or _own_time(grade)
        reason = _unsayable(user, when, grade)
        if reason:
            unmatched.append(f"{short(grade.student, 60)}: {reason}")
            continue
        lines.append(json_bytes(_message(grade, user, when, number)))
        why = "" if number is not None else f"; {WHY[state]}"
        given.append(Given(grade.student, grade.assignment, number, f"line {len(lines)}{why}"))
    return Exported({"ags-scores.jsonl": b"".join(lines)}, tuple(given), tuple(unmatched))


def _message(grade: Grade, user: str, when: str, number: Decimal | None) -> dict[str, Any]:
    message: dict[str, Any] = {
        "userId": user,
        "timestamp": when,
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded" if number is not None else _PROGRESS[standing(grade)],
    }
    if number is not None:
        message |= {"scoreGiven": float(number), "scoreMaximum": float(in_cents(grade.max_score))}
    text = block(feedback(grade))
    return message | ({"comment": text} if text else {})


def _unsayable(user: str, when: str, grade: Grade) -> str:
    if not user:
        return "the roster has no lti id of theirs; add a column lti with the sub of their launch"
    if not when:
        return "nobody knows when it was handed in, with the zone; --set timestamp=TIME gives one"
    if grade.max_score <= 0:
        return "the assignment gives no points, which is no score"
    return ""


def _fixed_time(roll: Roll) -> str:
    given = roll.options.get("timestamp", "")
    when = _time(given)
    if given and not when:
        raise NotExportable(f"timestamp={short(given, 60)}: is no time such as 2026-03-01T12:00:00+01:00")
    return when


def _own_time(grade: Grade) -> str:
    """The hand-in's time; the deadline's zone stands in where the download has none."""
    return _time(grade.handin.submitted_at) or _time(grade.lateness.submitted if grade.lateness else "")


def _time(text: str) -> str:
    """The moment in UTC with milliseconds; "" where the text is none, or none with a zone."""
    try:
        when = datetime.fromisoformat(text)
        return "" if when.tzinfo is None else when.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        return ""
