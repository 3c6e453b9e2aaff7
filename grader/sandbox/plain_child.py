"""The main program of a process that runs one's own notebook where nothing can be forked or confined.

    python -P -m grader.sandbox.plain_child FOLDER

The channel is its standard input and output; what the notebook prints goes elsewhere.
"""

from __future__ import annotations

import os
import sys

from grader.sandbox.restoring import Originals, reset_torch, seed
from grader.sandbox.serving import Student
from grader.sandbox.shell import make_shell
from grader.sandbox.warming import stub_notebook_check, warm_up
from grader.sandbox.wire import Job, receive


class Pipes:
    """The two ends of the channel, taken away from what they were."""

    def __init__(self) -> None:
        self._input, self._output = os.dup(0), os.dup(1)
        null = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(null, standard)
        if sys.platform == "win32":
            import msvcrt

            for end in (self._input, self._output):
                msvcrt.setmode(end, os.O_BINARY)

    def recv(self, count: int, /) -> bytes:
        return os.read(self._input, count)

    def sendall(self, data: bytes, /) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._output, rest) :]


class Unlimited:
    """No memory is kept back: there is no limit."""

    def close_reserve(self) -> None:
        pass

    def open_reserve(self) -> None:
        pass

    def exhausted(self) -> bool:
        return False


def main(folder: str) -> None:
    """Serve one notebook in `folder`."""
    pipes = Pipes()
    stub_notebook_check()
    shell = make_shell()
    warm_up(shell, thorough=False)
    originals = Originals()
    os.chdir(folder)
    # Last, so that no file of the student's hides a module of the library.
    sys.path.append(folder)
    job = receive(pipes, Job)
    reset_torch()
    seed(job.seed)
    Student(pipes, job, Unlimited(), shell, originals).serve("none")


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except BrokenPipeError:
        # The grader has what it wants.
        pass
    finally:
        # No atexit handler or thread of the notebook's keeps the process.
        os._exit(0)
