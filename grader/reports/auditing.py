"""The answer of `grade audit`: what each question cannot see or tell apart, as plain lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.records import Audit, Finding
from grader.reports.summary import wrapped
from grader.reports.words import counted


def audit_lines(audit: Audit) -> Iterator[str]:
    """All that there is to say of one exercise: its state, and each finding with its cure and the author's reason."""
    yield from wrapped(f"{audit.exercise} (line {audit.line}): {_state(audit)}", "  ")
    for finding in audit.findings:
        yield from wrapped(finding.text, "    ", hang="")
        if finding.cure:
            yield from wrapped(finding.cure, "      ", hang="")
        if finding.open and finding.sides:
            yield from wrapped(_excuse(finding), "      ", hang="")
        if finding.reason:
            yield from wrapped(f"Your reason: {finding.reason}", "      ", hang="")
    if audit.nearest:
        yield from wrapped(audit.nearest, "    ", hang="")


def verdict_lines(audits: Iterable[Audit]) -> Iterator[str]:
    """How many questions pass, and what is to be done for the others."""
    audits = list(audits)
    open_ = [audit for audit in audits if _open(audit)]
    passing = len(audits) - len(open_)
    yield from wrapped(f"{counted(passing, 'question passes', 'questions pass')}, {len(open_)} need you.")
    if open_:
        yield from wrapped(
            "Change their numbers or programs as proposed, or write why they are asked all the same: "
            'blind_to={"belief-id": "reason"}; the ids stand in docs/misconceptions.md.'
        )


def _excuse(finding: Finding) -> str:
    names = [f'"{name}"' for name in finding.sides]
    which = "" if len(names) == 1 else "one of " if len(names) == 2 else "all but one of "
    return f"To ask it all the same, write a reason in blind_to for {which}{', '.join(names)}."


def _state(audit: Audit) -> str:
    todo = _open(audit)
    excused = sum(1 for finding in audit.findings if finding.reason)
    shows = f"{counted(audit.beliefs, 'known belief')} would show, {audit.apart} by an answer that no other gives"
    if todo:
        return f"NEEDS YOU, {counted(len(todo), 'finding')} without a reason; {shows}"
    return f"passes{', with a written reason' if excused else ''}; {shows}"


def _open(audit: Audit) -> list[Finding]:
    return [finding for finding in audit.findings if finding.open]
