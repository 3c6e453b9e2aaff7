"""Versions of an exercise, run in torch and in worlds: each once."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from grader.answers import Numbers, read_numbers
from grader.misconceptions.audit.numbers import Version
from grader.misconceptions.trying import givable, outcome_in, same, speaks
from grader.misconceptions.worlds.callers import unseen
from grader.program import capture
from grader.records import Array, Exercise, Items, Outcome, Returned, Value

# What is larger nobody likes to compute by hand.
LARGEST = 130
TRUTH = "truth"


class Trials:
    """What each world gives for each version of one exercise's program; asked for again, it is not run again."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self._known: dict[tuple[str, str, str], Outcome] = {}

    def truth(self, version: Version) -> Outcome:
        return self.of(TRUTH, version)

    def of(self, world: str, version: Version) -> Outcome:
        """The outcome in a world, or in torch as it is for `TRUTH`."""
        key = (world, version.program.source, version.arguments)
        if key not in self._known:
            ids = () if world == TRUTH else (world,)
            self._known[key] = outcome_in(ids, version.program, version.arguments)
        return self._known[key]

    def works(self, version: Version) -> bool:
        """Whether a version has an answer at all."""
        return givable(self.exercise, self.truth(version))

    def asks(self, version: Version) -> bool:
        """Whether a version has an answer that can be worked out by hand."""
        rows = numbers_of(self.truth(version))
        return self.works(version) and all(bool((np.abs(row) < LARGEST).all()) for row in rows)

    def given(self, world: str, version: Version) -> bool:
        """Whether somebody who believes in a world has an answer."""
        outcome = self.of(world, version)
        return givable(self.exercise, outcome) and (world == TRUTH or speaks(world, self.truth(version), outcome))

    def tells(self, version: Version, world: str, other: str = TRUTH) -> bool:
        """Whether two worlds give different answers, both of which somebody could give."""
        if not (self.given(world, version) and self.given(other, version)):
            return False
        return not same(self.of(world, version), self.of(other, version))

    def trace(self, world: str, version: Version) -> list[Any]:
        """What the program's own functions held and returned in a world, call by call: (name, line, locals, result)."""
        seen: list[Any] = []
        ids = () if world == TRUTH else (world,)
        with _watching(f"<{version.program.name}>", seen):
            outcome_in(ids, version.program, version.arguments)
        return seen


def numbers_of(outcome: Outcome) -> list[np.ndarray[Any, Any]]:
    """The numbers of an answer, one flat array per value; none for names and exceptions."""
    return list(_numbers(outcome.value)) if isinstance(outcome, Returned) else []


def roughness(outcome: Outcome) -> int:
    """How many of an answer's numbers are no integers."""
    return sum(int((row != np.round(row)).sum()) for row in numbers_of(outcome))


def _numbers(value: Value) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, Items):
        for item in value.items:
            yield from _numbers(item)
    elif isinstance(read := read_numbers(value), Numbers):
        yield read.array.reshape(-1)


@contextmanager
def _watching(file: str, seen: list[Any]) -> Iterator[None]:
    def watch(frame: FrameType, event: str, result: Any) -> None:
        if event != "return" or frame.f_code.co_filename != file:
            return
        # Looking is no part of the program: no world may bend it.
        with unseen():
            held = {name: capture(value) for name, value in frame.f_locals.items()}
            seen.append((frame.f_code.co_name, frame.f_code.co_firstlineno, _tensors(held), capture(result)))

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)


def _tensors(held: dict[str, Value]) -> dict[str, Value]:
    return {name: value for name, value in held.items() if isinstance(value, Array)}


def unbent(trials: Trials, version: Version, worlds: Iterable[str]) -> tuple[int, Value] | None:
    """Where an inner function gives back, in one of these worlds, just what it was given: (its line, what that was)."""
    for world in worlds:
        for name, line, held, result in trials.trace(world, version):
            inner = name != version.program.name
            if inner and isinstance(result, Array) and any(value == result for value in held.values()):
                return line, result
    return None
