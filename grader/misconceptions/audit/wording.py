"""What an audit says, in sentences for an author who knows the question and not the machinery."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from grader.misconceptions.audit.cures import Confusion, Cure
from grader.misconceptions.audit.numbers import parameters
from grader.misconceptions.audit.trials import Trials, unbent
from grader.misconceptions.audit.versions import as_written
from grader.misconceptions.catalogue import CATALOGUE, family_of
from grader.records import Exercise, Outcome, show, show_outcome

SHOWN = 90
NEVER = "Impossible, equal by algebra: no other numbers and no other constant tell."


def belief(ids: Sequence[str]) -> str:
    """The sentence that these misconceptions of one family share, in quotes."""
    first = CATALOGUE[ids[0]]
    return f'"{(family_of(first.id).belief if len(ids) > 1 else first.belief).rstrip(".")}"'


def common_id(side: Sequence[str]) -> str:
    """The id of several beliefs of one family: the family's; of one: its own."""
    return side[0] if len(side) == 1 else family_of(side[0]).id


def asked_with(exercise: Exercise) -> str:
    """The numbers of a question: `w = [1.0, 2.0, 1.0]`; "these numbers" where it has no parameters."""
    return listed([f"{place.name} = {place.default!r}" for place in parameters(exercise)]) or "these numbers"


def blind_text(trials: Trials, ids: Sequence[str]) -> str:
    """That a belief gives the right answer."""
    truth = _shown(trials.truth(as_written(trials.exercise)))
    return f"With {asked_with(trials.exercise)} nobody can see {belief(ids)}: it gives the right answer, {truth}."


def merged_text(trials: Trials, sides: Sequence[Sequence[str]]) -> str:
    """That beliefs give the same wrong answer, and why, where a hook does nothing to what it is given."""
    version = as_written(trials.exercise)
    answer = _shown(trials.of(sides[0][0], version))
    found = unbent(trials, version, [side[0] for side in sides])
    numbers = asked_with(trials.exercise)
    hook = f"the hook `{_result(trials.exercise, found[0])}`, which leaves {show(found[1])} as it is" if found else ""
    given = f"{hook}, and {numbers}" if hook else numbers
    if len(sides) == 2:
        return f"With {given}, nobody can tell {belief(sides[0])} from {belief(sides[1])}: both give {answer}."
    beliefs = "; ".join(belief(side) for side in sides)
    return f"With {given}, nobody can tell these {len(sides)} beliefs apart, which all give {answer}: {beliefs}."


def cure_text(trials: Trials, cure: Cure | None, ids: Sequence[str]) -> str:
    """Which version shows a belief that the question cannot see, and the two answers there."""
    if cure is None:
        return f"{NEVER} To find out, ask: {family_of(ids[0]).follow_up}"
    return _version(cure, f"{_shown(trials.of(ids[0], cure.version))} against {_shown(trials.truth(cure.version))}")


def cures_text(trials: Trials, sides: Sequence[Sequence[str]], cures: Mapping[Confusion, Cure | None]) -> str:
    """Which versions tell beliefs apart that the question merges, and which never are."""
    parts = []
    for cure in dict.fromkeys(each for each in cures.values() if each is not None):
        told = {world: None for each in cures if cures[each] == cure for world in (each.world, each.other)}
        parts.append(_version(cure, _answers(trials, cure, list(told))))
    if None in cures.values():
        left = [each for each, cure in cures.items() if cure is None]
        never = [side for side in sides if any(world in (each.world, each.other) for each in left for world in side)]
        which = f" ({listed([common_id(side) for side in never])})" if len(never) < len(sides) else ""
        parts.append(f"{NEVER[:-1]}{which}. To find out, ask: {family_of(never[0][0]).follow_up}")
    return " ".join(parts)


def _version(cure: Cure, answers: str) -> str:
    change = listed(cure.version.changes)
    if cure.rewritten:
        return f"Impossible with any numbers, equal by algebra. Another program can, {change}: {answers}."
    return f"{change} can: {answers}."


def _answers(trials: Trials, cure: Cure, worlds: Sequence[str]) -> str:
    """What each of these worlds gives in a version, those that give the same together."""
    groups: dict[str, list[str]] = {}
    for world in worlds:
        groups.setdefault(_shown(trials.of(world, cure.version)), []).append(world)
    kin = [{family_of(world).id for world in group} for group in groups.values()]
    whole = {family for each in kin for family in each if sum(family in other for other in kin) == 1}
    named = {world: family_of(world).id if family_of(world).id in whole else world for world in worlds}
    return " against ".join(
        f"{answer} ({listed(list(dict.fromkeys(named[world] for world in group)))})" for answer, group in groups.items()
    )


def beyond_text(ids: Sequence[str]) -> str:
    """Which beliefs a program is about but its answer is not."""
    names = listed([CATALOGUE[each].name for each in ids])
    return f"Not asked here, whatever the numbers (equal by algebra), though the program does such things: {names}."


def nearest_text(outcome: Outcome, ids: Sequence[str], elements: int, total: int, size: float) -> str:
    """The wrong answer that is nearest to the truth."""
    of = f"{elements} of {total} number{'s' if total > 1 else ''}"
    return f"Nearest wrong answer: {_shown(outcome)}, {of} off by at most {size:g}: {belief(ids)}."


def slip_text(outcome: Outcome, ids: Sequence[str]) -> str:
    """That a belief is never named, because its answer could be a slip."""
    return f"Its answer {_shown(outcome)} could be a slip of the pen, so the grader never names {belief(ids)}."


def unknown_text(name: str, near: Sequence[str]) -> str:
    """That an id in `blind_to` is none."""
    mend = f"; did you mean {listed(near)}?" if near else "; docs/misconceptions.md lists them all"
    return f"`blind_to` names {name!r}, which is no misconception, family or mistake{mend}."


def unneeded_text(name: str) -> str:
    """That an id in `blind_to` excuses nothing."""
    return f"`blind_to` gives a reason for {name!r}, which this question sees and tells apart: remove it."


def listed(texts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _shown(outcome: Outcome) -> str:
    return show_outcome(outcome, SHOWN)


def _result(exercise: Exercise, line: int) -> str:
    """The text of what the inner function in this line returns."""
    assert exercise.program is not None, "only programs have hooks of their own"
    for node in ast.walk(ast.parse(exercise.program.source)):
        if isinstance(node, ast.Lambda) and node.lineno == line:
            return ast.get_source_segment(exercise.program.source, node.body) or ""
        if isinstance(node, ast.FunctionDef) and node.lineno == line:
            return node.name
    return ""
