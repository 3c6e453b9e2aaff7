"""The three standard streams, made such that a command works whatever became of them.

A stream that is closed at the start leads to nowhere: its descriptor would be given to the next file that is opened,
the gradebook say, and an error message would be written into that. When a reader goes away (`grade show ada | head -1`)
the rest of the text is dropped, and the command ends as it would have; what could not be written for another reason (a
full disk) is a fault that is told at the end.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import Any, TextIO


class Streams:
    """Stands guard over standard output and error from `open` on; `failure` is why not all could be written, or ""."""

    def __init__(self) -> None:
        self._guards: list[_Guard] = []

    def open(self) -> None:
        """Give each closed descriptor somewhere to lead, and guard what is written."""
        for descriptor in (0, 1, 2):
            _lead_somewhere(descriptor)
        if sys.stdin is None:
            sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - stays open
        sys.stdout = self._guarded(sys.stdout, 1)
        sys.stderr = self._guarded(sys.stderr, 2)

    def failure(self) -> str:
        """Flush both; why some text was lost, in a few words."""
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        return next((guard.failure for guard in self._guards if guard.failure), "")

    def _guarded(self, stream: Any, descriptor: int) -> TextIO:
        if stream is not None and not _is_own(stream, descriptor):
            # A test's, or a notebook's: not ours to replace.
            return stream  # type: ignore[no-any-return]
        guard = _Guard(descriptor)
        self._guards.append(guard)
        return io.TextIOWrapper(
            io.BufferedWriter(guard),
            encoding=getattr(stream, "encoding", "utf-8"),
            errors=getattr(stream, "errors", "backslashreplace"),
            line_buffering=descriptor == 2 or guard.isatty(),
        )


class _Guard(io.FileIO):
    """A descriptor that takes every byte, also those that nobody will get."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.failure = ""
        self._gone = False

    def write(self, data: Any) -> int:
        if not self._gone:
            try:
                return super().write(data)
            except OSError as error:
                self._gone = True
                if error.errno != errno.EPIPE:
                    self.failure = error.strerror or str(error)
        return memoryview(data).nbytes


def _is_own(stream: Any, descriptor: int) -> bool:
    try:
        return type(stream) is io.TextIOWrapper and stream.fileno() == descriptor
    except (OSError, ValueError):
        return False


def _lead_somewhere(descriptor: int) -> None:
    try:
        os.fstat(descriptor)
    except OSError:
        # The lowest free one is given out, and all below it are taken by now.
        os.open(os.devnull, os.O_RDWR)
