"""What was asked of a notebook, as digests: while they are the same, what came back still answers it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec

from grader.records import Execution, Run

WHOLE = "the notebook"
Asked = tuple[tuple[str, str], ...]


def asked(run: Run) -> Asked:
    """(what, digest) of the cells with files and limits, of each answer that is captured, and of each case."""
    whole = (WHOLE, _digest([[cell.index, cell.source] for cell in run.cells], run.files, run.limits, run.seed))
    answers = [(f"{name} of cell {cell.index}", "") for cell in run.cells for name in cell.answers]
    cases = [(each.id, _digest(each.subject, each.program, each.arguments)) for each in run.probes]
    return (whole, *answers, *cases)


def still_answers(before: Asked, run: Run) -> bool:
    """Whether all that `run` asks was asked before, in the same way."""
    return set(asked(run)) <= set(before)


def unanswered(before: Asked, run: Run) -> list[str]:
    """What `run` asks and was not asked before, by name."""
    known = set(before)
    return [what for what, digest in asked(run) if (what, digest) not in known]


def came_back(execution: Execution | None) -> bool:
    """Whether there is anything to judge again: a run that our own fault ended is none."""
    return execution is not None and execution.fault is None


def _digest(*things: object) -> str:
    return hashlib.sha256(msgspec.json.encode(_plain(things))).hexdigest()[:16]


def _plain(things: Iterable[object]) -> list[object]:
    return [msgspec.to_builtins(each) for each in things]
