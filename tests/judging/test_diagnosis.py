"""The beliefs behind a wrong answer are named, or nothing is."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from recorded_answers import ROWS, Recorded, diagnosed, exercise_of, noise, recorded, repeats_a_world, slips

from grader import course
from grader.judging import worker
from grader.judging.believing import believe
from grader.judging.diagnosis import diagnose
from grader.judging.fitting import Answer
from grader.judging.remembering import RememberedBeliefs
from grader.judging.slips import differences
from grader.misconceptions.catalogue import CATALOGUE
from grader.program import capture
from grader.records import (
    Alternative,
    Assignment,
    Beliefs,
    Diagnosis,
    Exercise,
    ExerciseKey,
    Limits,
    Outcome,
    Returned,
    Separation,
)

SOLUTIONS = Path(__file__).parents[2] / "solutions"


@pytest.fixture(scope="module")
def answers() -> list[Recorded]:
    return list(recorded())


@pytest.fixture(scope="module")
def changing() -> Assignment:
    return course.load(SOLUTIONS / "hooks-that-change-gradients.py", b"k" * 32)


@pytest.fixture(scope="module")
def seed(changing: Assignment) -> tuple[Exercise, ExerciseKey, Beliefs]:
    (exercise,) = (each for each in changing.exercises if each.id == "squaring_hook")
    key = ExerciseKey(exercise.id, worker.solve(exercise))
    return exercise, key, believe(exercise, key, pairs=True)


def said_of(seed: tuple[Exercise, ExerciseKey, Beliefs], given: object) -> Diagnosis:
    exercise, key, beliefs = seed
    return diagnose(Answer(exercise, key, (capture(given),)), beliefs, {exercise.id: key})


def test_the_founding_mistake_has_two_families_and_a_question(seed: Any) -> None:
    """[3, 10, 7] fits "the hook has no effect" and "w comes at the end": both are said, and g ** 2 + 1 tells."""
    found = said_of(seed, [3, 10, 7])
    assert found.kind == "several"
    assert [belief.id for belief in found.beliefs] == ["the-hook-has-no-effect", "w-comes-at-the-end"]
    assert "hook-return-ignored" in found.misconceptions
    assert "grad ** 2 + 1" in found.question


@pytest.mark.parametrize(
    ("given", "belief"),
    [
        ([5, 66, 37], "hook-acts-after-the-local-derivative"),
        ([9, 100, 49], "hook-acts-on-the-final-x-grad"),
        ([3, 66, 487], "hook-receives-the-value"),
        ([3, 5, 7], "w-is-all-ones"),
        ([5, 26, 13], "hook-return-added"),
    ],
)
def test_one_belief_is_named_with_its_words(seed: Any, given: list[int], belief: str) -> None:
    """What one belief alone explains is named, in the catalogue's words."""
    found = said_of(seed, given)
    assert (found.kind, found.misconceptions) == ("one", (belief,))
    assert found.beliefs[0].belief == CATALOGUE[belief].belief
    assert found.question == ""


@pytest.mark.parametrize("given", [[3, 17, 7], [3, 19, 7], [3, 18, -7], [30, 18, 7], [3, 81, 7], [4, 20, 8]])
def test_a_slip_of_the_pen_is_no_belief(seed: Any, given: list[int]) -> None:
    """18 -> 17, a sign, a zero, swapped digits, and numbers of no world: no belief is named."""
    assert said_of(seed, given).misconceptions == ()


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        ([6, 36, 14], "twice"),
        ([-3, -18, -7], "wrong sign"),
        ([3, -18, 7], "sign of some"),
        ([7, 18, 3], "another order"),
        ([[3], [18], [7]], "the shape is not"),
        ([1, 4, 9], "`y` itself"),
        ([1, 4, 1], "what the hook returned"),
    ],
)
def test_what_is_certain_is_said_where_no_belief_fits(seed: Any, given: Any, fact: str) -> None:
    """A factor, a sign, an order, a value for a gradient, the hook's own output: facts, not beliefs."""
    found = said_of(seed, given)
    assert found.kind == "fact"
    assert fact in found.facts[0]


def test_no_fact_where_the_key_is_not_shown(seed: Any) -> None:
    """ "Twice the right one" would give the key away."""
    exercise, key, beliefs = seed
    secret = msgspec.structs.replace(exercise, show_key=False)
    found = diagnose(Answer(secret, key, (capture([6, 36, 14]),)), beliefs, {})
    assert (found.kind, found.facts) == ("none", ())


def test_two_beliefs_at_once(seed: Any) -> None:
    """A pair is named only where no single belief fits, and it is run, not guessed."""
    exercise, key, beliefs = seed
    singles = [each.outcomes for each in beliefs.singles]
    for pair in beliefs.pairs or ():
        assert pair.outcomes not in singles
    named = [
        pair
        for pair in beliefs.pairs or ()
        if isinstance(pair.outcomes[0], Returned)
        and diagnose(Answer(exercise, key, (pair.outcomes[0].value,)), beliefs, {}).kind == "pair"
    ]
    assert named


def test_all_parts_of_an_answer_count_together(changing: Assignment) -> None:
    """A belief that explains one part and not the other is not named."""
    (exercise,) = (each for each in changing.exercises if each.id == "two_hooks")
    key = ExerciseKey(exercise.id, worker.solve(exercise))
    beliefs = believe(exercise, key, pairs=False)
    both = diagnose(Answer(exercise, key, (capture([3, -4]), capture([21, -21]))), beliefs, {})
    assert both.misconceptions == ("hooks-run-in-reverse-order",)
    mixed = diagnose(Answer(exercise, key, (capture([3, -4]), capture([99, -21]))), beliefs, {})
    assert mixed.misconceptions == ()


def test_recorded_beliefs_are_named(answers: list[Recorded]) -> None:
    """Of the answers that a world gave, at least 95 % have the planted belief among those named."""
    worlds = [each for each in answers if each.made_by == "simulation"]
    named = [each for each in worlds if each.planted in each.diagnosis().misconceptions]
    assert len(worlds) > 100
    assert len(named) >= 0.95 * len(worlds)


def test_answers_of_no_world_are_left_alone(answers: list[Recorded]) -> None:
    """Of answers whose cause has no world, at least 90 % are left unnamed, pairs counted as names.

    Of all 45 no more than six are named: those that are, to the last bit, also the answer of a world to the same
    program, where naming it is asked for. Questions about exceptions count like all others.
    """
    others = [each for each in answers if each.made_by != "simulation"]
    named = [each for each in others if each.diagnosis().misconceptions]
    repeating = [each for each in others if repeats_a_world(each)]
    figures = f"{len(others) - len(named)} of {len(others)} unnamed; {len(repeating)} repeat a world's own answer"
    assert len(others) == 45, figures
    assert len(named) <= 6, figures
    alone = [each for each in others if each not in repeating]
    assert len(alone) >= 39
    assert sum(each not in named for each in alone) >= 0.9 * len(alone)


Wrongly = Callable[[dict[str, Any], random.Random], dict[str, Any]]
RANDOM = pytest.mark.parametrize(("make", "limit"), [(noise, 0.01), (slips, 0.04)], ids=["noise", "slips"])


def share_named(answers: list[Recorded], rows: list[dict[str, Any]], make: Wrongly) -> float:
    draw = random.Random(7)
    programs = {each.program: each for each in answers if each.answer.exercise.kind == "predict"}
    found = [diagnosed(programs[row["id"]], row, make(row, draw)) for row in rows for _ in range(30)]
    counted = [each for each in found if each is not None]
    assert len(counted) > 200
    return sum(bool(each.misconceptions) for each in counted) / len(counted)


def numeric_rows(answers: list[Recorded]) -> list[dict[str, Any]]:
    programs = {each.program for each in answers if each.answer.exercise.kind == "predict"}
    return [row for row in ROWS if row["id"] in programs]


@RANDOM
def test_random_numbers_are_hardly_ever_named(answers: list[Recorded], make: Wrongly, limit: float) -> None:
    """Numbers that mean nothing are named in less than 1 %, slips in less than 4 %; a slice of the programs."""
    assert share_named(answers, numeric_rows(answers)[::3], make) < limit


@pytest.mark.campaign
@RANDOM
def test_random_numbers_on_all_programs(answers: list[Recorded], make: Wrongly, limit: float) -> None:
    """The same on every recorded program."""
    assert share_named(answers, numeric_rows(answers), make) < limit


def test_what_says_no_more_than_the_answer_is_a_fact() -> None:
    """Somebody who guesses another exception is told what its class says, and no belief."""
    assignment = course.load(SOLUTIONS / "vectors-and-weights.py", b"k" * 32)
    (exercise,) = (each for each in assignment.exercises if each.id == "vector_without_weights")
    key = ExerciseKey(exercise.id, worker.solve(exercise))
    beliefs = believe(exercise, key, pairs=False)
    guessed = diagnose(Answer(exercise, key, (capture("ValueError"),)), beliefs, {})
    assert (guessed.kind, guessed.misconceptions) == ("fact", ())
    assert guessed.facts
    summed = diagnose(Answer(exercise, key, (capture(None),)), beliefs, {})
    assert summed.misconceptions == ("vector-backward-sums-implicitly",)


TWICE = """\
def program():
    x = torch.ones(2, requires_grad=True)
    y = (x + x).sum()
    y.backward()
    y.backward()
    return x.grad
"""


def test_that_something_raises_is_too_little_for_a_belief_but_not_for_a_fact() -> None:
    """x + x saves nothing, so a second pass is fine. "RuntimeError" may be a guess: what is true is said, no more."""
    exercise = exercise_of({"program": TWICE}, "raises")
    key = ExerciseKey(exercise.id, worker.solve(exercise))
    beliefs = believe(exercise, key, pairs=False)
    assert ("second-backward-always-raises",) in {each.ids for each in beliefs.singles}
    found = diagnose(Answer(exercise, key, (capture("RuntimeError"),)), beliefs, {})
    assert (found.kind, found.misconceptions) == ("fact", ())
    assert found.facts == (CATALOGUE["second-backward-always-raises"].truth,)


@pytest.mark.parametrize(
    ("believed", "key", "slip"),
    [
        ([3, 17], [3, 18], [True]),
        ([1, 1], [1, 2], [False]),
        ([-3, 18], [3, 18], [True]),
        ([0, 1], [1, 1], [False]),
        ([81], [18], [True]),
        ([180], [18], [True]),
        ([10], [18], [False]),
        ([3, 18], [3, 18], []),
        ([2.5, 4], [2.0, 8], [False, False]),
    ],
)
def test_what_looks_like_a_slip(believed: list[float], key: list[float], slip: list[bool]) -> None:
    """One entry per element that differs: whether writing it down wrongly could explain it."""
    assert differences(capture(believed), capture(torch.tensor(key, dtype=torch.float32))) == slip


def test_an_implementation_is_compared_with_its_authors_mistakes() -> None:
    """A hook that returns nothing behaves like the mistake of that name, over all cases, however it is written."""
    assignment = course.load(SOLUTIONS / "implement-your-own.py", b"k" * 32)
    (exercise,) = (each for each in assignment.exercises if each.id == "square")
    key = ExerciseKey(exercise.id, worker.solve(exercise))
    beliefs = believe(exercise, key, pairs=False)
    (mistake,) = (each for each in beliefs.singles if each.ids == ("square_not_returned",))
    found = diagnose(Answer(exercise, key, mistake.outcomes), beliefs, {})
    assert found.kind == "one"
    assert found.beliefs[0].belief == "Computing the square is enough; it need not be returned."


def test_an_implementation_without_a_foreseen_mistake_is_compared_with_worlds() -> None:
    """A hook that returns nothing equals the world in which returns are ignored."""
    assignment = course.load(SOLUTIONS / "implement-your-own.py", b"k" * 32)
    (exercise,) = (each for each in assignment.exercises if each.id == "square")
    alone = msgspec.structs.replace(exercise, mistakes=(), probes=exercise.probes[:1], credit=exercise.credit[:1])
    key = ExerciseKey(alone.id, worker.solve(alone))
    returns_nothing = msgspec.structs.replace(alone, reference="def square(grad):\n    grad ** 2")
    outcomes: tuple[Outcome, ...] = worker.solve(returns_nothing)
    found = diagnose(Answer(alone, key, outcomes), believe(alone, key, pairs=False), {})
    assert "hook-return-ignored" in found.misconceptions


class CountingBeliever:
    def __init__(self) -> None:
        self.asked: list[bool] = []

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs:
        self.asked.append(pairs)
        return Beliefs(exercise.id, (Alternative(("w-is-all-ones",), key.outcomes),), () if pairs else None)

    def separation(self, exercise: Exercise, ids: Sequence[str]) -> Separation | None:
        return None


def test_a_class_of_a_thousand_costs_what_one_student_costs() -> None:
    """Beliefs are asked for once per exercise, and once more for pairs; never per student."""
    exercise = exercise_of(ROWS[0], "predict")
    key = ExerciseKey(exercise.id, worker.solve(exercise))
    assignment = Assignment("a", "A", "", (exercise,), "f", Limits())
    believer = CountingBeliever()
    remembered = RememberedBeliefs(believer, assignment, {exercise.id: key})
    for _ in range(1000):
        remembered(exercise.id, False)
        remembered(exercise.id, True)
        remembered(exercise.id, False)
    assert believer.asked == [False, True]
