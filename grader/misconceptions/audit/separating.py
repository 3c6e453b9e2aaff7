"""An exercise asked otherwise, so that given beliefs part ways: what a student with an ambiguous answer is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations

from grader.misconceptions.audit.cures import FINALISTS, SOUNDINGS, family
from grader.misconceptions.audit.numbers import Version
from grader.misconceptions.audit.trials import TRUTH, Trials, roughness
from grader.misconceptions.audit.versions import (
    as_written,
    other_arguments,
    other_hooks,
    other_inputs,
    otherwise_written,
    unlike_inputs,
)
from grader.misconceptions.catalogue import CATALOGUE, family_of
from grader.records import Exercise, Separation


def separation(exercise: Exercise, ids: Sequence[str]) -> Separation | None:
    """Another version of the exercise, in which the truth and each family of beliefs have an answer of their own.

    Looked for in this order: the program with a change that the families' own follow-ups speak of, other arguments,
    other numbers in its tensors, another constant, result of a hook or addend. The cost is bounded: where a dozen
    unlike versions of one sort tell nothing, no further ones of that sort are tried.

    Args:
        ids: misconceptions, those that an answer fits.

    Returns: None where no version that was tried does that, and for an exercise without a program.
    """
    if exercise.program is None or not set(ids) <= CATALOGUE.keys():
        return None
    trials = Trials(exercise)
    follow_ups = {family_of(each).follow_up for each in ids}
    rewritten = [*otherwise_written(as_written(exercise)), *other_hooks(as_written(exercise))]
    sorts: list[Callable[[], Sequence[Version]]] = [
        lambda: [each for each in rewritten if any(_new_text(each) in follow_up for follow_up in follow_ups)],
        lambda: other_arguments(exercise),
        lambda: other_inputs(exercise),
        lambda: rewritten,
        lambda: [each for version in unlike_inputs(exercise) for each in otherwise_written(version)],
    ]
    # Best where the truth is apart, too; but whoever has these beliefs can tell them apart without it.
    for believed in ((TRUTH, *ids), ids):
        pairs = [(one, other) for one, other in combinations(believed, 2) if family(one) != family(other)]
        for versions in sorts:
            found = _roundest(trials, _telling(versions(), partial(_tells, trials, pairs)))
            if found is not None:
                return Separation(found.program.source, found.arguments, found.changes)
    return None


def _tells(trials: Trials, pairs: Sequence[tuple[str, str]], version: Version) -> bool:
    return trials.asks(version) and all(trials.tells(version, one, other) for one, other in pairs)


def _telling(versions: Sequence[Version], tells: Callable[[Version], bool]) -> Iterator[Version]:
    """Those that tell, in order; none where a dozen of them, spread over all, do not: that is algebra, not chance."""
    few = versions[:: max(1, len(versions) // SOUNDINGS)]
    if any(map(tells, few)):
        yield from filter(tells, versions)


def _roundest(trials: Trials, versions: Iterator[Version]) -> Version | None:
    """The first whose right answer is of whole numbers; of the first few the nearest to that where none is."""
    seen: list[Version] = []
    for version in versions:
        seen.append(version)
        if not roughness(trials.truth(version)) or len(seen) == FINALISTS:
            break
    return min(seen, key=lambda version: roughness(trials.truth(version)), default=None)


def _new_text(version: Version) -> str:
    """The code that a rewriting puts in the place of other code, in backquotes."""
    return version.changes[-1].partition(" in place of ")[0]
