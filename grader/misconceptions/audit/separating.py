"""Numbers that tell given beliefs apart: for the question that a student with an ambiguous answer is asked next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from grader.misconceptions.audit.cures import family
from grader.misconceptions.audit.trials import TRUTH, Trials, roughness
from grader.misconceptions.audit.versions import other_arguments
from grader.records import Exercise


def separating_arguments(exercise: Exercise, ids: Sequence[str]) -> str | None:
    """Other arguments for the exercise's program, for which beliefs of different families answer differently.

    Args:
        ids: misconceptions, those that an answer fits.

    Returns: the text of a dict literal, small numbers first, such that the truth and each family have an answer of
        their own; None where the program has no parameters or none of the numbers tried does that.
    """
    trials = Trials(exercise)
    pairs = [(one, other) for one, other in combinations((TRUTH, *ids), 2) if family(one) != family(other)]
    fitting = [
        version
        for version in (other_arguments(exercise) if exercise.program is not None else [])
        if trials.asks(version) and all(trials.tells(version, one, other) for one, other in pairs)
    ]
    # Candidates come smallest first.
    return min(fitting, key=lambda version: roughness(trials.truth(version))).arguments if fitting else None
