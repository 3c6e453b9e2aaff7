"""The student's self-check: what can be said from the public half of an assignment, and plainly what cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from grader.answers import compare
from grader.records import (
    Blank,
    CellReport,
    CellRun,
    CheckLine,
    Execution,
    Match,
    ProbeRun,
    PublicAssignment,
    Question,
    Raised,
    Returned,
    Run,
    SelfCheck,
    Submission,
    Unreadable,
    Value,
    show,
)

_State: TypeAlias = Literal["recorded", "passes", "fails", "not_answered", "could_not_run"]
_Line: TypeAlias = Callable[[_State, str], CheckLine]


def check_plan(submission: Submission, public: PublicAssignment) -> Run:
    """What the self-check runs: every cell, and the public cases alone."""
    cells = {match.question: match.cell for match in submission.matches if match.state == "answered"}
    captured: dict[int, tuple[str, ...]] = {}
    for question in public.questions:
        cell = cells.get(question.id)
        if cell is not None:
            captured[cell] = captured.get(cell, ()) + question.answers
    return Run(
        cells=tuple(CellRun(cell.index, cell.source, captured.get(cell.index, ())) for cell in submission.cells),
        probes=tuple(
            ProbeRun(f"{question.id}/{probe.program.name}/{number}", question.id, probe.program, case.arguments)
            for question in public.questions
            if cells.get(question.id) is not None
            for probe in question.probes
            for number, case in enumerate(probe.cases)
        ),
        files=public.files,
        limits=public.limits,
    )


def self_check(submission: Submission, execution: Execution, public: PublicAssignment) -> SelfCheck:
    """One line per question; no line says "right": only the graded run can."""
    matches = {match.question: match for match in submission.matches}
    asked = [name for question in public.questions if question.kind != "implement" for name in question.answers]
    answers = tuple((name, value) for name, value in execution.answers if name in asked)
    return SelfCheck(
        assignment=public.name,
        title=public.title,
        path=submission.path,
        sha256=submission.sha256,
        lines=tuple(_line(question, matches[question.id], execution) for question in public.questions),
        answers=answers,
        notes=(*submission.notes, *execution.notes),
    )


def _line(question: Question, match: Match, execution: Execution) -> CheckLine:
    def line(state: _State, message: str) -> CheckLine:
        return CheckLine(question.id, question.points, state, message)

    if match.state == "missing":
        return line("not_answered", "no cell for it was found")
    if match.state == "untouched":
        return line("not_answered", "not answered yet")
    if match.state == "changed":
        return line("recorded", "the question has changed since this notebook was released: get the new one")
    cell = next((each for each in execution.cells if each.index == match.cell), None)
    if cell is None or cell.outcome != "ok":
        return line("could_not_run", _trouble(cell))
    if question.kind == "implement":
        return _public_cases(question, execution, line)
    return _recorded(question, dict(execution.answers), line)


def _trouble(cell: CellReport | None) -> str:
    if cell is None:
        return "its cell was not run"
    if cell.error is not None:
        where = f" in line {cell.error.line}: {cell.error.source_line.strip()}" if cell.error.line else ""
        return f"its cell raises {cell.error.type}{where}"
    return {
        "timed_out": "its cell does not come to an end in the time allowed",
        "out_of_memory": "its cell needs more memory than is allowed",
        "not_reached": "an earlier cell ended the run before this one",
    }.get(cell.outcome, "its cell ended the Python process")


def _recorded(question: Question, answers: dict[str, Value], line: _Line) -> CheckLine:
    for name in question.answers:
        value = answers.get(name)
        if value is None:
            return line("fails", f"the cell never assigns {name}")
        if isinstance(value, Blank):
            return line("not_answered", f"{name} is still ...")
        if isinstance(value, Unreadable):
            return line("fails", f"{name} cannot be read as an answer: {value.reason}")
    return line("recorded", ", ".join(f"{name} = {show(answers[name])}" for name in question.answers))


def _public_cases(question: Question, execution: Execution, line: _Line) -> CheckLine:
    given = {report.id: report.outcome for report in execution.probes}
    count = 0
    for probe in question.probes:
        for number, case in enumerate(probe.cases):
            count += 1
            got = given.get(f"{question.id}/{probe.program.name}/{number}")
            where = f"with {_pretty(case.arguments)}"
            if isinstance(got, Raised):
                return line("fails", f"{where}: raises {got.exception}: {got.message}")
            if not isinstance(got, Returned):
                return line("fails", f"{where}: did not finish" if got else f"{where}: was not tried")
            if isinstance(case.expected, Returned):
                comparison = compare(got.value, case.expected.value, question.tolerance)
                if not comparison.right:
                    return line("fails", f"{where}: {comparison.message}")
    if count == 0:
        return line("recorded", "defined; it has no public case to try")
    return line("passes", f"{count} public case{'s' if count > 1 else ''} right; others are tried when it is graded")


def _pretty(arguments: str) -> str:
    return arguments.strip("{}") or "no arguments"
