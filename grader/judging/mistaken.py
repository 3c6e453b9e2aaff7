"""Mistakes that an author foresaw, run in the worker: what they give, and whether any case would notice them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from grader.answers import compare
from grader.errors import ReferenceFault
from grader.misconceptions.trying import in_time
from grader.program import define, run_probe
from grader.records import Case, Exercise, Mistake, Outcome, Probe, Returned


def outcome_of(mistake: Mistake, probe: Probe, case: Case) -> Outcome:
    """What a probe gives in one case with a mistaken implementation; `NotRun` where that takes too long or breaks."""
    return in_time(partial(_run, mistake, probe, case))


def unseen_mistakes(exercise: Exercise, key: Sequence[Outcome]) -> tuple[str, ...]:
    """Problems, "exercise: what is wrong; what to do", of mistakes that every case takes for right.

    Args:
        key: what the reference gives, case by case.
    """
    cases = [(probe, case) for probe in exercise.probes for case in probe.cases]
    return tuple(
        f"{exercise.id}: its mistake `{mistake.id}` gives what the reference gives, in {_counted(len(cases))}; "
        "add a case in which it fails, or remove it"
        for mistake in exercise.mistakes
        if all(
            _is_right(outcome_of(mistake, probe, case), expected, exercise.tolerance)
            for (probe, case), expected in zip(cases, key, strict=True)
        )
    )


def _run(mistake: Mistake, probe: Probe, case: Case) -> Outcome:
    # Defined anew for each case, so that none depends on the one before it.
    return run_probe(probe.program, define(mistake.source, mistake.id), case.arguments)


def _is_right(given: Outcome, expected: Outcome, tolerance: float | None) -> bool:
    if not (isinstance(given, Returned) and isinstance(expected, Returned)):
        return False
    try:
        return compare(given.value, expected.value, tolerance).right
    except ReferenceFault:
        return False


def _counted(cases: int) -> str:
    return "its one case" if cases == 1 else f"all {cases} cases"
