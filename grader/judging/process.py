"""The process of the worker, as the grader holds it: pipes, a deadline for each answer, an end that leaves nothing."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from typing import IO

import msgspec

from grader import processes
from grader.errors import GraderFault, ReferenceFault
from grader.judging.wire import ChannelClosed, DeadlinePassed, Ready, Reply, Request, receive, send

BOOT_SECONDS = 180.0
END_SECONDS = 10.0
# SIGKILL, SIGTERM, SIGHUP: by number, since Windows, where a student checks a notebook, has not got all the names.
_FROM_OUTSIDE = (-9, -15, -1)

# Not `-m`: the worker must find exactly the modules that this process finds, however it came by its path.
_START = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from grader.judging import keeper
keeper.main(int(sys.argv[2]))
from grader.judging import worker
worker.main()
"""
# In the environment of the worker and of all that it starts.
_MARK = "AUTOGRAD_GRADER_REFERENCE"


class Lost(GraderFault):
    """The worker hung or died during a request; the message is a clause.

    `from_outside`: it was ended by a signal that no program gets for what it does itself.
    """

    def __init__(self, what: str, from_outside: bool = False) -> None:
        super().__init__(what)
        self.from_outside = from_outside


class WorkerProcess:
    """One process and its two pipes."""

    def __init__(self) -> None:
        self._mark = secrets.token_hex(8)
        self._booted = False
        with ExitStack() as undo:
            try:
                self._complaints: IO[bytes] = undo.enter_context(tempfile.TemporaryFile())
                theirs, self._lifeline = os.pipe()
                undo.callback(os.close, self._lifeline)
                with open(theirs, "rb", buffering=0):
                    self._process = self._start(theirs)
            except OSError as error:
                raise ReferenceFault(f"the reference worker could not be started: {error.strerror or error}") from error
            undo.pop_all()

    def _start(self, lifeline: int) -> subprocess.Popen[bytes]:
        path = json.dumps([entry for entry in sys.path if entry])
        return subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
            [sys.executable, "-P", "-c", _START, path, str(lifeline)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            env={**_environment(), _MARK: self._mark},
            pass_fds=[lifeline],
            bufsize=0,
            # Ctrl-C in a terminal reaches the grader alone, which then ends the worker.
            start_new_session=True,
        )

    def ask(self, request: Request) -> Reply:
        if not self._booted:
            self._boot()
        assert self._process.stdin is not None, "opened as a pipe"
        try:
            send(self._process.stdin.fileno(), request)
            return self._receive(time.monotonic() + request.seconds)
        except DeadlinePassed:
            raise Lost(f"it ran for more than {request.seconds:g} s and was stopped") from None
        except (ChannelClosed, msgspec.DecodeError):
            death = self._death()
            raise Lost(f"its process ended ({death})", self._process.returncode in _FROM_OUTSIDE) from None

    def _boot(self) -> None:
        try:
            ready = self._receive(time.monotonic() + BOOT_SECONDS)
        except DeadlinePassed:
            raise ReferenceFault(f"the reference worker did not start within {BOOT_SECONDS:g} s") from None
        except (ChannelClosed, msgspec.DecodeError):
            raise ReferenceFault(f"the reference worker did not start: {self._last_complaint()}") from None
        assert isinstance(ready, Ready), "a worker's first word"
        self._booted = True

    def _receive(self, deadline: float) -> Reply:
        assert self._process.stdout is not None, "opened as a pipe"
        return receive(self._process.stdout.fileno(), Reply, deadline)  # type: ignore[arg-type]

    def _death(self) -> str:
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            return "its channel broke"
        if code >= 0:
            return f"exit code {code}"
        return f"signal {-code}, {signal.strsignal(-code) or 'unknown'}"

    def _last_complaint(self) -> str:
        death = self._death()
        self._complaints.seek(0)
        lines = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else death

    def kill(self) -> None:
        """End the process and whatever it started; free its pipes. Harmless when called twice."""
        if self._lifeline < 0:
            return
        os.close(self._lifeline)
        self._lifeline = -1
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        if self._process.returncode in (None, *_FROM_OUTSIDE):
            # Its keeper had no time to end what descends from it.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            processes.kill_marked(f"{_MARK}={self._mark}")
            self._process.wait()
        # Last, so that a thread which waits for a reply sees its end, and not another file of the same number.
        for pipe in (self._process.stdin, self._process.stdout, self._complaints):
            if pipe is not None:
                pipe.close()


def _environment() -> dict[str, str]:
    """This process's environment, with everything in it pinned that could change a result."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONWARNINGS"}
    single = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {**kept, **single, "PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "Agg"}
