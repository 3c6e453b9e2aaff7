"""What the sandbox is sent of one submission: its cells, the names to capture after each, and the cases as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.records import (
    Assignment,
    Case,
    CellRun,
    Exercise,
    ProbeRun,
    PublicAssignment,
    PublicCase,
    Question,
    Run,
    Submission,
)


def probe_id(exercise: str, probe: str, case: int) -> str:
    """The name by which the outcome of a case comes back. `case` counts from 0, in the stored order of its probe."""
    return f"{exercise}/{probe}/{case}"


def scored_cases(exercise: Exercise) -> tuple[bool, ...]:
    """For every case of every probe, in stored order, whether its probe is worth points."""
    return tuple(
        bool(credit) for probe, credit in zip(exercise.probes, exercise.credit, strict=True) for _ in probe.cases
    )


def graded_run(submission: Submission, assignment: Assignment) -> Run:
    """What a grade is made from: every cell, and every case of what was answered."""
    return _run(submission, assignment, assignment.exercises)


def check_run(submission: Submission, public: PublicAssignment) -> Run:
    """What the self-check is made from: every cell, and the public cases of what was answered."""
    return _run(submission, public, public.questions)


def _run(
    submission: Submission, assignment: Assignment | PublicAssignment, asked: Sequence[Exercise] | Sequence[Question]
) -> Run:
    cells = {match.question: match.cell for match in submission.matches if match.state == "answered"}
    answered = [each for each in asked if cells.get(each.id) is not None]
    captures: dict[int | None, tuple[str, ...]] = {}
    for each in answered:
        cell = cells[each.id]
        captures[cell] = captures.get(cell, ()) + each.answers
    cases = [case for each in answered for case in _cases(each)]
    return Run(
        cells=tuple(CellRun(cell.index, cell.source, captures.get(cell.index, ())) for cell in submission.cells),
        # Hidden cases run last: a function that remembers what it was given cannot show it in a case that is shown.
        probes=tuple(run for case, run in sorted(cases, key=lambda each: _is_hidden(each[0]))),
        files=assignment.files,
        limits=assignment.limits,
    )


def _cases(asked: Exercise | Question) -> Iterator[tuple[Case | PublicCase, ProbeRun]]:
    for probe in asked.probes:
        cases: Sequence[Case | PublicCase] = probe.cases
        for number, case in enumerate(cases):
            name = probe_id(asked.id, probe.program.name, number)
            yield case, ProbeRun(name, asked.id, probe.program, case.arguments)


def _is_hidden(case: Case | PublicCase) -> bool:
    return isinstance(case, Case) and case.origin == "hidden"
