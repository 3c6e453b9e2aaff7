"""Printing for people: a summary in colour on a terminal, plain lines anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from rich.console import Console
from rich.text import Text

from grader.records import Audit, CheckLine, ClassWork, Grade, PublicAssignment, SelfCheck, count_points, show
from grader.reports.auditing import audit_lines, verdict_lines
from grader.reports.escape import line
from grader.reports.summary import plain_lines, show_student, styled_lines, wrapped
from grader.reports.words import counted

MAX_WIDTH = 120
_STATES = {
    "recorded": "recorded",
    "passes": "passes",
    "fails": "FAILS",
    "not_answered": "NOT ANSWERED",
    "could_not_run": "COULD NOT RUN",
}


def print_summary(
    grades: Sequence[Grade],
    work: ClassWork,
    output: str,
    confinement: str,
    reused: int = 0,
    console: Console | None = None,
) -> None:
    """The end of `grade PATH...`: a row per student and assignment, odd files once, how it ended."""
    screen = console or Console(highlight=False)
    if not screen.is_terminal:
        _write(screen, plain_lines(grades, work, output, confinement, reused))
        return
    for text, style in styled_lines(grades, work, output, confinement, reused, max(40, min(screen.width, MAX_WIDTH))):
        # Text and not str: a student's name is no markup.
        screen.print(Text(text, style), no_wrap=True, overflow="ignore", crop=False)


def print_student(
    grades: Sequence[Grade], assignments: Mapping[str, PublicAssignment], console: Console | None = None
) -> None:
    """The answer of `grade show STUDENT`."""
    _write(console or Console(highlight=False), show_student(grades, assignments))


def print_check(check: SelfCheck, console: Console | None = None) -> None:
    """The answer of `grade check NOTEBOOK`: what each question's state is, what was not checked, the receipt."""
    _write(console or Console(highlight=False), list(check_lines(check)))


def print_audit(assignment: str, audits: Sequence[Audit], console: Console | None = None) -> None:
    """The answer of `grade audit` on one assignment."""
    _write(
        console or Console(highlight=False), [assignment, *(row for each in audits for row in audit_lines(each)), ""]
    )


def print_audit_verdict(audits: Sequence[Audit], console: Console | None = None) -> None:
    """The end of `grade audit`: how many questions of all assignments pass."""
    _write(console or Console(highlight=False), list(verdict_lines(audits)))


def check_lines(check: SelfCheck) -> Iterator[str]:
    """The self-check as plain lines."""
    yield from wrapped(f"{check.title} ({check.path})")
    yield from (row for note in check.notes for row in wrapped(f"Note: {note}", "  "))
    yield ""
    for each in check.lines:
        yield from wrapped(f"{each.question} ({_worth([each])}): {_STATES[each.state]}. {each.message}", "  ")
    yield ""
    yield from (row for sentence in _unchecked(check.lines) for row in wrapped(sentence))
    yield ""
    yield "Receipt: SHA-256 of the file"
    yield f"  {line(check.sha256)}"
    for name, value in check.answers:
        yield from wrapped(f"{name} = {show(value)}", "  ")


def _unchecked(lines: Sequence[CheckLine]) -> Iterator[str]:
    """Plainly, how many points are at stake, and what of them nobody has looked at."""
    troubled = [each for each in lines if each.state in ("fails", "not_answered", "could_not_run")]
    recorded = [each for each in lines if each.state == "recorded"]
    passes = [each for each in lines if each.state == "passes"]
    if troubled:
        need = counted(len(troubled), "question needs", "questions need")
        yield f"{need} your attention ({_worth(troubled)})."
    if recorded:
        yield f"Not checked here: whether the recorded answers are right ({_worth(recorded)})."
    if passes:
        yield (f"Checked on the public cases alone ({_worth(passes)}): other cases are tried when it is graded.")


def _worth(lines: Sequence[CheckLine]) -> str:
    return count_points(sum((each.points for each in lines), Decimal(0)))


def _write(screen: Console, lines: Sequence[str]) -> None:
    encoding = getattr(screen.file, "encoding", None) or sys.getdefaultencoding()
    for each in lines:
        # A terminal that knows ASCII alone gets question marks, not a crash after an hour of grading.
        screen.file.write(each.encode(encoding, "replace").decode(encoding) + "\n")
