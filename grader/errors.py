"""What can go wrong in the grader itself, and the exit code each kind ends the command with.

    GraderError
    ├── UsageError          2  the command line, a path or an option is wrong
    ├── CourseError         2  a solutions file is wrong; carries every problem found, each with file and line
    ├── GraderFault         4  ours: a reference or a stage failed; grades are held, never zeroed
    │   ├── SandboxFault       the process that runs students could not be started or lost its channel
    │   ├── ReferenceFault     the reference raised, hung or crashed
    │   └── GradebookFault     the database or the output folder could not be read or written
    └── ConfinementError    5  students' code cannot be confined here

A wrong, odd or hostile *student* is never an exception: that is a value (see `grader.records`).
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of every `grade` command; documented in docs/ci.md."""

    DONE = 0
    BELOW = 1
    USAGE = 2
    NEEDS_PERSON = 3
    GRADER_FAULT = 4
    CANNOT_CONFINE = 5


class GraderError(Exception):
    """Base of all errors that end a command with one clear message and no traceback."""

    exit_code = ExitCode.GRADER_FAULT


class UsageError(GraderError):
    """The command line, a path or an option is wrong."""

    exit_code = ExitCode.USAGE


class CourseError(GraderError):
    """A solutions file cannot be used; `problems` says where and how to mend each fault.

    Args:
        problems: one complete sentence each: "file:line: exercise: what is wrong; what to do".
    """

    exit_code = ExitCode.USAGE

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems

    def __reduce__(self) -> tuple[type[CourseError], tuple[str, ...]]:
        return (type(self), self.problems)


class GraderFault(GraderError):
    """The grader's own fault: what it touches is held for a re-run and never counts against a student."""


class SandboxFault(GraderFault):
    """The process that runs students' code could not be started, or its channel broke."""


class ReferenceFault(GraderFault):
    """The reference program raised, hung or crashed, so there is no key to compare with."""


class GradebookFault(GraderFault):
    """The gradebook or the output folder cannot be read or written."""


class ConfinementError(GraderError):
    """This system cannot confine students' code."""

    exit_code = ExitCode.CANNOT_CONFINE
