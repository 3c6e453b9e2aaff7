"""Follow-through: a later answer is also judged against the student's own earlier one."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from classroom import Classroom, InProcessReference

from grader import pipeline
from grader.course import load, plain_numbers
from grader.course.following import NotPlain
from grader.errors import CourseError, ReferenceFault
from grader.judging import Reference
from grader.records import Exercise, ExerciseKey, Items, Number, Text, Value

LESSON = '''\
"""# Step by step

One answer leads to the next."""

import torch

from grader.course import Assignment, vary

assignment = Assignment("step-by-step")


@assignment.predict("after_first", points=1)
def first():
    """What does the first hook return?"""
    return torch.tensor([1.0, 2.0, 3.0]) ** 2


@assignment.predict("after_second", points=1, builds_on={"after_first": 0.5})
def second(after_first):
    """What does the second hook make of it?"""
    return 10 * torch.tensor(after_first) + 1


@assignment.predict("total", "half", points={"total": 2, "half": 1}, builds_on={"after_first": 1, "after_second": 0.25})
def third(after_first, after_second, share=0.5):
    """What is the sum of both, and its half?"""
    total = torch.tensor(after_first).sum() + torch.tensor(after_second).sum()
    return total, share * total
'''
RIGHT = {"after_first": "[1.0, 4.0, 9.0]", "after_second": "[11.0, 41.0, 91.0]", "total": "157", "half": "78.5"}


def room(tmp_path: Path, **students: dict[str, str]) -> Classroom:
    found = Classroom(tmp_path, step_by_step=LESSON)
    for name, answers in students.items():
        found.student(name, "step-by-step", **{**RIGHT, **answers})
    return found


def test_what_is_right_for_ones_own_earlier_answer_gets_its_share(tmp_path: Path) -> None:
    """One slip costs its own credit and a share of what follows, never more than full and never less than before."""
    doubled = {"after_first": "[2, 4, 6]", "after_second": "[21, 41, 61]", "total": "135", "half": "67.5"}
    marks = room(
        tmp_path, ada={}, ben=doubled, cleo={**doubled, "half": "5"}, dora={"after_first": "[2, 4, 6]"}
    ).grade()
    assert marks["ada"].score == 5
    ben = marks["ben"]
    assert ben.verdicts == {"first": "wrong", "second": "partly_right", "third": "partly_right"}
    assert [str(ben[each].score) for each in ("first", "second", "third")] == ["0.00", "0.50", "0.75"]
    assert ben.score == 1.25
    assert ben["second"].message == "right for your own `after_first`; that gives 0.5 of 1 point"
    assert ben["second"].parts[0].message == "Right for your own `after_first`; with the right one it is not."
    assert [part.verdict for part in ben["third"].parts] == ["partly_right", "partly_right"]
    assert "own `after_first` and `after_second`" in ben["third"].message
    assert ben["second"].diagnosis is None
    assert ben["first"].diagnosis is not None
    assert [part.verdict for part in marks["cleo"]["third"].parts] == ["partly_right", "wrong"]
    # Right against the key is right, whatever came before.
    assert (marks["dora"].verdicts["second"], marks["dora"].score) == ("right", 4)


@pytest.mark.parametrize("earlier", ['"[2, 4, 6]"', "[2, 4]", "None", "...", "{'a': 1}", "[float('nan'), 4, 6]"])
def test_only_plain_numbers_of_the_right_shape_are_followed(tmp_path: Path, earlier: str) -> None:
    """An earlier answer that is no finite number of the right shape is not passed on, and costs nothing by itself."""
    marks = room(tmp_path, eva={"after_first": earlier, "after_second": "[21, 41, 61]"}).grade()
    assert marks["eva"].verdicts["second"] == "wrong"
    assert marks["eva"].verdicts["third"] == "right"


def test_a_run_that_fails_gives_no_credit_and_no_fault(tmp_path: Path) -> None:
    """Where the author's program does not bear the student's numbers, the answer stays wrong; nothing is held."""

    class Failing(InProcessReference):
        def solve(self, exercise: Exercise) -> ExerciseKey:
            if exercise.id == "second" and "2.0" in exercise.arguments:
                raise ReferenceFault("it ran for more than 20 s and was stopped")
            return super().solve(exercise)

    found = room(tmp_path, ben={"after_first": "[2, 4, 6]", "after_second": "[21, 41, 61]"})
    marks = found.grade(reference=Failing())
    assert marks["ben"].verdicts["second"] == "wrong"
    assert marks["ben"].grade.status == "graded"
    assert found.graded is not None
    assert not found.graded.faults


def test_no_key_of_an_earlier_answer_is_shown(tmp_path: Path) -> None:
    """The released program leaves the earlier answer open, and nothing in the notebook has its key."""
    found = room(tmp_path)
    text = json.dumps(found.released("step-by-step"))
    assert "after_first = ...  # your answer above" in text
    assert "9.0" not in text
    assert "91.0" not in text
    public = (tmp_path / "assignments" / "step-by-step" / "step-by-step.public.json").read_text()
    assert "9.0" not in public
    assert '"after_first"' in public


def test_the_model_solution_is_right_and_the_page_names_the_answer(tmp_path: Path) -> None:
    """The model solution gets full marks; a student's page calls the program with the earlier answer's name."""
    found = room(tmp_path, ben={"after_first": "[2, 4, 6]", "after_second": "[21, 41, 61]"})
    pipeline.release(tmp_path, solution=True, reference=InProcessReference())
    found.file("model/step-by-step.ipynb", (tmp_path / "solutions" / "step-by-step.ipynb").read_bytes())
    marks = found.grade()
    assert marks["model"].score == 5
    page = found.text("feedback/ben/step-by-step.md")
    assert "second(after_first=after_first)" in page
    assert "Right for your own `after_first`" in page


def test_the_worker_follows_through(tmp_path: Path) -> None:
    """With the real reference: the author's program runs in the worker with the student's numbers."""
    found = room(tmp_path, ben={"after_first": "[2, 4, 6]", "after_second": "[21, 41, 61]"})
    with Reference() as reference:
        marks = found.grade(reference=reference)
    assert marks["ben"].verdicts == {"first": "wrong", "second": "partly_right", "third": "right"}


def test_keys_are_computed_in_order(tmp_path: Path) -> None:
    """A program that builds on an answer that itself builds on one is called with the keys of both."""
    path = tmp_path / "step-by-step.py"
    path.write_text(LESSON)
    third = load(path, b"k" * 32).exercises[2]
    assert third.arguments == "{'share': 0.5, 'after_first': [1.0, 4.0, 9.0], 'after_second': [11.0, 41.0, 91.0]}"


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('{"after_first": 0.5}', '{"before": 0.5}', "builds on `before`, which is no parameter without a default"),
        (
            "second(after_first)",
            "second(after_first=[1.0])",
            "builds on `after_first`, which is no parameter without a",
        ),
        ('{"after_first": 0.5}', '{"after_first": 1.5}', "builds on `after_first` for 1.5; give a share of the credit"),
        ('{"after_first": 0.5}', '{"after_first": 0}', "builds on `after_first` for 0; give a share of the credit"),
        ('{"after_first": 0.5}', '["after_first"]', "has builds_on=['after_first']; give a dict"),
        ('{"after_first": 0.5}', '{"after_first": 0.5}, all_or_nothing=True', "which exclude each other"),
        ('predict("after_first", points=1)', 'predict("other", points=1)', "`after_first`, which no exercise asks for"),
        ('predict("after_first", points=1)', 'order("after_first", points=1)', "which asks for no numbers"),
        ("def first():", "def first(w=vary([1.0], low=1, high=2)):", "but the numbers of `first` vary"),
        ("torch.tensor([1.0, 2.0, 3.0]) ** 2", '"text"', "which is neither a finite number nor a list of them"),
        ("torch.tensor([1.0, 2.0, 3.0]) ** 2", "1 / 0", "which is neither a finite number nor a list of them"),
        (
            'predict("after_first", points=1)',
            'predict("after_first", points=1, builds_on={"total": 1})',
            "no parameter",
        ),
        (
            'first", points=1)\ndef first():',
            'first", points=1, builds_on={"half": 1})\ndef first(half):',
            "first: builds on `half`, which `third` asks for, and that is no earlier exercise; move it above",
        ),
    ],
)
def test_misuse_is_a_problem_with_its_mend(tmp_path: Path, old: str, new: str, problem: str) -> None:
    """What cannot be built on is said when the file is loaded."""
    path = tmp_path / "step-by-step.py"
    assert old in LESSON
    path.write_text(LESSON.replace(old, new))
    with pytest.raises(CourseError, match=re.escape(problem)):
        load(path, b"k" * 32)


def number(text: str) -> Number:
    return Number("float" if "." in text else "int", text)


def test_numbers_become_those_of_the_key() -> None:
    """Integers become floats where the key has floats; another shape, and a boolean for a number, are refused."""
    key = Items("list", (number("1.5"), number("2.0")))
    assert repr(plain_numbers(Items("tuple", (number("3"), number("4"))), key)) == "[3.0, 4.0]"
    assert repr(plain_numbers(number("3"))) == "3"
    refused: list[Value] = [number("3"), Text("3"), Items("list", (Number("bool", "True"), Number("bool", "False")))]
    for value in refused:
        with pytest.raises(NotPlain):
            plain_numbers(value, key)
