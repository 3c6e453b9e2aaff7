"""Words and worlds of a belief agree: what a believer expects is what the example gives if the belief is true."""

from __future__ import annotations

import re

import pytest

from grader.misconceptions.catalogue import CATALOGUE, FAMILIES, ON_ANSWERS, Misconception, family_of
from grader.misconceptions.running import run_in_worlds
from grader.misconceptions.worlds import WORLDS
from grader.records import Outcome, Program, Raised, Returned, Text

SIMULATED = [entry for entry in CATALOGUE.values() if entry.id in WORLDS]
SQUARING = """\
def squaring(hook, x, w):
    x = torch.tensor(x, requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(eval(hook))
    z.backward(torch.tensor(w))
    return str(x.grad.tolist())
"""


def as_program(example: str) -> Program:
    """An example as a function that returns what its last line prints."""
    *body, last = example.splitlines()
    printed = re.fullmatch(r"print\((.*)\)", last)
    assert printed
    body += ["import io", "out = io.StringIO()", f"print({printed[1]}, file=out)", "return out.getvalue()[:-1]"]
    return Program(name="example", parameters=(), source="\n    ".join(["def example():", *body]) + "\n")


def in_words(outcome: Outcome) -> str:
    if isinstance(outcome, Returned) and isinstance(outcome.value, Text):
        return outcome.value.text
    assert isinstance(outcome, Raised), outcome
    return f"{outcome.exception}: {outcome.message}"


def squared(worlds: list[str], hook: str, x: list[float], w: list[float]) -> str:
    program = Program(name="squaring", parameters=("hook", "x", "w"), source=SQUARING)
    return in_words(run_in_worlds(worlds, program, repr({"hook": hook, "x": x, "w": w})))


@pytest.mark.parametrize("entry", SIMULATED, ids=lambda entry: entry.id)
def test_a_believer_expects_what_the_world_gives(entry: Misconception) -> None:
    """In the world of its belief, the example prints what the catalogue says a believer expects."""
    program = as_program(entry.example)
    assert in_words(run_in_worlds([entry.id], program, "{}")) == entry.believer_expects
    assert in_words(run_in_worlds([], program, "{}")).startswith(entry.prints)


def test_beliefs_about_answers_have_no_world() -> None:
    """Worlds that run programs are in the catalogue, and none of them is said to be tried on answers."""
    assert set(WORLDS) & set(CATALOGUE) == {entry.id for entry in SIMULATED}
    assert not set(WORLDS) & ON_ANSWERS
    assert len(SIMULATED) >= 60


NO_EFFECT = [
    "hook-return-ignored",
    "hook-must-edit-in-place",
    "hook-must-be-registered-before-use",
    "hooks-on-non-leaves-ignored",
]
AT_THE_END = ["w-multiplies-at-the-end", "j-w-instead-of-w-j"]


@pytest.mark.parametrize("belief", [*NO_EFFECT, *AT_THE_END])
def test_six_beliefs_give_one_answer(belief: str) -> None:
    """For the squaring hook, x = [1, 2, 3] and w = [1, 2, 1], both families give [3, 10, 7] and torch [3, 18, 7]."""
    assert squared([belief], "lambda g: g**2", [1.0, 2.0, 3.0], [1.0, 2.0, 1.0]) == "[3.0, 10.0, 7.0]"
    assert squared([], "lambda g: g**2", [1.0, 2.0, 3.0], [1.0, 2.0, 1.0]) == "[3.0, 18.0, 7.0]"


def test_the_follow_up_splits_the_two_families() -> None:
    """Predicted again with the hook `grad ** 2 + 1`, as both families ask, no effect and w at the end part ways.

    No effect: w * (2x + 1) = [3, 10, 7]. At the end: with ones the hook gives 2, so w * (2 * 2x + 1) = [5, 18, 13].
    In truth: (w**2 + 1) * 2x + w = [5, 22, 13].
    """
    for belief in [*NO_EFFECT, *AT_THE_END]:
        assert "`grad ** 2 + 1`" in family_of(belief).follow_up
    again = ("lambda grad: grad ** 2 + 1", [1.0, 2.0, 3.0], [1.0, 2.0, 1.0])
    assert {squared([belief], *again) for belief in NO_EFFECT} == {"[3.0, 10.0, 7.0]"}
    assert squared(["w-multiplies-at-the-end"], *again) == "[5.0, 18.0, 13.0]"
    assert squared([], *again) == "[5.0, 22.0, 13.0]"
    assert squared(["j-w-instead-of-w-j"], *again) not in {"[3.0, 10.0, 7.0]", "[5.0, 22.0, 13.0]"}


KIN = [
    (
        NO_EFFECT,
        ["y = x**2", "z = x + y", "y.register_hook(lambda g: g**2 + 1)", "z.backward(w)", "return x.grad"],
    ),
    (
        ["hook-return-ignored", "hook-must-edit-in-place", "hooks-on-leaves-ignored"],
        ["x.register_hook(lambda g: g**2 + 1)", "(x**2).backward(w)", "return x.grad"],
    ),
    (
        ["hook-return-ignored", "hook-must-edit-in-place", "autograd-grad-skips-hooks"],
        ["y = x**2", "y.register_hook(lambda g: g**2 + 1)", "return torch.autograd.grad(2 * y, x, w)"],
    ),
    (
        ["hook-return-ignored", "in-place-edit-in-hook-ignored", "hooks-on-non-leaves-ignored"],
        ["def hook(g): g.mul_(7)", "y = x**2", "y.register_hook(hook)", "(2 * y).backward(w)", "return x.grad"],
    ),
    (
        ["later-hook-replaces-earlier", "hooks-do-not-chain"],
        ["for k in (3, 5): x.register_hook(lambda g, k=k: g * k + 1)", "(x**2).backward(w)", "return x.grad"],
    ),
    (
        ["skip-connection-forgotten", "first-use-only"],
        ["y = x**2", "y.register_hook(lambda g: g**2 + 1)", "(y + x).backward(w)", "return x.grad"],
    ),
    (
        ["only-the-skip-connection-counts", "last-use-overwrites"],
        ["y = x**2", "y.register_hook(lambda g: g**2 + 1)", "(y + x).backward(w)", "return x.grad"],
    ),
    (
        ["retain-grad-shows-the-gradient-before-the-hook", "retain-grad-is-one-more-hook-in-line"],
        ["y = x**2", "y.retain_grad()", "y.register_hook(lambda g: g + 1)", "y.backward(w)", "return y.grad"],
    ),
    (
        ["graph-is-never-freed", "gradients-are-differentiable-by-default"],
        ["y = x**2", "y.backward(w)", "y.backward(w)", "return x.grad.tolist()"],
    ),
]


@pytest.mark.parametrize(("members", "lines"), KIN, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_no_input_tells_kin_apart(members: list[str], lines: list[str]) -> None:
    """On a program of the usual shape, the members of a family give the same wrong answers, whatever x and w are."""
    head = ["def usual(x, w):", "x, w = torch.tensor(x, requires_grad=True), torch.tensor(w)"]
    program = Program(name="usual", parameters=("x", "w"), source="\n    ".join([*head, *lines]) + "\n")
    assert len({family_of(member).id for member in members}) == 1
    for x, w in [([1.0, -1.0], [3.0, 1.0]), ([2.0, 3.0], [-2.0, 5.0]), ([-4.0, 0.5], [1.5, -3.0])]:
        arguments = repr({"x": x, "w": w})
        answers = [run_in_worlds([member], program, arguments) for member in members]
        assert all(answer == answers[0] for answer in answers)
        assert answers[0] != run_in_worlds([], program, arguments)


def test_every_family_that_runs_is_tried() -> None:
    """Each member of a family of simulated beliefs takes part in such a comparison."""
    tried = {member for members, _ in KIN for member in members} | set(AT_THE_END)
    kin = {member for family in FAMILIES.values() for member in family.members if member not in ON_ANSWERS}
    assert tried == kin
