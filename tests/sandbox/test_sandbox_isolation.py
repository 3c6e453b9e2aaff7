"""The grader's side stays clean, and the student's side has never held anything worth reading."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sandbox_runs import CANARY, answer, outcomes, processes_with, run_of

from grader.errors import GraderFault, SandboxFault
from grader.records import DataFile, Number
from grader.sandbox import launching
from grader.sandbox.forking import ForkingSandbox

ALLOWED = ("grader.records", "grader.errors", "grader.processes", "grader.program", "grader.sandbox")


def test_importing_the_sandbox_is_light():
    """The grader imports the sandbox without torch, IPython or matplotlib."""
    code = "import sys, grader.sandbox; print([m for m in ('torch', 'IPython', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_only_what_it_needs_is_loaded_in_the_child(execute):
    """Of the grader, the student's process holds records, errors, program and sandbox, and a stub of the self-check."""
    run = execute(
        "import sys\nloaded = sorted(m for m in sys.modules if m.split('.')[0] == 'grader')", answers={0: ("loaded",)}
    )
    names = [item.text for item in answer(run, "loaded").items]
    assert [n for n in names if n not in ("grader", "grader.notebook") and not n.startswith(ALLOWED)] == []
    assert "grader.sandbox.student" in names


def test_the_environment_is_clean(sandbox, execute):
    """Nothing of the grader's environment reaches a notebook; home and temporary files lie in its scratch."""
    assert outcomes(execute("1")) == ["ok"]
    assert os.environ["COURSE_SECRET"] == CANARY
    assert CANARY.encode() not in Path(f"/proc/{sandbox._warm.pid}/environ").read_bytes()
    run = execute(
        "import os, tempfile\na = [os.environ['HOME'] == os.getcwd(), tempfile.gettempdir() == os.getcwd(),"
        " os.environ['PYTHONHASHSEED'], os.environ['OMP_NUM_THREADS'], os.environ['CUDA_VISIBLE_DEVICES']]",
        answers={0: ("a",)},
    )
    assert [item.text for item in answer(run, "a").items] == ["True", "True", "0", "1", ""]


def test_a_notebook_cannot_see_the_one_before(execute):
    """State, files and names of one notebook are not there for the next."""
    execute("import builtins, torch\nbuiltins.seen = torch.seen = 1\nopen('seen', 'w').write('x')\nseen = 1")
    run = execute(
        "import builtins, torch, os\n"
        "a = [hasattr(builtins, 'seen'), hasattr(torch, 'seen'), os.listdir(), 'seen' in globals()]",
        answers={0: ("a",)},
    )
    assert repr(answer(run, "a")) == (
        "Items(kind='list', items=(Number(kind='bool', text='False'), Number(kind='bool', text='False'), "
        "Items(kind='list', items=()), Number(kind='bool', text='False')))"
    )


def test_only_the_channel_is_open(execute):
    """The child holds no descriptor of the warm process: three standard ones and its channel."""
    run = execute(
        "import os\ndef is_open(number):\n    try:\n        return os.fstat(number) is not None\n"
        "    except OSError:\n        return False\na = sum(map(is_open, range(1 << 16)))",
        answers={0: ("a",)},
    )
    assert answer(run, "a") == Number("int", "4")


def test_there_is_one_thread(freely):
    """The child begins with one thread."""
    run = freely("import os\na = len(os.listdir('/proc/self/task'))", answers={0: ("a",)})
    assert answer(run, "a") == Number("int", "1")


def test_scratch_is_removed(open_sandbox, freely):
    """Deep folders, locked folders and links are removed with the scratch, and what a link points to stays."""
    run = freely(
        "import os\nopen('keep', 'w').close()\nos.makedirs('locked/inner')\nopen('locked/inner/f', 'w').close()\n"
        "os.chmod('locked/inner', 0)\nos.chmod('locked', 0)\nos.symlink('/', 'root')\nos.symlink('loop', 'loop')\n"
        "for _ in range(1500):\n    os.mkdir('d'); os.chdir('d')"
    )
    assert outcomes(run) == ["ok"]
    assert list(open_sandbox._warm.root.glob("run-*")) == []
    assert Path("/etc/passwd").exists()


@pytest.mark.parametrize("name", ["../out", "a/b", "", "..", "a\\b"])
def test_shipped_file_names_are_plain(sandbox, name):
    """A file with a path for a name is the author's mistake, and refused."""
    with pytest.raises(GraderFault, match="plain file name"):
        sandbox.run(run_of("1", files=(DataFile(name, b""),)))


def test_several_at_once(sandbox):
    """Threads may run notebooks side by side; each gets its own answers."""
    found = {}

    def work(number: int) -> None:
        source = f"import torch\na = {number}\nopen('mine', 'w').write('{number}')\nb = int(open('mine').read())"
        found[number] = sandbox.run(run_of(source, "import os; os._exit(0)", answers={0: ("a", "b")}))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, run in found.items():
        assert outcomes(run) == ["ok", "died"]
        assert dict(run.answers) == {name: Number("int", str(number)) for name in "ab"}
    assert len(found) == 6


KILL_PARENT = "import os, signal, time\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(60)"


def test_a_killed_warm_process_is_replaced(open_sandbox):
    """Who ends the warm process twice needs a person and stops no class; who ran beside it is run again."""
    sandbox = open_sandbox
    sandbox.run(run_of("1"))
    root = sandbox._warm.root
    innocent = []
    beside = threading.Thread(
        target=lambda: innocent.append(sandbox.run(run_of("import time; time.sleep(2)", "a = 1", answers={1: ("a",)})))
    )
    beside.start()
    assert wait_for(lambda: list(root.glob("run-*")))
    run = sandbox.run(run_of(KILL_PARENT, "1"))
    beside.join()
    assert run.broken
    assert run.notes == ("the process that runs notebooks ended twice while this one ran",)
    assert outcomes(run) == ["not_reached", "not_reached"]
    assert run.attempts == 2
    assert innocent[0].fault is None
    assert innocent[0].answers == (("a", Number("int", "1")),)
    assert outcomes(sandbox.run(run_of("1"))) == ["ok"]
    assert not root.exists()
    assert processes_with(str(root)) == []


def test_a_warm_process_that_cannot_start_is_a_fault(monkeypatch):
    """A broken installation is one clear error, with the last line of what the process said."""
    monkeypatch.setattr(launching, "_flags", lambda: ["-S", "-I"])
    with ForkingSandbox() as box, pytest.raises(SandboxFault, match=r"did not start: .*No module named"):
        box.run(run_of("1"))


def test_use_as_context_manager():
    """Running without entering says what to do."""
    with pytest.raises(RuntimeError, match="context manager"):
        ForkingSandbox().run(run_of("1"))


GRADER = """
import sys
sys.path.insert(0, sys.argv[1])
from sandbox_runs import run_of
from grader.sandbox.forking import ForkingSandbox
start = "import subprocess\\nsubprocess.Popen(['sleep', '300'], start_new_session=True)\\n"
with ForkingSandbox(confine=sys.argv[2]) as box:
    box.run(run_of("1"))
    print(box._warm.root, flush=True)
    cell = (start if sys.argv[2] == "off" else "") + "import time\\ntime.sleep(300)"
    box.run(run_of(cell, cell_seconds=300))
"""


@pytest.mark.parametrize(("confine", "processes"), [("off", 3), ("required", 2)])
def test_nothing_survives_a_killed_grader(confine, processes):
    """After kill -9 of the grader no process of its sandbox is left, and no directory."""
    here = str(Path(__file__).parent)
    grader = subprocess.Popen([sys.executable, "-c", GRADER, here, confine], stdout=subprocess.PIPE, text=True)
    assert grader.stdout is not None
    with grader.stdout:
        root = Path(grader.stdout.readline().strip())
    assert wait_for(lambda: list(root.glob("run-*")) and len(processes_with(str(root))) >= processes)
    grader.kill()
    grader.wait()
    assert wait_for(lambda: not processes_with(str(root)) and not root.exists())


def wait_for(condition, seconds=20.0):
    """Whether `condition` becomes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False
