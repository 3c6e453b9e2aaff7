"""The grader's end of the channel to a student's process: whole frames in and out, and a cap on what comes in."""

from __future__ import annotations

import socket

from grader.records.values import Record
from grader.sandbox.wire import LENGTH, BrokenChannelError, Event, frame, read_event

READ_BYTES = 1 << 16


class Channel:
    """The grader's end: never waits for the student's process, in neither direction.

    Args:
        sock: the channel; made non-blocking.
        cap: largest frame in bytes.
    """

    def __init__(self, sock: socket.socket, cap: int) -> None:
        sock.setblocking(False)
        self._sock = sock
        self._cap = cap
        self._buffer = bytearray()
        self._unsent = bytearray()
        self.closed = False

    @property
    def unsent(self) -> bool:
        """Whether `flush` has something to do."""
        return bool(self._unsent)

    def put(self, record: Record) -> None:
        """Send `record` now, as far as there is room, and the rest of it by `flush`."""
        self._unsent += frame(record)
        self.flush()

    def flush(self) -> None:
        """Send what there is room for; drops all if nobody can read it any more."""
        try:
            while self._unsent:
                del self._unsent[: self._sock.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent.clear()

    def take(self) -> list[Event]:
        """All events that are complete by now; at most a few frames' worth of bytes are read per call.

        Raises: `BrokenChannelError`.
        """
        events: list[Event] = []
        budget = self._cap + LENGTH.size
        while budget > 0 and not self.closed:
            try:
                data = self._sock.recv(READ_BYTES)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            self.closed = not data
            self._buffer += data
            budget -= len(data)
            self._split(events)
        # What is left in the buffer then was cut off by the end of the process: no lie, and no event.
        return events

    def _split(self, events: list[Event]) -> None:
        while len(self._buffer) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self._buffer)
            if length > self._cap:
                raise BrokenChannelError(f"a message of {length} bytes was announced; the limit is {self._cap}")
            end = LENGTH.size + length
            if len(self._buffer) < end:
                return
            events.append(read_event(bytes(self._buffer[LENGTH.size : end])))
            del self._buffer[:end]
