"""What is odd about files, for the terminal: each file once, and what many share in one line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.records import ClassWork, Grade
from grader.reports.escape import line
from grader.reports.words import counted

MAX_ODD = 40
FEWEST_ALIKE = 3
MOST_NAMED = 3

_CELLS = re.compile(r" \(cells? [\d, and more]+\)")
_QUESTIONS = re.compile(r"^\d+ questions? (?:was|were) ")


def odd_lines(grades: Sequence[Grade], work: ClassWork) -> list[str]:
    """A line for each odd file: what is odd about it, and what was done; one line for what three or more share."""
    found = _remarks(grades, work)
    alike: dict[str, dict[str, str]] = {}
    for path, remarks in found.items():
        for remark in remarks:
            alike.setdefault(_kind(remark), {}).setdefault(path, remark)
    shared = {kind: members for kind, members in alike.items() if len(members) >= FEWEST_ALIKE}
    rows = [_shared(kind, members) for kind, members in sorted(shared.items())]
    for path, remarks in sorted(found.items()):
        own = [remark for remark in remarks if _kind(remark) not in shared]
        rows += [f"{path}: {_sentences(own)}"] if own else []
    more = len(rows) - MAX_ODD
    return rows if more <= 0 else [*rows[:MAX_ODD], f"... and {counted(more, 'more file')}; class.html has them all"]


def _remarks(grades: Sequence[Grade], work: ClassWork) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for refused in work.refused:
        found.setdefault(line(refused.path), []).append(f"not graded: {line(refused.reason)}")
    for undecided in work.undecided:
        both = " and ".join(line(path) for path in undecided.paths)
        found.setdefault(both, []).append(f"you decide which counts: {line(undecided.reason)}")
    for remark in work.remarks:
        found.setdefault(line(remark.path), []).append(line(remark.remark))
    refused_paths = {refused.path for refused in work.refused}
    for grade in grades:
        if grade.path is not None and grade.path not in refused_paths:
            for note in grade.notes:
                found.setdefault(line(grade.path), []).append(line(note))
    return found


def _kind(remark: str) -> str:
    """What a remark says, without the cells and counts of its own file."""
    return _QUESTIONS.sub("Questions were ", _CELLS.sub("", remark)).rstrip(".")


def _shared(kind: str, members: dict[str, str]) -> str:
    same = set(members.values())
    paths = sorted(members)
    named = paths[:MOST_NAMED]
    more = len(paths) - len(named)
    files = ", ".join(named) + (f" and {more} more" if more else "")
    return f"{len(paths)} files: {_sentences([same.pop() if len(same) == 1 else kind])} ({files})"


def _sentences(remarks: Sequence[str]) -> str:
    return " ".join(f"{remark.rstrip('.')}." for remark in dict.fromkeys(remarks))
