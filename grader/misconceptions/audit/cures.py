"""The search: which version of a program makes a belief show that the program as it is written cannot see."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from grader.misconceptions.audit.numbers import Version
from grader.misconceptions.audit.trials import TRUTH, Trials, roughness
from grader.misconceptions.audit.versions import (
    as_written,
    other_arguments,
    other_inputs,
    otherwise_written,
    unlike_inputs,
)
from grader.misconceptions.catalogue import family_of
from grader.misconceptions.trying import same

# Among so many equally good versions the best one is looked for.
FINALISTS = 8
# So many candidates tell whether it is worth trying all.
SOUNDINGS = 12


@dataclass(frozen=True)
class Confusion:
    """Two answers that are one: those of two beliefs, or of one and the truth (`other` is `TRUTH`)."""

    world: str
    other: str = TRUTH


@dataclass(frozen=True)
class Cure:
    """A version that ends a confusion, and what the two answers are there. `rewritten`: other numbers do not do."""

    version: Version
    rewritten: bool


class Search:
    """Looks for the cure of every confusion: other arguments first, then other inputs, then another program."""

    def __init__(self, trials: Trials, worlds: Sequence[str]) -> None:
        """
        Args:
            worlds: all that change something in this exercise; a cure shall not confuse others instead.
        """
        self.trials = trials
        self.worlds = worlds
        exercise = trials.exercise
        self.levels: list[tuple[bool, Callable[[], list[Version]]]] = [
            (False, lambda: other_arguments(exercise)),
            (False, lambda: other_inputs(exercise)),
            (True, lambda: variants(trials)),
        ]

    def cures(self, confusions: Iterable[Confusion]) -> dict[Confusion, Cure | None]:
        """For each confusion the version that ends it, the same one for as many as possible; None if none was found."""
        found: dict[Confusion, Cure | None] = {}
        left = list(dict.fromkeys(confusions))
        for rewritten, versions in self.levels:
            candidates = [version for version in versions() if self.trials.asks(version)] if left else []
            within_reach = left if rewritten else self.within_reach(candidates, left)
            while best := self.best(candidates, within_reach):
                found.update(dict.fromkeys(self.ended(best, left), Cure(best, rewritten)))
                left, within_reach = ([each for each in some if each not in found] for some in (left, within_reach))
        return {**dict.fromkeys(left), **found}

    def within_reach(self, candidates: Sequence[Version], confusions: Iterable[Confusion]) -> list[Confusion]:
        """Those that a few of the candidates end: what is equal for a dozen unlike inputs is equal by algebra."""
        few = candidates[:: max(1, len(candidates) // SOUNDINGS)]
        return [each for each in confusions if any(self.ended(version, [each]) for version in few)]

    def best(self, candidates: Sequence[Version], confusions: Sequence[Confusion]) -> Version | None:
        """The candidate that ends most confusions; of several that which makes fewest others, then the simplest."""
        ended = [len(self.ended(version, confusions)) for version in candidates]
        most = max(ended, default=0)
        if not most:
            return None
        equals = [version for version, count in zip(candidates, ended, strict=True) if count == most]
        # Candidates come smallest first.
        equals.sort(key=lambda version: roughness(self.trials.truth(version)))
        return min(equals[:FINALISTS], key=self.confused)

    def ended(self, version: Version, confusions: Iterable[Confusion]) -> list[Confusion]:
        """Those of `confusions` that are none in this version."""
        return [each for each in confusions if self.trials.tells(version, each.world, each.other)]

    def confused(self, version: Version) -> int:
        """How many pairs of families, the truth among them, share an answer in this version."""
        return len({(family(one), family(other)) for one, other in shared_answers(self.trials, version, self.worlds)})


def shared_answers(trials: Trials, version: Version, worlds: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of worlds, or of a world and `TRUTH`, of different families that give one answer in a version."""
    given = {world: trials.of(world, version) for world in (TRUTH, *worlds) if trials.given(world, version)}
    return [
        (one, other)
        for one, other in combinations(given, 2)
        if family(one) != family(other) and same(given[one], given[other])
    ]


def family(world: str) -> str:
    """The id of a world's family; the truth is of its own."""
    return TRUTH if world == TRUTH else family_of(world).id


def variants(trials: Trials) -> list[Version]:
    """The program written a little otherwise, with its own numbers and with others."""
    versions = [as_written(trials.exercise), *unlike_inputs(trials.exercise)]
    return [each for version in versions for each in otherwise_written(version)]


def detectors(trials: Trials) -> list[Version]:
    """Versions in which a belief shows that can show at all: a few unlike numbers, then other programs."""
    unlike = unlike_inputs(trials.exercise)
    tried = [*unlike, *otherwise_written((unlike or [as_written(trials.exercise)])[0], addends=False)]
    return [version for version in tried if trials.works(version)]
