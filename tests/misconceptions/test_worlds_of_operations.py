"""Worlds that bend operations, Functions, modules and what is saved: each wrong number is worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from in_worlds import LEAF, ONE, gives, torch_gives

from grader.misconceptions.worlds.restoring import TorchState

# --- local derivatives ----------------------------------------------------------------------------------------------


def test_mean_has_gradient_1() -> None:
    """The mean of 3x**2 has the gradient 6x = [6, 12, 18] without the 1/3; in truth 2x."""
    lines = LEAF + "(3 * x**2).mean().backward()\nreturn x.grad.tolist()"
    assert torch_gives(lines) == [2, 4, 6]
    assert gives("mean-has-gradient-1", lines) == [6, 12, 18]


def test_mean_over_one_dimension_has_gradient_1() -> None:
    """The mean of each of two rows of two: ones instead of halves."""
    lines = "x = torch.ones(2, 2, requires_grad=True)\nx.mean(1).sum().backward()\nreturn x.grad.tolist()"
    assert torch_gives(lines) == [[0.5, 0.5], [0.5, 0.5]]
    assert gives("mean-has-gradient-1", lines) == [[1, 1], [1, 1]]


@pytest.mark.parametrize("relu", ["torch.relu(x)", "torch.nn.functional.relu(x)", "torch.nn.ReLU()(x)", "x.relu()"])
def test_relu_has_gradient_1_at_0(relu: str) -> None:
    """At [-1, 0, 2] the slopes are [0, 1, 1]; torch takes 0 at 0."""
    lines = f"x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)\n{relu}.sum().backward()\nreturn x.grad.tolist()"
    assert torch_gives(lines) == [0, 0, 1]
    assert gives("relu-has-gradient-1-at-0", lines) == [0, 1, 1]


@pytest.mark.parametrize(("product", "wrong"), [("3 * x", 1), ("x * 3", 1), ("x / 4", 1), ("torch.tensor(3.0) * x", 1)])
def test_constant_factor_dropped(product: str, wrong: float) -> None:
    """The derivative of 3x, and of x/4, is taken as 1."""
    lines = ONE + f"({product}).backward()\nreturn x.grad.item()"
    assert torch_gives(lines) in (3, 0.25)
    assert gives("constant-factor-dropped", lines) == wrong


def test_power_rule_without_exponent() -> None:
    """The derivative of x**3 at 2 is x**2 = 4; its second, in the same way, x = 2; in truth 12 and 12."""
    lines = ONE + (
        "(g,) = torch.autograd.grad(x**3, x, create_graph=True)\n(h,) = torch.autograd.grad(g, x)\n"
        "return g.item(), h.item()"
    )
    assert torch_gives(lines) == (12, 12)
    assert gives("power-rule-without-exponent", lines) == (4, 2)


@pytest.mark.parametrize("extreme", ["x.max()", "x.amax()", "x.amax(0)", "(-x).min()", "x.amax(0, keepdim=True)"])
def test_max_ties_go_to_the_first(extreme: str) -> None:
    """Of the two threes the first gets all; torch gives each a half."""
    lines = "x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)\n"
    lines += f"{extreme}.sum().abs().backward()\nreturn x.grad.tolist()"
    assert torch_gives(lines) == [0, 0.5, 0.5]
    assert gives("max-ties-go-to-the-first", lines) == [0, 1, 0]


def test_max_ties_go_to_the_first_of_each_row() -> None:
    """Along the rows, each row has its own first maximum."""
    lines = (
        "x = torch.tensor([[2.0, 2.0, 1.0], [0.0, 5.0, 5.0]], requires_grad=True)\n"
        "x.amax(1).backward(torch.tensor([4.0, 6.0]))\nreturn x.grad.tolist()"
    )
    assert torch_gives(lines) == [[2, 2, 0], [0, 3, 3]]
    assert gives("max-ties-go-to-the-first", lines) == [[4, 0, 0], [0, 6, 0]]


@pytest.mark.parametrize(
    "clamp", ["x.clamp(min=0)", "x.clamp(0, 5)", "torch.clamp_min(x, 0)", "x.clamp(min=torch.zeros(3))"]
)
def test_clamp_has_gradient_0_at_the_bound(clamp: str) -> None:
    """At the bound 0 the slope is 0, as for relu; torch takes 1."""
    lines = f"x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)\n{clamp}.sum().backward()\nreturn x.grad.tolist()"
    assert torch_gives(lines) == [0, 1, 1]
    assert gives("clamp-has-gradient-0-at-the-bound", lines) == [0, 0, 1]


# --- custom Functions and what is saved -----------------------------------------------------------------------------

CUBE = """\
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * 3 * x**2
"""


def test_grad_output_forgotten() -> None:
    """backward gives 3x**2 = 12 alone; the 5 that comes from above is lost: 12 instead of 60."""
    lines = CUBE + ONE + "(5 * Cube.apply(x)).backward()\nreturn x.grad.item()"
    assert torch_gives(lines) == 60
    assert gives("grad-output-forgotten", lines) == 12


def test_torchs_own_functions_are_not_custom() -> None:
    """A checkpoint and the hooks of modules are Functions of torch's: they keep what comes from above."""
    lines = ONE + (
        "from torch.utils.checkpoint import checkpoint\nlayer = torch.nn.Identity()\n"
        "layer.register_full_backward_hook(lambda module, grad_in, grad_out: None)\n"
        "(5 * layer(checkpoint(lambda t: t**2, x, use_reentrant=True))).backward()\nreturn x.grad.item()"
    )
    assert gives("grad-output-forgotten", lines) == torch_gives(lines) == 20


def test_hooks_around_a_custom_function_are_bent() -> None:
    """A hook on the Function's output triples: 36, also per consumer, of which there is one. Ignored, or late: 12."""
    lines = (
        CUBE
        + ONE
        + "y = Cube.apply(x)\nz = 1 * y\ny.register_hook(lambda g: 3 * g)\nz.backward()\nreturn x.grad.item()"
    )
    assert torch_gives(lines) == gives("hook-fires-per-consumer", lines) == 36
    assert gives("hook-return-ignored", lines) == gives("hook-must-be-registered-before-use", lines) == 12


def test_unpack_hook_cannot_change_the_gradient() -> None:
    """The factor saved for 5 * x is used as it is: 5; in truth unpack makes it 50."""
    lines = ONE + (
        "k = torch.tensor(5.0)\nwith torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 10 * t):\n"
        "    y = k * x\ny.backward()\nreturn x.grad.item()"
    )
    assert torch_gives(lines) == 50
    assert gives("unpack-hook-cannot-change-the-gradient", lines) == 5


def test_checkpoint_runs_the_function_once() -> None:
    """The function runs in the forward pass only: once; in truth twice."""
    lines = ONE + (
        "from torch.utils.checkpoint import checkpoint\nruns = []\n"
        "y = checkpoint(lambda t: runs.append(1) or t**2, x, use_reentrant=False)\ny.backward()\n"
        "return x.grad.item(), len(runs)"
    )
    assert torch_gives(lines) == (4, 2)
    assert gives("checkpoint-runs-the-function-once", lines) == (4, 1)


def test_what_a_checkpoint_runs_again_is_bent_too() -> None:
    """The hook inside is registered again in the backward pass, by the program: its return is ignored, 2x = 4."""
    lines = ONE + (
        "from torch.utils.checkpoint import checkpoint\n"
        "def f(t):\n    y = 1 * t\n    if y.requires_grad:\n        y.register_hook(lambda g: 10 * g)\n"
        "    return y**2\n"
        "checkpoint(f, x, use_reentrant=True).backward()\nreturn x.grad.item()"
    )
    assert torch_gives(lines) == 40
    assert gives("hook-return-ignored", lines) == 4


def test_multi_grad_hook_replaces_gradients() -> None:
    """a.grad = 3 and b.grad = 2 become 30 and 20; in truth what the hook returns is ignored."""
    lines = (
        "a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(3.0, requires_grad=True)\n"
        "hook = lambda grads: tuple(10 * grad for grad in grads)\n"
        "torch.autograd.graph.register_multi_grad_hook([a, b], hook)\n(a * b).backward()\n"
        "return a.grad.item(), b.grad.item()"
    )
    assert torch_gives(lines) == (3, 2)
    assert gives("multi-grad-hook-replaces-gradients", lines) == (30, 20)


def test_other_hooks_run_once_although_gradients_are_rehearsed() -> None:
    """The hook on y runs once; what the multi-grad hook gives for y, ten times as much, flows on: 10 * 2 * 3."""
    lines = ONE + (
        "n = []\ny = 3 * x\nz = 2 * y\nz.register_hook(lambda g: n.append(1))\n"
        "torch.autograd.graph.register_multi_grad_hook([y], lambda grads: (10 * grads[0],))\nz.backward()\n"
        "return x.grad.item(), len(n)"
    )
    assert torch_gives(lines) == (6, 1)
    assert gives("multi-grad-hook-replaces-gradients", lines) == (60, 1)


# --- modules --------------------------------------------------------------------------------------------------------

# A layer with weight 2, called with 3, weights of the pass 5: x.grad = 5 * 2 = 10 and weight.grad = 5 * 3 = 15.
LAYER = """\
layer = torch.nn.Linear(1, 1, bias=False)
with torch.no_grad():
    layer.weight.fill_(2)
x = torch.tensor([3.0], requires_grad=True)
{}
y = layer(x)
y.backward(torch.tensor([5.0]))
return y.item(), x.grad.item(), layer.weight.grad.item()
"""


@contextmanager
def gone_afterwards() -> Iterator[None]:
    """Without a world, nobody takes a program's global hooks off."""
    state = TorchState()
    yield
    state.restore()


@pytest.mark.parametrize(
    "register",
    [
        "layer.register_forward_hook(lambda module, args, out: 10 * out)",
        "layer.register_forward_pre_hook(lambda module, args: 10 * args[0])",
        "torch.nn.modules.module.register_module_forward_hook(lambda module, args, out: 10 * out)",
    ],
)
def test_forward_hook_return_ignored(register: str) -> None:
    """The output stays 2 * 3 = 6, the gradients 10 and 15; in truth all are ten times as large."""
    with gone_afterwards():
        assert torch_gives(LAYER.format(register)) == (60, 100, 150)
    assert gives("forward-hook-return-ignored", LAYER.format(register)) == (6, 10, 15)


def test_a_global_module_hook_is_gone_after_the_world() -> None:
    """A program that leaves a global hook behind leaves it in no later program."""
    register = "torch.nn.modules.module.register_module_forward_hook(lambda module, args, out: 10 * out)"
    assert gives("hook-return-ignored", LAYER.format(register)) == (60, 100, 150)
    assert torch_gives(LAYER.format("")) == (6, 10, 15)


TENFOLD = "layer.register_full_backward_hook(lambda module, grad_in, grad_out: (10 * grad_in[0],))"


def test_module_backward_hook_return_ignored() -> None:
    """x.grad stays 10; in truth 100. A pre-hook's return is ignored too: weight.grad stays 15."""
    assert torch_gives(LAYER.format(TENFOLD)) == (6, 100, 15)
    assert gives("module-backward-hook-return-ignored", LAYER.format(TENFOLD)) == (6, 10, 15)
    before = "layer.register_full_backward_pre_hook(lambda module, grad_out: (10 * grad_out[0],))"
    assert torch_gives(LAYER.format(before)) == (6, 100, 150)
    assert gives("module-backward-hook-return-ignored", LAYER.format(before)) == (6, 10, 15)


def test_grad_input_and_grad_output_swapped() -> None:
    """The hook is given what comes in, 5, as grad_input and what leaves, 10, as grad_output."""
    lines = LAYER.format(
        "seen = []\nlayer.register_full_backward_hook(lambda m, gi, go: seen.extend([gi[0].item(), go[0].item()]))"
    ).replace("return y.item()", "return seen")
    assert torch_gives(lines)[0] == [10, 5]
    assert gives("grad-input-and-grad-output-swapped", lines)[0] == [5, 10]


def test_module_backward_hook_changes_the_weights_gradient() -> None:
    """The tenfold reaches weight.grad, 150, as well as x.grad, 100; in truth weight.grad stays 15."""
    assert gives("module-backward-hook-changes-the-weights-gradient", LAYER.format(TENFOLD)) == (6, 100, 150)


def test_module_forward_runs_hooks() -> None:
    """layer.forward(3) runs the tenfold hook: 60; in truth 6."""
    lines = LAYER.format("layer.register_forward_hook(lambda module, args, out: 10 * out)")
    lines = lines.replace("layer(x)", "layer.forward(x)")
    assert torch_gives(lines) == (6, 10, 15)
    assert gives("module-forward-runs-hooks", lines) == (60, 100, 150)
