"""Which numbers an exercise may be asked with: those that are as easy, and tell beliefs apart as well, as others do.

For the worker process alone: every candidate is run, in torch and in the worlds that change something here.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from grader.answers.reading import Numbers, read_numbers
from grader.misconceptions.catalogue import family_of
from grader.misconceptions.trying import givable, outcome_in, same
from grader.misconceptions.worlds import WORLDS
from grader.program import run_program
from grader.records import Exercise, Items, Outcome, Raised, Returned, Table, Value

# So many draws are enough for a class: each further one costs a run in every world.
MOST_DRAWS = 40
# What these tell apart, every draw must tell apart.
SAMPLED = 12
# Numbers that one still works out by hand.
LARGEST = 200.0
TRUTH = "truth"

Pairs = frozenset[frozenset[str]]


@dataclass(frozen=True)
class Trial:
    """An exercise run with some arguments: what torch gives, and what worlds give by id."""

    arguments: str
    truth: Outcome
    believed: Mapping[str, Outcome]

    def telling(self) -> frozenset[str]:
        """The worlds whose answer is not the right one."""
        return frozenset(name for name, outcome in self.believed.items() if not same(outcome, self.truth))

    def apart(self, worlds: frozenset[str]) -> Pairs:
        """The pairs of families, the truth as one of them, that share no answer here.

        Args:
            worlds: which count; a family none of which can be held here is apart from nothing.
        """
        classes = [self.truth]
        given: dict[str, set[int]] = {TRUTH: {0}}
        for name in sorted(worlds & self.believed.keys()):
            outcome = self.believed[name]
            number = next((at for at, known in enumerate(classes) if same(outcome, known)), len(classes))
            if number == len(classes):
                classes.append(outcome)
            given.setdefault(family_of(name).id, set()).add(number)
        return frozenset(frozenset(pair) for pair in combinations(given, 2) if not given[pair[0]] & given[pair[1]])


def find_draws(
    exercise: Exercise, candidates: Iterable[str], most: int = MOST_DRAWS, worlds: Collection[str] | None = None
) -> tuple[tuple[str, ...], int]:
    """Choose among `candidates` (texts of dict literals) those that any student may be given.

    A draw is chosen if its answer has as many numbers that are not zero as that of the exercise's own arguments, none
    of 200 or more, and is not that of a draw chosen before; and if it keeps apart the truth and all families of
    beliefs which the own arguments or any of the first 12 such candidates keep apart.

    Args:
        worlds: the beliefs that count; None for all about numbers.

    Returns: (the draws in the order of the candidates, how many candidates were looked at). The exercise's own
        arguments are the only draw where no other can be chosen.
    """
    own = _truth(exercise, exercise.arguments)
    tried = _Counted(candidates)
    alike = (each for each in tried if _alike(exercise, each, own))
    known = WORLDS if worlds is None else worlds
    sample = [try_in(exercise, each, known) for each in islice(alike, SAMPLED)]
    measured = [try_in(exercise, exercise.arguments, known), *sample]
    telling = frozenset().union(*(trial.telling() for trial in measured))
    asked = frozenset().union(*(trial.apart(telling) for trial in measured))
    chosen: list[Trial] = []
    for trial in _further(exercise, sample, alike, telling):
        if trial.apart(telling) >= asked and not any(same(trial.truth, each.truth) for each in [measured[0], *chosen]):
            chosen.append(trial)
        if len(chosen) == most:
            break
    return tuple(each.arguments for each in chosen) or (exercise.arguments,), tried.count


def try_in(exercise: Exercise, arguments: str, worlds: Iterable[str]) -> Trial:
    """Run the exercise's program with `arguments` in torch and in `worlds`; an answer that nobody gives is left out."""
    assert exercise.program is not None, "what has numbers of its own has a program"
    believed = {name: outcome_in((name,), exercise.program, arguments) for name in worlds}
    held = {name: outcome for name, outcome in believed.items() if givable(exercise, outcome)}
    return Trial(arguments, _truth(exercise, arguments), held)


def _further(
    exercise: Exercise, sample: Sequence[Trial], alike: Iterator[str], worlds: frozenset[str]
) -> Iterator[Trial]:
    yield from sample
    yield from (try_in(exercise, each, sorted(worlds)) for each in alike)


class _Counted:
    """An iterator that knows how many it has given."""

    def __init__(self, things: Iterable[str]) -> None:
        self._things = iter(things)
        self.count = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        thing = next(self._things)
        self.count += 1
        return thing


def _truth(exercise: Exercise, arguments: str) -> Outcome:
    assert exercise.program is not None, "what has numbers of its own has a program"
    return run_program(exercise.program, arguments)


def _alike(exercise: Exercise, arguments: str, own: Outcome) -> bool:
    """Whether this asks for as many steps as the exercise's own arguments do, and for numbers as small."""
    outcome = _truth(exercise, arguments)
    if isinstance(own, Raised) or isinstance(outcome, Raised):
        return exercise.kind == "raises"
    if not (isinstance(own, Returned) and isinstance(outcome, Returned)):
        return False
    was, now = _numbers(own.value), _numbers(outcome.value)
    limit = max(LARGEST, float(np.abs(was).max(initial=0.0)) + 1)
    return (
        np.count_nonzero(was) == np.count_nonzero(now)
        and _steps(exercise.arguments) == _steps(arguments)
        and bool((np.abs(now) < limit).all())
    )


def _steps(arguments: str) -> int:
    """How many numbers of the arguments are not zero: each of those is a step to work out."""
    return sum(1 for leaf in _leaves(ast.literal_eval(arguments)) if leaf)


def _leaves(thing: object) -> Iterator[object]:
    if isinstance(thing, (list, tuple, dict)):
        for item in thing.values() if isinstance(thing, dict) else thing:
            yield from _leaves(item)
    else:
        yield thing


def _numbers(value: Value) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """All numbers in an answer in one row; what is no number counts for none."""
    if isinstance(value, (Items, Table)):
        items = value.items if isinstance(value, Items) else tuple(item for _, item in value.items)
        return np.concatenate([np.zeros(0), *map(_numbers, items)])
    read = read_numbers(value)
    return np.abs(read.array).astype(float).reshape(-1) if isinstance(read, Numbers) else np.zeros(0)
