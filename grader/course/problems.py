"""Everything that is wrong with one solutions file, collected before anything is raised."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import CourseError


@dataclass
class Problems:
    """Collects problems as "file:line: exercise: what is wrong; what to do"."""

    file: str
    found: list[tuple[int, str]] = field(default_factory=list)

    def add(self, line: int, where: str, what: str) -> None:
        """Note that `what` is wrong with `where` (an exercise, or "assignment") at `line`."""
        text = problem(self.file, line, where, what)
        if (line, text) not in self.found:
            self.found.append((line, text))

    def check(self) -> None:
        """Raise: `CourseError` with all problems, in the order of the file, if there are any."""
        if self.found:
            raise CourseError(*(text for _, text in sorted(self.found, key=lambda each: each[0])))


def shown(path: Path) -> str:
    """How messages name a solutions file: with the path that it was given by, so that an editor can open it."""
    return str(path)


def problem(file: str, line: int, where: str, what: str) -> str:
    """One problem in the form that every message about a solutions file has."""
    return f"{file}:{line}: {where}: {what}"
