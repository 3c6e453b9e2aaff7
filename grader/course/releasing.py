"""What a release writes: everybody's notebook, one per student of a roster, and the model solution. Nothing is written
here: each function gives bytes by path."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from grader.course.notebooks import solution_notebook, student_notebook
from grader.course.personal import NOBODY, candidates, own_assignment, own_tags, usable_draws
from grader.course.publishing import public_bytes, publish
from grader.course.rosters import roster_bytes, roster_path
from grader.records import Assignment, Draws, Exercise, ExerciseKey, PublicAssignment, Roster, Student

Products: TypeAlias = dict[Path, bytes]
Draw: TypeAlias = Callable[[Exercise, Sequence[str]], tuple[tuple[str, ...], int]]


def enrol(
    assignment: Assignment, kept: Roster | None, students: Sequence[Student] | None, key: bytes, draw: Draw
) -> Roster | None:
    """The roster to release `assignment` with; None if everybody gets the same notebook.

    What was drawn stays drawn while question and bounds do, also under a grader that would choose otherwise: those
    notebooks are handed out.

    Args:
        kept: of the release before.
        students: of a new roster; None for those of `kept`.
        draw: chooses among candidates (see `grader.misconceptions.draws.find_draws`).
    """
    varied = [exercise for exercise in assignment.exercises if exercise.varying]
    if not varied or (students is None and kept is None):
        return None
    known = usable_draws(assignment, kept) if kept else {}
    draws = []
    for exercise in varied:
        before = known.get(exercise.id)
        if before is None or before.varying != exercise.varying:
            arguments, tried = draw(exercise, tuple(candidates(key, assignment.name, exercise)))
            before = Draws(exercise.id, exercise.fingerprint, exercise.varying, arguments, tried)
        draws.append(before)
    return Roster(tuple(students) if students is not None else kept.students if kept else (), tuple(draws))


def common(course: Path, assignment: Assignment, public: PublicAssignment) -> Products:
    """The notebook with the numbers of the solutions file, the public half and the files that come with it."""
    folder = _folder(course, assignment)
    return {
        folder / f"{assignment.name}.ipynb": student_notebook(assignment, public),
        folder / f"{assignment.name}.public.json": public_bytes(public),
        **{folder / each.name: each.data for each in assignment.files},
    }


def per_student(
    course: Path,
    assignment: Assignment,
    keys: Sequence[ExerciseKey],
    roster: Roster,
    key: bytes,
    folders: Mapping[str, str],
) -> Products:
    """`assignments/NAME/STUDENT/NAME.ipynb` for everybody in `roster`, and the roster itself beside the solutions.

    Args:
        keys: those of the solutions file; of them, only public cases of `implement` get into a notebook.
        folders: the name of each student's folder.
    """
    products: Products = {roster_path(course, assignment.name): roster_bytes(roster)}
    stock = usable_draws(assignment, roster)
    for student in roster.students:
        own = own_assignment(key, assignment, roster, student.id)
        folder = _folder(course, assignment) / folders[student.id]
        tags = own_tags(key, own, stock, student.id)
        products[folder / f"{assignment.name}.ipynb"] = student_notebook(own, publish(own, keys), tags)
        products |= {folder / each.name: each.data for each in assignment.files}
    return products


def model(
    course: Path,
    assignment: Assignment,
    public: PublicAssignment,
    keys: Sequence[ExerciseKey],
    roster: Roster | None,
    key: bytes,
) -> Products:
    """The model solution; its tags say that its numbers are those of the solutions file."""
    tags = own_tags(key, assignment, usable_draws(assignment, roster), NOBODY) if roster else {}
    path = course / "solutions" / f"{assignment.name}.ipynb"
    return {path: solution_notebook(assignment, public, keys, tags)}


def stock_line(assignment: str, draws: Draws) -> str:
    """How many sets of numbers an exercise's students may get, in one line."""
    count = len(draws.arguments)
    if count == 1:
        return f"{assignment}: {draws.exercise}: everybody has the same numbers; no others tell beliefs apart as well"
    return f"{assignment}: {draws.exercise}: {count} sets of numbers, chosen among {draws.tried}"


def left_line(course: Path, assignment: Assignment, folders: Collection[str]) -> str:
    """Which folders hold a notebook of somebody who is not on the roster any more; "" if none does.

    Args:
        folders: of those who are.
    """
    found = sorted(path.parent for path in _folder(course, assignment).glob(f"*/{assignment.name}.ipynb"))
    left = [str(folder) for folder in found if folder.name not in folders]
    return f"{assignment.name}: no longer on the roster: {', '.join(left)}; remove it by hand" if left else ""


def _folder(course: Path, assignment: Assignment) -> Path:
    return course / "assignments" / assignment.name
