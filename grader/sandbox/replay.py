"""What is known of a notebook across its attempts, and what the next attempt has to do. Pure: no process, no clock.

A cell that kills its process is left out of the next attempt; a probe that does so costs the rest of its subject's
probes. What arrived first stands: a replayed cell's report and answers are not asked for again. So a cell that has
learnt of a probe, by whatever way, has nothing left to say it in: each cell has its report before the first probe is
sent, and no probe is sent before those in front of it have their outcomes.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from grader.records import (
    CellReport,
    CellRun,
    Execution,
    NotRun,
    Outcome,
    ProbeReport,
    ProbeRun,
    Run,
    StudentError,
    Value,
)
from grader.sandbox.wire import Answer, BrokenChannelError, CellEnded, Event, Job, JobCell, ProbeEnded, Ready

Fatal: TypeAlias = Literal["timed_out", "out_of_memory", "died"]
UNFINISHED = "an earlier case did not finish"
TOO_OFTEN = "the notebook ended its process too often"
BROKEN = "the channel to the student's process broke"


class Attempts:
    """One notebook's state. Feed `event`, `fatal` and `cpu`; ask `next_job` until it gives None, then `execution`."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._cells: dict[int, CellReport] = {}
        self._answers: dict[tuple[int, str], Value] = {}
        self._probes: dict[str, Outcome] = {}
        self._left_out: set[int] = set()
        self._notes: list[str] = []
        self._stopped: str | None = None
        self._broken = False
        self._spared = False
        self._cpu = 0.0
        self.count = 0
        self._steps: list[JobCell | ProbeRun] = []
        self._staged: dict[str, Value] = {}
        self._ready = False

    def next_job(self) -> Job | None:
        """What the next process has to do; None when all is known or no attempt is left."""
        cells = [cell for cell in self._run.cells if cell.index not in self._left_out]
        probes = [probe for probe in self._run.probes if probe.id not in self._probes]
        unknown = [cell for cell in cells if cell.index not in self._cells]
        if self._stopped is not None or not (unknown or probes) or self.count > self._run.limits.replays:
            return None
        self.count += 1
        job = Job(tuple(map(self._job_cell, cells)), self._run.limits, self._run.seed)
        self._steps = [*job.cells, *probes]
        self._staged = {}
        self._ready = False
        return job

    def undone(self) -> None:
        """The attempt ended with the warm process: it does not count. What is known stands."""
        self.count -= 1

    def _job_cell(self, cell: CellRun) -> JobCell:
        return JobCell(cell.index, cell.source, cell.answers, known=cell.index in self._cells)

    @property
    def ready(self) -> bool:
        """Whether student code has begun to run in this attempt."""
        return self._ready

    @property
    def doing(self) -> JobCell | ProbeRun | None:
        """The step that the process is at; None once it has done all."""
        return self._steps[0] if self._steps else None

    def event(self, event: Event, cpu_seconds: float = 0.0) -> None:
        """Take one event of the process. Raises `BrokenChannelError` if it was not due.

        Args:
            event: what arrived.
            cpu_seconds: what the step that it ends has used.
        """
        step = self.doing
        if isinstance(event, Ready) and not self._ready:
            self._ready = True
        elif not self._ready or isinstance(event, Ready):
            raise BrokenChannelError("a message came before its turn")
        elif isinstance(event, Answer) and isinstance(step, JobCell) and event.cell == step.index and not step.known:
            self._stage(step, event)
        elif isinstance(event, CellEnded) and isinstance(step, JobCell) and event.cell == step.index:
            self._end_cell(step, event, cpu_seconds)
        elif isinstance(event, ProbeEnded) and isinstance(step, ProbeRun) and event.id == step.id:
            self._end_probe(step, event)
        else:
            raise BrokenChannelError("a message does not belong to what the process was told to do")

    def _stage(self, step: JobCell, event: Answer) -> None:
        if event.name not in step.answers or event.name in self._staged:
            raise BrokenChannelError("an answer came that was not asked for")
        self._staged[event.name] = event.value

    def _end_cell(self, step: JobCell, event: CellEnded, cpu_seconds: float) -> None:
        if event.outcome != "ok" and self._staged:
            raise BrokenChannelError("answers came from a cell that did not run to its end")
        if (event.error is None) != (event.outcome == "ok"):
            raise BrokenChannelError("a cell's error does not fit its outcome")
        if not step.known:
            self._cells[step.index] = CellReport(step.index, event.outcome, event.error, event.output, cpu_seconds)
            self._answers.update({(step.index, name): value for name, value in self._staged.items()})
        self._staged = {}
        self._steps.pop(0)

    def _end_probe(self, step: ProbeRun, event: ProbeEnded) -> None:
        outcome = event.outcome
        if isinstance(outcome, NotRun) and outcome.cause == "no_subject" and self._was_captured(step.subject):
            outcome = NotRun("skipped", "its cell did not run to the end when the notebook was run again")
        self._probes[step.id] = outcome
        self._steps.pop(0)

    def _was_captured(self, name: str) -> bool:
        return any(captured == name for _, captured in self._answers)

    def leave_out(self, index: int) -> None:
        """Run the cells after `index` again without it, although its process lives: it holds too much memory."""
        self._left_out.add(index)

    def fatal(self, cause: Fatal, reason: str, cpu_seconds: float = 0.0) -> None:
        """The process ended, or had to be ended, at the step that it was doing.

        Args:
            cause: what for.
            reason: a clause for a person that starts with "it".
            cpu_seconds: what that step had used.
        """
        step = self.doing
        if isinstance(step, JobCell):
            self._left_out.add(step.index)
            if not step.known:
                error = StudentError(_NAMES[cause], reason, None, "", "")
                self._cells[step.index] = CellReport(step.index, cause, error, cpu_seconds=cpu_seconds)
        elif isinstance(step, ProbeRun):
            self._probes[step.id] = NotRun(cause, reason)
            for other in self._run.probes:
                if other.subject == step.subject:
                    self._probes.setdefault(other.id, NotRun("skipped", UNFINISHED))

    def spared(self) -> bool:
        """The process was ended by a signal that comes from outside, as a rule: whether to try this step once more.

        If it was the notebook's own doing, or it needs more memory than there is, that happens again; if somebody or
        the kernel, short of memory, hit it by accident, it costs the student nothing.
        """
        if self._spared:
            return False
        self._spared = True
        self.count -= 1
        return True

    def broke(self, detail: str, cpu_seconds: float = 0.0) -> None:
        """The process sent something that is no message, at the step that it was doing."""
        self._broken = True
        # Once it knows a probe, the process may have chosen the detail (the length of a message, say) to tell of it.
        note = BROKEN if isinstance(self.doing, ProbeRun) else f"{BROKEN}: {detail}"
        if note not in self._notes:
            self._notes.append(note)
        self.fatal("died", BROKEN, cpu_seconds)

    def stop(self, reason: str) -> None:
        """No further attempt: what has not run by now does not run. `reason` completes "not run: "."""
        self._stopped = reason

    def used(self, cpu_seconds: float) -> None:
        """Add what one attempt has used."""
        self._cpu += cpu_seconds

    def execution(self) -> Execution:
        """All that is known; what did not run says so."""
        reason = self._stopped or TOO_OFTEN
        cells = [self._cells.get(cell.index, CellReport(cell.index, "not_reached")) for cell in self._run.cells]
        not_run: Outcome = NotRun("not_reached", reason)
        answers = {
            name: self._answers[cell.index, name]
            for cell in self._run.cells
            for name in cell.answers
            if (cell.index, name) in self._answers
        }
        return Execution(
            cells=tuple(cells),
            answers=tuple(answers.items()),
            probes=tuple(ProbeReport(probe.id, self._probes.get(probe.id, not_run)) for probe in self._run.probes),
            attempts=self.count,
            cpu_seconds=self._cpu,
            notes=tuple(self._notes + self._stop_notes(cells)),
            broken=self._broken,
        )

    def _stop_notes(self, cells: list[CellReport]) -> list[str]:
        missed = any(cell.outcome == "not_reached" for cell in cells) or any(
            probe.id not in self._probes for probe in self._run.probes
        )
        return [f"not all of the notebook was run: {self._stopped or TOO_OFTEN}"] if missed else []


_NAMES: dict[Fatal, str] = {"timed_out": "TimeLimit", "out_of_memory": "MemoryLimit", "died": "ProcessDied"}


def unfinished(run: Run, reason: str, attempts: int) -> Execution:
    """The execution of a notebook that ended the process around it, twice: whose fault that is, a person must see."""
    return Execution(
        cells=tuple(CellReport(cell.index, "not_reached") for cell in run.cells),
        probes=tuple(ProbeReport(probe.id, NotRun("not_reached", reason)) for probe in run.probes),
        attempts=attempts,
        notes=(reason,),
        broken=True,
    )
