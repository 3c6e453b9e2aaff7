"""A wrong answer, and what every belief would have answered -> the beliefs that give exactly it, or honest silence.

Precision before coverage: a belief is named only where it reproduces all parts of the answer at once, and where its
numbers are no mere slip away from the right ones. Two beliefs at once are tried only where no single one fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from grader.answers import compare
from grader.errors import ReferenceFault
from grader.judging.facts import certain_facts, met_elsewhere
from grader.judging.following import is_followed
from grader.judging.parts import compare_part, expected_answers
from grader.judging.planning import probe_id
from grader.judging.slips import differences
from grader.misconceptions.catalogue import CATALOGUE, family_of
from grader.records import (
    Alternative,
    Assignment,
    Beliefs,
    Blank,
    Diagnosis,
    Execution,
    Exercise,
    ExerciseGrade,
    ExerciseKey,
    Grade,
    NamedBelief,
    Outcome,
    Raised,
    Returned,
    Unreadable,
    Value,
)

# More pairs than this fit by accident.
MAX_PAIRS = 2
# A pair has many ways to hit one number: it must explain this many elements that are not right.
MIN_PAIR_ELEMENTS = 2

# Beliefs that say no more than the answer itself does: what they get wrong is said as a fact, where no other one fits.
GENERAL = frozenset({"raises-nothing", "raises-something-else", "raises-although-all-goes-well"})

_TEACHING_ORDER = {name: position for position, name in enumerate(CATALOGUE)}

BeliefsOf = Callable[[str, bool], Beliefs]
"""(exercise id, whether pairs are wanted) -> what beliefs give; cached by whoever provides it."""


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
    return found


class Answer(msgspec.Struct, frozen=True):
    """One wrong answer, laid out like its key: by answer name for programs, by case for implement.

    `given` has None where a part was not answered: it speaks neither for nor against a belief.
    """

    exercise: Exercise
    key: ExerciseKey
    given: tuple[Value | None, ...] | tuple[Outcome, ...]


def answer_of(exercise: Exercise, key: ExerciseKey, execution: Execution) -> Answer | None:
    """What a student answered, or None where there is nothing that a belief could be compared with."""
    if exercise.kind == "implement":
        outcomes = {report.id: report.outcome for report in execution.probes}
        ids = [
            probe_id(exercise.id, probe.program.name, number)
            for probe in exercise.probes
            for number in range(len(probe.cases))
        ]
        given = tuple(outcomes[each] for each in ids if each in outcomes)
        complete = len(given) == len(ids) and all(isinstance(each, (Returned, Raised)) for each in given)
        return Answer(exercise, key, given) if complete else None
    answers = dict(execution.answers)
    values = tuple(answers.get(name) for name in exercise.answers)
    read = tuple(None if isinstance(each, (Blank, Unreadable)) else each for each in values)
    return Answer(exercise, key, read) if any(each is not None for each in read) else None


def diagnose(answer: Answer, beliefs: Beliefs, keys: Mapping[str, ExerciseKey | str]) -> Diagnosis:
    """Name what gives exactly `answer`.

    Args:
        beliefs: the alternatives; with pairs only if no single one is known to fit.
        keys: of the exercises whose keys are shown, for "the right numbers for another exercise".
    """
    fitting = [each for each in beliefs.singles if _fits(answer, each) and not _may_be_a_slip(answer, each)]
    foreseen = [each for each in fitting if each.ids[0] not in CATALOGUE]
    if foreseen:
        return _foreseen(answer.exercise, foreseen)
    if fitting:
        ids = dict.fromkeys(each.ids[0] for each in fitting)
        particular = [name for name in ids if name not in GENERAL]
        return _named(particular) if particular else _restated(ids, answer.exercise)
    told = answer.exercise.show_key
    met = met_elsewhere(answer.exercise, _keyed(answer), beliefs.values, keys) if told else ()
    if met:
        # The numbers stand in the program itself: no two beliefs are needed to explain them.
        return Diagnosis("fact", facts=met)
    pairs = [each for each in beliefs.pairs or () if _fits(answer, each) and _explains_enough(answer, each)]
    kinds = {frozenset(family_of(name).id for name in each.ids) for each in pairs}
    if pairs and len(kinds) <= MAX_PAIRS:
        return msgspec.structs.replace(_named(dict.fromkeys(pairs[0].ids)), kind="pair", question="")
    facts = certain_facts(answer.exercise, _keyed(answer)) if told else ()
    return Diagnosis("fact", facts=facts) if facts else Diagnosis("none")


def _named(ids: Iterable[str]) -> Diagnosis:
    by_family: dict[str, tuple[str, ...]] = {}
    for name in sorted(ids, key=_TEACHING_ORDER.__getitem__):
        family = family_of(name).id
        by_family[family] = (*by_family.get(family, ()), name)
    return Diagnosis(
        kind="one" if len(by_family) == 1 else "several",
        misconceptions=tuple(name for members in by_family.values() for name in members),
        beliefs=tuple(_belief(family, members) for family, members in by_family.items()),
        question=_questions(by_family)[0] if len(by_family) > 1 else "",
    )


def _restated(ids: Iterable[str], exercise: Exercise) -> Diagnosis:
    facts = tuple(CATALOGUE[name].truth for name in ids) if exercise.show_key else ()
    return Diagnosis("fact", facts=facts) if facts else Diagnosis("none")


def _questions(by_family: Mapping[str, Sequence[str]]) -> list[str]:
    """Follow-ups of the families that fit, those with kin first: theirs split a family from others."""
    with_kin = sorted(by_family, key=lambda family: (len(family_of(by_family[family][0]).members) == 1, family))
    return [family_of(by_family[family][0]).follow_up for family in with_kin]


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


def _keyed(answer: Answer) -> tuple[tuple[Value | None, Outcome], ...]:
    if answer.exercise.kind == "implement":
        return ()
    return tuple(zip(answer.given, expected_answers(answer.exercise, answer.key), strict=True))  # type: ignore[arg-type]


def _fits(answer: Answer, alternative: Alternative) -> bool:
    if answer.exercise.kind == "implement":
        return all(map(_same_outcome, answer.given, alternative.outcomes, [answer.exercise] * len(answer.given)))
    parts = _parts(answer, alternative)
    if parts is None:
        return False
    return all(
        given is None or _agrees(answer.exercise, given, part) for given, part in zip(answer.given, parts, strict=True)
    )


def _parts(answer: Answer, alternative: Alternative) -> tuple[Outcome, ...] | None:
    """What a belief gives for each answer name; None where that is nothing that could be answered."""
    try:
        return expected_answers(answer.exercise, ExerciseKey(answer.exercise.id, alternative.outcomes))
    except ReferenceFault:
        return None


def _agrees(exercise: Exercise, given: object, part: Outcome) -> bool:
    try:
        return compare_part(exercise, given, part).right  # type: ignore[arg-type]
    except ReferenceFault:
        return False


def _same_outcome(given: object, believed: Outcome, exercise: Exercise) -> bool:
    if isinstance(given, Raised) and isinstance(believed, Raised):
        return given.exception == believed.exception
    if not (isinstance(given, Returned) and isinstance(believed, Returned)):
        return False
    try:
        return compare(given.value, believed.value, exercise.tolerance).right
    except ReferenceFault:
        return False


def _differing(answer: Answer, alternative: Alternative) -> list[bool]:
    """One entry per element, of the answered parts, in which a belief differs from the key: whether by a slip."""
    parts = _parts(answer, alternative) or ()
    keys = expected_answers(answer.exercise, answer.key)
    return [
        slip
        for given, part, key in zip(answer.given, parts, keys, strict=True)
        if given is not None and isinstance(part, Returned) and isinstance(key, Returned)
        for slip in differences(part.value, key.value)
    ]


def _may_be_a_slip(answer: Answer, alternative: Alternative) -> bool:
    if answer.exercise.kind != "predict":
        return False
    differing = _differing(answer, alternative)
    return len(differing) == 1 and differing[0]


def _explains_enough(answer: Answer, alternative: Alternative) -> bool:
    return answer.exercise.kind == "predict" and len(_differing(answer, alternative)) >= MIN_PAIR_ELEMENTS
