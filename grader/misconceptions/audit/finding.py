"""The audit of a question that has a program: every belief that it is about, held against the truth and each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.misconceptions.audit import wording
from grader.misconceptions.audit.cures import Confusion, Cure, Search, detectors, family, shared_answers
from grader.misconceptions.audit.nearness import distance
from grader.misconceptions.audit.reasons import Reasons
from grader.misconceptions.audit.trials import TRUTH, Trials
from grader.misconceptions.audit.versions import as_written
from grader.misconceptions.catalogue import CATALOGUE
from grader.misconceptions.trying import same, worlds_for
from grader.records import Audit, Exercise, Finding, Outcome

IsSlip = Callable[[Exercise, Outcome, Outcome], bool]
"""(exercise, what a belief gives, what is right) -> whether that could be a mere slip."""


def audit_program(exercise: Exercise, is_slip: IsSlip) -> Audit:
    """Audit an exercise of any kind but `implement`."""
    trials = Trials(exercise)
    version = as_written(exercise)
    candidates = worlds_for(exercise)
    order = [each for each in CATALOGUE if each in candidates]
    telling = [each for each in order if trials.tells(version, each)]
    equal = [each for each in order if same(trials.of(each, version), trials.truth(version))]
    tried = detectors(trials)
    blind = [each for each in equal if any(trials.tells(other, each) for other in tried)]
    merged = [pair for pair in shared_answers(trials, version, telling) if TRUTH not in pair]
    confusions = [*(Confusion(each) for each in blind), *(Confusion(*pair) for pair in merged)]
    cures = Search(trials, [*telling, *blind]).cures(confusions)
    reasons = Reasons(exercise)
    findings = [
        *_blind(trials, reasons, {each.world: cure for each, cure in cures.items() if each.other == TRUTH}),
        *_merged(trials, reasons, {each: cure for each, cure in cures.items() if each.other != TRUTH}),
        *_slips(trials, telling, is_slip),
        *_beyond(trials, [each for each in equal if each not in blind]),
        *reasons.left_over(),
    ]
    families = {family(each) for each in telling}
    apart = families - {family(each) for pair in merged for each in pair}
    return Audit(exercise.id, exercise.line, len(families), len(apart), tuple(findings), _nearest(trials, telling))


def _blind(trials: Trials, reasons: Reasons, cures: Mapping[str, Cure | None]) -> Iterator[Finding]:
    groups: dict[tuple[str, Cure | None], list[str]] = {}
    for world, cure in cures.items():
        groups.setdefault((family(world), cure), []).append(world)
    for (_, cure), ids in groups.items():
        text = wording.blind_text(trials, ids)
        yield reasons.excuse("blind", ids, (ids,), text, wording.cure_text(trials, cure, ids))


def _merged(trials: Trials, reasons: Reasons, cures: Mapping[Confusion, Cure | None]) -> Iterator[Finding]:
    version = as_written(trials.exercise)
    groups: list[list[str]] = []
    for world in dict.fromkeys(each for confusion in cures for each in (confusion.world, confusion.other)):
        outcome = trials.of(world, version)
        known = next((group for group in groups if same(trials.of(group[0], version), outcome)), None)
        groups.append([world]) if known is None else known.append(world)
    for group in groups:
        sides = [[world for world in group if family(world) == kin] for kin in dict.fromkeys(map(family, group))]
        inside = {each: cure for each, cure in cures.items() if each.world in group}
        text = wording.merged_text(trials, sides)
        yield reasons.excuse("merged", group, sides, text, wording.cures_text(trials, sides, inside))


def _slips(trials: Trials, telling: Sequence[str], is_slip: IsSlip) -> Iterator[Finding]:
    version = as_written(trials.exercise)
    truth = trials.truth(version)
    for world in telling:
        outcome = trials.of(world, version)
        if is_slip(trials.exercise, outcome, truth):
            yield Finding("slip", (world,), wording.slip_text(outcome, [world]))


def _beyond(trials: Trials, silent: Sequence[str]) -> Iterator[Finding]:
    version = as_written(trials.exercise)
    plain = trials.trace(TRUTH, version)
    ids = tuple(each for each in silent if trials.trace(each, version) != plain)
    if ids:
        yield Finding("beyond", ids, wording.beyond_text(ids))


def _nearest(trials: Trials, telling: Sequence[str]) -> str:
    version = as_written(trials.exercise)
    truth = trials.truth(version)
    measured = [(distance(trials.of(each, version), truth), each) for each in telling]
    far = [(length, world) for length, world in measured if length is not None and length.elements]
    if not far:
        return ""
    length, world = min(far, key=lambda each: each[0])
    outcome = trials.of(world, version)
    alike = [each for each in telling if family(each) == family(world) and same(trials.of(each, version), outcome)]
    return wording.nearest_text(outcome, alike, length.elements, length.total, length.size)
