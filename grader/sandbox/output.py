"""What a cell prints, kept within a budget: the head and the tail of it, and how many bytes were dropped between."""

from __future__ import annotations

import io
import sys
import threading

from grader.records import Output


class HeadAndTail:
    """At most `limit` bytes of UTF-8, however much is written."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.clear()

    def clear(self) -> None:
        """Forget all."""
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def write(self, text: str) -> None:
        """Append `text`."""
        data = text.encode("utf-8", "backslashreplace")
        self._total += len(data)
        room = self._limit - self._limit // 2 - len(self._head)
        self._head += data[: max(room, 0)]
        self._tail += data[max(room, 0) :][-(self._limit // 2) or len(data) :]
        # Trimmed now and then only, so that many small writes do not each move the whole tail.
        if len(self._tail) > self._limit:
            self._trim()

    def _trim(self) -> None:
        del self._tail[: max(len(self._tail) - self._limit // 2, 0)]

    def output(self) -> Output:
        """What is kept so far."""
        self._trim()
        kept = len(self._head) + len(self._tail)
        if kept == self._total:
            return Output((self._head + self._tail).decode())
        head, tail = self._head.decode(errors="ignore"), self._tail.decode(errors="ignore")
        return Output(head + tail, self._total - len(head.encode()) - len(tail.encode()))


class Stream(io.TextIOBase):
    """The `sys.stdout` or `sys.stderr` of a student's process: the same object in every cell."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._sink: HeadAndTail | None = None
        self._left_behind: dict[int, threading.Thread | None] = {}

    def direct(self, sink: HeadAndTail | None) -> None:
        """Write into `sink` from now on; None discards.

        What other threads that run already will write is discarded: it is no output of the cell that begins here.
        """
        known = {thread.ident: thread for thread in threading.enumerate()}
        own = threading.get_ident()
        self._left_behind = {ident: known.get(ident) for ident in sys._current_frames() if ident != own}
        self._sink = sink

    def write(self, text: str) -> int:
        """Append `text`; raises `TypeError` for anything but a string, as a file does."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._sink is not None and not self._is_left_behind():
            self._sink.write(text)
        return len(text)

    def _is_left_behind(self) -> bool:
        ident = threading.get_ident()
        if ident not in self._left_behind:
            return False
        # The system uses the number of a thread that has ended for a new one.
        left, now = self._left_behind[ident], threading.current_thread()
        return left is now or (left is None and isinstance(now, threading._DummyThread))

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The raw descriptor, for programs that a student starts: what they write to it is dropped."""
        return self._descriptor

    def isatty(self) -> bool:
        """No terminal."""
        return False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """UTF-8."""
        return "utf-8"
