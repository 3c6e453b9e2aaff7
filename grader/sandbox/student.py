"""The main program of a forked process: one student's cells and probes, and nothing that is worth reading."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import warnings
from typing import NoReturn

import msgspec

from grader import processes
from grader.program import capture, run_probe
from grader.program.describing import class_name, raised
from grader.records import NotRun, Outcome, ProbeRun, Raised, Unreadable, Value
from grader.sandbox.budget import Budget
from grader.sandbox.confinement.applying import Confinement, apply, environment
from grader.sandbox.confinement.level import Level
from grader.sandbox.confinement.trial import Trial, Tried, try_all
from grader.sandbox.failures import (
    no_memory_message,
    out_of_memory,
    student_error,
)
from grader.sandbox.restoring import Originals, reset_torch, seed
from grader.sandbox.shell import StudentShell
from grader.sandbox.wire import (
    CHANNEL,
    Answer,
    CellEnded,
    Event,
    ForkRequest,
    Job,
    JobCell,
    ProbeEnded,
    Ready,
    encode,
    frame,
    max_frame,
    receive,
)

# Exit status where the channel was closed under us, or our own code failed.
OWN_FAILURE = 70


def main(
    descriptor: int,
    parent: int,
    request: ForkRequest,
    confinement: Confinement,
    shell: StudentShell,
    originals: Originals,
) -> NoReturn:
    """Never returns: the process ends here.

    Args:
        descriptor: the channel to the grader.
        parent: the warm process's id, as this process sees it.
        request: this process's own folder, its limits, and whether it is a trial.
        confinement: what it takes on before the first cell.
        shell: made in the warm process.
        originals: taken in the warm process.
    """
    try:
        channel = _detach(descriptor, parent, request.scratch)
        if request.trial is not None:
            channel.sendall(frame(_tried(request.trial, request, confinement, parent)))
        else:
            job = receive(channel, Job)
            budget = Budget(request.limits)
            budget.enforce()
            reset_torch()
            seed(job.seed)
            apply(confinement, request.slot, request.scratch, request.limits, parent)
            _Student(channel, job, budget, shell, originals).serve(confinement.level)
        status = 0
    except BaseException:  # noqa: BLE001 - there is nobody left to tell
        status = OWN_FAILURE
    # No atexit handler, finaliser or thread of the student's gets another turn.
    os._exit(status)


def _detach(descriptor: int, parent: int, scratch: str) -> socket.socket:
    """Keep the channel and nothing else of the warm process's: signals, session, descriptors, directory."""
    os.setsid()
    processes.die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.dup2(descriptor, CHANNEL, inheritable=False)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.closerange(3, CHANNEL)
    os.closerange(CHANNEL + 1, 1 << 20)
    os.chdir(scratch)
    own = environment(os.environ, scratch)
    os.environ.clear()
    os.environ.update(own)
    tempfile.tempdir = None
    # Last, so that no file of the student's hides a module of the library.
    sys.path.append(scratch)
    return socket.socket(fileno=CHANNEL)


def _tried(trial: Trial, request: ForkRequest, confinement: Confinement, parent: int) -> Tried:
    baited = msgspec.structs.replace(confinement, readable=(*confinement.readable, trial.readable_bait))
    try:
        apply(baited, request.slot, request.scratch, request.limits, parent)
    except OSError as error:
        return Tried((), (f"take on the confinement ({error.strerror or error})",))
    return try_all(trial, request.scratch)


class _Student:
    def __init__(
        self, channel: socket.socket, job: Job, budget: Budget, shell: StudentShell, originals: Originals
    ) -> None:
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
