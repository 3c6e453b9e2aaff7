"""Hostile notebooks: what comes back is data, harm stays in the student's own process, honest cells still count."""

from __future__ import annotations

import pytest
from sandbox_runs import answer, cells_of, numbers, outcome, outcomes, probe, processes_with

from grader.records import NotRun, Number, Returned, Text, Unreadable
from grader.sandbox.wire import CHANNEL

ASKED = ("x_grad", "f")
HONEST = cells_of("hostile", "honest")[0]


def attack(execute, name, *more_probes, **limits):
    """Run a stored hostile notebook, asking every cell for both answers and for the cube's probe."""
    cells = cells_of("hostile", name)
    return execute(
        *cells,
        answers=dict.fromkeys(range(len(cells)), ASKED),
        probes=(probe("f"), *more_probes),
        **limits,
    )


def is_honest(run):
    """Whether both answers are those of the honest notebook."""
    return numbers(answer(run, "x_grad")) == [3.0, 10.0, 7.0] and numbers(outcome(run).value) == [1.0, 8.0]


@pytest.mark.parametrize("name", ["honest", "late-thread", "daemonise", "fd-exhaust", "systemexit", "feedback-xss"])
def test_honest_answers_survive(execute, name):
    """Late threads, daemons, spent descriptors and exits beside an honest cell leave its answers as they are."""
    run = attack(execute, name)
    assert is_honest(run)
    assert run.attempts == 1
    assert not run.broken


@pytest.mark.parametrize(
    ("forged", "detail"),
    [
        *((cell, "was announced") for cell in cells_of("hostile", "protocol-hugeframe")),
        *((cell, "was announced") for cell in cells_of("hostile", "protocol-deepjson")),
        (f"import os\nos.write({CHANNEL}, b'\\0\\0\\0\\4null')", "could not be read"),
        (
            f"import os, struct\nj = b'[' * 300_000\nos.write({CHANNEL}, struct.pack('>I', len(j)) + j)",
            "could not be read",
        ),
        (
            f"import os, struct, json\nj = json.dumps({{'type': 'probe', 'id': 'p', 'outcome': {{'type': 'not_run', "
            f"'cause': 'no_subject', 'reason': ''}}}}).encode()\nos.write({CHANNEL}, struct.pack('>I', len(j)) + j)",
            "does not belong",
        ),
        (
            f"import os, struct, json\nj = json.dumps({{'type': 'answer', 'cell': 1, 'name': 'x_grad', "
            f"'value': {{'type': 'text', 'text': 'right'}}}}).encode()\n"
            f"os.write({CHANNEL}, struct.pack('>I', len(j)) + j)",
            "does not belong",
        ),
    ],
)
def test_forged_messages_break_the_channel(execute, forged, detail):
    """Bytes that were not due are flagged for a person; the honest cell's answers stand all the same."""
    run = execute(forged, HONEST, answers={1: ASKED}, probes=(probe("f"),), answer_bytes=10_000)
    assert run.broken
    assert outcomes(run) == ["died", "ok"]
    assert len(run.notes) == 1
    assert run.notes[0].startswith("the channel to the student's process broke: ")
    assert detail in run.notes[0]
    assert is_honest(run)


def test_closing_the_channel_is_a_death(execute):
    """A cell that closes every descriptor costs itself; nothing is flagged as forged."""
    run = execute("import os\nos.closerange(0, 1000)", HONEST, answers={1: ASKED}, probes=(probe("f"),))
    assert outcomes(run) == ["died", "ok"]
    assert not run.broken
    assert is_honest(run)


def test_stopping_in_the_middle_of_a_message(execute):
    """A process that announces a message and then hangs is ended by the clock."""
    run = execute(f"import os, time\nos.write({CHANNEL}, b'\\0\\0\\1\\0ab')\ntime.sleep(100)", "1", cell_seconds=0.2)
    assert outcomes(run) == ["timed_out", "ok"]


def test_owning_the_process_gains_a_claim_only(execute):
    """Whoever replaces functions in his own process can say anything, and has said nothing but that."""
    run = attack(execute, "own-the-child")
    assert answer(run, "x_grad") == Text("correct")
    assert outcome(run) == Returned(Text("correct"))


def test_odd_tensors_are_refused(execute):
    """Tensors without data, and enormous sparse ones, are unreadable and cost nothing."""
    run = attack(execute, "odd-tensors")
    assert isinstance(answer(run, "x_grad"), Unreadable)
    assert isinstance(outcome(run).value, Unreadable)


def test_giant_values_are_refused(execute):
    """A list that holds itself, a huge number and a huge string are unreadable."""
    run = attack(execute, "giant-json")
    assert isinstance(answer(run, "x_grad"), Unreadable)
    assert isinstance(outcome(run).value, Unreadable)
    assert not run.broken


def test_deep_recursion_hurts_its_own_process(execute):
    """Recursion without a limit ends its cell in one way or another, and the next notebook runs."""
    run = attack(execute, "deep-recursion", cell_seconds=2)
    assert outcomes(run)[0] in ("raised", "out_of_memory", "died", "timed_out")
    assert outcomes(execute("1")) == ["ok"]


def test_only_plain_text_is_kept(execute):
    """HTML, scripts and pictures of a display do not come back; the exception's text does, as text."""
    run = attack(execute, "feedback-xss")
    assert "alert(3)" not in run.cells[0].output.text
    assert "alert(6)" not in run.cells[0].output.text
    assert run.cells[0].error.message == "</pre><script>alert(8)</script>"


def test_patched_comparisons_are_put_back(execute):
    """`allclose`, `all`, `abs`, `json.dumps` replaced in a cell are torch's and Python's own in a probe."""
    run = attack(
        execute,
        "patched-torch",
        probe(
            "f",
            "import json\nreturn (torch.allclose(f(torch.tensor(x)), torch.ones(2)),"
            " torch.equal(torch.ones(1), torch.zeros(1)), all([0]), abs(-2), json.dumps([1]))",
            "own",
        ),
    )
    assert numbers(outcome(run).value) == [0.0, 0.0]
    assert [item.text for item in outcome(run, "own").value.items] == ["False", "False", "False", "2", "[1]"]


def test_patched_backward_is_put_back(execute):
    """`Tensor.backward` and `autograd.grad` replaced in a cell are torch's own in a probe."""
    through = (
        "t = torch.tensor(x, requires_grad=True)\n(f(t) + t * t).sum().backward()\n"
        "return t.grad, torch.autograd.grad((t**3).sum(), t)[0]"
    )
    value = outcome(attack(execute, "patched-backward", probe("f", through, "b")), "b").value
    assert [numbers(item) for item in value.items] == [[2.0, 4.0], [3.0, 12.0]]


def test_methods_added_to_hide_torchs_are_removed(execute):
    """A method put on `torch.Tensor` over an inherited one is gone in a probe; a new one stays."""
    run = execute(
        "import torch\ntorch.Tensor.add = lambda *a: 'mine'\ntorch.Tensor.double_it = lambda t: 2 * t\n"
        "def f(x):\n    return x.double_it()",
        answers={0: ("f",)},
        probes=(probe("f", "return f(torch.tensor(x)).add(1)"),),
    )
    assert numbers(outcome(run).value) == [3.0, 5.0]


def test_walking_frames_finds_nothing(execute):
    """A subject that prints its callers' frames prints into nothing; what it raises is an outcome, never output."""
    run = attack(execute, "frame-walk")
    assert all("PROBELEAK" not in cell.output.text for cell in run.cells)
    assert outcome(run).exception == "ValueError"


def test_mutated_input_is_returned_as_it_is(execute):
    """A subject that zeroes its input gives zeros: the comparison, elsewhere, has its own copy."""
    assert numbers(outcome(attack(execute, "mutate-input")).value) == [0.0, 0.0]


def test_hidden_errors_are_errors(execute):
    """Silencing the shell's traceback does not turn a cell that raised into one that ran."""
    run = attack(execute, "hide-errors")
    assert outcomes(run)[-1] == "raised"
    assert outcome(run).cause == "no_subject"


def test_a_fake_namespace_gains_a_claim_only(execute):
    """A namespace that has every name, and a patched `run_cell`, give a claim and break nothing."""
    run = execute(
        "class All(dict):\n    def __contains__(s, k): return True\n    def __missing__(s, k): return 'yes'\n"
        "ip = get_ipython()\nip.user_ns = All(ip.user_ns)\nip.run_cell = lambda *a, **k: None",
        "1 / 0",
        answers={0: ASKED, 1: ASKED},
        probes=(probe("f", "return 'ran'"),),
    )
    assert not run.broken
    assert outcome(execute("f = 1", answers={0: ("f",)}, probes=(probe("f", "return f"),))) == Returned(
        Number("int", "1")
    )


def test_a_fake_torch_is_put_back(execute):
    """A module slipped in as torch, a patched import and trace functions are gone in a probe."""
    run = attack(
        execute, "fake-torch", probe("f", "import torch as t, sys\nreturn t.ones(1), sys.gettrace() is None", "t")
    )
    assert answer(run, "x_grad") == Number("int", "1")
    ones, untraced = outcome(run, "t").value.items
    assert numbers(ones) == [1.0]
    assert untraced == Number("bool", "True")


def test_hostile_objects_do_not_stop_the_capture(execute):
    """Objects whose methods lie, raise or never end are unreadable, quickly."""
    run = execute(
        "import torch\nclass Evil:\n    def __getattribute__(s, n): raise SystemExit\n"
        "    def __repr__(s):\n        while True: pass\n"
        "class T(torch.Tensor):\n    @classmethod\n    def __torch_function__(c, *a, **k): raise ValueError\n"
        "a = Evil()\nb = torch.ones(2).as_subclass(T)\nc = 1;",
        answers={0: ("a", "b", "c")},
    )
    assert isinstance(answer(run, "a"), Unreadable)
    assert answer(run, "c") == Number("int", "1")


def test_no_process_is_left(freely):
    """What a notebook starts, however deep it hides, is gone when its execution is there."""
    run = freely(
        "import os, subprocess, time\nmark = 'left-behind-7f3a'\n"
        "subprocess.Popen(['sleep', '300'], env={'MARK': mark}, start_new_session=True)\n"
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
        "        os.execve('/bin/sleep', ['sleep', '300'], {'MARK': mark})\n    os._exit(0)\n",
        "import time; time.sleep(0.1)",
    )
    assert outcomes(run) == ["ok", "ok"]
    assert processes_with("left-behind-7f3a") == []


def test_a_killed_notebook_leaves_no_process(freely):
    """The same for a notebook that had to be ended."""
    run = freely(
        "import subprocess\nmark = {'MARK': 'left-behind-91bc'}\n"
        "keep = [subprocess.Popen(['sleep', '300'], env=mark) for _ in range(5)]\n"
        "while True: pass",
        cell_seconds=0.3,
    )
    assert outcomes(run) == ["timed_out"]
    assert processes_with("left-behind-91bc") == []


def test_subject_that_ends_the_process_is_no_pass(execute):
    """Leaving with status 0 from inside a probe is a death."""
    run = execute("import os\ndef f(x):\n    os._exit(0)", answers={0: ("f",)}, probes=(probe("f"),))
    assert outcome(run) == NotRun("died", "it ended its own process (exit code 0)")
