"""What one student's notebook is run by, inside its process: cells, captured answers, probes, each told as an event.

Nothing here knows how the process came to be, nor on which system it runs.
"""

from __future__ import annotations

import os
import warnings
from typing import Protocol

from grader.program import capture, run_probe
from grader.program.describing import class_name, raised
from grader.records import NotRun, Outcome, ProbeRun, Raised, Unreadable, Value
from grader.sandbox.confinement.level import Level
from grader.sandbox.failures import no_memory_message, out_of_memory, student_error
from grader.sandbox.restoring import Originals, reset_torch, seed
from grader.sandbox.shell import StudentShell
from grader.sandbox.wire import (
    Answer,
    CellEnded,
    Event,
    Job,
    JobCell,
    ProbeEnded,
    Ready,
    encode,
    frame,
    max_frame,
    receive,
)


class Line(Protocol):
    """The process's end of the channel to the grader."""

    def sendall(self, data: bytes, /) -> None: ...

    def recv(self, count: int, /) -> bytes: ...


class Memory(Protocol):
    """What keeps some memory back for our own code; `sandbox.budget.Budget` is one that the kernel enforces."""

    def close_reserve(self) -> None: ...

    def open_reserve(self) -> None: ...

    def exhausted(self) -> bool: ...


class Student:
    """One notebook in this process. `serve` returns when the grader has no more to ask."""

    def __init__(self, channel: Line, job: Job, budget: Memory, shell: StudentShell, originals: Originals) -> None:
        self._channel = channel
        self._job = job
        self._budget = budget
        self._shell = shell
        self._originals = originals
        self._cap = max_frame(job.limits)
        self._pid = os.getpid()
        self._subjects: dict[str, object] = {}
        self._sources: dict[int, str] = {}

    def serve(self, level: Level) -> None:
        self._send(Ready(level))
        for cell in self._job.cells:
            self._run_cell(cell)
        while (probe := self._next_probe()) is not None:
            self._send(ProbeEnded(probe.id, self._probe(probe)))

    def _next_probe(self) -> ProbeRun | None:
        self._shell.discard_output()
        self._originals.restore()
        try:
            return receive(self._channel, ProbeRun)
        except EOFError:
            return None

    def _send(self, event: Event) -> None:
        self._channel.sendall(frame(event))

    def _run_cell(self, cell: JobCell) -> None:
        # Notebooks written on Windows; IPython splits lines at "\n" alone.
        source = cell.source.replace("\r\n", "\n").replace("\r", "\n")
        self._sources[cell.index] = source
        self._shell.start_output(self._job.limits.output_bytes)
        self._budget.close_reserve()
        try:
            error = self._shell.run(source, cell.index)
        except BaseException as broken:  # noqa: BLE001 - a student may have taken the shell apart
            error = broken
        if os.getpid() != self._pid:
            # A process that the cell forked, and that came back from it.
            os._exit(0)
        self._budget.open_reserve()
        if error is None:
            self._capture(cell)
            self._send(CellEnded(cell.index, "ok", None, self._shell.end_output()))
        else:
            self._send(self._failed(cell, error))

    def _failed(self, cell: JobCell, error: BaseException) -> CellEnded:
        no_memory = out_of_memory(error)
        described = student_error(error, cell.index, self._sources)
        # Frees what the frames of the traceback hold.
        error.__traceback__ = None
        error.__context__ = error.__cause__ = None
        return CellEnded(
            cell.index,
            "out_of_memory" if no_memory else "raised",
            described,
            self._shell.end_output(),
            exhausted=no_memory and self._budget.exhausted(),
        )

    def _capture(self, cell: JobCell) -> None:
        namespace = self._shell.user_ns
        for name in cell.answers:
            if name not in namespace:
                continue
            self._subjects[name] = namespace[name]
            if cell.known:
                continue
            answer = Answer(cell.index, name, _read(namespace[name], self._job.limits.answer_bytes))
            if len(encode(answer)) > self._cap:
                too_large = Unreadable(f"it is larger than {self._job.limits.answer_bytes} bytes")
                answer = Answer(cell.index, name, too_large)
            self._send(answer)

    def _probe(self, probe: ProbeRun) -> Outcome:
        if probe.subject not in self._subjects:
            return NotRun("no_subject", f"the notebook defines no {probe.subject!r}")
        reset_torch()
        seed(self._job.seed)
        self._budget.close_reserve()
        outcome = self._outcome(probe)
        if os.getpid() != self._pid:
            os._exit(0)
        self._budget.open_reserve()
        return self._small(probe, outcome)

    def _outcome(self, probe: ProbeRun) -> Outcome:
        with warnings.catch_warnings(), self._shell.builtin_trap:
            warnings.simplefilter("ignore")
            try:
                subject = self._subjects[probe.subject]
                outcome = run_probe(probe.program, subject, probe.arguments, self._job.limits.answer_bytes)
            except BaseException as error:  # noqa: BLE001 - SystemExit and its like do not end the process either
                outcome = raised(error)
        if not isinstance(outcome, Raised):
            return outcome
        if "MemoryError" in outcome.bases or no_memory_message(outcome.message):
            return NotRun("out_of_memory", f"it needed more than {self._job.limits.memory_mb} MB")
        return outcome

    def _small(self, probe: ProbeRun, outcome: Outcome) -> Outcome:
        if len(encode(ProbeEnded(probe.id, outcome))) <= self._cap:
            return outcome
        return Raised("ValueError", f"the result is larger than {self._job.limits.answer_bytes} bytes", ("ValueError",))


def _read(thing: object, max_bytes: int) -> Value:
    try:
        return capture(thing, max_bytes)
    except BaseException as error:  # noqa: BLE001 - the object may raise what only ends programs elsewhere
        return Unreadable(f"reading it raised {class_name(type(error))}")
