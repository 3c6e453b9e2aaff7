"""What confinement costs: the same notebook, confined and unconfined, turn by turn in one run.

    .venv/bin/python benchmarks/confinement.py               120 rounds: about two minutes
    .venv/bin/python benchmarks/confinement.py --rounds 20   a glance

Each round runs a ten-cell notebook (hooks, backward, an SGD loop, one answer, one probe) once in each sandbox, in an
order that turns from round to round, so that whatever else the machine does falls on all of them alike.

Wall is what the grader waits. CPU is that of the warm process and all its descendants: mounts, rules and the filter are
in it, whoever does them. It is counted in clock ticks, so only its sum over all rounds says something. Of wall, the
median of the ratios within a round is the figure to look at: neighbours in time see the same machine.
"""

from __future__ import annotations

import argparse
import statistics
import time
from contextlib import ExitStack

from grader import processes
from grader.records import Array, CellRun, Limits, ProbeRun, Program, Run
from grader.sandbox.forking import ForkingSandbox

CELL = """\
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
y.register_hook(lambda grad: grad * {n})
(x + y).backward(torch.tensor([1.0, 2.0, 1.0]))
print(x.grad)"""
TRAINING = """\
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(20):
    optimiser.zero_grad()
    model(torch.ones(4, 3)).pow(2).mean().backward()
    optimiser.step()"""
ANSWER = "x_grad = x.grad\ndef f(x):\n    return x**3"
SOURCES = (*(CELL.format(n=n) for n in range(2, 10)), TRAINING, ANSWER)
ALLOWED = 1.10


def notebook() -> Run:
    """Ten cells, two answers, one probe."""
    program = Program("program", ("f", "x"), "def program(f, x):\n    return f(torch.tensor(x))\n")
    last = len(SOURCES) - 1
    cells = tuple(CellRun(at, text, ("x_grad", "f") if at == last else ()) for at, text in enumerate(SOURCES))
    return Run(cells, (ProbeRun("p", "f", program, repr({"x": [1.0, 2.0]})),), (), Limits())


class Contestant:
    """One sandbox, and what it has used so far."""

    def __init__(self, name: str, box: ForkingSandbox) -> None:
        self.name = name
        self.box = box
        self.walls: list[float] = []
        self._at_start = 0.0

    def warm_up(self, run: Run) -> None:
        """Boot, prove, and run twice; none of it counts."""
        for _ in range(2):
            self.once(run)
        self.walls.clear()
        self._at_start = self._cpu()

    def once(self, run: Run) -> None:
        """Run the notebook and keep the wall time."""
        start = time.perf_counter()
        done = self.box.run(run)
        self.walls.append(time.perf_counter() - start)
        assert all(cell.outcome == "ok" for cell in done.cells), done.cells
        assert isinstance(dict(done.answers)["x_grad"], Array)

    @property
    def cpu_each(self) -> float:
        """Processor seconds per notebook."""
        return (self._cpu() - self._at_start) / len(self.walls)

    def _cpu(self) -> float:
        warm = self.box._warm
        assert warm is not None
        return processes.usage(warm.pid).cpu


def main() -> None:
    """Run the contest and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=120)
    rounds = parser.parse_args().rounds
    run = notebook()
    with ExitStack() as stack:
        free, kernel, full = contestants = [
            Contestant("unconfined", stack.enter_context(ForkingSandbox(confine="off"))),
            Contestant("Landlock and seccomp", stack.enter_context(ForkingSandbox(namespaces=False))),
            Contestant("and namespaces", stack.enter_context(ForkingSandbox())),
        ]
        for each in contestants:
            each.warm_up(run)
            print(f"{each.name}: {each.box.confinement}")
        for round_ in range(rounds):
            shift = round_ % len(contestants)
            for each in contestants[shift:] + contestants[:shift]:
                each.once(run)
        print(f"\nms per notebook, {rounds} rounds; ratios are to the unconfined one of the same round")
        print(f"{'':22} {'CPU':>8} {'wall':>8} {'CPU ratio':>10} {'wall ratio':>11}")
        for each in contestants:
            ratio = statistics.median(own / other for own, other in zip(each.walls, free.walls, strict=True))
            wall = 1000 * statistics.median(each.walls)
            cpu = each.cpu_each / free.cpu_each
            print(f"{each.name:22} {1000 * each.cpu_each:8.1f} {wall:8.1f} {cpu:10.3f} {ratio:11.3f}")
        verdict = "within" if max(kernel.cpu_each, full.cpu_each) <= ALLOWED * free.cpu_each else "ABOVE"
        print(f"\nthe promise: at most {ALLOWED - 1:.0%} more CPU per notebook: {verdict} it")


if __name__ == "__main__":
    main()
