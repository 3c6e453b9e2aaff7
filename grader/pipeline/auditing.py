"""solutions -> which beliefs each question cannot see or tell apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader import course, judging
from grader.errors import ExitCode, ReferenceFault
from grader.pipeline.lessons import ReferenceRunner, prepare
from grader.records import Audit, Exercise


class Auditor(ReferenceRunner, Protocol):
    """A runner that can hold a question against every belief; `judging.Reference` is one."""

    def audit(self, exercise: Exercise) -> Audit: ...


@dataclass(frozen=True)
class Audited:
    """What `grade audit` found, and which exercises could not be audited."""

    audits: tuple[Audit, ...]
    faults: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        if self.faults:
            return ExitCode.GRADER_FAULT
        undecided = any(finding.open for audit in self.audits for finding in audit.findings)
        return ExitCode.NEEDS_PERSON if undecided else ExitCode.DONE


def audit(
    course_folder: Path,
    names: Sequence[str] = (),
    tell: Callable[[str, Sequence[Audit]], None] = lambda assignment, audits: None,
    reference: Auditor | None = None,
) -> Audited:
    """Hold every question of these assignments (without names, of all) against every belief that it is about.

    Args:
        tell: called with each assignment's name and audits as soon as they are there.

    Raises: `CourseError` with every problem of every file.
    """
    sources = course.solution_files(course_folder, tuple(names))
    key = course.course_key(course_folder)
    audits: list[Audit] = []
    faults: list[str] = []
    with ExitStack() as stack:
        runner = reference or stack.enter_context(judging.Reference())
        for lesson in prepare(sources, key, runner):
            found = []
            for exercise in lesson.assignment.exercises:
                try:
                    found.append(runner.audit(exercise))
                except ReferenceFault as fault:
                    faults.append(str(fault))
            tell(lesson.assignment.name, found)
            audits += found
    return Audited(tuple(audits), tuple(faults))
