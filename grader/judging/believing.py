"""What an exercise would give if a belief were true. Runs in the worker alone: instructor code, torch, worlds.

Nothing here is tabulated: every alternative is run, on the exercise's own program, with its own numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import permutations
from types import FrameType
from typing import Any

from grader.misconceptions.catalogue import CATALOGUE, family_of
from grader.misconceptions.trying import in_time, outcome_in, readings_of, same, speaks, worlds_for
from grader.misconceptions.worlds import WORLDS
from grader.misconceptions.worlds.answers import believed_refusals
from grader.program import capture, define, run_probe, run_program
from grader.records import (
    Alternative,
    Array,
    Beliefs,
    Case,
    Exercise,
    ExerciseKey,
    Mistake,
    NotRun,
    Number,
    Outcome,
    Probe,
    Program,
    Raised,
    Value,
)

MAX_VALUES = 40
# Two beliefs at once are tried for so many families at most: the number of runs grows with its square.
MAX_PAIRED = 10

_TAUGHT = {name: position for position, name in enumerate(CATALOGUE)}


def believe(exercise: Exercise, key: ExerciseKey, pairs: bool, ids: Sequence[str] | None = None) -> Beliefs:
    """Run `exercise` in every world, and with every mistake that its author foresaw.

    Args:
        pairs: also two worlds at once, for those that change something by themselves.
        ids: these worlds alone; None for all.
    """
    singles = [] if ids is not None else list(_mistakes(exercise, key))
    for name in worlds_for(exercise) if ids is None else ids:
        for reading in readings_of(name):
            outcomes = _outcomes(exercise, (reading,))
            if _applies(exercise, key, outcomes) and all(map(partial(speaks, name), key.outcomes, outcomes)):
                singles.append(Alternative((name,), outcomes))
    if exercise.kind == "raises" and ids is None:
        singles += [
            Alternative((name,), (outcome,))
            for name, outcomes in believed_refusals(key.outcomes[0]).items()
            for outcome in outcomes
        ]
    doubles = tuple(_pairs(exercise, key, singles)) if pairs else None
    return Beliefs(exercise.id, tuple(singles), doubles, tuple(_values(exercise)))


def _outcomes(exercise: Exercise, ids: tuple[str, ...]) -> tuple[Outcome, ...]:
    if exercise.kind != "implement":
        assert exercise.program is not None, "every kind but implement has a program"
        return (outcome_in(ids, exercise.program, exercise.arguments),)
    subject = Program(exercise.id, (), exercise.reference)
    return tuple(
        outcome_in(ids, probe.program, case.arguments, subject) for probe in exercise.probes for case in probe.cases
    )


def _mistakes(exercise: Exercise, key: ExerciseKey) -> Iterator[Alternative]:
    for mistake in exercise.mistakes:
        outcomes = tuple(
            in_time(partial(_mistaken, mistake, probe, case)) for probe in exercise.probes for case in probe.cases
        )
        if not _same(outcomes, key.outcomes):
            yield Alternative((mistake.id,), outcomes)


def _mistaken(mistake: Mistake, probe: Probe, case: Case) -> Outcome:
    return run_probe(probe.program, define(mistake.source, mistake.id), case.arguments)


def _pairs(exercise: Exercise, key: ExerciseKey, singles: Sequence[Alternative]) -> Iterator[Alternative]:
    one_each: dict[str, str] = {}
    # In teaching order: what is taught first is believed most.
    for alternative in sorted(singles, key=lambda each: _TAUGHT.get(each.ids[0], len(_TAUGHT))):
        if alternative.ids[0] in WORLDS:
            one_each.setdefault(family_of(alternative.ids[0]).id, alternative.ids[0])
    for ids in permutations(list(one_each.values())[:MAX_PAIRED], 2):
        outcomes = _outcomes(exercise, ids)
        if _applies(exercise, key, outcomes) and not any(_same(outcomes, each.outcomes) for each in singles):
            yield Alternative(ids, outcomes)


def _applies(exercise: Exercise, key: ExerciseKey, outcomes: tuple[Outcome, ...]) -> bool:
    """Whether a world is about this exercise: it changes the answer, and to one that could be given."""
    if any(isinstance(each, NotRun) for each in outcomes) or _same(outcomes, key.outcomes):
        return False
    if exercise.kind == "raises":
        return True
    # A world that raises where torch does not is bent too far for this program: nobody answers with its error.
    return not any(isinstance(each, Raised) for each in outcomes)


def _same(some: tuple[Outcome, ...], others: tuple[Outcome, ...]) -> bool:
    return all(same(one, other) for one, other in zip(some, others, strict=True))


def _values(exercise: Exercise) -> Iterator[tuple[str, Value]]:
    """What the program's variables held when it returned, and what its inner functions returned (its hooks)."""
    if exercise.program is None:
        return
    seen: list[tuple[str, Value]] = []
    file, name = f"<{exercise.program.name}>", exercise.program.name
    with _watching(file, name, seen):
        run_program(exercise.program, exercise.arguments)
    yield from seen[:MAX_VALUES]


@contextmanager
def _watching(file: str, name: str, seen: list[tuple[str, Value]]) -> Iterator[None]:
    def watch(frame: FrameType, event: str, result: Any) -> None:
        if event != "return" or frame.f_code.co_filename != file:
            return
        if frame.f_code.co_name == name:
            found = [(variable, capture(value)) for variable, value in frame.f_locals.items()]
        else:
            found = [("the hook's return", capture(result))]
        seen.extend((what, value) for what, value in found if isinstance(value, (Array, Number)))

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(None)
