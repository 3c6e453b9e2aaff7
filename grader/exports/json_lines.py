"""`grades.jsonl`: one JSON object a line for each student and assignment, sorted, without times."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import msgspec

from grader.records import ExerciseGrade, Grade, in_cents

_ENCODER = msgspec.json.Encoder(decimal_format="number")
# C1 controls, line separators and invisible or direction-changing characters: harmless to a JSON reader, not to `cat`.
_INVISIBLE = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")


def grades_jsonl(grades: Sequence[Grade]) -> str:
    """One line per grade, sorted by student and assignment; the fields are those of docs/grade-format.md.

    Points have two decimals; a score that is held or missing is null. Lone surrogates become U+FFFD.
    """
    ordered = sorted(grades, key=lambda grade: (grade.student, grade.assignment))
    return "".join(f"{_line(_row(grade))}\n" for grade in ordered)


def _row(grade: Grade) -> dict[str, Any]:
    return {
        "student": grade.student,
        "assignment": grade.assignment,
        "submission": grade.path,
        "status": grade.status,
        "score": _points(grade.score),
        "score_so_far": _points(grade.score_so_far),
        "max_score": _points(grade.max_score),
        "exercises": [_exercise(exercise) for exercise in grade.exercises],
        "notes": list(grade.notes),
    }


def _exercise(exercise: ExerciseGrade) -> dict[str, Any]:
    found = exercise.diagnosis
    return {
        "id": exercise.id,
        "kind": exercise.kind,
        "verdict": exercise.verdict,
        "score": _points(exercise.score),
        "max_score": _points(exercise.max_score),
        "diagnosis": None if found is None else {"kind": found.kind, "misconceptions": list(found.misconceptions)},
        "message": exercise.message,
    }


def _points(points: Decimal | None) -> Decimal | None:
    return None if points is None else in_cents(points)


def _line(row: dict[str, Any]) -> str:
    text = _ENCODER.encode(_encodable(row)).decode()
    return _INVISIBLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def _encodable(thing: Any) -> Any:
    if isinstance(thing, str):
        return _SURROGATE.sub("\ufffd", thing)
    if isinstance(thing, dict):
        return {name: _encodable(value) for name, value in thing.items()}
    if isinstance(thing, list):
        return [_encodable(item) for item in thing]
    return thing
