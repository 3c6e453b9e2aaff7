"""A key that is another one each time it is computed is no key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.errors import CourseError
from grader.judging import Reference
from grader.pipeline import prepare
from grader.records import Assignment

Lesson = Callable[[str], Assignment]


def program(returned: str, first: str = "pass") -> str:
    lines = ('"""Prompt."""', "import random, time, numpy", first, f"return {returned}")
    return '@assignment.predict("a", points=1)\ndef drawn():\n' + "".join(f"    {line}\n" for line in lines)


PROBE = (
    '@assignment.implement(points=1)\ndef drawn(x):\n    """Prompt."""\n    return x\n\n\n'
    "@drawn.probe(public=[dict(n=2)])\ndef one(f, n):\n    return f(torch.rand(n))\n"
)


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    with Reference() as running:
        yield running


@pytest.mark.parametrize(
    "body",
    [
        program("torch.rand(2)"),
        program("random.random()"),
        program("numpy.random.rand()"),
        program("time.perf_counter_ns()"),
        program("torch.rand(1)", "random.seed(1)"),
        PROBE,
    ],
)
def test_changing_key_is_refused_with_its_place(write: Callable[[str], Path], reference: Reference, body: str) -> None:
    """What draws without a seed of its own is named with file, line, exercise and the mend."""
    path = write(body)
    with pytest.raises(CourseError) as caught:
        list(prepare([path], b"k" * 32, reference))
    mend = "fix the numbers (torch.manual_seed inside the program, or literals)"
    assert caught.value.problems == (f"{path}:14: drawn: gives another result each time it is run; {mend}",)


@pytest.mark.parametrize(
    "body",
    [
        program("torch.rand(2)", "torch.manual_seed(1)"),
        program("torch.rand(2).sum() * float('nan')"),
        program("[1.0, None, float('inf')]"),
        PROBE.replace("return f", "torch.manual_seed(2)\n    return f"),
    ],
)
def test_repeating_key_is_fine(lesson: Lesson, reference: Reference, body: str) -> None:
    """A seed of its own makes a program repeat; NaN is the same as NaN."""
    (exercise,) = lesson(body).exercises
    assert len(reference.solve(exercise).outcomes) == 1
