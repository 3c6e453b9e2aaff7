"""A wrong answer, and what every belief would have answered -> the beliefs that give exactly it, or honest silence.

Precision before coverage: a belief is named only where it reproduces all parts of the answer at once, and where its
numbers are no mere slip away from the right ones. Two beliefs at once are tried only where no single one fits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from grader.judging.facts import certain_facts, met_elsewhere
from grader.judging.fitting import Answer, answer_of, explains_enough, fits, fits_remarks, keyed, may_be_a_slip
from grader.judging.following import is_followed
from grader.misconceptions.catalogue import CATALOGUE, TOPICS, Family, family_of
from grader.records import (
    Alternative,
    Assignment,
    Beliefs,
    Diagnosis,
    Execution,
    Exercise,
    ExerciseGrade,
    ExerciseKey,
    Grade,
    NamedBelief,
    Separation,
)

# More pairs than this fit by accident.
MAX_PAIRS = 2

# Beliefs that say no more than the answer itself does.
GENERAL = frozenset({"raises-nothing", "raises-something-else", "raises-although-all-goes-well"})
# Beliefs about nothing but what raises. "It raises" is one bit, too little to name one of them: what they get wrong is
# said as a fact, where no belief fits that would show in numbers as well.
_ON_RAISING = frozenset(entry.id for topic in TOPICS if topic.id == "errors" for entry in topic.entries)

_TEACHING_ORDER = {name: position for position, name in enumerate(CATALOGUE)}


class BeliefsOf(Protocol):
    """What beliefs give in an exercise, and what parts them; cached by whoever provides it."""

    def __call__(self, exercise: str, pairs: bool) -> Beliefs:
        """The alternatives to the exercise's key, with pairs only where they are wanted."""

    def separation(self, exercise: str, ids: tuple[str, ...]) -> Separation | None:
        """A version of the exercise in which these beliefs have different answers."""


def explain(
    grade: Grade,
    execution: Execution,
    assignment: Assignment,
    keys: Mapping[str, ExerciseKey | str],
    beliefs_of: BeliefsOf,
) -> Grade:
    """Fill in the diagnosis of every exercise that is wrong or partly right, but not explained by an earlier answer.

    Scores and verdicts stay as they are.

    Raises: `ReferenceFault` if the worker fails for good.
    """
    exercises = {exercise.id: exercise for exercise in assignment.exercises}
    # A fact may compare with other questions' keys: only with those that students are shown anyway.
    shown = {name: key for name, key in keys.items() if name in exercises and exercises[name].show_key}
    return msgspec.structs.replace(
        grade,
        exercises=tuple(
            _explained(each, exercises[each.id], keys[each.id], execution, shown, beliefs_of)
            if each.verdict in ("wrong", "partly_right") and not is_followed(each)
            else each
            for each in grade.exercises
        ),
    )


def _explained(
    graded: ExerciseGrade,
    exercise: Exercise,
    key: ExerciseKey | str,
    execution: Execution,
    shown: Mapping[str, ExerciseKey | str],
    beliefs_of: BeliefsOf,
) -> ExerciseGrade:
    assert isinstance(key, ExerciseKey), "what has no key is held, and not wrong"
    answer = answer_of(exercise, key, execution)
    if answer is None:
        return msgspec.structs.replace(graded, diagnosis=Diagnosis("none"))
    return msgspec.structs.replace(graded, diagnosis=found_for(answer, beliefs_of, shown))


def found_for(answer: Answer, beliefs_of: BeliefsOf, keys: Mapping[str, ExerciseKey | str]) -> Diagnosis:
    """Diagnose `answer`, asking for beliefs held two at once only where no single one fits; see `diagnose`."""
    name = answer.exercise.id
    found = diagnose(answer, beliefs_of(name, False), keys)
    if found.kind in ("none", "fact") and answer.exercise.kind == "predict":
        found = diagnose(answer, beliefs_of(name, True), keys)
    if found.kind == "several" and answer.exercise.kind != "implement":
        apart = beliefs_of.separation(name, found.misconceptions)
        return msgspec.structs.replace(found, question=_asked(found, apart)) if apart else found
    return found


def _asked(found: Diagnosis, apart: Separation) -> str:
    """The question with which a student can tell which belief is theirs: the families' own, if it asks just this."""
    code = apart.changes[-1].partition(" in place of ")[0]
    quoted = [
        each for each in _questions(map(family_of, found.misconceptions)) if code.startswith("`") and code in each
    ]
    if quoted:
        return quoted[0]
    changes = " and ".join(each if "`" in each else f"`{each}`" for each in apart.changes)
    return f"Predict it again with {changes}: each of these beliefs then gives an answer of its own."


def diagnose(answer: Answer, beliefs: Beliefs, keys: Mapping[str, ExerciseKey | str]) -> Diagnosis:
    """Name what gives exactly `answer`.

    Args:
        beliefs: the alternatives; with pairs only if no single one is known to fit.
        keys: of the exercises whose keys are shown, for "the right numbers for another exercise".
    """
    fitting = [each for each in beliefs.singles if fits(answer, each) and not may_be_a_slip(answer, each)]
    if answer.exercise.kind == "implement":
        # What probes without points saw may choose among beliefs that fit, and never excludes the only one.
        fitting = [each for each in fitting if fits_remarks(answer, each)] or fitting
    foreseen = [each for each in fitting if each.ids[0] not in CATALOGUE]
    if foreseen:
        return _foreseen(answer.exercise, foreseen)
    if fitting:
        ids = dict.fromkeys(each.ids[0] for each in fitting)
        particular = [name for name in ids if name not in GENERAL]
        if set(particular) <= _ON_RAISING:
            return _restated(particular or ids, answer.exercise)
        return _named(particular)
    told = answer.exercise.show_key
    met = met_elsewhere(answer.exercise, keyed(answer), beliefs.values, keys) if told else ()
    if met:
        # The numbers stand in the program itself: no two beliefs are needed to explain them.
        return Diagnosis("fact", facts=met)
    pairs = [each for each in beliefs.pairs or () if fits(answer, each) and explains_enough(answer, each)]
    kinds = {frozenset(family_of(name).id for name in each.ids) for each in pairs}
    if pairs and len(kinds) <= MAX_PAIRS:
        return msgspec.structs.replace(_named(dict.fromkeys(pairs[0].ids)), kind="pair", question="")
    facts = certain_facts(answer.exercise, keyed(answer)) if told else ()
    return Diagnosis("fact", facts=facts) if facts else Diagnosis("none")


def _named(ids: Collection[str]) -> Diagnosis:
    by_family: dict[str, tuple[str, ...]] = {}
    for name in sorted(ids, key=_TEACHING_ORDER.__getitem__):
        family = family_of(name).id
        by_family[family] = (*by_family.get(family, ()), name)
    return Diagnosis(
        kind="one" if len(by_family) == 1 else "several",
        misconceptions=tuple(name for members in by_family.values() for name in members),
        beliefs=tuple(_belief(family, members) for family, members in by_family.items()),
        question=_questions(map(family_of, ids))[0] if len(by_family) > 1 else "",
    )


def _restated(ids: Iterable[str], exercise: Exercise) -> Diagnosis:
    facts = tuple(CATALOGUE[name].truth for name in ids) if exercise.show_key else ()
    return Diagnosis("fact", facts=facts) if facts else Diagnosis("none")


def _questions(families: Iterable[Family]) -> list[str]:
    """Follow-ups of the families that fit, those with kin first: theirs split a family from others."""
    with_kin = sorted(families, key=lambda family: (len(family.members) == 1, family.id))
    return [family.follow_up for family in with_kin]


def _belief(family: str, members: tuple[str, ...]) -> NamedBelief:
    first = CATALOGUE[members[0]]
    shared = family_of(members[0]).belief
    return NamedBelief(
        id=family if len(members) > 1 else members[0],
        members=members,
        belief=shared if len(members) > 1 else first.belief,
        truth=first.truth,
        page=first.page,
        example=first.example,
        prints=first.prints,
        before=first.before if len(members) == 1 else "",
    )


def _foreseen(exercise: Exercise, fitting: Sequence[Alternative]) -> Diagnosis:
    words = {mistake.id: mistake.belief for mistake in exercise.mistakes}
    ids = tuple(each.ids[0] for each in fitting)
    beliefs = tuple(NamedBelief(name, (name,), words[name]) for name in ids)
    return Diagnosis("one" if len(ids) == 1 else "several", ids, beliefs)
