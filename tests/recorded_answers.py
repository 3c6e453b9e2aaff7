"""Wrong answers whose cause is recorded (tests/judging/hook-programs.jsonl), asked and diagnosed as a course would.

Each program becomes an exercise. Where the truth or the answer is an exception, the question is whether it raises.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from grader.judging import worker
from grader.judging.believing import believe
from grader.judging.diagnosis import BeliefsOf, found_for
from grader.judging.fitting import Answer
from grader.judging.remembering import RememberedBeliefs
from grader.misconceptions.catalogue import identity
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

ROWS = [
    json.loads(line) for line in (Path(__file__).parent / "judging" / "hook-programs.jsonl").read_text().splitlines()
]


@dataclass(frozen=True)
class Recorded:
    """One wrong answer and what is known of it."""

    program: str
    planted: str
    made_by: str
    answer: Answer
    beliefs: BeliefsOf

    def diagnosis(self) -> Diagnosis:
        return found_for(self.answer, self.beliefs, {})


def exercise_of(row: dict[str, Any], kind: Kind) -> Exercise:
    return Exercise(
        id="program",
        kind=kind,
        line=1,
        prompt="",
        points=Decimal(1),
        credit=(Decimal(1),),
        answers=("answer",),
        stub="answer = ...",
        fingerprint="",
        show_key=True,
        program=Program("program", (), row["program"]),
    )


class _Here:
    """Runs worlds in this process, where the tests' own thread is."""

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs:
        return believe(exercise, key, pairs)

    def separation(self, exercise: Exercise, ids: Sequence[str]) -> Separation | None:
        """Not looked for: which beliefs fit is what is measured here."""
        return None


def recorded() -> Iterator[Recorded]:
    """Every recorded wrong answer; beliefs about a program are computed once, pairs only where they are asked for."""
    for row in ROWS:
        known: dict[Kind, tuple[ExerciseKey, BeliefsOf]] = {}
        for wrong in row["wrong_answers"]:
            kind: Kind = "raises" if "raises" in row["truth"] or "raises" in wrong["answer"] else "predict"
            exercise = exercise_of(row, kind)
            if kind not in known:
                key = ExerciseKey("program", worker.solve(exercise))
                assignment = Assignment("a", "A", "", (exercise,), "f", Limits())
                known[kind] = key, RememberedBeliefs(_Here(), assignment, {"program": key})
            key, beliefs = known[kind]
            given = capture(wrong["answer"].get("raises")) if kind == "raises" else _like_key(wrong["answer"], key)
            yield Recorded(
                row["id"], identity(wrong["misconception"]), wrong["made_by"], Answer(exercise, key, (given,)), beliefs
            )


def _like_key(answer: dict[str, Any], key: ExerciseKey) -> Value:
    """The recorded answer in the shape of the program's own return: a lone number is recorded as a list of one."""
    (outcome,) = key.outcomes
    assert isinstance(outcome, Returned)
    truth = dict(outcome.value.items)  # type: ignore[union-attr]
    shaped = {
        name: numbers[0] if isinstance(numbers, list) and len(numbers) == 1 and _is_lone(truth.get(name)) else numbers
        for name, numbers in answer.items()
    }
    return capture(shaped)


def _is_lone(value: Value | None) -> bool:
    return type(value).__name__ == "Number"


def repeats_a_world(one: Recorded) -> bool:
    """Whether a belief that has a world is recorded with the very same answer: then it is rightly named."""
    (row,) = (each for each in ROWS if each["id"] == one.program)
    answers = {each["misconception"]: (each["made_by"], each["answer"]) for each in row["wrong_answers"]}
    own = next(answer for name, (_, answer) in answers.items() if identity(name) == one.planted)
    return any(made_by == "simulation" and answer == own for made_by, answer in answers.values())


def diagnosed(one: Recorded, row: dict[str, Any], numbers: dict[str, Any]) -> Diagnosis | None:
    """What is said of other numbers for the same program; None if they are the right ones."""
    if all(numbers[name] == (value if isinstance(value, list) else [value]) for name, value in row["truth"].items()):
        return None
    value = _like_key(numbers, one.answer.key)
    return found_for(Answer(one.answer.exercise, one.answer.key, (value,)), one.beliefs, {})


def slips(row: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """The truth with one number written down wrongly, as people do: next to it, sign, a zero, twice, half."""
    numbers = {name: list(values) if isinstance(values, list) else [values] for name, values in row["truth"].items()}
    name = draw.choice([each for each in numbers if numbers[each]])
    at = draw.randrange(len(numbers[name]))
    value = numbers[name][at]
    numbers[name][at] = draw.choice(
        [value + 1, value - 1, -value, 10 * value, value / 10, 2 * value, value / 2, value + 10]
    )
    return numbers


def noise(row: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """Numbers that mean nothing, of the truth's size."""
    return {
        name: [draw.randint(-30, 30) for _ in (values if isinstance(values, list) else [values])]
        for name, values in row["truth"].items()
    }
