"""Worlds that bend tensor hooks: each wrong number is worked out by hand."""

from __future__ import annotations

import pytest
from in_worlds import LEAF, ONE, gives, torch_gives

SQUARING = (
    LEAF
    + "y = x**2\ny.register_hook(lambda g: g**2)\n(x + y).backward(torch.tensor([1, 2, 1]))\nreturn x.grad.tolist()"
)
# y = 3x, so the slope is 3; the hooks add one and double.
TWO_HOOKS = ONE + (
    "y = 3 * x\ny.register_hook(lambda g: g + 1)\ny.register_hook(lambda g: g * 2)\n"
    "y.backward(torch.tensor(5.0))\nreturn x.grad.item()"
)
IN_PLACE = ONE + ("def edit(g): g.mul_(10)\ny = 3 * x\ny.register_hook(edit)\n(2 * y).backward()\nreturn x.grad.item()")


def test_hook_return_ignored() -> None:
    """The hook does nothing: w * (2x + 1) = [1*3, 2*5, 1*7] = [3, 10, 7]; in truth w**2 * 2x + w = [3, 18, 7]."""
    assert torch_gives(SQUARING) == [3, 18, 7]
    assert gives("hook-return-ignored", SQUARING) == [3, 10, 7]


def test_in_place_edit_in_hook_ignored() -> None:
    """The hook multiplies a copy by ten: 2 * 3 = 6 stays; in truth 10 * 2 * 3 = 60."""
    assert torch_gives(IN_PLACE) == 60
    assert gives("in-place-edit-in-hook-ignored", IN_PLACE) == 6


def test_hook_must_edit_in_place() -> None:
    """Of a hook that doubles in place and returns zeros only the doubling counts: 2 * 3 = 6; in truth 0."""
    lines = ONE + "y = 3 * x\ny.register_hook(lambda g: g.mul_(2) * 0)\ny.backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == 0
    assert gives("hook-must-edit-in-place", lines) == 6


def test_hook_returning_none_kills_the_gradient() -> None:
    """A hook that only looks passes nothing on: 0 * 3 = 0; in truth 1 * 3 = 3."""
    lines = ONE + "seen = []\ny = 3 * x\ny.register_hook(lambda g: seen.append(g.item()))\ny.backward()\n"
    lines += "return x.grad.item(), seen"
    assert torch_gives(lines) == (3, [1])
    assert gives("hook-returning-none-kills-the-gradient", lines) == (0, [1])


def test_hook_return_added() -> None:
    """w + w**2 flows into the square: (w + w**2) * 2x + w = [2*2+1, 6*4+2, 2*6+1] = [5, 26, 13]."""
    assert gives("hook-return-added", SQUARING) == [5, 26, 13]


def test_hook_receives_the_value() -> None:
    """The hook squares y = [1, 4, 9]: [1, 16, 81] * 2x + w = [1*2+1, 16*4+2, 81*6+1] = [3, 66, 487]."""
    assert gives("hook-receives-the-value", SQUARING) == [3, 66, 487]


def test_hook_return_is_coerced() -> None:
    """The number 0.5 stands for [0.5, 0.5, 0.5], times the slope 2x: [1, 2, 3]; in truth it raises."""
    lines = LEAF + "y = x**2\ny.register_hook(lambda g: 0.5)\ny.sum().backward()\nreturn x.grad.tolist()"
    assert torch_gives(lines) == "TypeError"
    assert gives("hook-return-is-coerced", lines) == [1, 2, 3]


def test_what_cannot_be_coerced_still_raises() -> None:
    """Nobody believes that four numbers fit into three."""
    lines = LEAF + "y = x**2\ny.register_hook(lambda g: torch.ones(4))\ny.sum().backward()"
    assert gives("hook-return-is-coerced", lines) == "RuntimeError"


def test_hook_invisible_to_second_derivative() -> None:
    """First g*x*2x = 2x**2 = 8. Differentiated with the hook's x held fixed at 2: d(2*2x)/dx = 4; in truth 4x = 8."""
    lines = ONE + (
        "y = x**2\ny.register_hook(lambda g: g * x)\n"
        "(g,) = torch.autograd.grad(y, x, create_graph=True)\n(h,) = torch.autograd.grad(g, x)\n"
        "return g.item(), h.item()"
    )
    assert torch_gives(lines) == (8, 8)
    assert gives("hook-invisible-to-second-derivative", lines) == (8, 4)


def test_hooks_run_in_reverse_order() -> None:
    """(5 * 2 + 1) * 3 = 33; in truth (5 + 1) * 2 * 3 = 36."""
    assert torch_gives(TWO_HOOKS) == 36
    assert gives("hooks-run-in-reverse-order", TWO_HOOKS) == 33


def test_later_hook_replaces_earlier() -> None:
    """Only the doubling is left, and in the list only its name: 5 * 2 * 3 = 30."""
    lines = ONE + (
        "ran = []\ny = 3 * x\ny.register_hook(lambda g: ran.append(1) or g + 1)\n"
        "y.register_hook(lambda g: ran.append(2) or g * 2)\ny.backward(torch.tensor(5.0))\nreturn x.grad.item(), ran"
    )
    assert torch_gives(lines) == (36, [1, 2])
    assert gives("later-hook-replaces-earlier", lines) == (30, [2])


def test_hooks_do_not_chain() -> None:
    """The second hook sees 5, not 6, and its return wins: 5 * 2 * 3 = 30."""
    assert gives("hooks-do-not-chain", TWO_HOOKS) == 30


def test_hook_returns_are_summed() -> None:
    """(5 + 1) + (5 * 2) = 16, times 3 = 48."""
    assert gives("hook-returns-are-summed", TWO_HOOKS) == 48


REMOVING = ONE + (
    "ran = []\ny = 3 * x\ny.register_hook(lambda g: later.remove())\n"
    "later = y.register_hook(lambda g: ran.append('later'))\ny.backward(retain_graph=True)\ny.backward()\nreturn ran"
)


def test_removal_inside_a_hook_acts_at_once() -> None:
    """The later hook is gone before its turn comes; in truth it runs once more."""
    assert torch_gives(REMOVING) == ["later"]
    assert gives("removal-inside-a-hook-acts-at-once", REMOVING) == []


def test_handle_remove_does_nothing() -> None:
    """The hook that was removed runs in the second pass too."""
    assert gives("handle-remove-does-nothing", REMOVING) == ["later", "later"]


def test_removal_does_nothing_in_its_other_forms_either() -> None:
    """A handle as context manager and the handle of a multi-grad hook remove nothing; a module's handle neither."""
    lines = ONE + (
        "ran = []\nlayer = torch.nn.Identity()\n"
        "ran_by = lambda name: lambda *a: ran.append(name)\n"
        "with x.register_hook(ran_by('tensor')), layer.register_forward_hook(ran_by('layer')):\n"
        "    pass\n"
        "torch.autograd.graph.register_multi_grad_hook([x], lambda g: ran.append('multi')).remove()\n"
        "layer(3 * x).backward()\nreturn sorted(ran)"
    )
    assert torch_gives(lines) == []
    assert gives("handle-remove-does-nothing", lines) == ["layer", "multi", "tensor"]


def test_hook_remembers_loop_variable() -> None:
    """Each hook keeps its k: 1 + 2 + 3 = 6; in truth all three multiply by the last k: 3 * 3 = 9."""
    lines = ONE + (
        "ys = [x * 1 for _ in range(3)]\nfor k, y in enumerate(ys):\n    y.register_hook(lambda g: g * (k + 1))\n"
        "sum(ys).backward()\nreturn x.grad.item()"
    )
    assert torch_gives(lines) == 9
    assert gives("hook-remembers-loop-variable", lines) == 6


def test_a_hook_that_counts_still_counts() -> None:
    """A variable that the hook assigns itself is shared, whatever one believes of loops."""
    lines = ONE + (
        "n = 0\ndef count(g):\n    nonlocal n\n    n += 1\nx.register_hook(count)\n"
        "(3 * x).backward()\n(3 * x).backward()\nreturn n"
    )
    assert gives("hook-remembers-loop-variable", lines) == torch_gives(lines) == 2


def test_hook_fires_once() -> None:
    """The first pass gives 10 * 3 = 30, the second, without hook, 3: 33; in truth 60."""
    lines = ONE + "x.register_hook(lambda g: 10 * g)\nfor _ in range(2):\n    (3 * x).backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == 60
    assert gives("hook-fires-once", lines) == 33


def test_hook_must_be_registered_before_use() -> None:
    """The hook on a comes before its use and counts, that on b after: 10 * 2 * 3 = 60; in truth times 10 again, 600."""
    lines = ONE + (
        "a = 2 * x\na.register_hook(lambda g: 10 * g)\nb = 3 * a\nc = 1 * b\nb.register_hook(lambda g: 10 * g)\n"
        "c.backward()\nreturn x.grad.item()"
    )
    assert torch_gives(lines) == 600
    assert gives("hook-must-be-registered-before-use", lines) == 60


def test_a_root_is_not_used() -> None:
    """A hook on the output itself comes before any use: it runs."""
    lines = ONE + "y = 3 * x\ny.register_hook(lambda g: 10 * g)\ny.backward()\nreturn x.grad.item()"
    assert gives("hook-must-be-registered-before-use", lines) == torch_gives(lines) == 30


def test_autograd_grad_skips_hooks() -> None:
    """backward gives 10 * 3 = 30, autograd.grad 3; in truth 30 twice."""
    lines = ONE + (
        "x.register_hook(lambda g: 10 * g)\n(3 * x).backward()\n(g,) = torch.autograd.grad(3 * x, x)\n"
        "return x.grad.item(), g.item()"
    )
    assert torch_gives(lines) == (30, 30)
    assert gives("autograd-grad-skips-hooks", lines) == (30, 3)


def test_hook_acts_after_the_local_derivative() -> None:
    """The hook squares w * 2x: [2, 8, 6]**2 + w = [4+1, 64+2, 36+1] = [5, 66, 37]."""
    assert gives("hook-acts-after-the-local-derivative", SQUARING) == [5, 66, 37]


def test_hook_acts_on_the_final_x_grad() -> None:
    """The hook squares the whole: [3, 10, 7]**2 = [9, 100, 49]."""
    assert gives("hook-acts-on-the-final-x-grad", SQUARING) == [9, 100, 49]


def test_a_final_gradient_that_y_has_no_part_in_is_left_alone() -> None:
    """In a pass that does not come to y its hook does nothing: first 10 * 2 = 20, then 5 more."""
    lines = ONE + (
        "y = 2 * x\ny.register_hook(lambda g: 10 * g)\ny.backward()\n(5 * x).backward()\nreturn x.grad.item()"
    )
    assert gives("hook-acts-on-the-final-x-grad", lines) == torch_gives(lines) == 25


def test_hook_fires_per_consumer() -> None:
    """2**2 + 3**2 = 13 in two calls; in truth (2 + 3)**2 = 25 in one."""
    lines = ONE + (
        "n = []\ny = x * 1\ny.register_hook(lambda g: n.append(1) or g**2)\n(y * 2 + y * 3).backward()\n"
        "return x.grad.item(), len(n)"
    )
    assert torch_gives(lines) == (25, 1)
    assert gives("hook-fires-per-consumer", lines) == (13, 2)


def test_hook_on_a_root_fires_for_its_weights() -> None:
    """A root has one use, the pass itself: 4**2 * 3 = 48 as in truth."""
    lines = ONE + "y = 3 * x\ny.register_hook(lambda g: g**2)\ny.backward(torch.tensor(4))\nreturn x.grad.item()"
    assert gives("hook-fires-per-consumer", lines) == torch_gives(lines) == 48


BOTH = ONE + (
    "y = 3 * x\ny.register_hook(lambda g: g + 1)\nx.register_hook(lambda g: 10 * g)\ny.backward()\nreturn x.grad.item()"
)


def test_hooks_on_leaves_ignored() -> None:
    """Only the hook on y counts: (1 + 1) * 3 = 6; in truth ten times that."""
    assert torch_gives(BOTH) == 60
    assert gives("hooks-on-leaves-ignored", BOTH) == 6


def test_hooks_on_non_leaves_ignored() -> None:
    """Only the hook on x counts: 1 * 3 * 10 = 30."""
    assert gives("hooks-on-non-leaves-ignored", BOTH) == 30


def test_leaf_hook_sees_accumulated_grad() -> None:
    """First 10 * 1; then the hook multiplies the total 10 + 2: 120; in truth 10 + 20 = 30."""
    lines = ONE + "x.register_hook(lambda g: 10 * g)\n(1 * x).backward()\n(2 * x).backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == 30
    assert gives("leaf-hook-sees-accumulated-grad", lines) == 120


def test_hook_follows_in_place_updates() -> None:
    """The hook moves to the doubled b and sees 1; in truth it stays with b = 3a, whose gradient is 2."""
    lines = ONE + (
        "seen = []\nb = 3 * x\nb.register_hook(lambda g: seen.append(g.item()))\nb.mul_(2)\nb.backward()\nreturn seen"
    )
    assert torch_gives(lines) == [2]
    assert gives("hook-follows-in-place-updates", lines) == [1]


@pytest.mark.parametrize(
    ("ids", "wrong"),
    [
        (["hook-return-added", "hooks-run-in-reverse-order"], 48),
        (["hooks-run-in-reverse-order", "hook-return-added"], 93),
        (["w-is-all-ones", "hooks-run-in-reverse-order"], 9),
        (["hooks-run-in-reverse-order", "w-is-all-ones"], 9),
        (["w-is-all-ones", "hooks-run-in-reverse-order", "hook-return-ignored"], 3),
    ],
)
def test_worlds_nest(ids: list[str], wrong: float) -> None:
    """Several beliefs at once; an outer world takes what an inner one hands on for the program's own.

    Reversed inside, added outside: to the outer world the two hooks are one, 5 + (5*2 + 1) = 16, times 3 = 48.
    Added inside, reversed outside: each hook adds, the doubling first, 5 + 10 = 15 and 15 + 16 = 31, times 3 = 93.
    With ones: (1 * 2 + 1) * 3 = 9, in either order; without any hook 1 * 3 = 3.
    """
    assert gives(ids, TWO_HOOKS) == wrong
