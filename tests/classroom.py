"""A tiny class in a temporary folder, graded down the whole road without a fork.

    marks = Classroom(tmp_path).student("ada", x_grad="[3, 18, 7]").grade()
    assert marks["ada"].verdicts["squaring_hook"] == "right"

Everything is real (release, intake, judging, gradebook, pages) but for two seams: the sandbox runs cells in this
process, and the reference is solved in this process.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import course, pipeline
from grader.judging import worker
from grader.misconceptions.draws import find_draws
from grader.records import Assignment, Beliefs, Exercise, ExerciseGrade, ExerciseKey, Grade, Separation
from grader.sandbox import Sandbox

LESSON = '''\
"""# A small lesson

Hooks in one page."""

import torch

from grader.course import Assignment, vary

assignment = Assignment("small-lesson", cell_seconds=2)


@assignment.predict("x_grad", points=2)
def squaring_hook(w=[1.0, 2.0, 1.0]):
    """What does `x.grad` hold?"""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(lambda grad: grad**2)
    z.backward(torch.tensor(w))
    return x.grad


@assignment.order("fired", points=1)
def two_tensors():
    """In which order do the hooks run?"""
    fired = []
    x = torch.tensor(2.0, requires_grad=True)
    y = 3 * x
    for name, tensor in {"x": x, "y": y}.items():
        tensor.register_hook(lambda grad, name=name: fired.append(name))
    y.backward()
    return fired


@assignment.raises("error", points=1)
def vector_without_weights():
    """Does this raise?"""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x**2).backward()


@assignment.choice("kept", points=1, options={"nothing": "`None`", "ones": "all ones"})
def intermediate():
    """What does `y.grad` hold?"""
    import warnings

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    y.sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "nothing" if y.grad is None else "ones"


@assignment.implement(points=3)
def square(grad):
    """Write a hook that squares the gradient which passes through it."""
    return grad**2


@square.probe(
    public=[dict(x=[1.0, 2.0, 3.0], w=[1.0, 2.0, 1.0])],
    hidden=[dict(x=[0.5, -1.0], w=[3.0, -2.0])],
    generated=dict(x=vary([1.0, 2.0], low=1, high=4), w=vary([3.0, 2.0], low=2, high=4)),
)
def on_the_square(hook, x, w):
    x = torch.tensor(x, requires_grad=True)
    y = x**2
    y.register_hook(hook)
    (x + y).backward(torch.tensor(w))
    return {"x.grad": x.grad}
'''


class InProcessReference:
    """Solves exercises here and now. It knows no beliefs: worlds bend torch for a whole process, not for one thread."""

    def load(self, path: Path, key: bytes) -> Assignment:
        return course.load(path, key)

    def solve(self, exercise: Exercise) -> ExerciseKey:
        return ExerciseKey(exercise.id, worker.solve(exercise))

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs:
        return Beliefs(exercise.id, (), ())

    def separation(self, exercise: Exercise, ids: Sequence[str]) -> Separation | None:
        return None

    def draw(self, exercise: Exercise, candidates: Sequence[str]) -> tuple[tuple[str, ...], int]:
        """As the worker does, but in worlds that stand in this process for as long as they run."""
        return find_draws(exercise, candidates)


@dataclass(frozen=True)
class Marks:
    """One student's grade, with the questions a test asks of it."""

    grade: Grade

    @property
    def score(self) -> float | None:
        return None if self.grade.score is None else float(self.grade.score)

    @property
    def verdicts(self) -> dict[str, str]:
        return {exercise.id: exercise.verdict for exercise in self.grade.exercises}

    def __getitem__(self, exercise: str) -> ExerciseGrade:
        return next(each for each in self.grade.exercises if each.id == exercise)


class Classroom:
    """A course of one or more lessons, and whatever is handed in."""

    def __init__(self, folder: Path, **lessons: str) -> None:
        self.folder = folder
        self.handed_in = folder / "submissions"
        self.output = folder / "graded"
        self.graded: pipeline.Graded | None = None
        (folder / "solutions").mkdir()
        self.handed_in.mkdir()
        for name, source in (lessons or {"small_lesson": LESSON}).items():
            (folder / "solutions" / f"{name.replace('_', '-')}.py").write_text(source)
        pipeline.release(folder, reference=InProcessReference())

    def released(self, assignment: str = "small-lesson") -> dict[str, Any]:
        path = self.folder / "assignments" / assignment / f"{assignment}.ipynb"
        document: dict[str, Any] = json.loads(path.read_text())
        return document

    def student(
        self,
        name: str,
        assignment: str = "small-lesson",
        edit: Callable[[dict[str, Any]], None] | None = None,
        cells: dict[str, str] | None = None,
        **answers: str,
    ) -> Classroom:
        """Hand in the released notebook with `answers` typed in.

        Args:
            answers: source text by answer name (`x_grad="[3, 18, 7]"`).
            cells: whole cells by exercise id.
            edit: what else was done to the document.
        """
        document = self.released(assignment)
        for cell in document["cells"]:
            question = cell["metadata"].get("autograd_grader", {}).get("question")
            source = "".join(cell["source"])
            for answer, text in answers.items():
                source = source.replace(f"{answer} = ...", f"{answer} = {text}")
            cell["source"] = (cells or {}).get(question, source)
        if edit:
            edit(document)
        return self.file(f"{name}/{assignment}.ipynb", json.dumps(document).encode())

    def file(self, path: str, data: bytes) -> Classroom:
        target = self.handed_in / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return self

    def grade(
        self, sandbox: Sandbox | None = None, reference: Any = None, canaries: bool = False, **options: Any
    ) -> dict[str, Marks]:
        """Grade the class; returns the marks by student (of the only assignment, or by "student assignment")."""
        from in_process import InProcessSandbox

        order = pipeline.Order((self.handed_in,), self.folder, self.output, **options)
        self.graded = pipeline.grade(
            order,
            reference=reference or InProcessReference(),
            sandbox=sandbox or InProcessSandbox(),
            canaries=canaries,
        )
        names = {grade.assignment for grade in self.graded.grades}
        return {
            grade.student if len(names) == 1 else f"{grade.student} {grade.assignment}": Marks(grade)
            for grade in self.graded.grades
        }

    def text(self, name: str) -> str:
        return (self.output / name).read_text()
