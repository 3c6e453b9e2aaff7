"""What all worlds cost on one exercise, in plain runs of its program; and what a pair of worlds costs.

    .venv/bin/python benchmarks/worlds.py

A round runs the program in every world once, with plain runs before and after it; the ratio is that of the round to
the mean of its own plain runs, so that a busy machine slows both. The median over the rounds is to be 200 at most.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable

from grader.misconceptions.running import run_in_worlds
from grader.misconceptions.worlds import WORLDS
from grader.program import run_program
from grader.records import Program

SEED = Program(
    "squaring_hook",
    ("w",),
    """\
def squaring_hook(w):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(lambda grad: grad**2)
    z.backward(torch.tensor(w))
    return x.grad
""",
)
ARGUMENTS = '{"w": [1.0, 2.0, 1.0]}'
LIMIT = 200


def seconds(run: Callable[[], object], times: int = 1) -> float:
    start = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - start) / times


def plain() -> object:
    return run_program(SEED, ARGUMENTS)


def in_all_worlds() -> None:
    for name in WORLDS:
        run_in_worlds([name], SEED, ARGUMENTS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    seconds(plain, 100)
    seconds(in_all_worlds)
    ratios, plains = [], []
    for _ in range(rounds):
        before = seconds(plain, 50)
        all_worlds = seconds(in_all_worlds)
        one = (before + seconds(plain, 50)) / 2
        plains.append(one)
        ratios.append(all_worlds / one)
    pairs = list(itertools.islice(itertools.permutations(WORLDS, 2), 0, None, 41))
    pair = statistics.median(seconds(lambda ids=ids: run_in_worlds(ids, SEED, ARGUMENTS)) for ids in pairs)
    one = statistics.median(plains)
    ratio = statistics.median(ratios)
    print(f"{len(WORLDS)} worlds; one plain run of the seed program: {one * 1e6:.0f} us")
    print(
        f"all worlds on it: {ratio:.0f} plain runs (median of {rounds} rounds, {min(ratios):.0f} to {max(ratios):.0f})"
    )
    print(f"two worlds at once: {pair / one:.1f} plain runs (median of {len(pairs)} pairs)")
    if ratio > LIMIT:
        raise SystemExit(f"more than {LIMIT} plain runs")


if __name__ == "__main__":
    main()
