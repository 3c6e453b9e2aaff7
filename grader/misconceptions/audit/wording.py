"""What an audit says, in sentences for an author who knows the question and not the machinery."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.misconceptions.audit.cures import Cure
from grader.misconceptions.audit.numbers import parameters
from grader.misconceptions.audit.trials import TRUTH, Trials, unbent
from grader.misconceptions.audit.versions import as_written
from grader.misconceptions.catalogue import CATALOGUE, family_of
from grader.records import Exercise, Outcome, show, show_outcome

SHOWN = 90


def belief(ids: Sequence[str]) -> str:
    """The sentence that these misconceptions of one family share, in quotes."""
    first = CATALOGUE[ids[0]]
    return f'"{(family_of(first.id).belief if len(ids) > 1 else first.belief).rstrip(".")}"'


def asked_with(exercise: Exercise) -> str:
    """The numbers of a question: `w = [1.0, 2.0, 1.0]`; "these numbers" where it has no parameters."""
    return listed([f"{place.name} = {place.default!r}" for place in parameters(exercise)]) or "these numbers"


def blind_text(trials: Trials, ids: Sequence[str]) -> str:
    """That a belief gives the right answer."""
    truth = _shown(trials.truth(as_written(trials.exercise)))
    return f"With {asked_with(trials.exercise)} nobody can see {belief(ids)}: it gives the right answer, {truth}."


def merged_text(trials: Trials, one: Sequence[str], other: Sequence[str]) -> str:
    """That two beliefs give the same wrong answer, and why, where a hook does nothing to what it is given."""
    version = as_written(trials.exercise)
    answer = _shown(trials.of(one[0], version))
    found = unbent(trials, version, (one[0], other[0]))
    numbers = asked_with(trials.exercise)
    hook = f"the hook `{_result(trials.exercise, found[0])}`, which leaves {show(found[1])} as it is" if found else ""
    given = f"{hook}, and {numbers}" if hook else numbers
    return f"With {given}, nobody can tell {belief(one)} from {belief(other)}: both give {answer}."


def cure_text(trials: Trials, cure: Cure | None, one: Sequence[str], other: Sequence[str] = (TRUTH,)) -> str:
    """Which version does what the question cannot, and the answers it gets."""
    if cure is None:
        ask = f" To find out, ask: {family_of(one[0]).follow_up}" if one[0] in CATALOGUE else ""
        return f"Impossible, equal by algebra: no other numbers and no other constant tell.{ask}"
    change = listed(cure.version.changes)
    answers = f"{_shown(trials.of(one[0], cure.version))} against {_shown(trials.of(other[0], cure.version))}"
    if cure.rewritten:
        return f"Impossible with any numbers, equal by algebra. Another program can, {change}: {answers}."
    return f"{change} can: {answers}."


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
