"""gradebook -> everything that is read: pages, tables, lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from grader import exports, files, reports
from grader.records import Grade, PublicAssignment, Student

T = TypeVar("T")

# What is written is sought by these; what is found and was not written is no rendering of the gradebook any more.
PATTERNS = ("feedback/*/*.html", "feedback/*/*.md", "class.html", "gradebook*.csv", "grades.jsonl")

UNFINISHED = "UNFINISHED.txt"
UNFINISHED_TEXT = """\
A run of `grade` into this folder has begun and has not ended.

Pages and tables here are those of the last run that ended, if there was one. What has been decided since is safe in
gradebook.db (`grade show STUDENT`). If no `grade` is running now, the last one was stopped: run the same command again.
It does only the rest, and takes this file away.
"""


def mark_unfinished(output: Path) -> None:
    """Say in the folder of results that they are not those of the run that has begun; `render` takes that back."""
    files.sweep(output)
    files.write(output / UNFINISHED, UNFINISHED_TEXT)


def render(
    output: Path,
    grades: tuple[Grade, ...],
    assignments: dict[str, PublicAssignment],
    roster: Sequence[Student] = (),
) -> list[str]:
    """Write everything that is a rendering of the gradebook, and take away what no longer is.

    Tables come last, so that a program which waits for them finds all else in place.

    Args:
        roster: students of whom more is known than how their files are called.

    Returns: what could not be made, a line each. Its older version is taken away: it would pass for the new one.
    """
    faults: list[str] = []
    texts: dict[str, str] = {}
    makers = _made("feedback/", lambda: reports.page_makers(grades, assignments), faults)
    for name, make in makers.items():
        texts |= _made(name, lambda name=name, make=make: {name: make()}, faults)  # type: ignore[misc]
    texts |= _made("gradebook.csv", lambda: exports.gradebook_csv(grades, assignments, roster), faults)
    texts |= _made("grades.jsonl", lambda: {"grades.jsonl": exports.grades_jsonl(grades)}, faults)
    files.write_together(output, texts)
    written = {output / name for name in texts}
    found = (path for pattern in PATTERNS for path in sorted(output.glob(pattern)))
    files.remove([path for path in found if path not in written])
    files.remove([output / UNFINISHED])
    return faults


def _made(name: str, make: Callable[[], dict[str, T]], faults: list[str]) -> dict[str, T]:
    try:
        return make()
    except Exception as error:  # noqa: BLE001 - whatever it is, the other pages are written
        faults.append(f"{name} could not be made: {type(error).__name__}: {error}; the grades are in gradebook.db")
        return {}
