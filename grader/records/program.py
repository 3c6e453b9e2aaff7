"""What a program, a file and a budget are: shared by the author's records and by the sandbox's."""

from __future__ import annotations

from grader.records.values import Record


class Program(Record, frozen=True):
    """Frozen source text of a self-contained function: what is shown, keyed, probed and sent to the sandbox.

    `source` is the whole `def`, dedented, without decorators and docstring. `parameters` are its names in order.
    """

    name: str
    parameters: tuple[str, ...]
    source: str


class DataFile(Record, frozen=True):
    """A file that the assignment ships; it lies in the student's working directory under `name`."""

    name: str
    data: bytes


class Limits(Record, frozen=True):
    """What one notebook may use. Seconds are CPU seconds; the wall limit is `wall_factor` times as long."""

    cell_seconds: float = 10.0
    notebook_seconds: float = 60.0
    probe_seconds: float = 5.0
    wall_factor: float = 3.0
    memory_mb: int = 1024
    output_bytes: int = 20_000
    answer_bytes: int = 1_000_000
    file_mb: int = 64
    processes: int = 0
    replays: int = 12
