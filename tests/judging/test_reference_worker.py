"""The reference worker: exact keys, deadlines, crashes that cost one call."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from grader.errors import CourseError, ReferenceFault
from grader.judging.reference import Reference
from grader.program import capture
from grader.records import Case, Exercise, Kind, Mistake, Probe, Program, Raised, Returned

PROGRAMS = [json.loads(line) for line in (Path(__file__).parent / "hook-programs.jsonl").read_text().splitlines()]


def exercise(source: str, kind: Kind = "predict", **more: object) -> Exercise:
    fields: dict[str, object] = {
        "id": "program",
        "kind": kind,
        "line": 1,
        "prompt": "",
        "points": Decimal(1),
        "credit": (Decimal(1),),
        "answers": ("x",),
        "stub": "x = ...",
        "fingerprint": "f",
        "show_key": True,
        "program": Program("program", (), source),
    }
    return Exercise(**{**fields, **more})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    with Reference() as running:
        yield running


@pytest.mark.parametrize("case", PROGRAMS, ids=[case["id"] for case in PROGRAMS])
def test_every_hook_program_gives_exactly_its_truth(reference: Reference, case: dict) -> None:  # type: ignore[type-arg]
    """The key of a program is what torch computes for it, to the last bit; exceptions by name."""
    (outcome,) = reference.solve(exercise(case["program"])).outcomes
    if "raises" in case["truth"]:
        assert isinstance(outcome, Raised)
        assert outcome.exception == case["truth"]["raises"]
        return
    assert isinstance(outcome, Returned)
    # bool and int results are written as floats in the file.
    got = {name: read(value) for name, value in outcome.value.items}  # type: ignore[union-attr]
    assert got == case["truth"]


def read(value):  # type: ignore[no-untyped-def]
    """Items of Numbers -> nested lists of floats; a lone number -> a list of one, as in the file."""
    from grader.answers import read_numbers

    array = read_numbers(value).array.astype(float)  # type: ignore[union-attr]
    return array.reshape(-1).tolist()


def test_file_of_programs_is_whole() -> None:
    """All 68 programs are there, and some of them raise."""
    assert len(PROGRAMS) == 68
    assert sum("raises" in case["truth"] for case in PROGRAMS) >= 8


def test_implement_gives_one_outcome_per_case_in_stored_order(reference: Reference) -> None:
    """Cases run probe by probe, each with a fresh reference: no state leaks from case to case."""
    source = "seen = []\ndef twice(x):\n    seen.append(x)\n    return [x * 2, len(seen)]\n"
    run = Program("run", ("f", "x"), "def run(f, x):\n    return f(x)\n")
    other = Program("other", ("f",), "def other(f):\n    raise ValueError('no')\n")
    cases = tuple(Case("public", f"{{'x': {x}}}") for x in (1, 2, 3))
    probes = (Probe(run, Decimal(1), cases), Probe(other, Decimal(1), (Case("hidden", "{}"),)))
    key = reference.solve(exercise("", "implement", id="twice", program=None, reference=source, probes=probes))
    assert key.exercise == "twice"
    assert key.outcomes[:3] == tuple(Returned(capture([x * 2, 1])) for x in (1, 2, 3))
    assert isinstance(key.outcomes[3], Raised)


def test_a_reference_that_cannot_be_defined_is_a_fault(reference: Reference) -> None:
    """A reference whose very definition raises is named with its exception."""
    probes = (Probe(Program("run", ("f",), "def run(f):\n    return f()\n"), Decimal(1), (Case("public", "{}"),)),)
    broken = exercise("", "implement", id="f", program=None, reference="f = undefined\n", probes=probes)
    with pytest.raises(ReferenceFault, match=r"'f' raised NameError"):
        reference.solve(broken)


def test_prints_and_exits_do_not_disturb_the_channel(reference: Reference) -> None:
    """Output on any descriptor goes nowhere; SystemExit is a fault of that exercise; the next call works."""
    loud = "def program():\n    import os\n    print('x' * 99999)\n    os.write(1, b'raw')\n    os.write(2, b'raw')\n"
    assert reference.solve(exercise(loud + "    return 1\n")).outcomes == (Returned(capture(1)),)
    with pytest.raises(ReferenceFault, match="raised SystemExit"):
        reference.solve(exercise("def program():\n    raise SystemExit(0)\n"))
    reader = "def program():\n    import sys\n    return sys.stdin.read()\n"
    assert reference.solve(exercise(reader)).outcomes == (Returned(capture("")),)


def test_each_run_starts_from_the_same_seeds_and_modes(reference: Reference) -> None:
    """What a program leaves switched on, or has drawn, does not reach the next."""
    draw = "def program():\n    torch.manual_seed(3)\n    return torch.rand(1).item()\n"
    first = reference.solve(exercise(draw))
    lines = ["torch.set_grad_enabled(False)", "torch.set_default_dtype(torch.float64)", "torch.rand(5)"]
    spoil = "def program():\n" + "".join(f"    {line}\n" for line in lines)
    reference.solve(exercise(spoil))
    assert reference.solve(exercise(draw)) == first
    asks = "def program():\n    return [torch.is_grad_enabled(), torch.tensor(1.).dtype == torch.float32]\n"
    assert reference.solve(exercise(asks)).outcomes == (Returned(capture([True, True])),)
    assert reference.solve(exercise("def program():\n    return torch.get_num_threads()\n")).outcomes[0] == Returned(
        capture(1)
    )


CRASHES = {
    "exit": ("import os\n    os._exit(3)", "exit code 3"),
    "segfault": ("import ctypes\n    ctypes.string_at(0)", "signal 11"),
    "hang": ("while True: pass", "more than 2 s"),
}


def test_a_hang_or_crash_costs_one_call() -> None:
    """A hang, an exit and a segfault are faults that name the exercise; the next call gets a new worker."""
    with Reference(solve_seconds=2.0) as reference:
        for body, reason in CRASHES.values():
            with pytest.raises(ReferenceFault, match="'program'.*" + reason):
                reference.solve(exercise(f"def program():\n    {body}\n"))
        assert reference.solve(exercise("def program():\n    return 7\n")).outcomes == (Returned(capture(7)),)


def test_closing_ends_the_process_also_in_the_middle_of_a_hang() -> None:
    """No worker outlives its context, whatever it was doing; a closed one says so."""
    with Reference(solve_seconds=0.5) as reference:
        pid = reference._worker._process.pid  # type: ignore[union-attr]
        assert Path(f"/proc/{pid}").exists()
    assert not Path(f"/proc/{pid}").exists()
    reference.close()
    with pytest.raises(ReferenceFault, match="closed"):
        reference.solve(exercise("def program():\n    return 1\n"))


def test_starting_does_not_wait_for_torch() -> None:
    """The worker boots in the background: making a Reference takes a fraction of importing torch."""
    started = time.monotonic()
    with Reference():
        assert time.monotonic() - started < 1.5


def test_the_grader_itself_stays_free_of_torch() -> None:
    """Importing the judging stage and running a reference imports no torch here."""
    import subprocess
    import sys

    code = "import sys, grader.judging; sys.exit('torch' in sys.modules or 'grader.judging.worker' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_worker_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """If torch cannot be imported, the fault carries the interpreter's last words."""
    monkeypatch.setattr("sys.path", [entry for entry in os.sys.path if not entry.endswith("-packages")])  # type: ignore[attr-defined]
    with Reference() as reference, pytest.raises(ReferenceFault, match="did not start: ModuleNotFoundError"):
        reference.solve(exercise("def program():\n    return 1\n"))


SOLUTION = '''"""# Tiny

One question.
"""

import torch

from grader.course import Assignment

assignment = Assignment("tiny")

print("the author prints")


@assignment.predict("x_grad", points=2)
def doubled():
    """What does `x.grad` hold?"""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (2 * x).sum().backward()
    return x.grad
'''


def test_loading_and_solving_a_solutions_file(reference: Reference, tmp_path: Path) -> None:
    """A solutions file is loaded in the worker, and its exercise solved there."""
    path = tmp_path / "tiny.py"
    path.write_text(SOLUTION)
    assignment = reference.load(path, b"k" * 32)
    assert [each.id for each in assignment.exercises] == ["doubled"]
    (outcome,) = reference.solve(assignment.exercises[0]).outcomes
    from grader.answers import compare

    assert isinstance(outcome, Returned)
    assert compare(capture([2, 2]), outcome.value).right


def test_a_wrong_solutions_file_comes_through_with_all_its_problems(reference: Reference, tmp_path: Path) -> None:
    """Every problem of a file crosses the channel as one CourseError."""
    path = tmp_path / "tiny.py"
    path.write_text(SOLUTION.replace("points=2", "points=0").replace('"tiny"', '"other"'))
    with pytest.raises(CourseError) as caught:
        reference.load(path, b"k" * 32)
    assert len(caught.value.problems) >= 2


def test_a_solutions_file_that_crashes_is_a_course_error(reference: Reference, tmp_path: Path) -> None:
    """A file that ends the process while it is loaded is the author's to mend, and named."""
    path = tmp_path / "tiny.py"
    path.write_text("import os\nos._exit(1)\n")
    with pytest.raises(CourseError, match=r"tiny\.py.*its process ended \(exit code 1\)"):
        reference.load(path, b"k" * 32)


def test_a_mode_that_a_program_leaves_on_does_not_reach_the_next(reference: Reference) -> None:
    """A program that enters a `TorchFunctionMode` and never leaves it changes its own result alone."""
    enters = """\
def program():
    class Doubling(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            return 2 * result if function is torch.Tensor.sum else result

    Doubling().__enter__()
    torch.use_deterministic_algorithms(True)
    return 1
"""
    asks = "def program():\n    return [torch.ones(3).sum(), torch.are_deterministic_algorithms_enabled()]\n"
    expected = reference.solve(exercise(asks)).outcomes
    reference.solve(exercise(enters))
    assert reference.solve(exercise(asks)).outcomes == expected


def test_resetting_torch_imports_no_compiler() -> None:
    """What every request begins with costs no import of torch's compiler, 2 s of processor time."""
    import subprocess
    import sys

    code = "import sys, grader.judging.worker as w; w._reset(); sys.exit('torch._inductor.config' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


SQUARE = "def square(grad):\n    return grad**2\n"
PASSED = Program("passed", ("hook", "grad"), "def passed(hook, grad):\n    return hook(torch.tensor(grad))\n")
DOUBLES = "def doubles(grad):\n    return 2 * grad\n"
HANGS = "def hangs(grad):\n    while True:\n        pass\n"


def squaring(cases: list[float], *mistakes: Mistake) -> Exercise:
    probe = Probe(PASSED, Decimal(1), tuple(Case("hidden", repr({"grad": [each]})) for each in cases))
    return exercise(
        "", "implement", id="square", program=None, reference=SQUARE, probes=(probe,), mistakes=mistakes, line=7
    )


def test_a_mistake_that_every_case_takes_for_right_is_refused(reference: Reference) -> None:
    """2 is its own double and square: the author is told, and what to do; with 3 the mistake is one."""
    doubles = Mistake("doubles", "To square is to double.", DOUBLES)
    with pytest.raises(CourseError) as caught:
        reference.solve(squaring([0.0, 2.0], doubles))
    (problem,) = caught.value.problems
    assert problem == (
        "square: its mistake `doubles` gives what the reference gives, in all 2 cases; "
        "add a case in which it fails, or remove it"
    )
    assert len(reference.solve(squaring([0.0, 3.0], doubles)).outcomes) == 2


def test_a_mistake_that_hangs_or_raises_is_one(reference: Reference) -> None:
    """What never ends, or cannot even be defined, is not taken for right, and costs nobody the exercise."""
    mistakes = (Mistake("hangs", "A hook waits.", HANGS), Mistake("broken", "Anything goes.", "raise ValueError\n"))
    assert len(reference.solve(squaring([2.0, 3.0, 4.0], *mistakes)).outcomes) == 3
