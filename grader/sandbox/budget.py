"""What the kernel enforces inside a student's process. The trusted side measures time itself; this is the backstop."""

from __future__ import annotations

import math
import mmap
import resource

from grader.records import Limits

MB = 1 << 20
MAX_FILES = 128
# So that an error in a cell that took all memory can still be reported.
RESERVE = 64 * MB
# Address space that is reserved but not data: thread stacks, memory maps of files.
ADDRESS_SPACE = 256 * MB


class Budget:
    """The limits of this process, relative to what it had when it was forked."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._memory = limits.memory_mb * MB
        self._data = _status_kb("VmData") * 1024
        self._address_space = _status_kb("VmSize") * 1024

    def enforce(self) -> None:
        """Set every limit. Hard limits lie one reserve above the soft ones that students run under."""
        cpu = math.ceil(4 * self._limits.notebook_seconds + 4 * self._limits.probe_seconds) + 10
        file_bytes = self._limits.file_mb * MB
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu))
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        top = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        files = MAX_FILES if top == resource.RLIM_INFINITY else min(MAX_FILES, top)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self._memory_limits(self._memory, hard=self._memory + RESERVE)

    def close_reserve(self) -> None:
        """Before student code runs."""
        self._memory_limits(self._memory)

    def open_reserve(self) -> None:
        """Before our own code reports."""
        self._memory_limits(self._memory + RESERVE)

    def _memory_limits(self, memory: int, hard: int | None = None) -> None:
        for kind, base in (
            (resource.RLIMIT_DATA, self._data),
            (resource.RLIMIT_AS, self._address_space + ADDRESS_SPACE),
        ):
            top = resource.getrlimit(kind)[1] if hard is None else base + hard
            soft = base + memory
            resource.setrlimit(kind, (soft if top == resource.RLIM_INFINITY else min(soft, top), top))

    def exhausted(self) -> bool:
        """Whether less than a quarter of the memory is left."""
        self.close_reserve()
        try:
            mmap.mmap(-1, self._memory // 4, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
        except (OSError, MemoryError):
            return True
        else:
            return False
        finally:
            self.open_reserve()


def _status_kb(field: str) -> int:
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith(field + ":"):
                return int(line.split()[1])
    raise OSError(f"/proc/self/status has no {field}")
