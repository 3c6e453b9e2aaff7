"""The audit of an `implement` exercise: its author's foreseen mistakes against the cases that every course has.

Drawn cases differ from course to course, so nothing may depend on them: public and hidden ones must do.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations

from grader.misconceptions.audit.numbers import HIGH, LOW, filled, leaves
from grader.misconceptions.audit.reasons import Reasons
from grader.misconceptions.audit.wording import listed
from grader.misconceptions.trying import in_time, same
from grader.program import define, run_probe
from grader.records import Audit, Exercise, Finding, Mistake, Outcome, Probe, Program, show_outcome

MAX_TRIES = 60
SHOWN = 90


def audit_mistakes(exercise: Exercise) -> Audit:
    """Audit an `implement` exercise: each mistake must fail some public or hidden case, and each in its own way."""
    truth = Program(exercise.id, (), exercise.reference)
    subjects = {mistake: Program(mistake.id, (), mistake.source) for mistake in exercise.mistakes}
    expected = _outcomes(exercise, truth)
    given = {mistake: _outcomes(exercise, subject) for mistake, subject in subjects.items()}
    blind = [mistake for mistake in given if _equal(given[mistake], expected)]
    telling = [mistake for mistake in given if mistake not in blind]
    merged = [pair for pair in combinations(telling, 2) if _equal(given[pair[0]], given[pair[1]])]
    reasons = Reasons(exercise)
    findings: list[Finding] = []
    for mistake in blind:
        text = f"No public or hidden case fails for {_belief(mistake)}."
        cure = _cure(exercise, subjects[mistake], truth)
        findings.append(reasons.excuse("blind", [mistake.id], [[mistake.id]], text, cure))
    for one, other in merged:
        text = f"All cases give the same for {_belief(one)} and for {_belief(other)}: nobody can tell them apart."
        cure = _cure(exercise, subjects[one], subjects[other])
        sides = [[one.id], [other.id]]
        findings.append(reasons.excuse("merged", [one.id, other.id], sides, text, cure))
    apart = [each for each in telling if not any(each in pair for pair in merged)]
    return Audit(exercise.id, exercise.line, len(telling), len(apart), (*findings, *reasons.left_over()))


def _outcomes(exercise: Exercise, subject: Program) -> list[Outcome]:
    return [
        _run(probe, subject, case.arguments)
        for probe in exercise.probes
        for case in probe.cases
        if case.origin != "generated"
    ]


def _run(probe: Probe, subject: Program, arguments: str) -> Outcome:
    # Defined anew for each case, so that none depends on the one before it.
    return in_time(lambda: run_probe(probe.program, define(subject.source, subject.name), arguments))


def _equal(some: Sequence[Outcome], others: Sequence[Outcome]) -> bool:
    return all(map(same, some, others))


def _cure(exercise: Exercise, one: Program, other: Program) -> str:
    """A case that tells two implementations apart, in words."""
    for probe in exercise.probes:
        for arguments in _other_cases(exercise, probe):
            outcomes = [_run(probe, subject, arguments) for subject in (one, other)]
            if not same(*outcomes):
                case = listed([f"{name} = {value!r}" for name, value in ast.literal_eval(arguments).items()])
                answers = " against ".join(show_outcome(outcome, SHOWN) for outcome in outcomes)
                return f"In the probe `{probe.program.name}`, {case} can: {answers}."
    return "No small numbers in these probes tell; write another probe, or leave one of the two out."


def _other_cases(exercise: Exercise, probe: Probe) -> Iterator[str]:
    """Cases like the author's first, with other small numbers."""
    like = next((case for case in probe.cases if case.origin != "generated"), None)
    if like is None:
        return
    arguments = ast.literal_eval(like.arguments)
    # Seeded by the names, so that two audits of one file say the same.
    chance = random.Random(f"{exercise.id}/{probe.program.name}")  # noqa: S311 - no secret
    small = partial(chance.choice, [number for number in range(LOW, HIGH + 1) if number])
    for _ in range(MAX_TRIES):
        yield repr(
            {name: filled(value, iter(small, None)) if _varies(value) else value for name, value in arguments.items()}
        )


def _varies(value: object) -> bool:
    return bool(leaves(value)) and all(type(leaf) in (int, float) for leaf in leaves(value))


def _belief(mistake: Mistake) -> str:
    return f'"{mistake.belief.rstrip(".")}" ({mistake.id})'
