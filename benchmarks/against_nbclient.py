"""CPU and wall time per notebook, against nbclient with one fresh ipykernel per notebook, in one run.

    .venv/bin/pip install -c constraints.txt -e '.[benchmark]'
    .venv/bin/python benchmarks/against_nbclient.py                   1, 10 and 100 copies of both: about ten minutes
    .venv/bin/python benchmarks/against_nbclient.py --copies 1 10     a glance

Both get the same files: copies of a ten-cell notebook (a model solution with torch, hooks, backward). nbclient
executes them one after the other, which is what an autograder built on it pays before it has compared anything; `grade`
does its whole road: intake, running, judging, gradebook, pages. CPU is that of the command and all its descendants.
The slope is the cost of one more notebook: (total for the most copies - total for ten) / difference.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

COURSE = '''
"""# Ten cells

A notebook of ten code cells."""
import torch
from grader.course import Assignment
assignment = Assignment("ten-cells")
'''
PREDICT = '''

@assignment.predict("grad_{n}", points=1)
def gradient_{n}():
    """What does `x.grad` hold?"""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    y.register_hook(lambda grad: grad * {n})
    (x + y).backward(torch.tensor([1.0, 2.0, 1.0]))
    return x.grad
'''
CELL = """\
import torch
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x**2
y.register_hook(lambda grad: grad * {n})
(x + y).backward(torch.tensor([1.0, 2.0, 1.0]))
grad_{n} = x.grad
print(grad_{n})"""

NBCLIENT = """
import sys, nbformat, nbclient
for path in sys.argv[1:]:
    nbclient.NotebookClient(nbformat.read(path, 4), timeout=120, kernel_name="python3").execute()
"""


def course(folder: Path) -> None:
    (folder / "solutions").mkdir()
    source = COURSE + "".join(PREDICT.format(n=n) for n in range(2, 12))
    (folder / "solutions" / "ten-cells.py").write_text(source.lstrip())


def notebook() -> str:
    cells = [
        {
            "cell_type": "code",
            "id": f"c{n}",
            "metadata": {},
            "outputs": [],
            "execution_count": None,
            "source": CELL.format(n=n),
        }
        for n in range(2, 12)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": cells})


def measured(command: list[str], folder: Path) -> tuple[float, float]:
    """(CPU seconds, wall seconds) of `command` and all that it waited for."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def one_round(folder: Path, copies: int) -> dict[str, tuple[float, float]]:
    handed_in = folder / f"class-{copies}"
    handed_in.mkdir()
    text = notebook()
    for number in range(copies):
        (handed_in / f"student{number:03}.ipynb").write_text(text)
    output = folder / f"graded-{copies}"
    grade = [str(Path(sys.executable).parent / "grade"), "--course", ".", "--output", str(output), str(handed_in)]
    peer = [sys.executable, "-c", NBCLIENT, *map(str, sorted(handed_in.iterdir()))]
    result = {"grade": measured(grade, folder), "nbclient": measured(peer, folder)}
    grades = [json.loads(line) for line in (output / "grades.jsonl").read_text().splitlines()]
    assert len(grades) == copies
    assert all(grade["score"] == grade["max_score"] == 10 for grade in grades)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 10, 100])
    sizes = sorted(parser.parse_args().copies)
    folder = Path(tempfile.mkdtemp())
    try:
        course(folder)
        print(f"{os.cpu_count()} cores; ten code cells per notebook; seconds")
        print(f"{'copies':>6} {'':10} {'CPU':>8} {'wall':>8} {'CPU each':>9} {'wall each':>9}")
        rounds = {}
        for size in sizes:
            rounds[size] = one_round(folder, size)
            for who, (cpu, wall) in rounds[size].items():
                print(f"{size:6} {who:10} {cpu:8.2f} {wall:8.2f} {cpu / size:9.3f} {wall / size:9.3f}", flush=True)
        low, high = sizes[-2:] if len(sizes) > 1 else (0, sizes[0])
        slope = {
            who: [(rounds[high][who][i] - (rounds[low][who][i] if low else 0)) / (high - low) for i in (0, 1)]
            for who in ("grade", "nbclient")
        }
        print(f"\none more notebook, from {low} to {high} copies:")
        for who, (cpu, wall) in slope.items():
            print(f"       {who:10} {cpu * 1000:8.0f} ms CPU {wall * 1000:8.0f} ms wall")
        for i, unit in enumerate(("CPU", "wall")):
            print(f"       nbclient / grade, {unit}: {slope['nbclient'][i] / slope['grade'][i]:.0f}")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
