"""Ctrl-C, once and twice.

The first one stops the command in order: what is decided is kept, and every process and folder is cleared away, which
may take a moment. A second one does not wait for that: the processes that run notebooks end themselves when they see
that the grader is gone, and take their folders along.
"""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

STOPPED = 130
AT_ONCE = b"\ngrade: stopped at once; what is decided is kept, run the same command again to do the rest\n"
SHOW_CURSOR = b"\x1b[?25h"


def heed_interrupts() -> None:
    """From now on the first Ctrl-C raises `KeyboardInterrupt` in the main thread, and the next one ends the process."""
    # A command that was started in the background of a script ignores Ctrl-C; so it stays.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _first)


def _first(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(signal.SIGINT, _second)
    raise KeyboardInterrupt


def _second(number: int, frame: FrameType | None) -> NoReturn:
    try:
        if os.isatty(2):
            # The progress line hides it.
            os.write(2, SHOW_CURSOR)
        os.write(2, AT_ONCE)
    finally:
        os._exit(STOPPED)
