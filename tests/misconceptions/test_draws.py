"""Draws in use: as easy as the author's numbers, and nobody's belief hides behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path

import pytest

from grader.course import load
from grader.course.personal import candidates
from grader.errors import ReferenceFault
from grader.judging import Reference
from grader.misconceptions.draws import TRUTH, Trial, find_draws, try_in
from grader.misconceptions.trying import same
from grader.misconceptions.worlds import WORLDS
from grader.records import Exercise

ROOT = Path(__file__).resolve().parents[2]
KEY = bytes(range(32))

LESSON = '''\
"""# A lesson"""

import torch

from grader.course import Assignment, vary

assignment = Assignment("lesson")


@assignment.predict("x_grad", points=1)
def program(w=vary([1.0, 2.0], low=-3, high=3)):
    """What?"""
'''
DOUBLED = """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (2 * x).backward(torch.tensor(w))
    return x.grad
"""
SQUARED_AWAY = """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (2 * x).backward(torch.tensor(w).abs())
    return x.grad
"""
LARGE = """
    x = torch.tensor([10.0, 40.0], requires_grad=True)
    (x**2).backward(torch.tensor(w))
    return x.grad
"""
ENDING = """
    import os

    if w == [3.0, 3.0]:
        os._exit(3)
    return torch.tensor(w)
"""


@pytest.fixture(scope="module")
def seed() -> Exercise:
    """The founding exercise: x = [1, 2, 3], w in -3..3, default w = [1, 2, 1]."""
    return load(ROOT / "solutions" / "hooks-that-change-gradients.py", KEY).exercises[0]


def lesson(folder: Path, body: str, head: str = LESSON) -> Exercise:
    path = folder / "lesson.py"
    path.write_text(head + body)
    return load(path, KEY).exercises[0]


def w(*numbers: float) -> str:
    return str({"w": [float(each) for each in numbers]})


def check_all_apart(exercise: Exercise, chosen: Sequence[str], alike: Sequence[str]) -> None:
    """Each chosen draw keeps apart whatever any of `alike` keeps apart, and no two chosen ones have one key."""
    trials = {each: try_in(exercise, each, WORLDS) for each in dict.fromkeys([exercise.arguments, *alike, *chosen])}
    worlds = frozenset().union(*(trial.telling() for trial in trials.values()))
    separable = frozenset().union(*(trial.apart(worlds) for trial in trials.values()))
    assert {frozenset((TRUTH, family)) for family in ("the-hook-has-no-effect", "w-comes-at-the-end")} <= separable
    for each in chosen:
        assert trials[each].apart(worlds) >= separable, each
    for one, other in combinations(chosen, 2):
        assert not same(trials[one].truth, trials[other].truth), (one, other)


def test_the_seeds_draws_keep_every_belief_apart(seed: Exercise) -> None:
    """A slice of the space: three draws, none of which hides what the author's numbers or any of them shows."""
    looked_at = list(islice(candidates(KEY, "hooks-that-change-gradients", seed), 40))
    chosen, tried = find_draws(seed, looked_at, most=3)
    assert len(chosen) == 3
    assert tried <= 40
    assert list(chosen) == [each for each in looked_at if each in chosen]
    check_all_apart(seed, chosen, [])


@pytest.mark.campaign
def test_the_seeds_whole_space(seed: Exercise, capsys: pytest.CaptureFixture[str]) -> None:
    """All 343 points of w in -3..3: every draw in use keeps apart what any point without zeros keeps apart."""
    space = list(candidates(KEY, "hooks-that-change-gradients", seed))
    assert len(space) == 342
    chosen, tried = find_draws(seed, space, most=len(space))
    with capsys.disabled():
        print(f"\n{len(chosen)} of {tried} draws of the seed exercise are in use")  # noqa: T201 - how many remain is to be seen
    assert len(chosen) > 100
    check_all_apart(seed, chosen, [each for each in space if "0.0" not in each])


@pytest.mark.parametrize("hidden", [w(1, 1, 1), w(0, 2, 1), w(1, 0, 0), w(0, 0, 0)])
def test_draws_that_hide_a_belief_or_a_step_are_not_used(seed: Exercise, hidden: str) -> None:
    """w = 1 throughout cannot show who forgets w; a zero in w is a step less. By hand."""
    chosen, _ = find_draws(seed, [hidden, w(2, -1, 3)], most=2)
    assert chosen == (w(2, -1, 3),)


def test_no_two_draws_have_one_key(tmp_path: Path) -> None:
    """Where only |w| counts, [2, 1] and [-2, 1] are one draw, and the default's key is nobody else's."""
    exercise = lesson(tmp_path, SQUARED_AWAY)
    chosen, _ = find_draws(exercise, [w(-1, 2), w(2, 3), w(-2, 3), w(2, -3), w(3, 1)])
    assert chosen == (w(2, 3), w(3, 1))


def test_numbers_stay_small(tmp_path: Path) -> None:
    """Nothing of 200 or more is asked, unless the author's own numbers are larger: dy/dx = [20, 80] by hand."""
    exercise = lesson(tmp_path, LARGE)
    assert find_draws(exercise, [w(2, 3), w(3, 2), w(2, -3), w(-3, 2)])[0] == (w(3, 2), w(-3, 2))
    larger = lesson(tmp_path, LARGE, LESSON.replace("[1.0, 2.0]", "[1.0, 3.0]").replace("high=3", "high=4"))
    assert find_draws(larger, [w(2, 3), w(1, 4)])[0] == (w(2, 3),)


def test_where_no_other_draw_will_do_everybody_has_the_authors(tmp_path: Path) -> None:
    """The stock is never empty."""
    exercise = lesson(tmp_path, DOUBLED)
    assert find_draws(exercise, []) == ((exercise.arguments,), 0)
    assert find_draws(exercise, [w(0, 0), w(1, 0)])[0] == (exercise.arguments,)


def test_a_family_is_apart_only_if_none_of_it_meets_the_other(seed: Exercise) -> None:
    """One member that gives the right answer is enough to merge its family with the truth."""
    whole = try_in(seed, seed.arguments, WORLDS)
    ids = frozenset({"hook-return-ignored", "hook-must-edit-in-place"})
    pair = frozenset({TRUTH, "the-hook-has-no-effect"})
    assert pair in whole.apart(ids)
    merged = Trial(whole.arguments, whole.truth, {**whole.believed, "hook-must-edit-in-place": whole.truth})
    assert pair not in merged.apart(ids)
    assert not Trial(whole.arguments, whole.truth, {}).apart(ids)


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    with Reference() as running:
        yield running


def test_the_worker_chooses_draws(reference: Reference, tmp_path: Path) -> None:
    """Asked through the pipes, the answer is that of `find_draws`."""
    exercise = lesson(tmp_path, DOUBLED)
    asked = [w(1, 1), w(2, 3), w(-2, 3)]
    assert reference.draw(exercise, asked) == find_draws(exercise, asked)


def test_a_program_that_crashes_on_a_draw_is_named(reference: Reference, tmp_path: Path) -> None:
    """The message names the exercise and the mend; the next call works."""
    exercise = lesson(tmp_path, ENDING)
    with pytest.raises(ReferenceFault, match=r"'program'.*narrow the bounds"):
        reference.draw(exercise, [w(2, 3), w(3, 3)])
    assert reference.draw(exercise, [w(2, 3)]) == ((w(2, 3),), 1)


ENDING_IN_A_WORLD = """
    import os

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x**2).backward(torch.tensor(w))
    if x.grad.tolist() == [2.0, 4.0]:
        os._exit(3)
    return x.grad
"""


def test_a_world_that_crashes_takes_no_other_along(tmp_path: Path) -> None:
    """Whoever takes w for ones gets [2, 4], at which this program ends: that belief is left out, others still count.

    [0, 2] is a step less, as ever.
    """
    exercise = lesson(tmp_path, ENDING_IN_A_WORLD)
    asked = [w(0, 2), w(2, 3)]
    with Reference() as own:
        assert own.draw(exercise, asked) == ((w(2, 3),), 2)
