"""How much lies in a student's folder, where the kernel sets it no size: looked at from the trusted side."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

from grader.sandbox.confinement.level import MAX_INODES

EVERY_SECONDS = 0.2
MB = 1 << 20


class DiskWatch:
    """Looks at most every 0.2 s.

    Args:
        folder: the student's.
        megabytes: how much may lie in it.
    """

    def __init__(self, folder: Path, megabytes: int) -> None:
        self._folder = folder
        self._megabytes = megabytes
        self._next = 0.0

    def too_much(self) -> str | None:
        """A clause that starts with "it" if there is too much."""
        now = time.monotonic()
        if now < self._next:
            return None
        blocks, entries = measure(self._folder, MAX_INODES)
        # From the end of the look: one that takes long is not followed by the next at once.
        self._next = time.monotonic() + EVERY_SECONDS
        if blocks > self._megabytes * MB:
            return f"it wrote more than {self._megabytes} MB of files"
        if entries > MAX_INODES:
            return f"it made more than {MAX_INODES} files"
        return None


def measure(folder: Path, most: int) -> tuple[int, int]:
    """(bytes on disk, entries) of all below `folder`; follows no link and stops behind `most` entries. Never raises."""
    total = entries = 0
    waiting = [str(folder)]
    while waiting and entries <= most:
        with suppress(OSError), os.scandir(waiting.pop()) as found:
            for entry in found:
                entries += 1
                if entries > most:
                    break
                with suppress(OSError):
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return total, entries
