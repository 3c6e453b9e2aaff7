"""GitHub Actions: annotations on standard output and the job's summary. No text in them can issue a command."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from grader.exports.door import short
from grader.exports.options import MISSING
from grader.exports.seam import Exported, Given, Roll
from grader.exports.standing import WHY, feedback, points, standing
from grader.records import Grade, show_points
from grader.reports.escape import md

OPTIONS = {**MISSING, "root": "FOLDER: that was graded, as seen from the repository, for annotations to point to"}
# What GitHub shows of one level in one step.
MOST = 10
LARGEST_SUMMARY = 1024 * 1024
MAX_MESSAGE = 500
# Verdict -> (how important, level), the most important first.
_LEVELS = {
    "grader_fault": (0, "error"),
    "could_not_run": (1, "error"),
    "wrong": (2, "error"),
    "needs_person": (3, "warning"),
    "partly_right": (4, "warning"),
    "not_answered": (5, "notice"),
}


@dataclass(frozen=True, order=True)
class Annotation:
    """One annotation; the smallest are shown first."""

    rank: int
    level: str
    file: str
    title: str
    message: str

    def command(self) -> str:
        """The line that issues it."""
        properties = [
            f"{name}={_property(text)}" for name, text in (("file", self.file), ("title", self.title)) if text
        ]
        return f"::{self.level} {','.join(properties)}::{_data(self.message)}\n"


def github(roll: Roll) -> Exported:
    """Annotations, printed, and `summary.md`, appended to the job's summary."""
    printed = "".join(each.command() for each in _within_limits(_annotations(roll)))
    summary = _summary(roll)
    given = [_given(roll, grade) for grade in roll.grades]
    return Exported({"summary.md": summary}, tuple(given), printed=printed, appended={"GITHUB_STEP_SUMMARY": summary})


def _given(roll: Roll, grade: Grade) -> Given:
    why = "" if standing(grade) == "decided" else f"; {WHY[standing(grade)]}"
    return Given(grade.student, grade.assignment, points(roll, grade), f"a line of the summary{why}")


def _annotations(roll: Roll) -> Iterator[Annotation]:
    root = roll.options.get("root", "").rstrip("/")
    for grade in roll.grades:
        file = "/".join(each for each in (root, short(grade.path or "", 500)) if each)
        who = short(grade.student, 60)
        if standing(grade) == "refused":
            yield Annotation(1, "error", file, f"{who}: refused", short(" ".join(grade.notes), MAX_MESSAGE))
        elif grade.status != "missing":
            for each in grade.exercises:
                if each.verdict in _LEVELS:
                    rank, level = _LEVELS[each.verdict]
                    text = short(each.message or each.verdict.replace("_", " "), MAX_MESSAGE)
                    yield Annotation(rank, level, file, f"{who}: {short(each.id, 60)}", text)


def _within_limits(annotations: Iterator[Annotation]) -> list[Annotation]:
    """At most ten of each level; the last one counts those that are left out."""
    levels: dict[str, list[Annotation]] = defaultdict(list)
    for each in sorted(annotations):
        levels[each.level].append(each)
    shown = []
    for level, own in levels.items():
        if len(own) > MOST:
            left = len(own) - MOST + 1
            own = [*own[: MOST - 1], Annotation(9, level, "", f"{left} more", f"{left} more of these: see the summary")]
        shown += own
    return shown


def _summary(roll: Roll) -> bytes:
    """Markdown within GitHub's limit: whole lines, and how many are left out."""
    lines = ["## Grades", "", "| student | assignment | points | of | |", "|---|---|--:|--:|---|"]
    lines += [_row(roll, grade) for grade in roll.grades]
    for grade in roll.grades:
        remarks = feedback(grade)
        if remarks:
            lines += ["", f"### {_md(grade.student, 100)}: {_md(grade.assignment, 100)}", ""]
            lines += [f"- {_md(each)}" for each in remarks]
    kept: list[str] = []
    size = 100
    for each in lines:
        size += len(each.encode()) + 1
        if size > LARGEST_SUMMARY:
            kept += ["", f"{len(lines) - len(kept)} more lines are left out: GitHub shows no more."]
            break
        kept.append(each)
    return ("\n".join(kept) + "\n").encode()


def _row(roll: Roll, grade: Grade) -> str:
    number = points(roll, grade)
    shown = "" if number is None else show_points(number)
    why = "" if standing(grade) == "decided" else WHY[standing(grade)]
    cells = (_md(grade.student, 100), _md(grade.assignment, 100), shown, show_points(grade.max_score), why)
    return f"| {' | '.join(cells)} |"


def _md(text: str, most: int = 1_000) -> str:
    return md(short(text, most))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
