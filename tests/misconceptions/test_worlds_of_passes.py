"""Worlds that bend weights, accumulation, branches and the graph: each wrong number is worked out by hand."""

from __future__ import annotations

import pytest
from in_worlds import LEAF, ONE, gives, torch_gives

SQUARE_PLUS_X = LEAF + "(x**2 + x).backward(torch.tensor([1.0, 2.0, 1.0]))\nreturn x.grad.tolist()"
SQUARING = LEAF + (
    "y = x**2\ny.register_hook(lambda g: g**2)\n(x + y).backward(torch.tensor([1, 2, 1]))\nreturn x.grad.tolist()"
)
# --- weights --------------------------------------------------------------------------------------------------------


def test_w_is_all_ones() -> None:
    """1 * (2x + 1) = [3, 5, 7]; in truth w * (2x + 1) = [3, 10, 7]."""
    assert torch_gives(SQUARE_PLUS_X) == [3, 10, 7]
    assert gives("w-is-all-ones", SQUARE_PLUS_X) == [3, 5, 7]


def test_w_of_autograd_grad_and_of_vjp_is_w_too() -> None:
    """torch.autograd.grad(2x, x, w) and torch.func.vjp give 2 * 1 = [2, 2], in truth 2w."""
    lines = (
        "x, w = torch.ones(2, requires_grad=True), torch.tensor([3.0, 5.0])\n"
        "(g,) = torch.autograd.grad(2 * x, x, w)\nback = torch.func.vjp(lambda t: 2 * t, torch.ones(2))[1]\n"
        "return g.tolist(), back(w)[0].tolist()"
    )
    assert torch_gives(lines) == ([6, 10], [6, 10])
    assert gives("w-is-all-ones", lines) == ([2, 2], [2, 2])


def test_w_multiplies_at_the_end() -> None:
    """With ones the hook gives 1: w * (1 * 2x + 1) = [3, 10, 7]; in truth w**2 * 2x + w = [3, 18, 7]."""
    assert torch_gives(SQUARING) == [3, 18, 7]
    assert gives("w-multiplies-at-the-end", SQUARING) == [3, 10, 7]


def test_several_roots_each_have_their_w_at_the_end() -> None:
    """Without hooks w may as well come last: 1 * 2x + 3 * 1 = 7, as in truth."""
    lines = ONE + "torch.autograd.backward([x**2, x], [torch.tensor(1.0), torch.tensor(3.0)])\nreturn x.grad.item()"
    assert gives("w-multiplies-at-the-end", lines) == torch_gives(lines) == 7


def test_a_finished_gradient_that_w_does_not_fit_is_left_as_it_is() -> None:
    """w of shape (2, 3) cannot multiply a gradient of shape (3,): the belief has no answer, the truth stands."""
    lines = LEAF + "(torch.ones(2, 3) * x).backward(torch.tensor([[1.0, 2, 3], [4, 5, 6]]))\nreturn x.grad.tolist()"
    assert gives("w-multiplies-at-the-end", lines) == torch_gives(lines) == [5, 7, 9]


def test_w_is_normalised() -> None:
    """w / 4 = [1/4, 1/2, 1/4], times 2x + 1 = [3, 5, 7]: [0.75, 2.5, 1.75]."""
    assert gives("w-is-normalised", SQUARE_PLUS_X) == [0.75, 2.5, 1.75]


def test_j_w_instead_of_w_j() -> None:
    """z = [a*b, a+b] at (2, 3) has J = [[3, 2], [1, 1]]; J (1, 2) = [7, 3]; in truth (1, 2) J = [5, 4]."""
    lines = (
        "x = torch.tensor([2.0, 3.0], requires_grad=True)\nz = torch.stack([x[0] * x[1], x[0] + x[1]])\n"
        "z.backward(torch.tensor([1.0, 2.0]))\nreturn x.grad.tolist()"
    )
    assert torch_gives(lines) == [5, 4]
    assert gives("j-w-instead-of-w-j", lines) == [7, 3]


def test_vector_backward_sums_implicitly() -> None:
    """The gradient of the sum, 2x = [2, 4, 6]; in truth it raises."""
    lines = LEAF + "(x**2).backward()\nreturn x.grad.tolist()"
    assert torch_gives(lines) == "RuntimeError"
    assert gives("vector-backward-sums-implicitly", lines) == [2, 4, 6]


@pytest.mark.parametrize("w", ["torch.tensor(2.0)", "2.0", "torch.tensor([2.0])"])
def test_w_is_broadcast(w: str) -> None:
    """2 stands for [2, 2, 2]: 2 * 2x = [4, 8, 12]; in truth it raises."""
    lines = LEAF + f"(x**2).backward({w})\nreturn x.grad.tolist()"
    assert torch_gives(lines) in ("RuntimeError", "TypeError")
    assert gives("w-is-broadcast", lines) == [4, 8, 12]


def test_w_skips_the_shortcut() -> None:
    """w * 2x + 1 = [3, 9, 7]; in truth w * 2x + w = [3, 10, 7]."""
    assert gives("w-skips-the-shortcut", SQUARE_PLUS_X) == [3, 9, 7]


# --- accumulation ---------------------------------------------------------------------------------------------------

TWICE = ONE + "(3 * x).backward()\nkept = x.grad\n(4 * x).backward()\nreturn kept.item(), x.grad.item()"


def test_second_backward_replaces() -> None:
    """The second pass leaves its own 4 (in a new tensor); in truth 3 + 4 = 7."""
    assert torch_gives(TWICE) == (7, 7)
    assert gives("second-backward-replaces", TWICE) == (3, 4)


def test_accumulation_makes_a_new_tensor() -> None:
    """What was kept after the first pass is still 3; in truth it is the same tensor, 7."""
    assert gives("accumulation-makes-a-new-tensor", TWICE) == (3, 7)


def test_backward_inputs_ignored() -> None:
    """With inputs=[a] both leaves get a gradient: b.grad = a = 2; in truth None."""
    lines = (
        "a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)\n"
        "(a * b).backward(inputs=[a])\nreturn a.grad.item(), b.grad if b.grad is None else b.grad.item()"
    )
    assert torch_gives(lines) == (3, None)
    assert gives("backward-inputs-ignored", lines) == (3, 2)


def test_autograd_grad_also_fills_grad() -> None:
    """x.grad = 3 + 4 = 7; in truth the 4 is only returned."""
    lines = ONE + "(3 * x).backward()\n(g,) = torch.autograd.grad(4 * x, x)\nreturn g.item(), x.grad.item()"
    assert torch_gives(lines) == (4, 3)
    assert gives("autograd-grad-also-fills-grad", lines) == (4, 7)


def test_unused_input_has_gradient_zero() -> None:
    """The gradient with respect to an unused tensor is 0; in truth it raises."""
    lines = ONE + (
        "other = torch.tensor(1.0, requires_grad=True)\n"
        "return [g.item() for g in torch.autograd.grad(3 * x, [x, other])]"
    )
    assert torch_gives(lines) == "RuntimeError"
    assert gives("unused-input-has-gradient-zero", lines) == [3, 0]


def test_zero_grad_leaves_zeros() -> None:
    """After zero_grad of optimizer and of module there are zeros, two `is None` are False; in truth both None."""
    lines = (
        "layer, found = torch.nn.Linear(1, 1, bias=False), []\n"
        "optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)\n"
        "for zero in optimizer.zero_grad, layer.zero_grad:\n    layer(torch.ones(1)).backward()\n    zero()\n"
        "    found.append(layer.weight.grad is None)\nreturn found"
    )
    assert torch_gives(lines) == [True, True]
    assert gives("zero-grad-leaves-zeros", lines) == [False, False]


def test_every_tensor_keeps_grad() -> None:
    """y = 3x, z = y * y at 2: y.grad = 2y = 12, without retain_grad; in truth None."""
    lines = ONE + "y = 3 * x\n(y * y).backward()\nreturn y.grad if y.grad is None else y.grad.item()"
    assert torch_gives(lines) is None
    assert gives("every-tensor-keeps-grad", lines) == 12


def test_no_conjugation() -> None:
    """z**2 has the derivative 2z = 2 + 4i; torch gives the conjugate of that of the real part, 2 - 4i."""
    lines = "z = torch.tensor(1 + 2j, requires_grad=True)\n(z**2).real.backward()\nreturn z.grad.imag.item()"
    assert torch_gives(lines) == -4
    assert gives("no-conjugation", lines) == 4


RETAINED = ONE + (
    "b = 1 * x\nb.register_hook(lambda g: g + 1)\nb.retain_grad()\nb.register_hook(lambda g: g * 5)\nb.backward()\n"
    "return b.grad.item(), x.grad.item()"
)


def test_retain_grad_shows_the_gradient_before_the_hook() -> None:
    """b.grad is what arrives, 1; in truth what the hooks make of it, (1 + 1) * 5 = 10."""
    assert torch_gives(RETAINED) == (10, 10)
    assert gives("retain-grad-shows-the-gradient-before-the-hook", RETAINED) == (1, 10)


def test_retain_grad_is_one_more_hook_in_line() -> None:
    """b.grad is what the hook before the call made: 1 + 1 = 2."""
    assert gives("retain-grad-is-one-more-hook-in-line", RETAINED) == (2, 10)


def test_post_accumulate_hook_receives_the_gradient() -> None:
    """The hook is given 3 and its return, 30, becomes x.grad; in truth it is given x = 2 and must return nothing."""
    lines = ONE + "x.register_post_accumulate_grad_hook(lambda g: 10 * g)\n(3 * x).backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == "RuntimeError"
    assert gives("post-accumulate-hook-receives-the-gradient", lines) == 30


def test_post_accumulate_hook_sees_only_the_new_gradient() -> None:
    """10 * 1 + 10 * 2 = 30; in truth the second time the hook multiplies 10 + 2: 120."""
    lines = ONE + (
        "def tenfold(p): p.grad.mul_(10)\nx.register_post_accumulate_grad_hook(tenfold)\n(1 * x).backward()\n"
        "(2 * x).backward()\nreturn x.grad.item()"
    )
    assert torch_gives(lines) == 120
    assert gives("post-accumulate-hook-sees-only-the-new-gradient", lines) == 30


# --- branches -------------------------------------------------------------------------------------------------------


def test_skip_connection_forgotten() -> None:
    """Only the deep branch counts: w * 2x = [2, 8, 6]."""
    assert gives("skip-connection-forgotten", SQUARE_PLUS_X) == [2, 8, 6]


def test_only_the_skip_connection_counts() -> None:
    """Only the direct path counts: w = [1, 2, 1]; the hook on the forgotten branch does not run either."""
    assert gives("only-the-skip-connection-counts", SQUARE_PLUS_X) == [1, 2, 1]
    lines = LEAF + "y = x**2\ny.register_hook(lambda g: g + 7)\n(y + x).sum().backward()\nreturn x.grad.tolist()"
    assert gives("only-the-skip-connection-counts", lines) == [1, 1, 1]


USES = ONE + "y = 5 * x\nz = 2 * y + 3 * y\nz.backward()\nreturn x.grad.item()"


def test_first_use_only() -> None:
    """Of 2y + 3y the first counts: 2 * 5 = 10; in truth 25."""
    assert torch_gives(USES) == 25
    assert gives("first-use-only", USES) == 10


def test_last_use_overwrites() -> None:
    """Of 2y + 3y the last counts: 3 * 5 = 15."""
    assert gives("last-use-overwrites", USES) == 15


def test_addition_splits_the_gradient() -> None:
    """Half for each addend: w/2 * 2x + w/2 = [1.5, 5, 3.5]."""
    assert gives("addition-splits-the-gradient", SQUARE_PLUS_X) == [1.5, 5, 3.5]


def test_product_rule_forgotten() -> None:
    """Of a * b at (2, 3) only a is differentiated: a.grad = b = 3, b.grad = 0; in truth b.grad = a = 2."""
    lines = (
        "a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)\n"
        "(a * b).backward()\nreturn a.grad.item(), b.grad.item()"
    )
    assert torch_gives(lines) == (3, 2)
    assert gives("product-rule-forgotten", lines) == (3, 0)


# --- the graph ------------------------------------------------------------------------------------------------------


def test_gradients_are_differentiable_by_default() -> None:
    """The second derivative of x**3 at 2 is 6x = 12 without create_graph; in truth it raises."""
    lines = ONE + "(g,) = torch.autograd.grad(x**3, x)\n(h,) = torch.autograd.grad(g, x)\nreturn h.item()"
    assert torch_gives(lines) == "RuntimeError"
    assert gives("gradients-are-differentiable-by-default", lines) == 12


def test_graph_is_never_freed() -> None:
    """Two passes through x**2 at 2 give 4 + 4 = 8; in truth the second raises."""
    lines = ONE + "y = x**2\ny.backward()\ny.backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == "RuntimeError"
    assert gives("graph-is-never-freed", lines) == 8


@pytest.mark.parametrize("constant", ["x.detach()", "x.data", "torch.detach(x)"])
def test_detach_ignored(constant: str) -> None:
    """x * x is differentiated as a square: 2x = 4; in truth one factor is a constant: 2."""
    lines = ONE + f"(x * {constant}).backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == 2
    assert gives("detach-ignored", lines) == 4


def test_detach_cuts_the_tensor_itself() -> None:
    """After y.detach() nothing comes through y, only the 5 of 5x; in truth 3 * y = 3 * 6 = 18 comes on top."""
    lines = ONE + "y = 3 * x\n(y * y.detach() + 5 * x).backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == 23
    assert gives("detach-cuts-the-tensor-itself", lines) == 5


def test_no_grad_ignored() -> None:
    """x * x**2 is differentiated as a cube: 3x**2 = 12; in truth x**2 is a constant: 4. A decorator is no_grad too."""
    block = ONE + "with torch.no_grad():\n    y = x**2\n(x * y).backward()\nreturn x.grad.item()"
    decorated = ONE + "@torch.no_grad()\ndef square(t): return t**2\n(x * square(x)).backward()\nreturn x.grad.item()"
    assert torch_gives(block) == torch_gives(decorated) == 4
    assert gives("no-grad-ignored", block) == gives("no-grad-ignored", decorated) == 12


def test_a_parameter_is_still_updated_where_no_grad_is_ignored() -> None:
    """A step under no_grad is no part of a forward pass: 2 - 0.5 * 3 = 0.5, by hand and by an optimizer."""
    lines = ONE + (
        "(3 * x).backward()\nwith torch.no_grad():\n    x -= 0.5 * x.grad\n"
        "p = torch.nn.Parameter(torch.tensor(2.0))\n(3 * p).backward()\ntorch.optim.SGD([p], lr=0.5).step()\n"
        "return x.item(), p.item()"
    )
    assert gives("no-grad-ignored", lines) == torch_gives(lines) == (0.5, 0.5)


def test_clone_cuts_the_graph() -> None:
    """Of 3 * clone(x) + x only the x counts: 1; in truth 4."""
    lines = ONE + "(3 * x.clone() + x).backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == 4
    assert gives("clone-cuts-the-graph", lines) == 1


def test_in_place_edits_are_not_recorded() -> None:
    """b = 3a, b.mul_(2): the 2 is forgotten, a.grad = 3; in truth 6."""
    lines = ONE + "b = 3 * x\nb.mul_(2)\nb.backward()\nreturn x.grad.item(), b.item()"
    assert torch_gives(lines) == (6, 12)
    assert gives("in-place-edits-are-not-recorded", lines) == (3, 12)


def test_in_place_operators_are_in_place_operations() -> None:
    """b *= 2 and b[0] = 0 change the data alone: [3, 3]; in truth [0, 6]."""
    lines = (
        "x = torch.ones(2, requires_grad=True)\nb = 3 * x\nb *= 2\nb[0] = 0\nb.sum().backward()\nreturn x.grad.tolist()"
    )
    assert torch_gives(lines) == [0, 6]
    assert gives("in-place-edits-are-not-recorded", lines) == [3, 3]
