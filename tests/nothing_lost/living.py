"""Which processes are there, told by a mark in their environment; waiting for what takes an unknown moment."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path


def living(mark: str) -> list[int]:
    """Every process with `mark` in its environment or command line that still runs, but this one."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
            text = Path(f"/proc/{name}/environ").read_bytes() + Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if mark.encode() in text and state not in "ZX" and int(name) != os.getpid():
            found.append(int(name))
    return found


def wait_for(condition: Callable[[], object], seconds: float = 20.0) -> bool:
    """Whether `condition` holds within `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
