"""Short ways to write a notebook's run and to read what came back."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import safetensors.numpy

from grader.records import Array, CellRun, DataFile, Execution, Limits, Outcome, ProbeRun, Program, Run, Value

HERE = Path(__file__).parent
CANARY = "canary-55d1"
SMALL = Limits(cell_seconds=5, notebook_seconds=20, probe_seconds=3)


def run_of(
    *cells: str,
    answers: dict[int, tuple[str, ...]] | None = None,
    probes: tuple[ProbeRun, ...] = (),
    files: tuple[DataFile, ...] = (),
    **limits: Any,
) -> Run:
    """A `Run`; limits that are not given are small."""
    chosen = {name: limits.get(name, getattr(SMALL, name)) for name in SMALL.__struct_fields__}
    wanted = answers or {}
    return Run(
        tuple(CellRun(index, source, wanted.get(index, ())) for index, source in enumerate(cells)),
        probes,
        files,
        Limits(**chosen),
    )


def probe(subject: str, body: str = "return f(torch.tensor(x))", name: str = "p", x: Any = (1.0, 2.0)) -> ProbeRun:
    """One case of a probe whose parameters are `f` and `x`."""
    lines = "\n".join("    " + line for line in body.splitlines())
    program = Program("program", ("f", "x"), f"def program(f, x):\n{lines}\n")
    return ProbeRun(name, subject, program, repr({"x": list(x)}))


def cells_of(file: str, name: str) -> list[str]:
    """The code cells of a stored notebook: one line of `odd_notebooks.jsonl` or `hostile_notebooks.jsonl`."""
    stored = map(json.loads, (HERE / f"{file}_notebooks.jsonl").read_text().splitlines())
    return next(notebook["cells"] for notebook in stored if notebook["name"] == name)


def numbers(value: Value | None) -> Any:
    """A captured tensor as nested lists."""
    assert isinstance(value, Array), value
    return safetensors.numpy.load(value.data)["value"].tolist()


def answer(execution: Execution, name: str) -> Value | None:
    """The captured answer, or None."""
    return dict(execution.answers).get(name)


def outcome(execution: Execution, name: str = "p") -> Outcome:
    """What the probe `name` gave."""
    return next(report.outcome for report in execution.probes if report.id == name)


def outcomes(execution: Execution) -> list[str]:
    """How the cells ended, in order."""
    return [cell.outcome for cell in execution.cells]


def processes_with(marker: str) -> list[int]:
    """Every living process with `marker` in its command line or environment, but this one."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            state = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[0]
            text = Path(f"/proc/{name}/cmdline").read_bytes() + Path(f"/proc/{name}/environ").read_bytes()
        except OSError:
            continue
        if marker.encode() in text and state != "Z" and int(name) != os.getpid():
            found.append(int(name))
    return found
