"""Where several beliefs fit, the student is asked a question that was tried: its numbers do part these beliefs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pytest
from recorded_answers import exercise_of
from shipped import PROGRAMS, each

from grader.judging import worker
from grader.judging.believing import believe
from grader.judging.diagnosis import GENERAL, found_for
from grader.judging.fitting import Answer
from grader.judging.remembering import RememberedBeliefs
from grader.misconceptions.audit import separation
from grader.misconceptions.catalogue import family_of
from grader.misconceptions.trying import outcome_in, same
from grader.program import capture
from grader.records import (
    Assignment,
    Beliefs,
    Diagnosis,
    Exercise,
    ExerciseKey,
    Limits,
    Program,
    Raised,
    Returned,
    Separation,
)

WEIGHTED = """\
def program():
    x = torch.tensor([3.0, -1.0], requires_grad=True)
    (x**2).backward(torch.tensor([2.0, 2.0]))
    return x.grad
"""


class Here:
    """Runs worlds in this process, and counts what it is asked for."""

    def __init__(self) -> None:
        self.separated: list[tuple[str, ...]] = []

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs:
        return believe(exercise, key, pairs)

    def separation(self, exercise: Exercise, ids: Sequence[str]) -> Separation | None:
        self.separated.append(tuple(ids))
        return separation(exercise, ids)


def remembered(exercise: Exercise, here: Here) -> tuple[ExerciseKey, RememberedBeliefs]:
    key = ExerciseKey(exercise.id, worker.solve(exercise))
    assignment = Assignment("a", "A", "", (exercise,), "f", Limits())
    return key, RememberedBeliefs(here, assignment, {exercise.id: key})


def said_of(exercise: Exercise, given: object, here: Here) -> Diagnosis:
    key, beliefs = remembered(exercise, here)
    return found_for(Answer(exercise, key, (capture(given),)), beliefs, {})


def weighted() -> Exercise:
    return exercise_of({"program": WEIGHTED}, "predict")


def test_the_founding_question_stays() -> None:
    """[3, 10, 7] is asked about the hook g ** 2 + 1, in the catalogue's words: tried, and it parts the families."""
    (seed,) = (each.exercise for each in PROGRAMS if each.exercise.id == "squaring_hook")
    found = said_of(seed, [3, 10, 7], Here())
    assert found.question == family_of("hook-return-ignored").follow_up
    assert "`grad ** 2 + 1`" in found.question


def test_other_numbers_are_asked_for() -> None:
    """d(x**2) with w = [2, 2]: 2 x (w taken for ones) is x w (the exponent forgotten), [6, -2]; unequal w tell.

    The numbers in the question are no family's own words: they were found for this program.
    """
    found = said_of(weighted(), [6, -2], Here())
    assert {belief.id for belief in found.beliefs} >= {"w-is-all-ones", "power-rule-without-exponent"}
    assert found.question.startswith("Predict it again with `")
    assert found.question.endswith(": each of these beliefs then gives an answer of its own.")


@each(PROGRAMS)
def test_no_question_is_asked_that_does_not_part(exercise: Exercise) -> None:
    """For every wrong answer that several families give in the shipped course: the version asked for parts them all."""
    key, beliefs = remembered(exercise, Here())
    for ids in ambiguous(exercise, key, beliefs(exercise.id, False)):
        found = separation(exercise, ids)
        if found is None:
            continue
        assert exercise.program is not None
        program = Program(exercise.program.name, exercise.program.parameters, found.source)
        outcomes = {name: outcome_in((name,), program, found.arguments) for name in ids}
        for one, other in combinations(ids, 2):
            if family_of(one).id != family_of(other).id:
                assert not same(outcomes[one], outcomes[other])
                assert isinstance(outcomes[one], (Returned, Raised))


def ambiguous(exercise: Exercise, key: ExerciseKey, beliefs: Beliefs) -> list[tuple[str, ...]]:
    """The groups of misconceptions of several families that give one wrong answer."""
    groups: list[list[str]] = []
    firsts: list[object] = []
    for single in beliefs.singles:
        if single.ids[0] in GENERAL:
            continue
        at = next((i for i, known in enumerate(firsts) if same(known, single.outcomes[0])), None)  # type: ignore[arg-type]
        if at is None:
            firsts.append(single.outcomes[0])
            groups.append([single.ids[0]])
        else:
            groups[at].append(single.ids[0])
    return [tuple(group) for group in groups if len({family_of(name).id for name in group}) > 1]


def test_what_nothing_parts_is_asked_in_the_catalogues_words() -> None:
    """On a leaf alone, "after the local derivative" and "on the final x.grad" are equal: no numbers are made up."""
    (exercise,) = (each.exercise for each in PROGRAMS if each.exercise.id == "two_hooks")
    ids = ("hook-acts-after-the-local-derivative", "hook-acts-on-the-final-x-grad")
    assert separation(exercise, ids) is None
    key, beliefs = remembered(exercise, Here())
    found = found_for(Answer(exercise, key, (capture([10, -11]), capture([20, -22]))), beliefs, {})
    assert found.misconceptions == ids
    assert found.question in {family_of(name).follow_up for name in ids}


def test_a_class_of_a_thousand_looks_for_one_question() -> None:
    """The same set of beliefs in the same exercise is parted once, whoever holds it."""
    here, exercise = Here(), weighted()
    key, beliefs = remembered(exercise, here)
    answer = Answer(exercise, key, (capture([6, -2]),))
    questions = {found_for(answer, beliefs, {}).question for _ in range(1000)}
    assert len(questions) == 1
    assert len(here.separated) == 1


@pytest.mark.parametrize("given", [[True, True], [[6, -2]], ["6", "-2"], {"x_grad": [6, -2]}, [6, -2, 0], None])
def test_answers_of_another_kind_fit_no_belief(given: object) -> None:
    """True is no 1 where numbers are asked, nor is a string or a dict; a wrong shape is no pair of beliefs."""
    assert said_of(weighted(), given, Here()).misconceptions == ()
