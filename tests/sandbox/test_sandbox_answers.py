"""Answers are captured at their own cell; functions are probed after the last one."""

from __future__ import annotations

import pytest
from sandbox_runs import answer, numbers, outcome, outcomes, probe

from grader.records import Blank, NotRun, Number, Raised, Returned, Text, Unreadable

CUBE = "def f(x):\n    return x**3"


def test_later_reuse_changes_nothing(execute):
    """A name that a later cell uses for something else keeps its answer; a function keeps its body."""
    run = execute("a = 1", CUBE, "a = 2\ndef f(x):\n    return x", answers={0: ("a",), 1: ("f",)}, probes=(probe("f"),))
    assert answer(run, "a") == Number("int", "1")
    assert numbers(outcome(run).value) == [1.0, 8.0]


def test_a_tensor_changed_in_place_later_keeps_its_answer(execute):
    """The answer is the value at the end of its cell, not a reference."""
    run = execute("import torch\na = torch.zeros(2)", "a += 5", answers={0: ("a",)})
    assert numbers(answer(run, "a")) == [0.0, 0.0]


def test_a_cell_that_raises_gives_no_answer(execute):
    """What a cell assigned before it raised is not an answer, and a function of it is not probed."""
    run = execute(f"a = 1\n{CUBE}\n1 / 0", answers={0: ("a", "f")}, probes=(probe("f"),))
    assert run.answers == ()
    assert outcome(run) == NotRun("no_subject", "the notebook defines no 'f'")


def test_absent_and_untouched_names(execute):
    """A name that is not there is absent; the starter's `...` is blank; a function is no value."""
    run = execute(f"a = ...\n{CUBE}", answers={0: ("a", "b", "f")})
    assert dict(run.answers) == {"a": Blank(), "f": Unreadable("it is a function, not a value")}


def test_an_answer_that_is_too_large_is_unreadable(execute):
    """Large tensors, and many small ones whose names alone would burst a message, cost that answer alone."""
    run = execute(
        "import torch\na = torch.ones(10**5)\nb = [torch.tensor(1.0)] * 18_000\nc = 3",
        answers={0: ("a", "b", "c")},
        answer_bytes=100_000,
    )
    assert isinstance(answer(run, "a"), Unreadable)
    assert answer(run, "b") == Unreadable("it is larger than 100000 bytes")
    assert answer(run, "c") == Number("int", "3")
    assert not run.broken


def test_probes_see_classes_and_closures(execute):
    """A class and a hook made by a factory can be subjects."""
    run = execute(
        "import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return 2 * x\n"
        "def factory(k):\n    return lambda g: g * k",
        answers={0: ("M", "factory")},
        probes=(probe("M", "return f()(torch.tensor(x))", "m"), probe("factory", "return f(3)(torch.tensor(x))", "k")),
    )
    assert numbers(outcome(run, "m").value) == [2.0, 4.0]
    assert numbers(outcome(run, "k").value) == [3.0, 6.0]


@pytest.mark.parametrize("raised", ["SystemExit", "KeyboardInterrupt", "GeneratorExit", "ValueError"])
def test_whatever_a_subject_raises_is_an_outcome(execute, raised):
    """Exceptions that end programs elsewhere are results here, and the next probe runs."""
    run = execute(
        f"def f(x):\n    raise {raised}('no')\n{CUBE.replace('f(', 'g(')}",
        answers={0: ("f", "g")},
        probes=(probe("f", name="a"), probe("f", name="b"), probe("g", name="c")),
    )
    assert isinstance(outcome(run, "a"), Raised)
    assert (outcome(run, "a").exception, outcome(run, "a").message) == (raised, "no")
    assert isinstance(outcome(run, "b"), Raised)
    assert isinstance(outcome(run, "c"), Returned)
    assert run.attempts == 1


def test_a_probe_runs_under_torchs_own_settings(execute):
    """Whatever dtype, mode, seed or filter a notebook left behind, a probe starts from torch's defaults."""
    run = execute(
        "import torch, sys, warnings\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\n"
        "torch.set_default_device('meta')\ntorch.set_flush_denormal(True)\ntorch.autograd.set_detect_anomaly(True)\n"
        "warnings.simplefilter('error')\nsys.setrecursionlimit(60)\ndef f(x):\n    return 1",
        answers={0: ("f",)},
        probes=(
            probe(
                "f",
                "import warnings\nt = torch.tensor(x, requires_grad=True)\nwarnings.warn('x')\n"
                "return (str(t.dtype), torch.is_grad_enabled(), str(t.device), torch.is_anomaly_enabled(),\n"
                "        float(torch.rand(1, dtype=torch.float64)) > 0, float(torch.tensor(1e-39)) > 0)",
            ),
        ),
    )
    assert outcomes(run) == ["ok"]
    items = [item.text for item in outcome(run).value.items]
    assert items == ["torch.float32", "True", "cpu", "False", "True", "True"]


def test_what_a_probe_prints_is_dropped(execute):
    """Output of a probe never comes back, where `display` and `get_ipython` exist as in a cell."""
    run = execute(
        "def f(x):\n    print('PROBELEAK')\n    display(x)\n    get_ipython()\n    return 1",
        answers={0: ("f",)},
        probes=(probe("f"),),
    )
    assert outcome(run) == Returned(Number("int", "1"))
    assert "PROBELEAK" not in repr(run)


def test_a_probe_without_memory_says_so(execute):
    """A subject that asks for more memory than allowed is `out_of_memory`, by Python's error or by torch's."""
    run = execute(
        "import torch\ndef f(x):\n    return bytearray(10**15)\ndef g(x):\n    return torch.ones(10**12)",
        answers={0: ("f", "g")},
        probes=(probe("f", name="a"), probe("g", name="b")),
    )
    assert [outcome(run, name).cause for name in "ab"] == ["out_of_memory"] * 2


def test_a_fatal_probe_costs_its_own_subject(execute):
    """After a hang the subject's other cases are skipped; other subjects are probed in a new process."""
    run = execute(
        "def f(x):\n    while True: pass\ndef g(x):\n    import os; os._exit(0)\ndef h(x):\n    return 'fine'",
        answers={0: ("f", "g", "h")},
        probes=(*(probe(s, name=s + n) for s in "fgh" for n in "12"),),
        probe_seconds=0.3,
    )
    causes = [getattr(outcome(run, name), "cause", None) for name in ("f1", "f2", "g1", "g2", "h1", "h2")]
    assert causes == ["timed_out", "skipped", "died", "skipped", None, None]
    assert outcome(run, "f2") == NotRun("skipped", "an earlier case did not finish")
    assert outcome(run, "h2") == Returned(Text("fine"))
    assert run.attempts == 3


def test_two_cells_with_one_name(execute):
    """Where two cells are asked for the same name, the later one that ran counts."""
    run = execute("a = 1", "a = 2", "a = 3\n1 / 0", answers={0: ("a",), 1: ("a",), 2: ("a",)})
    assert run.answers == (("a", Number("int", "2")),)
