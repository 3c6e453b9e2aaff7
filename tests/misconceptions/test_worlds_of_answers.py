"""Beliefs about orders and exceptions: each believed answer is worked out by hand."""

from __future__ import annotations

import re

import pytest
from in_worlds import CASES, ONE, gives, outcome, torch_gives

from grader.misconceptions.catalogue import CATALOGUE, ON_ANSWERS
from grader.misconceptions.running import run_in_worlds
from grader.misconceptions.worlds import ANSWER_WORLDS, WORLDS, believed_refusals
from grader.program import run_program
from grader.records import Nothing, Program, Raised, Returned

GENERIC = {"raises-nothing", "raises-something-else", "raises-although-all-goes-well"}

# z = a * q with a = 2 x: torch's order is z, then q (complete at once), then a, then x.
FIRED = """\
fired = []
x, q = (torch.tensor(3.0, requires_grad=True) for _ in range(2))
a = 2 * x
z = a * q
for name, tensor in {"a": a, "x": x, "z": z, "q": q}.items():
    tensor.register_hook(lambda grad, name=name: fired.append(name))
z.backward()
return fired
"""


def test_torchs_own_order() -> None:
    """What the beliefs below are held against."""
    assert torch_gives(FIRED) == ["z", "q", "a", "x"]


@pytest.mark.parametrize(
    ("belief", "order"),
    [
        ("hooks-fire-in-registration-order", ["a", "x", "z", "q"]),
        ("hooks-fire-in-forward-order", ["x", "q", "a", "z"]),
        ("firing-order-reversed", ["x", "a", "q", "z"]),
        ("leaves-fire-last", ["z", "a", "x", "q"]),
    ],
)
def test_orders_of_tensor_hooks(belief: str, order: list[str]) -> None:
    """Registered as a, x, z, q; made as x, q, a, z; backward as z, q, a, x; z, a before the leaves."""
    assert gives(belief, FIRED) == order


def test_a_leafs_kinds_in_registration_order() -> None:
    """On x the post-accumulate hook comes first, because it was registered first; z keeps its place."""
    lines = ONE + (
        "fired = []\nz = 3 * x\nx.register_post_accumulate_grad_hook(lambda p: fired.append('after'))\n"
        "x.register_hook(lambda g: fired.append('before'))\nz.register_hook(lambda g: fired.append('z'))\n"
        "z.backward()\nreturn fired"
    )
    assert torch_gives(lines) == ["z", "before", "after"]
    assert gives("hooks-of-different-kinds-in-registration-order", lines) == ["z", "after", "before"]


def test_every_hook_fires() -> None:
    """The hook on y = 2x, which z = 5x does not use, fires too: after z, which is newer, and before the leaf x."""
    lines = ONE + (
        "fired = []\ny = 2 * x\nz = 5 * x\nfor name, tensor in {'x': x, 'y': y, 'z': z}.items():\n"
        "    tensor.register_hook(lambda grad, name=name: fired.append(name))\nz.backward()\nreturn fired"
    )
    assert torch_gives(lines) == ["z", "x"]
    assert gives("every-hook-fires", lines) == ["z", "y", "x"]


NET = """\
inner = torch.nn.Sequential(torch.nn.Tanh(), torch.nn.ReLU())
net = torch.nn.Sequential(inner, torch.nn.Sigmoid())
names = {{net: "net", inner: "inner", inner[0]: "tanh", inner[1]: "relu", net[1]: "sigmoid"}}
fired = []
for module in net.modules():
    module.register_full_backward_hook(lambda module, *grads: fired.append(names[module]))
x = torch.tensor([1.0], requires_grad=True)
net(x{}).backward()
return fired
"""


@pytest.mark.parametrize(
    ("belief", "order"),
    [
        ("module-backward-hooks-in-forward-order", ["tanh", "relu", "sigmoid", "inner", "net"]),
        ("container-fires-first", ["net", "sigmoid", "inner", "relu", "tanh"]),
    ],
)
def test_orders_of_module_hooks(belief: str, order: list[str]) -> None:
    """Torch: sigmoid, relu, tanh, inner, net. Forward: tanh, relu, sigmoid. Each container before its layers."""
    assert torch_gives(NET.format("")) == ["sigmoid", "relu", "tanh", "inner", "net"]
    assert gives(belief, NET.format("")) == order


def test_containers_stay_last_without_an_input_that_requires_grad() -> None:
    """Without grad for the input torch fires a container before its layers; believed: after them, as with it."""
    lines = (
        "net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Tanh())\nfired = []\n"
        "for module in net.modules():\n"
        "    module.register_full_backward_hook(lambda module, *grads: fired.append(type(module).__name__))\n"
        "net(torch.ones(1)).backward()\nreturn fired"
    )
    assert torch_gives(lines) == ["Sequential", "Tanh", "Linear"]
    assert gives("module-hook-order-does-not-depend-on-the-input", lines) == ["Tanh", "Linear", "Sequential"]


def test_a_module_hook_fires_once_in_each_pass() -> None:
    """Called twice, the layer's hook fires once in each of two passes."""
    lines = ONE + (
        "layer, fired = torch.nn.Tanh(), []\nlayer.register_full_backward_hook(lambda *args: fired.append('layer'))\n"
        "for _ in range(2):\n    layer(layer(x)).backward()\nreturn fired"
    )
    assert torch_gives(lines) == ["layer"] * 4
    assert gives("hook-fires-once-per-module", lines) == ["layer"] * 2


def printing(example: str) -> Program:
    """An example as a function that returns what its last line prints."""
    *body, last = example.splitlines()
    printed = re.fullmatch(r"print\((.*)\)", last)
    assert printed
    lines = ["def example():", *body, f"return str({printed[1]})"]
    return Program("example", (), "\n    ".join(lines) + "\n")


@pytest.mark.parametrize("belief", sorted(ANSWER_WORLDS))
def test_a_believer_expects_what_the_world_gives(belief: str) -> None:
    """In its world, the catalogue's example gives what its believer expects, worked out there; torch does not."""
    entry = CATALOGUE[belief]
    truth = run_program(printing(entry.example), "{}")
    believed = run_in_worlds([belief], printing(entry.example), "{}")
    assert believed != truth
    if isinstance(believed, Raised):
        assert believed.exception == entry.believer_expects
    else:
        assert isinstance(believed, Returned)
        assert believed.value.text == entry.believer_expects  # type: ignore[union-attr]


def test_every_belief_about_answers_is_simulated() -> None:
    """The catalogue's beliefs about orders and exceptions are these worlds and the three plain refusals."""
    assert set(ANSWER_WORLDS) | GENERIC == ON_ANSWERS
    assert not set(ANSWER_WORLDS) & set(WORLDS)


def test_who_expects_no_exception_answers_none() -> None:
    """A program that raises RuntimeError: None, or another usual exception; not RuntimeError or a base of it."""
    truth = outcome([], ONE + "x.detach().backward()")
    assert isinstance(truth, Raised)
    believed = believed_refusals(truth)
    assert believed["raises-nothing"] == (Returned(Nothing()),)
    names = {other.exception for other in believed["raises-something-else"] if isinstance(other, Raised)}
    assert {"TypeError", "ValueError"} <= names
    assert "RuntimeError" not in names
    assert set(believed) == {"raises-nothing", "raises-something-else"}


def test_who_expects_an_exception_names_one() -> None:
    """A program that runs through: any usual exception is that belief, None is the truth."""
    believed = believed_refusals(outcome([], "return 1"))
    assert set(believed) == {"raises-although-all-goes-well"}
    assert Raised("RuntimeError", "") in believed["raises-although-all-goes-well"]


def test_worlds_of_answers_leave_nothing_behind() -> None:
    """After every world has run every recorded program, the programs give what they gave."""
    programs = [Program("program", (), case["program"]) for case in CASES]
    truths = [run_in_worlds([], program, "{}") for program in programs]
    for belief in ANSWER_WORLDS:
        for program in programs:
            run_in_worlds([belief], program, "{}")
    assert [run_in_worlds([], program, "{}") for program in programs] == truths
