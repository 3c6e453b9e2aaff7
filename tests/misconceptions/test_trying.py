"""A world is tried in bounded time, and never stayed in."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch

import grader.misconceptions as misconceptions
from grader.misconceptions import trying
from grader.misconceptions.trying import in_time, outcome_in
from grader.misconceptions.worlds.leaving import is_left
from grader.program import run_program
from grader.records import NotRun, Outcome, Program, Returned

PACKAGE = str(Path(str(misconceptions.__file__)).parent)
SQUARED = Program(
    "program",
    (),
    """\
def program():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    y.register_hook(lambda grad: 3 * grad)
    y.backward(torch.tensor([1.0, -1.0]))
    return x.grad
""",
)
# Worlds that patch classes, keep modes active within passes, and hold hooks of their own.
NESTED = ("handle-remove-does-nothing", "grad-output-forgotten", "hook-fires-per-consumer")


@contextmanager
def time_up_at(step: int) -> Iterator[list[int]]:
    """Let the time be up at the line of our own package that is executed as the `step`-th; yields the count so far."""
    count = [0]

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        if event == "line" and signal.getitimer(signal.ITIMER_VIRTUAL)[0] > 0:
            count[0] += 1
            if count[0] == step:
                sys.settrace(None)
                # As a clock does that strikes once.
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                signal.raise_signal(signal.SIGVTALRM)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield count
    finally:
        sys.settrace(before)


def interrupted(step: int) -> tuple[Outcome, int]:
    with time_up_at(step) as count:
        outcome = outcome_in(NESTED, SQUARED, "{}")
    return outcome, count[0]


def assert_nothing_is_left(truth: Outcome) -> None:
    assert is_left()
    assert run_program(SQUARED, "{}") == truth
    assert torch.is_grad_enabled()


def total_steps() -> int:
    # Once for what is done only the first time.
    interrupted(-1)
    whole, steps = interrupted(-1)
    assert isinstance(whole, Returned)
    assert steps > 100
    return steps


def test_no_world_is_stayed_in_whenever_its_time_is_up() -> None:
    """Time up at (every eleventh of) the lines that enter, run and leave three worlds: the next program sees torch."""
    truth = run_program(SQUARED, "{}")
    # The last ones first: after an interrupted backward pass, torch runs the next on a thread that nobody watches.
    steps = range(1, total_steps(), 11)[::-1]
    stopped = 0
    for step in steps:
        outcome, _ = interrupted(step)
        stopped += isinstance(outcome, NotRun)
        assert_nothing_is_left(truth)
    assert stopped > 0.9 * len(steps)


@pytest.mark.campaign
def test_no_world_is_stayed_in_at_any_line() -> None:
    """The same at every line."""
    truth = run_program(SQUARED, "{}")
    for step in range(1, total_steps())[::-1]:
        interrupted(step)
        assert_nothing_is_left(truth)


def test_a_run_that_hangs_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """What loops for ever has no outcome, and costs its time limit."""
    monkeypatch.setattr(trying, "WORLD_SECONDS", 0.05)

    def hang() -> Outcome:
        while True:
            pass

    outcome = in_time(hang)
    assert isinstance(outcome, NotRun)
    assert outcome.cause == "timed_out"
