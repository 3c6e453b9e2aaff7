"""Programs and wrong answers that were worked out by hand, and not by running a world: planted-answers.txt."""

from __future__ import annotations

import random
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from grader.judging import worker
from grader.judging.believing import believe
from grader.judging.diagnosis import Answer, found_for
from grader.judging.remembering import RememberedBeliefs
from grader.program import capture
from grader.records import (
    Assignment,
    Beliefs,
    Diagnosis,
    Exercise,
    ExerciseKey,
    Kind,
    Limits,
    Program,
    Returned,
    Separation,
    Value,
)

TEXT = Path(__file__).parent / "planted-answers.txt"


class _Here:
    """Runs worlds in this process, where the tests' own thread is; never asks for a follow-up question."""

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs:
        return believe(exercise, key, pairs)

    def separation(self, exercise: Exercise, ids: Any) -> Separation | None:
        return None


@dataclass(frozen=True)
class Planted:
    """A belief, and what somebody who holds it answers."""

    belief: str
    answer: Any


@dataclass(frozen=True)
class Question:
    """A program as an exercise would ask about it, with planted answers."""

    name: str
    kind: Kind
    source: str
    planted: tuple[Planted, ...]

    @cached_property
    def exercise(self) -> Exercise:
        return Exercise(
            id="program",
            kind=self.kind,
            line=1,
            prompt="",
            points=Decimal(1),
            credit=(Decimal(1),),
            answers=("answer",),
            stub="answer = ...",
            fingerprint="",
            show_key=True,
            program=Program("program", (), self.source),
        )

    @cached_property
    def key(self) -> ExerciseKey:
        return ExerciseKey("program", worker.solve(self.exercise))

    @cached_property
    def beliefs(self) -> RememberedBeliefs:
        assignment = Assignment("a", "A", "", (self.exercise,), "f", Limits())
        return RememberedBeliefs(_Here(), assignment, {"program": self.key})

    @property
    def truth(self) -> Value:
        (outcome,) = self.key.outcomes
        assert isinstance(outcome, Returned)
        return outcome.value

    def diagnosis(self, answer: Any) -> Diagnosis:
        return found_for(Answer(self.exercise, self.key, (capture(answer),)), self.beliefs, {})


def questions() -> Iterator[Question]:
    for part in TEXT.read_text().split("# --- ")[1:]:
        head, body = part.split("\n", 1)
        kind, _, name = head.rpartition(": ")
        lines = body.splitlines()
        code = "\n".join(line for line in lines if not line.startswith("#="))
        yield Question(
            name,
            kind if kind in get_args(Kind) else "predict",  # type: ignore[arg-type]
            "def program():\n" + textwrap.indent(code, "    "),
            tuple(_planted(line[2:]) for line in lines if line.startswith("#=")),
        )


def _planted(line: str) -> Planted:
    belief, _, rest = line.strip().partition(": ")
    # Fractions are written as such, which a literal cannot be.
    return Planted(belief, eval(rest.split("  -- ")[0], {"__builtins__": {}}))


def numbers_in(thing: Any) -> int:
    """How many numbers a nested list holds; -1 where it holds anything else."""
    if isinstance(thing, (list, tuple)):
        counts = [numbers_in(each) for each in thing]
        return -1 if -1 in counts else sum(counts)
    return 1 if isinstance(thing, (int, float)) and not isinstance(thing, bool) else -1


def with_numbers(shape: Any, numbers: Iterator[float]) -> Any:
    """The same nesting as `shape`, with other numbers."""
    if isinstance(shape, (list, tuple)):
        return [with_numbers(each, numbers) for each in shape]
    return next(numbers)


def flat(thing: Any) -> list[float]:
    return [number for each in thing for number in flat(each)] if isinstance(thing, (list, tuple)) else [thing]


def slip(numbers: list[float], draw: random.Random) -> list[float]:
    """One number written down wrongly, as people do."""
    at = draw.randrange(len(numbers))
    value = numbers[at]
    slipped = draw.choice([value + 1, value - 1, -value, 10 * value, value / 10, 2 * value, value / 2, value + 10])
    return [*numbers[:at], slipped, *numbers[at + 1 :]]


def noise(numbers: list[float], draw: random.Random) -> list[float]:
    """Numbers that mean nothing."""
    return [draw.randint(-30, 30) for _ in numbers]
