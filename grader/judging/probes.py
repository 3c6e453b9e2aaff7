"""Judging a function or class that a student wrote: one part per probe, right only if every case is.

Nothing of a hidden case leaves this module: neither its arguments, nor what the student's function gave or raised in
it, nor what was expected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from grader.answers import compare
from grader.errors import ReferenceFault
from grader.judging.planning import probe_id
from grader.judging.wording import no_result
from grader.records import (
    ZERO,
    Blank,
    Case,
    CaseShown,
    Exercise,
    ExerciseKey,
    NotRun,
    Outcome,
    Part,
    Probe,
    Raised,
    Returned,
    Value,
    Verdict,
    plain,
)

MAX_MESSAGE = 200


@dataclass(frozen=True)
class _Tried:
    """One case and what became of it; `why` and `brief` say what is not right, "" where all is."""

    case: Case
    given: Outcome
    expected: Outcome
    right: bool
    why: str = ""
    brief: str = ""


def probe_parts(
    exercise: Exercise, key: ExerciseKey, subject: Value | None, outcomes: Mapping[str, Outcome], broken: bool
) -> tuple[tuple[Part, str], ...]:
    """Judge each probe of an `implement` exercise.

    Args:
        subject: what was captured under the function's name after its cell; None if nothing was.
        outcomes: what the probes gave, by `probe_id`.
        broken: whether the child's channel broke.

    Returns: per probe, in order, the part and a clause on it that fits a table.

    Raises: `ReferenceFault` if the key does not fit the exercise.
    """
    keys = _keys(exercise, key)
    absent = _absent(exercise.id, subject, broken)
    parts = []
    for probe, credit, expected in zip(exercise.probes, exercise.credit, keys, strict=True):
        if absent is not None:
            verdict, message, brief = absent
            parts.append((Part(probe.program.name, verdict, ZERO, credit, message), brief))
        else:
            parts.append(_probe_part(exercise, probe, credit, expected, outcomes))
    return tuple(parts)


def _keys(exercise: Exercise, key: ExerciseKey) -> list[tuple[Outcome, ...]]:
    if len(key.outcomes) != sum(len(probe.cases) for probe in exercise.probes):
        raise ReferenceFault(f"exercise {exercise.id!r} has not one key for each of its cases")
    left = list(key.outcomes)
    keys = []
    for probe in exercise.probes:
        # "All cases are right" holds of no cases at all; that must never give marks.
        if not probe.cases:
            raise ReferenceFault(f"the probe {probe.program.name!r} of exercise {exercise.id!r} has no case")
        keys.append(tuple(left[: len(probe.cases)]))
        del left[: len(probe.cases)]
    for outcome in key.outcomes:
        if not isinstance(outcome, Returned):
            what = f"raised {outcome.exception}" if isinstance(outcome, Raised) else outcome.reason
            raise ReferenceFault(f"the reference of exercise {exercise.id!r} has no result in one of its cases: {what}")
    return keys


def _absent(name: str, subject: Value | None, broken: bool) -> tuple[Verdict, str, str] | None:
    if subject is None and broken:
        return "needs_person", "It did not arrive: the notebook's process broke the channel.", "it did not arrive"
    if subject is None:
        return "not_answered", f"Your cell never defines `{name}`.", f"your cell never defines `{name}`"
    if isinstance(subject, Blank):
        return "not_answered", f"`{name}` is still `...`.", f"`{name}` is still `...`"
    return None


def _probe_part(
    exercise: Exercise, probe: Probe, credit: Decimal, keys: tuple[Outcome, ...], outcomes: Mapping[str, Outcome]
) -> tuple[Part, str]:
    name = probe.program.name
    given = [outcomes.get(probe_id(exercise.id, name, number)) for number in range(len(probe.cases))]
    if any(each is None for each in given):
        message = "The results of some cases did not arrive."
        return Part(name, "needs_person", ZERO, credit, message), "results did not arrive"
    never = next((each for each in given if isinstance(each, NotRun) and each.cause == "not_reached"), None)
    if never is not None:
        return Part(name, "needs_person", ZERO, credit, f"It {no_result(never)}."), f"it {no_result(never)}"
    tried = [
        _try(case, one, expected, exercise.tolerance)
        for case, one, expected in zip(probe.cases, given, keys, strict=True)
        if one is not None
    ]
    failed = [each for each in tried if not each.right]
    if not failed:
        count = len(tried)
        return Part(name, "right", credit, credit, f"All {count} cases are right." if count > 1 else "Right."), "right"
    shown = next((each for each in failed if each.case.origin != "hidden"), None)
    message, brief = _say(tried, failed, shown)
    return Part(name, _verdict(tried), ZERO, credit, message, case=_show(exercise, name, shown)), brief


def _try(case: Case, given: Outcome, expected: Outcome, tolerance: float | None) -> _Tried:
    assert isinstance(expected, Returned), "checked when the keys were taken apart"
    if isinstance(given, Raised):
        message = plain(given.message)[:MAX_MESSAGE]
        why = f"it raised {plain(given.exception)}{': ' + message if message else ''}."
        return _Tried(case, given, expected, False, why, f"your function raised {plain(given.exception)}")
    if isinstance(given, NotRun):
        why = no_result(given)
        return _Tried(case, given, expected, False, f"it {why}.", f"your function {why}")
    comparison = compare(given.value, expected.value, tolerance)
    return _Tried(case, given, expected, comparison.right, comparison.message, comparison.brief)


def _verdict(tried: list[_Tried]) -> Verdict:
    results = [each.given for each in tried if not isinstance(each.given, NotRun)]
    if results:
        return "wrong"
    gone = all(isinstance(each.given, NotRun) and each.given.cause == "no_subject" for each in tried)
    return "not_answered" if gone else "could_not_run"


def _say(tried: list[_Tried], failed: list[_Tried], shown: _Tried | None) -> tuple[str, str]:
    passed = len(tried) - len(failed)
    one = len(tried) == 1
    counted = "" if one else f"{passed} of {len(tried)} cases {'is' if passed == 1 else 'are'} right. "
    if shown is None:
        which = "A case that is not shown is" if len(failed) == 1 else "Cases that are not shown are"
        brief = "a case that is not shown" if one else f"{passed} of {len(tried)} cases right"
        return f"{counted}{which} not right.", brief
    lead = "" if one else "In the case shown: "
    brief = shown.brief if one else f"{passed} of {len(tried)} cases right; {shown.brief}"
    return f"{counted}{lead}{shown.why}", brief


def _show(exercise: Exercise, probe: str, tried: _Tried | None) -> CaseShown | None:
    if tried is None or tried.case.origin == "hidden":
        return None
    return CaseShown(probe, tried.case.arguments, tried.given, tried.expected if exercise.show_key else None)
