"""A cell that hangs, crashes or takes too much costs itself alone."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from sandbox_runs import answer, outcomes, processes_with, run_of

from grader.errors import ConfinementError
from grader.records import Number, Text
from grader.sandbox import usable_cores

SEGFAULT = "import torch\nx = torch.ones(2, requires_grad=True).clone().view(2)\nx[:].add_(1)\nx.register_hook(print)"


def test_fatal_cells_cost_themselves(execute):
    """Cells that exit, loop, sleep or crash are left out one by one; answers before and after them stand."""
    run = execute(
        "a = 1",
        "import os\nos._exit(3)",
        "b = a + 1",
        "while True: print('again')",
        "import time\ntime.sleep(1000)",
        SEGFAULT,
        "c = b + 1",
        answers={0: ("a",), 2: ("b",), 6: ("c",)},
        cell_seconds=0.3,
    )
    assert outcomes(run) == ["ok", "died", "ok", "timed_out", "timed_out", "died", "ok"]
    assert [answer(run, name) for name in "abc"] == [Number("int", n) for n in "123"]
    reasons = [cell.error.message for cell in run.cells if cell.error]
    assert reasons[0] == "it ended its own process (exit code 3)"
    assert reasons[1] == "it used more than 0.3 s of processor time"
    assert reasons[2] == "it did not finish within 0.9 s"
    assert reasons[3] == "it crashed its process (SIGSEGV)"
    assert run.attempts == 5
    assert run.cells[3].error.line is None


def test_first_report_stands(execute):
    """A replayed cell is not reported or captured again, even where it gives something else the second time."""
    run = execute(
        "import time\na = time.monotonic_ns()\nprint(a)",
        "import os\nos._exit(0)",
        "b = a",
        answers={0: ("a",), 2: ("b",)},
    )
    assert run.cells[0].output.text == answer(run, "a").text + "\n"
    assert answer(run, "a") != answer(run, "b")
    assert run.attempts == 2


def test_replays_are_bounded(execute):
    """After the allowed replays the rest is not reached, and a note says why."""
    run = execute(*["import os; os._exit(0)"] * 4, "print(1)", replays=2)
    assert outcomes(run) == ["died"] * 3 + ["not_reached"] * 2
    assert run.attempts == 3
    assert run.notes == ("not all of the notebook was run: the notebook ended its process too often",)


def test_the_whole_notebook_has_a_budget(execute):
    """Cells that are each within their limit but together over the notebook's end there, without a replay."""
    burn = "import time\nt = time.process_time()\nwhile time.process_time() < t + 0.3: pass"
    run = execute(burn, burn, burn, burn, cell_seconds=5, notebook_seconds=0.8)
    assert outcomes(run) == ["ok", "ok", "timed_out", "not_reached"]
    assert run.attempts == 1
    assert run.notes == ("not all of the notebook was run: the notebook used more than 0.8 s of processor time",)


def test_work_of_started_processes_counts(freely):
    """Burning time in a child process is no way round the limit."""
    run = freely("import os\nif os.fork() == 0:\n    while True: pass\nos.wait()", cell_seconds=0.4, wall_factor=50)
    assert outcomes(run) == ["timed_out"]
    assert "processor time" in run.cells[0].error.message


def test_ignoring_the_kernels_signal_does_not_help(execute):
    """SIGXCPU and SIGTERM ignored, or the process stopped by itself: it still ends."""
    run = execute(
        "import signal\nfor s in (signal.SIGXCPU, signal.SIGTERM, signal.SIGHUP):\n"
        "    signal.signal(s, signal.SIG_IGN)\n"
        "while True: pass",
        "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
        "print('on')",
        cell_seconds=0.3,
    )
    assert outcomes(run) == ["timed_out", "timed_out", "ok"]


@pytest.mark.parametrize(
    "source",
    ["x = bytearray(10**15)", "import torch\nx = torch.ones(10**12)", "import numpy\nx = numpy.ones(10**12)"],
)
def test_one_allocation_too_large(execute, source):
    """It is `out_of_memory` with the line that asked, and the process lives on."""
    run = execute(source, "print('on')")
    assert outcomes(run) == ["out_of_memory", "ok"]
    assert run.cells[0].error.source_line == source.splitlines()[-1]
    assert run.attempts == 1


def test_memory_taken_bit_by_bit(execute):
    """A cell that took all memory and keeps it is left out, so that the cells after it have some."""
    run = execute(
        "keep = []\nwhile True: keep.append(bytearray(10**7))",
        "import torch\na = float(torch.ones(10**7).sum())",
        answers={1: ("a",)},
        memory_mb=200,
    )
    assert outcomes(run) == ["out_of_memory", "ok"]
    assert answer(run, "a") == Number("float", "10000000.0")
    assert run.attempts == 2


def test_printing_for_ever_stays_small(freely):
    """What is printed until the limit takes no memory beyond the output's budget."""
    run = freely(
        "def data(): return int(open('/proc/self/statm').read().split()[5])\nbefore = data()\n"
        "for i in range(20_000): print('x' * 10_000)\n"
        "print(data() - before < 500)",
        output_bytes=1000,
    )
    assert run.cells[0].output.text.endswith("True\n")
    assert len(run.cells[0].output.text) <= 1000
    assert run.cells[0].output.dropped_bytes == 20_000 * 10_001 + 5 - 1000


def test_flooding_the_raw_descriptor(execute):
    """A gigabyte written past Python to descriptors 1 and 2 neither hangs nor comes back."""
    run = execute("import os\nfor _ in range(1000):\n    os.write(1, b'x' * 10**6)\n    os.write(2, b'x' * 1000)")
    assert outcomes(run) == ["ok"]
    assert run.cells[0].output.text == ""


def test_too_many_processes(freely):
    """A fork bomb is ended at the limit of processes."""
    run = freely(
        "import os, time\nfor _ in range(100):\n    if os.fork() == 0:\n        time.sleep(60); os._exit(0)\n"
        "time.sleep(60)",
        "print('on')",
        processes=10,
    )
    assert outcomes(run) == ["died", "ok"]
    assert run.cells[0].error.message == "it started more than 10 processes"


def test_a_forked_copy_does_not_answer(freely):
    """A copy of the process that comes back from its cell sends nothing."""
    run = freely("import os\npid = os.fork()\nif pid: os.waitpid(pid, 0)", "a = 1", answers={1: ("a",)})
    assert outcomes(run) == ["ok", "ok"]
    assert not run.broken


def test_a_few_processes_and_files_are_fine(freely):
    """Within limits, worker processes work: a data loader and a subprocess."""
    run = freely(
        "import torch, subprocess\nloader = torch.utils.data.DataLoader(list(range(4)), num_workers=2)\n"
        "a = sum(int(batch) for batch in loader)\n"
        "b = subprocess.run(['echo', 'hi'], capture_output=True, text=True).stdout",
        answers={0: ("a", "b")},
    )
    assert answer(run, "a") == Number("int", "6")


STARTS = (
    "import os, subprocess\nmark = {'MARK': 'started-3c1e'}\n"
    "a = subprocess.run(['echo', 'hi'], capture_output=True, text=True).stdout\n"
    "b = subprocess.run(['cat', '/etc/passwd'], capture_output=True, text=True).returncode\n"
    "subprocess.Popen(['sleep', '300'], env=mark, start_new_session=True)\n"
    "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
    "        os.execve('/bin/sleep', ['sleep', '300'], mark)\n    os._exit(0)\n"
)


def test_processes_where_the_exercise_allows_them(sandbox, execute):
    """In namespaces a notebook may start some: as confined as itself, and all of them end with it."""
    if "namespaces" not in sandbox.confinement:
        pytest.skip("this system allows no namespaces")
    run = execute(
        STARTS, "import os\nos.kill(1, 0)", "n = 3\n!echo {n}\nc = !echo x y", answers={0: ("a", "b")}, processes=8
    )
    assert outcomes(run) == ["ok"] * 3
    assert run.cells[2].output.text == "3\n"
    assert dict(run.answers) == {"a": Text("hi\n"), "b": Number("int", "1")}
    assert processes_with("started-3c1e") == []


def test_no_processes_without_namespaces(kernel_sandbox):
    """Where there are no namespaces, an exercise that needs processes is refused, and none can be started."""
    with pytest.raises(ConfinementError, match=r"processes=8 in their assignment\) need namespaces"):
        kernel_sandbox.run(run_of("1", processes=8))


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("f = open('big', 'wb')\nfor _ in range(100): f.write(b'x' * 10**6)", "OSError"),
        ("import os\nkeep = []\nwhile True: keep.append(os.dup(1))", "OSError"),
    ],
)
def test_files_are_limited(execute, source, error):
    """A file beyond the limit and descriptors beyond 128 are errors in the cell."""
    run = execute("import signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)", source, "print(1)", file_mb=4)
    assert run.cells[1].error.type == error
    assert run.cells[2].outcome == "ok"


def test_sleepers_end_in_wall_time(execute):
    """A sleeping cell is ended after its factor of the limit, in real time."""
    began = time.monotonic()
    assert outcomes(execute("import time\ntime.sleep(100)", cell_seconds=0.2, wall_factor=2)) == ["timed_out"]
    assert time.monotonic() - began < 5


def test_a_busy_machine_changes_no_verdict(execute):
    """Waiting for a core does not count: a cell that needs half its limit ends well though its wall limit passed."""
    # Sessions of their own: the kernel shares cores out by session.
    hog = [sys.executable, "-S", "-c", "while True: pass"]
    hogs = [subprocess.Popen(hog, start_new_session=True) for _ in range(4 * usable_cores())]
    try:
        burn = (
            "import time\nbegan, t = time.monotonic(), time.process_time()\n"
            "while time.process_time() < t + 0.4: pass\nprint(time.monotonic() - began > 0.8)"
        )
        (cell,) = execute(burn, cell_seconds=0.8, wall_factor=1).cells
    finally:
        for process in hogs:
            process.kill()
            process.wait()
    assert (cell.outcome, cell.output.text) == ("ok", "True\n")
