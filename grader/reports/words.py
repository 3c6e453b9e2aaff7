"""Verdicts, points and names in the words of a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, get_args

from grader.records import ExerciseGrade, Grade, Verdict, show_points


class VerdictWords(NamedTuple):
    """How one verdict is said: a sign and a badge (never colour alone), a word for tables."""

    verdict: Verdict
    sign: str
    badge: str
    short: str


_WORDS = (
    VerdictWords("right", "✓", "Right", "right"),
    VerdictWords("partly_right", "◐", "Partly right", "partly right"),
    VerdictWords("wrong", "✗", "Not right", "wrong"),
    VerdictWords("not_answered", "○", "Not answered", "unanswered"),
    VerdictWords("could_not_run", "!", "Could not run", "did not run"),
    VerdictWords("grader_fault", "…", "Not graded yet", "held by us"),
    VerdictWords("needs_person", "?", "A person decides", "yours to decide"),
)
VERDICTS: dict[str, VerdictWords] = {words.verdict: words for words in _WORDS}
assert set(VERDICTS) == set(get_args(Verdict))

REMARK = VerdictWords("partly_right", "✎", "A remark", "a remark")
"""What is said of a part that is worth no points and is not right."""


def counted(number: int, one: str, many: str = "") -> str:
    """`1 student`, `2 students`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def as_sentence(clause: str) -> str:
    """A clause with a capital letter and a full stop. Names in our clauses stand between backticks, so they stay."""
    text = clause.strip()
    return text and text[0].upper() + text[1:] + ("" if text[-1] in ".!?…" else ".")


def looked_at(grade: Grade) -> tuple[ExerciseGrade, ...]:
    """The exercises of a notebook that was there and could be read: of any other, none says anything."""
    return () if grade.status in ("missing", "refused") else grade.exercises


def tally(grade: Grade) -> list[tuple[VerdictWords, int]]:
    """How many exercises got each verdict that occurs, in the order of the verdicts."""
    return count_verdicts(exercise.verdict for exercise in looked_at(grade))


def count_verdicts(verdicts: Iterable[str]) -> list[tuple[VerdictWords, int]]:
    """How often each verdict that occurs does, in the order of the verdicts."""
    found = list(verdicts)
    return [(words, found.count(words.verdict)) for words in _WORDS if words.verdict in found]


def score_text(grade: Grade) -> str:
    """`7.5 / 10`, `2.5 / 10 so far`, `no notebook`, `not graded`: the score for a table."""
    if grade.score is not None:
        return f"{show_points(grade.score)} / {show_points(grade.max_score)}"
    if grade.status == "missing":
        return "no notebook"
    if grade.status == "refused":
        return "not graded"
    return f"{show_points(grade.score_so_far)} / {show_points(grade.max_score)} so far"
