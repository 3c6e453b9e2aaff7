"""One notebook and the public half of its assignment -> what passes, what is unchecked."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import msgspec

from grader import course, intake, judging
from grader.errors import UsageError
from grader.records import PublicAssignment, SelfCheck, Submission
from grader.sandbox import Sandbox, for_own_code


def check(notebook: Path, course_folder: Path, sandbox: Sandbox | None = None, confined: bool = True) -> SelfCheck:
    """A student's own check of one notebook: the same engine, from the public half of the assignment alone.

    Args:
        confined: whether to confine it where that can be had. It is the student's own code: where it cannot, it runs.

    Raises: `UsageError` if the file cannot be read or no assignment fits it.
    """
    publics = _public_halves(notebook, course_folder)
    submission = intake.read_one(notebook, publics)
    if not isinstance(submission, Submission):
        raise UsageError(f"{notebook}: {submission.reason}")
    public = next(each for each in publics if each.name == submission.assignment)
    with ExitStack() as stack:
        box = sandbox or stack.enter_context(for_own_code(confined))
        execution = box.run(judging.check_run(submission, public))
    checked = judging.self_check(submission, execution, public)
    return msgspec.structs.replace(checked, notes=(*checked.notes, f"How your notebook was run: {box.confinement}."))


def _public_halves(notebook: Path, course_folder: Path) -> list[PublicAssignment]:
    """Public halves that may fit `notebook`: inside it, beside it, in the course; the first of each name counts."""
    found: dict[str, PublicAssignment] = {}
    beside = sorted(notebook.parent.glob("*.public.json")) + sorted(course_folder.glob("assignments/*/*.public.json"))
    unusable = ""
    for public in intake.embedded_public(notebook):
        found.setdefault(public.name, public)
    for path in (each for each in beside if each.is_file()):
        try:
            public = course.read_public(path.read_bytes())
            found.setdefault(public.name, public)
        except (OSError, UsageError) as error:
            unusable = f" ({path.name} there cannot be used: {error})"
    if not found:
        raise UsageError(
            f"{notebook}: the assignment's description is not in the notebook (Colab and VS Code can lose it); "
            f"put the file NAME.public.json that came with the assignment beside it{unusable}"
        )
    return list(found.values())
