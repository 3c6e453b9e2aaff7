"""One student's grades, from the gradebook."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from grader.errors import UsageError
from grader.gradebook import Gradebook
from grader.records import Grade, PublicAssignment

# How many students one line of an error names.
MAX_NAMED = 20


def show(output: Path, student: str) -> tuple[tuple[Grade, ...], dict[str, PublicAssignment]]:
    """One student's grades from the gradebook under `output`.

    Raises: `UsageError` if there is no gradebook or no such student (naming those called most like it).
    """
    path = output / "gradebook.db"
    if not path.is_file():
        raise UsageError(f"{path}: there is no gradebook; grade something first, or say where with --output")
    with Gradebook(path, readonly=True) as book:
        grades, assignments = book.grades(), book.assignments()
    own = tuple(each for each in grades if each.student == student)
    if not own:
        known = sorted({each.student for each in grades})
        raise UsageError(f"{student}: no such student in {path}; {_who_is_there(student, known)}")
    return own, assignments


def _who_is_there(student: str, known: Sequence[str]) -> str:
    near = get_close_matches(student, known)
    if near:
        return f"did you mean {' or '.join(near)}?"
    more = f" and {len(known) - MAX_NAMED} more" if len(known) > MAX_NAMED else ""
    return f"there are: {', '.join(known[:MAX_NAMED]) or 'none'}{more}"
