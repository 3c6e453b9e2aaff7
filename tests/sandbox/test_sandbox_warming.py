"""What the warm process has done before makes a notebook faster, and nothing else about it different."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sandbox_runs import answer, outcome, outcomes, probe, run_of

from grader.records import Number, Text
from grader.sandbox.forking import ForkingSandbox

EVERY_PART = (
    "import torch\nmodel = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))\n"
    "optimiser = torch.optim.Adam(model.parameters(), lr=0.1)\n"
    "schedule = torch.optim.lr_scheduler.StepLR(optimiser, 1)\nschedule.step()\n"
    "model.register_full_backward_hook(lambda module, grads, upstream: print(upstream))\n"
    "model(torch.ones(2, 3)).sum().backward()\noptimiser.step()\na = list(model.parameters())",
    "x = torch.ones(3, dtype=torch.float64, requires_grad=True)\ny = x * 2\ny.backward(torch.ones(3))\nprint(y.grad)\n"
    "a = [torch.autograd.gradcheck(torch.sin, (x,)), torch.func.jvp(torch.sin, (x.detach(),), (x.detach(),)),\n"
    "     torch.autograd.functional.jacobian(torch.sin, x), torch.nn.LSTM(3, 4)(torch.ones(2, 1, 3))[0]]\n"
    "torch.func.vmap(torch.func.jacrev(torch.sin))(torch.ones(2, 3))",
    "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nplt.gca()",
    "torch.testing.assert_close(x, x + 1)",
    "import warnings\nwarnings.warn('once')\ntorch.range(0, 2)\nIn[-1], sorted(globals())",
    "from torch.utils.checkpoint import checkpoint\ncheckpoint(torch.sin, x)",
    "import asyncio\nawait asyncio.sleep(0)\n_\nget_ipython().execution_count",
)


@pytest.fixture(scope="module")
def alone() -> Iterator[ForkingSandbox]:
    """A sandbox that expects one notebook."""
    with ForkingSandbox(notebooks=1) as box:
        yield box


def test_one_notebook_runs_as_many_do(sandbox, alone):
    """Every part of the libraries gives the same answers, outputs, warnings and errors where it was not used before."""
    run = run_of(*EVERY_PART, answers={0: ("a",), 1: ("a",)})
    warm, cold = sandbox.run(run), alone.run(run)
    assert [(each.outcome, each.output, each.error) for each in cold.cells] == [
        (each.outcome, each.output, each.error) for each in warm.cells
    ]
    assert cold.answers == warm.answers
    assert outcomes(cold) == ["ok", "ok", "ok", "raised", "ok", "ok", "ok"]


def test_one_notebook_loads_only_what_it_uses(sandbox, alone):
    """Neither a start nor a probe of ours loads torch's compiler, seconds long; several notebooks find it loaded."""
    compiled = (
        "import sys\na = 'torch._dynamo' in sys.modules or 'torch._inductor' in sys.modules\ndef f(x):\n    return a"
    )
    run = run_of(
        compiled, answers={0: ("a", "f")}, probes=(probe("f", "import sys\nreturn 'torch._dynamo' in sys.modules"),)
    )
    cold = alone.run(run)
    assert answer(cold, "a") == Number("bool", "False")
    assert outcome(cold).value == Number("bool", "False")
    assert answer(sandbox.run(run), "a") == Number("bool", "True")


def test_first_uses_are_not_the_students(alone):
    """What the libraries need at their first use goes beyond limits of time and memory that only fit the notebook."""
    first = "import torch\na = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0).step.__name__"
    run = alone.run(run_of(first, answers={0: ("a",)}, cell_seconds=0.1, notebook_seconds=0.1, memory_mb=24))
    assert outcomes(run) == ["ok"]
    assert isinstance(answer(run, "a"), Text)


def test_compiler_settings_do_not_reach_a_probe(execute):
    """Determinism that a cell asked for is off in a probe, for torch and its compiler alike."""
    run = execute(
        "import torch\ntorch.use_deterministic_algorithms(True)\ndef f(x):\n    return x",
        answers={0: ("f",)},
        probes=(
            probe(
                "f",
                "import torch._inductor.config as c\n"
                "return [torch.are_deterministic_algorithms_enabled(), c.deterministic]",
            ),
        ),
    )
    assert [item.text for item in outcome(run).value.items] == ["False", "False"]
