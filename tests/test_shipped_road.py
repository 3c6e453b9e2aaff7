"""The four shipped assignments down the whole road: released, handed in, graded."""

from __future__ import annotations

from pathlib import Path

import pytest
from classroom import Classroom, InProcessReference, Marks
from shipped import COURSE, LOADED, SOLUTIONS

from grader import pipeline
from grader.records import Assignment


@pytest.fixture(scope="module")
def marks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Marks]:
    """By "student assignment": the model solutions of all four, and the starters as they are released."""
    folder = tmp_path_factory.mktemp("course")
    room = Classroom(folder, **{name: (SOLUTIONS / f"{name}.py").read_text() for name in COURSE})
    pipeline.release(folder, solution=True, reference=InProcessReference())
    for name in COURSE:
        room.file(f"model/{name}.ipynb", (folder / "solutions" / f"{name}.ipynb").read_bytes())
        room.file(f"starter/{name}.ipynb", released(folder, name).read_bytes())
    return room.grade()


def released(folder: Path, name: str) -> Path:
    return folder / "assignments" / name / f"{name}.ipynb"


@pytest.mark.parametrize("assignment", LOADED, ids=lambda each: each.name)
def test_the_model_solution_gets_every_point_of_every_exercise(marks: dict[str, Marks], assignment: Assignment) -> None:
    """What `release --solution` writes is right throughout, by every case, hidden and drawn ones too."""
    model = marks[f"model {assignment.name}"]
    assert [each.id for each in model.grade.exercises] == [each.id for each in assignment.exercises]
    for graded, exercise in zip(model.grade.exercises, assignment.exercises, strict=True):
        assert (graded.verdict, graded.score, graded.message) == ("right", exercise.points, "right"), graded.id
    assert model.grade.status == "graded"
    assert model.grade.score == model.grade.max_score == sum(each.points for each in assignment.exercises) > 0


@pytest.mark.parametrize("assignment", LOADED, ids=lambda each: each.name)
def test_an_untouched_starter_is_not_answered_throughout(marks: dict[str, Marks], assignment: Assignment) -> None:
    """The released notebook as it is: every exercise not answered, none wrong, no point."""
    starter = marks[f"starter {assignment.name}"]
    assert [each.id for each in starter.grade.exercises] == [each.id for each in assignment.exercises]
    assert set(starter.verdicts.values()) == {"not_answered"}
    assert {each.score for each in starter.grade.exercises} == {0}
    assert (starter.grade.status, starter.score) == ("graded", 0)
