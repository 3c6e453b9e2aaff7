"""The student's self-check: what can be said from the public half of an assignment, and plainly what cannot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias

from grader.answers import compare, compare_answer
from grader.judging.planning import probe_id
from grader.judging.wording import cell_trouble, no_result
from grader.records import (
    Blank,
    CheckLine,
    Execution,
    Items,
    Limits,
    Match,
    PublicAssignment,
    Question,
    Raised,
    Returned,
    SelfCheck,
    Submission,
    Text,
    Unreadable,
    Value,
    show,
)

_State: TypeAlias = Literal["recorded", "passes", "fails", "not_answered", "could_not_run"]
_Line: TypeAlias = Callable[[_State, str], CheckLine]


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
        lines=tuple(_line(each, matches[each.id], execution, public.limits) for each in public.questions),
        answers=answers,
        notes=(*submission.notes, *execution.notes),
    )


def _line(question: Question, match: Match, execution: Execution, limits: Limits) -> CheckLine:
    def line(state: _State, message: str) -> CheckLine:
        return CheckLine(question.id, question.points, state, message)

    if match.state == "missing":
        return line("not_answered", "no cell for it was found")
    if match.state == "untouched":
        return line("not_answered", "the cell is as it was released")
    if match.state == "changed":
        return line("recorded", "the question has changed since this notebook was released: get the new one")
    cell = next((each for each in execution.cells if each.index == match.cell), None)
    if cell is None:
        return line("could_not_run", "its cell was not run")
    if cell.outcome != "ok":
        return line("could_not_run", cell_trouble(cell, execution, limits))
    if question.kind == "implement":
        return _public_cases(question, execution, line)
    return _recorded(question, dict(execution.answers), line)


def _recorded(question: Question, answers: dict[str, Value], line: _Line) -> CheckLine:
    for name in question.answers:
        value = answers.get(name)
        if value is None:
            return line("fails", f"the cell never assigns {name}")
        if isinstance(value, Blank):
            return line("not_answered", f"{name} is still ...")
        if isinstance(value, Unreadable):
            return line("fails", f"{name} cannot be read as an answer: {value.reason}")
        trouble = _form(question, value)
        if trouble:
            return line("fails", f"{name} cannot be right in this form. {trouble}")
    return line("recorded", ", ".join(f"{name} = {show(answers[name])}" for name in question.answers))


def _form(question: Question, value: Value) -> str:
    """What is wrong with an answer whatever the key is: the form that its kind of question asks for; "" if nothing."""
    options = [option for option, _ in question.options]
    # Any key of the right kind serves: only what is said of the form is used.
    some_key: dict[str, Value] = {
        "order": Items("list", ()),
        "raises": Text("RuntimeError"),
        "choice": Text(options[0] if options else ""),
    }
    if question.kind not in some_key:
        return "Numbers are asked: write them without quotes." if isinstance(value, Text) else ""
    comparison = compare_answer(question.kind, value, some_key[question.kind], options)
    return comparison.message if comparison.reason in ("not_a_list", "not_a_name", "not_an_option") else ""


def _public_cases(question: Question, execution: Execution, line: _Line) -> CheckLine:
    given = {report.id: report.outcome for report in execution.probes}
    count = 0
    for probe in (each for each in question.probes if each.points):
        for number, case in enumerate(probe.cases):
            count += 1
            got = given.get(probe_id(question.id, probe.program.name, number))
            where = f"with {_pretty(case.arguments)}"
            if isinstance(got, Raised):
                return line("fails", f"{where}: it raised {got.exception}: {got.message}")
            if not isinstance(got, Returned):
                return line("fails", f"{where}: it {no_result(got) if got else 'was not tried'}")
            if isinstance(case.expected, Returned):
                comparison = compare(got.value, case.expected.value, question.tolerance)
                if not comparison.right:
                    return line("fails", f"{where}: {comparison.message}")
    if count == 0:
        return line("recorded", "defined; it has no public case to try")
    return line("passes", f"{count} public case{'s' if count > 1 else ''} right; others are tried when it is graded")


def _pretty(arguments: str) -> str:
    return arguments.strip("{}") or "no arguments"
