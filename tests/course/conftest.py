"""What the tests of authoring share: a solutions file from text, and a key computed in this process."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load
from grader.program import define, run_probe, run_program
from grader.records import Assignment, Exercise, ExerciseKey

KEY = bytes(range(32))

HEAD = '''\
"""# Title

Introduction.
"""

import torch

from grader.course import Assignment, vary

assignment = Assignment("lesson")


'''


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write `lesson.py` with a usual head, so that the text given begins in line 13."""

    def write(body: str, head: str = HEAD, name: str = "lesson.py") -> Path:
        path = tmp_path / name
        path.write_text(head + textwrap.dedent(body).lstrip("\n"))
        return path

    return write


@pytest.fixture
def lesson(write: Callable[[str], Path]) -> Callable[[str], Assignment]:
    """Load a lesson from the text of its exercises."""
    return lambda body: load(write(body), KEY)


@pytest.fixture
def solve() -> Callable[[Exercise], ExerciseKey]:
    """Compute an exercise's key with torch, in this process."""

    def solve(exercise: Exercise) -> ExerciseKey:
        if exercise.program is not None:
            with warnings.catch_warnings():
                # A program may warn: here that would be an error, which is not what a student sees.
                warnings.simplefilter("ignore")
                return ExerciseKey(exercise.id, (run_program(exercise.program, exercise.arguments),))
        subject = define(exercise.reference, exercise.id)
        return ExerciseKey(
            exercise.id,
            tuple(
                run_probe(probe.program, subject, case.arguments) for probe in exercise.probes for case in probe.cases
            ),
        )

    return solve


@pytest.fixture
def example(tmp_path: Path) -> Assignment:
    """The example of the documentation, verbatim: every kind of exercise once."""
    path = tmp_path / "hooked-gradients.py"
    path.write_bytes((Path(__file__).parent / "hooked-gradients.txt").read_bytes())
    return load(path, KEY)
