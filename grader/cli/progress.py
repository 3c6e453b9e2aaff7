"""A progress line with the time left, on stderr, only where that is a terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from grader.records import Grade


class Progress:
    """Callable with (grade, done, total) after each decided grade; `quiet` shows nothing."""

    def __init__(self, quiet: bool = False) -> None:
        columns = (TextColumn("grading"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._bar = Bar(
            *columns, console=Console(stderr=True), transient=True, disable=quiet or not sys.stderr.isatty()
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, grade: Grade, done: int, total: int) -> None:
        if self._task is None:
            self._task = self._bar.add_task("", total=total)
        self._bar.update(self._task, completed=done, total=total)
