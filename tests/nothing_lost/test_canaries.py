"""Notebooks whose grades are known are graded inside every run; if one moves, no grade of that run is released."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from classroom import Classroom, InProcessReference
from faulty import RIGHT, SQUARE, files_of, held
from in_process import InProcessSandbox

from grader import judging, pipeline
from grader.errors import ExitCode, ReferenceFault, SandboxFault
from grader.records import Execution, Exercise, ExerciseKey, Grade, Run


@pytest.fixture
def room(tmp_path: Path) -> Classroom:
    room = Classroom(tmp_path)
    return room.student("ada", cells=SQUARE, **RIGHT).student("bob", **{**RIGHT, "x_grad": "[3, 10, 7]"}).student("cy")


def graded(room: Classroom) -> pipeline.Graded:
    assert room.graded
    return room.graded


def test_canaries_are_seen_nowhere(room: Classroom) -> None:
    """A sound run with canaries has the files, counts and rows of one without; three more notebooks were run."""
    room.grade()
    plain, rows = files_of(room.output), graded(room).grades
    room.output = room.folder / "with"
    box = InProcessSandbox()
    room.grade(canaries=True, sandbox=box)
    # ada's and bob's; cy answered nothing.
    assert len(box.runs) == 3 + 2
    assert files_of(room.output) == plain
    assert graded(room).grades == rows
    assert graded(room).exit_code == ExitCode.DONE


def test_no_canary_is_run_where_nothing_is(room: Classroom) -> None:
    """A run that finds everything graded costs no canary."""
    room.grade(canaries=True)
    box = InProcessSandbox()
    room.grade(canaries=True, sandbox=box)
    assert box.runs == []


def generous(grade: Grade) -> Grade:
    """Full marks for everything."""
    exercises = tuple(msgspec.structs.replace(each, verdict="right", score=each.max_score) for each in grade.exercises)
    return msgspec.structs.replace(grade, exercises=exercises)


def mean(grade: Grade) -> Grade:
    """Nothing for anything."""
    zero = msgspec.convert(0, type(grade.score_so_far))
    exercises = tuple(msgspec.structs.replace(each, verdict="wrong", score=zero) for each in grade.exercises)
    return msgspec.structs.replace(grade, exercises=exercises)


def deaf(grade: Grade) -> Grade:
    """A crash is taken for silence."""
    exercises = tuple(
        msgspec.structs.replace(each, verdict="not_answered") if each.verdict == "could_not_run" else each
        for each in grade.exercises
    )
    return msgspec.structs.replace(grade, exercises=exercises)


@pytest.mark.parametrize(
    ("broken", "words"), [(generous, "known wrong"), (mean, "known right"), (deaf, "known crashing")]
)
def test_a_canary_that_moves_holds_the_run(
    room: Classroom, monkeypatch: pytest.MonkeyPatch, broken: Callable[[Grade], Grade], words: str
) -> None:
    """A judge that gives too much, too little or mistakes a crash: everybody is held, exit 4, and the run says why."""
    judge = judging.judge
    with monkeypatch.context() as patched:
        patched.setattr(judging, "judge", lambda *arguments: broken(judge(*arguments)))
        box = InProcessSandbox()
        marks = room.grade(canaries=True, sandbox=box)
    assert len(box.runs) == 3
    assert all(held(each.grade) for each in marks.values())
    assert graded(room).exit_code == ExitCode.GRADER_FAULT
    assert any(words in line and "no grade of this run is released" in line for line in graded(room).faults)
    # And the next run, with the mended judge, releases what there is.
    assert room.grade(canaries=True)["ada"].score == 8


class LyingSandbox(InProcessSandbox):
    """Loses the last answer of every notebook, as a torn wire would."""

    def run(self, run: Run) -> Execution:
        execution = super().run(run)
        return msgspec.structs.replace(execution, answers=execution.answers[:-1], probes=execution.probes[:-1])


class DeadSandbox(InProcessSandbox):
    def run(self, run: Run) -> Execution:
        self.runs.append(run)
        raise SandboxFault("the process that runs notebooks did not start")


@pytest.mark.parametrize("box", [LyingSandbox(), DeadSandbox()], ids=["lying", "dead"])
def test_a_sandbox_that_fails_the_canaries_grades_nobody(room: Classroom, box: InProcessSandbox) -> None:
    """What comes back wrong, or not at all, from a known notebook is not asked for anybody else's."""
    marks = room.grade(canaries=True, sandbox=box)
    assert all(held(each.grade) for each in marks.values())
    assert len(box.runs) == 3
    assert graded(room).exit_code == ExitCode.GRADER_FAULT


class HalfReference(InProcessReference):
    def solve(self, exercise: Exercise) -> ExerciseKey:
        if exercise.id in ("square", "two_tensors"):
            raise ReferenceFault(f"{exercise.id}: it crashed")
        return super().solve(exercise)


def test_what_has_no_key_has_no_canary(room: Classroom) -> None:
    """An exercise whose reference fails is held by itself; the canaries of the others stand."""
    marks = room.grade(canaries=True, reference=HalfReference())
    assert marks["ada"].verdicts["square"] == marks["ada"].verdicts["two_tensors"] == "grader_fault"
    assert marks["ada"].verdicts["squaring_hook"] == "right"
    assert marks["bob"].verdicts["squaring_hook"] == "wrong"
    assert [line for line in graded(room).faults if "known" in line] == []


ODD = '''\
"""# Odd keys"""

import torch

from grader.course import Assignment

assignment = Assignment("odd-keys")


@assignment.predict("nothing", "flags", "empty", "huge", points=2)
def four():
    """What?"""
    x = torch.tensor([1e30, float("inf"), float("nan"), -1.0])
    return None, torch.tensor([True, False]), torch.zeros(0, 3), x


@assignment.predict("truth", "imaginary", "pair", points=2)
def three():
    """What?"""
    return True, torch.tensor([1 + 2j, 3j]), [torch.tensor([-1.0, 0.0]), torch.tensor([2.0, 3.0])]


@assignment.raises("calm", points=1)
def nothing_raised():
    """Does it raise?"""
    return torch.ones(1)


@assignment.order("silence", points=1)
def no_hook():
    """In which order?"""
    return []


@assignment.implement(points=1)
class Doubled(torch.autograd.Function):
    """Double it."""

    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


@Doubled.probe(public=[dict(x=[1.0, 2.0])], hidden=[dict(x=[3.0])])
def applied(function, x):
    x = torch.tensor(x, requires_grad=True)
    y = function.apply(x)
    y.sum().backward()
    return {"y": y.detach(), "x.grad": x.grad}
'''


def test_odd_keys_have_canaries_too(tmp_path: Path) -> None:
    """None, booleans, nothing at all, infinities, complex numbers, nested lists and classes can be changed and told."""
    room = Classroom(tmp_path, odd_keys=ODD)
    room.student("ada", "odd-keys", calm="None")
    marks = room.grade(canaries=True)
    assert graded(room).faults == ()
    assert marks["ada"].verdicts["nothing_raised"] == "right"


def test_only_a_test_goes_without(room: Classroom) -> None:
    """Canaries are on unless somebody says otherwise, and no option of the command does."""
    box = InProcessSandbox()
    order = pipeline.Order((room.handed_in,), room.folder, room.output)
    pipeline.grade(order, reference=InProcessReference(), sandbox=box)
    assert len(box.runs) == 3 + 2
    assert "canar" not in Path(str(pipeline.__file__)).parents[1].joinpath("cli", "app.py").read_text()
