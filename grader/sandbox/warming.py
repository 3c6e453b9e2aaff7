"""What the warm process does once, so that no student's process has to: first calls that import, build or cache.

Cold, a first optimiser costs 1.2 s of processor time (it imports torch._dynamo), a first `backward` with a gradient
0.5 s (sympy), a first `jvp` 0.4 s (decompositions), a first figure 0.2 s. For a single notebook that is left to it: few
notebooks use all of them, and none of it is paid twice.
"""

from __future__ import annotations

import asyncio
import io
import logging
import sys
import types
import warnings

import matplotlib.pyplot as plt
import torch
import torch.func
import torch.testing
import torch.utils.checkpoint
from IPython.core import async_helpers

import grader
from grader.program import run_probe
from grader.records import Program
from grader.sandbox import failures
from grader.sandbox.shell import StudentShell


def warm_up(shell: StudentShell, thorough: bool) -> None:
    """Use every part once; leaves no thread, no event loop, no figure and no warning registry behind.

    Args:
        shell: the one that cells will run in.
        thorough: False leaves out the parts that a notebook may well do without.
    """
    # Before the first operation: a child of a process with OpenMP threads hangs.
    torch.set_num_threads(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _set_up_figures(shell)
        if thorough:
            _hooks()
            _training()
            _checks()
            _figures()
        _cells(shell)
    run_probe(Program("warm", ("f", "x"), "def warm(f, x):\n    return f(torch.tensor(x))"), torch.sum, "{'x': [1.0]}")
    failures.warm_up()
    _forget_warnings()


def _hooks() -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    y.register_hook(lambda grad: grad**2)  # type: ignore[no-untyped-call]
    (x + y).backward(torch.tensor([1.0, 2.0, 1.0]))  # type: ignore[no-untyped-call]
    repr(x), repr(y), repr(x.grad)
    torch.autograd.grad((x * y.detach()).sum(), x, create_graph=True)

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: object, value: torch.Tensor) -> torch.Tensor:
            return 2 * value

        @staticmethod
        def backward(ctx: object, grad: torch.Tensor) -> torch.Tensor:
            return 2 * grad

    Double.apply(x).sum().backward()  # type: ignore[no-untyped-call]


def _training() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    model.register_full_backward_hook(lambda module, grad_input, grad_output: None)
    for kind in (torch.optim.SGD, torch.optim.Adam):
        optimiser = kind(model.parameters(), lr=0.1)
        schedule = torch.optim.lr_scheduler.StepLR(optimiser, 1)
        optimiser.zero_grad()
        torch.nn.functional.mse_loss(model(torch.ones(2, 3)), torch.ones(2, 1)).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        schedule.step()
    torch.nn.LSTM(3, 4)(torch.ones(2, 1, 3))
    torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1]))


def _checks() -> None:
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(torch.sin, (x,))
    torch.autograd.gradgradcheck(torch.sin, (x,))
    torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
    torch.func.grad(lambda value: value.sin().sum())(x.detach())
    torch.func.vmap(torch.func.jacrev(torch.sin))(torch.ones(2, 3))
    torch.func.jvp(torch.sin, (x.detach(),), (torch.ones_like(x),))
    torch.autograd.functional.jacobian(torch.sin, x)  # type: ignore[no-untyped-call]
    torch.testing.assert_close(x, x)


def _set_up_figures(shell: StudentShell) -> None:
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    # As a kernel has it from the start: `plt.show()` works without a magic.
    shell.enable_matplotlib("inline")


def _figures() -> None:
    figure, axes = plt.subplots()
    axes.plot([1.0, 2.0], [2.0, 1.0], label="warm")
    axes.set_title("warm")
    axes.legend()
    figure.savefig(io.BytesIO())
    plt.close("all")


def _cells(shell: StudentShell) -> None:
    """One cell of each sort; then the shell is as new."""
    shell.start_output(10_000)
    for source in (
        "import torch\nx = torch.ones(3)\nx",
        "%matplotlib inline\n%time 1 + 1",
        "%%time\n1 + 1",
        "%timeit -n1 -r1 1 + 1",
        "%%capture seen\nprint(1)",
        "!ls",
        "import asyncio\nawait asyncio.sleep(0)",
        "1/0",
        "warm(",
        "from IPython.display import display, HTML\ndisplay(HTML('<b>warm</b>'))",
    ):
        shell.run(source, 0)
    # The formatter of tracebacks, for magics that show one on their own.
    try:
        raise ValueError("warm")
    except ValueError:
        shell.InteractiveTB.structured_traceback(*sys.exc_info())
    _close_loop()
    shell.start_output(0)
    shell.discard_output()
    shell.reset(new_session=True)  # type: ignore[no-untyped-call]
    shell.execution_count = 1


def _close_loop() -> None:
    # Left open, its descriptors are closed in the child by number: every `await` fails there, and its finaliser
    # closes whatever has got those numbers since.
    loop = async_helpers._asyncio_event_loop
    if loop is not None:
        loop.close()
    async_helpers._asyncio_event_loop = None
    asyncio.set_event_loop(None)


def _forget_warnings() -> None:
    # A warning that is shown once per place would not be shown to a student.
    for module in list(sys.modules.values()):
        if isinstance(module, types.ModuleType):
            vars(module).pop("__warningregistry__", None)


def stub_notebook_check() -> None:
    """`from grader.notebook import check` in a student's cell is harmless here."""

    def check(*args: object, **kwargs: object) -> None:
        print("the self-check does not run inside the grader")  # noqa: T201 - into the student's output

    module = types.ModuleType("grader.notebook")
    vars(module)["check"] = check
    sys.modules["grader.notebook"] = module
    vars(grader)["notebook"] = module
