"""A sandbox without a process, for tests of other stages: same seam, plain `exec`. Never for a stranger's notebook."""

from __future__ import annotations

import contextlib
import io
import traceback
from typing import Any

from grader.program import capture, run_probe
from grader.records import (
    CellReport,
    CellRun,
    Execution,
    NotRun,
    Outcome,
    Output,
    ProbeReport,
    ProbeRun,
    Run,
    StudentError,
    Value,
)


class InProcessSandbox:
    """Runs cells and probes right here. No limits, no IPython, no isolation; a cell that hangs hangs the test."""

    confinement = "in-process"

    def __init__(self, jobs: int = 1) -> None:
        self.runs: list[Run] = []

    def __enter__(self) -> InProcessSandbox:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def admit(self, limits):
        """Everything is."""

    def run(self, run: Run) -> Execution:
        """As `ForkingSandbox.run`; what was asked is kept in `runs`."""
        self.runs.append(run)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        subjects: dict[str, object] = {}
        answers: dict[str, Value] = {}
        cells = []
        for cell in run.cells:
            report = _run_cell(cell, namespace, run.limits.output_bytes)
            cells.append(report)
            for name in cell.answers if report.outcome == "ok" else ():
                if name in namespace:
                    subjects[name] = namespace[name]
                    answers[name] = capture(namespace[name], run.limits.answer_bytes)
        probes = tuple(ProbeReport(probe.id, _probe(probe, subjects, run)) for probe in run.probes)
        return Execution(tuple(cells), tuple(answers.items()), probes)


def _run_cell(cell: CellRun, namespace: dict[str, Any], output_bytes: int) -> CellReport:
    printed = io.StringIO()
    error = None
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(cell.source, f"<cell {cell.index + 1}>", "exec"), namespace)
        except BaseException as raised:  # noqa: BLE001 - a cell may raise anything
            error = _describe(raised, cell)
    text = printed.getvalue()
    output = Output(text[:output_bytes], max(len(text) - output_bytes, 0))
    return CellReport(cell.index, "ok" if error is None else "raised", error, output)


def _describe(raised: BaseException, cell: CellRun) -> StudentError:
    own = [frame for frame in traceback.extract_tb(raised.__traceback__) if frame.filename.startswith("<cell ")]
    line = raised.lineno if isinstance(raised, SyntaxError) else own[-1].lineno if own else None
    lines = cell.source.split("\n")
    source = lines[line - 1] if line is not None and line <= len(lines) else ""
    name = type(raised).__name__
    return StudentError(
        name, str(raised), line, source, f"this cell, line {line}\n    {source.strip()}\n{name}: {raised}"
    )


def _probe(probe: ProbeRun, subjects: dict[str, object], run: Run) -> Outcome:
    if probe.subject not in subjects:
        return NotRun("no_subject", f"the notebook defines no {probe.subject!r}")
    with contextlib.redirect_stdout(io.StringIO()):
        return run_probe(probe.program, subjects[probe.subject], probe.arguments, run.limits.answer_bytes)
