"""Nothing that a solutions file starts outlives the grader, however either of them ends."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from living import living, wait_for

from grader.errors import ReferenceFault
from grader.judging import Reference
from grader.program import capture
from grader.records import Exercise, Program, Returned

DAEMON = """\
    import os, time
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for descriptor in range(64):
                try:
                    os.close(descriptor)
                except OSError:
                    pass
            time.sleep(600)
        os._exit(0)
    os.wait()
"""


def exercise(body: str) -> Exercise:
    return Exercise(
        "program",
        "predict",
        1,
        "?",
        Decimal(1),
        (Decimal(1),),
        ("x",),
        "x = ...",
        "f",
        True,
        program=Program("program", (), f"def program():\n{body}\n"),
    )


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    mark = f"nothing-lost-{secrets.token_hex(6)}"
    monkeypatch.setenv("NOTHING_LOST", mark)
    yield mark
    for pid in living(mark):
        os.kill(pid, signal.SIGKILL)


def test_a_daemon_of_a_reference_ends_with_the_worker(mark: str) -> None:
    """A program that daemonises, and one that then crashes: no process is left when the worker is closed or lost."""
    with Reference() as reference:
        assert reference.solve(exercise(DAEMON + "    return 7")).outcomes == (Returned(capture(7)),)
        # The keeper, the worker and the daemons of both runs of the program.
        assert len(living(mark)) == 4
        with pytest.raises(ReferenceFault, match="signal 11"):
            reference.solve(exercise(DAEMON + "    import ctypes\n    ctypes.string_at(0)"))
        assert living(mark) == []
        reference.solve(exercise(DAEMON + "    return 7"))
        assert len(living(mark)) == 4
    assert living(mark) == []


@pytest.mark.parametrize(
    "victim",
    [
        "the grader",
        pytest.param("the keeper", marks=pytest.mark.campaign),
        pytest.param("the worker", marks=pytest.mark.campaign),
    ],
)
def test_a_kill_leaves_no_process(mark: str, victim: str, tmp_path: Path) -> None:
    """SIGKILL of the grader, of the worker's keeper or of the worker, while a reference hangs: all it began ends."""
    code = (
        "import sys; sys.path[:0] = [sys.argv[1], sys.argv[2]]\n"
        "from test_worker_ends import DAEMON, exercise\nfrom grader.judging import Reference\n"
        "with Reference(solve_seconds=60) as reference:\n"
        "    try:\n        reference.solve(exercise(DAEMON + '    time.sleep(600)'))\n"
        "    except Exception as error:\n        print(error)\n"
    )
    here = Path(__file__).parent
    grader = subprocess.Popen(
        [sys.executable, "-c", code, str(here), str(here.parent)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=here.parents[1],
    )
    assert wait_for(lambda: len(living(mark)) == 4, 60)
    keeper, worker = sorted(set(living(mark)) - {grader.pid})[:2]
    os.kill({"the grader": grader.pid, "the keeper": keeper, "the worker": worker}[victim], signal.SIGKILL)
    if victim == "the grader":
        assert wait_for(lambda: living(mark) == [])
    else:
        # Somebody hit it: the reference is tried once more, in a new worker; and then nobody waits for it any longer.
        assert wait_for(lambda: not {keeper, worker} & set(living(mark)))
        assert wait_for(lambda: len(living(mark)) == 4, 60)
        os.kill(min(set(living(mark)) - {grader.pid}), signal.SIGKILL)
        out, _ = grader.communicate(timeout=60)
        assert "signal 9" in out
        assert living(mark) == []
    grader.wait()
    assert grader.stdout
    grader.stdout.close()


def test_a_worker_that_was_hit_once_changes_nothing(mark: str) -> None:
    """A worker killed from outside in the middle of a reference: the key is what it is without."""
    with Reference() as reference:
        reference.solve(exercise("    return 1"))
        worker = max(living(mark))
        slow = exercise("    import time\n    time.sleep(0.5)\n    return 7")
        killer = subprocess.Popen([sys.executable, "-c", f"import os, time; time.sleep(0.2); os.kill({worker}, 9)"])
        assert reference.solve(slow).outcomes == (Returned(capture(7)),)
        assert killer.wait() == 0


def test_out_of_descriptors_is_a_fault_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that cannot be started says why, as a fault of the grader."""

    def none(*_: object) -> tuple[int, int]:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("grader.judging.process.os.pipe", none)
    with pytest.raises(ReferenceFault, match="could not be started: Too many open files"):
        Reference()
