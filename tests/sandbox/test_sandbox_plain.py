"""The sandbox for one's own code on any system: it needs nothing that only Linux has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sandbox_runs import answer, numbers, outcome, outcomes, probe, run_of

from grader.errors import ConfinementError
from grader.records import DataFile, Number, Raised, Returned
from grader.sandbox.confinement.level import OWN
from grader.sandbox.forking import ForkingSandbox
from grader.sandbox.plain import PlainSandbox
from grader.sandbox.seam import for_own_code, for_strangers

# What macOS or Windows lacks: modules that cannot be imported, and names that are not there.
ELSEWHERE = """
import os, select, signal, socket, sys
class Missing:
    def find_spec(self, name, *rest):
        if name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
            raise ImportError(f"No module named {name!r}")
sys.meta_path.insert(0, Missing())
for module, names in (
    (os, "fork forkpty sysconf sched_getaffinity getuid geteuid setsid pidfd_open chown O_PATH O_NOFOLLOW O_DIRECTORY"),
    (os, "O_CLOEXEC O_NONBLOCK getppid killpg memfd_create getpgid"),
    (signal, "SIGALRM SIGKILL SIGXCPU setitimer alarm"),
    (socket, "AF_UNIX SOCK_SEQPACKET send_fds recv_fds"),
    (select, "poll epoll"),
):
    for name in names.split():
        vars(module).pop(name, None)
"""


def test_a_notebook_runs_as_in_the_other_one():
    """Cells, answers, probes and files come back; cells that end or outlast their process cost themselves."""
    cells = (
        "def f(x): return 2 * x\nprint(open('d.txt').read())",
        "1 / 0",
        "import os; os._exit(3)",
        "while True: pass",
        "a = 1",
    )
    run = run_of(
        *cells,
        answers={0: ("f",), 4: ("a",)},
        probes=(probe("f"), probe("f", body="return f()", name="q")),
        files=(DataFile("d.txt", b"shipped"),),
        cell_seconds=0.3,
    )
    with PlainSandbox() as box:
        execution = box.run(run)
    assert outcomes(execution) == ["ok", "raised", "died", "timed_out", "ok"]
    assert execution.cells[0].output.text == "shipped\n"
    assert execution.cells[3].error.message == "it did not finish within 0.9 s"
    assert answer(execution, "a") == Number("int", "1")
    returned = outcome(execution)
    assert isinstance(returned, Returned)
    assert numbers(returned.value) == [2.0, 4.0]
    assert isinstance(outcome(execution, "q"), Raised)


def test_a_forged_message_needs_a_person():
    """Bytes on the channel that are no message break it, and nothing else."""
    forge = (
        "import os\nfor fd in range(3, 30):\n    try:\n        os.write(fd, b'\\xff' * 64)\n"
        "    except OSError:\n        pass"
    )
    with PlainSandbox() as box:
        execution = box.run(run_of(forge, "a = 1", answers={1: ("a",)}))
    assert execution.broken
    assert answer(execution, "a") == Number("int", "1")


def test_the_check_needs_nothing_that_only_linux_has(tmp_path):
    """Without Unix's own modules and names, all that a check imports can be imported, and the road is the plain one."""
    code = ELSEWHERE + (
        "from grader import pipeline\nfrom grader.reports import terminal\n"
        "from grader.sandbox import for_own_code, usable_cores\n"
        "print(type(for_own_code(platform='win32')).__name__, usable_cores() >= 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("PlainSandbox True\n", "")


def test_the_process_needs_nothing_that_only_linux_has(tmp_path):
    """Nor does the process that runs the notebook."""
    code = ELSEWHERE + "import grader.sandbox.plain_child\nprint('ready')\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("ready\n", "")


def test_who_gets_which():
    """Strangers' code is refused where it cannot be confined; one's own runs everywhere."""
    for platform, name in (("darwin", "macOS"), ("win32", "Windows")):
        with pytest.raises(ConfinementError, match=f"cannot be confined on {name}; grade on Linux"):
            for_strangers(2, (Path("solutions"),), platform=platform)
        assert isinstance(for_strangers(2, (), confined=False, platform=platform), PlainSandbox)
        assert for_own_code(platform=platform).confinement == OWN
    assert isinstance(for_strangers(2, (), platform="linux"), ForkingSandbox)
    assert isinstance(for_own_code(platform="linux"), ForkingSandbox)
