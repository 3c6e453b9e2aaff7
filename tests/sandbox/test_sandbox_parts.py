"""The small parts: output within a budget, cores that are really ours, scratch folders, words for ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from in_process import InProcessSandbox

from grader.records import CellRun, ProbeRun, Program, Run
from grader.sandbox import scratch, usable_cores
from grader.sandbox.output import HeadAndTail
from grader.sandbox.watching import how_it_ended


@given(st.lists(st.text(max_size=30), max_size=30), st.integers(0, 60))
def test_output_stays_within_its_budget(pieces, limit):
    """Kept and dropped bytes sum to what was written, the kept ones fit, and nothing is dropped that fits."""
    kept = HeadAndTail(limit)
    for piece in pieces:
        kept.write(piece)
    output = kept.output()
    written = "".join(pieces).encode("utf-8", "backslashreplace")
    assert len(output.text.encode()) <= limit
    assert len(output.text.encode()) + output.dropped_bytes == len(written)
    if len(written) <= limit:
        assert output.text.encode() == written


def test_output_keeps_head_and_tail():
    """The first and the last bytes are the ones kept."""
    kept = HeadAndTail(10)
    for number in range(1000):
        kept.write(f"{number},")
    assert kept.output().text == "0,1,2,999,"[:5] + ",999,"


@pytest.mark.parametrize(
    ("files", "cgroup", "expected"),
    [
        ({}, "0::/\n", None),
        ({"cpu.max": "150000 100000\n"}, "0::/\n", 2),
        ({"cpu.max": "max 100000\n"}, "0::/\n", None),
        ({"a/cpu.max": "max 100000\n", "cpu.max": "100000 100000\n"}, "0::/a\n", 1),
        ({"a/b/cpu.max": "100000 100000\n"}, "0::/a/b\n", 1),
        ({"cpu/cpu.cfs_quota_us": "50000\n", "cpu/cpu.cfs_period_us": "100000\n"}, "4:cpu,cpuacct:/\n", 1),
        ({"cpu/x/cpu.cfs_quota_us": "-1\n", "cpu/x/cpu.cfs_period_us": "100000\n"}, "4:cpu,cpuacct:/x\n", None),
        ({"cpu.max": "nonsense"}, "0::/\n", None),
    ],
)
def test_cores_follow_the_quota(tmp_path, files, cgroup, expected):
    """Quotas of control groups, version 1 and 2, own and inherited, cut what affinity allows; odd files do not."""
    for name, text in files.items():
        path = tmp_path / "mount" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    proc = tmp_path / "cgroup"
    proc.write_text(cgroup)
    allowed = len(os.sched_getaffinity(0))
    assert usable_cores(proc, tmp_path / "mount") == min(allowed, expected or allowed)


def test_cores_follow_affinity():
    """A process bound to one core has one."""
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(before)})
        assert usable_cores() == 1
    finally:
        os.sched_setaffinity(0, before)


def test_scratch_removal_follows_no_link(tmp_path):
    """A link to a folder outside is removed, the folder and its files are not; nor is a scratch that is a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    folder = scratch.make(tmp_path)
    (folder / "link").symlink_to(outside)
    (folder / "sub").mkdir()
    (folder / "sub" / "link").symlink_to(outside)
    scratch.remove(folder)
    assert not folder.exists()
    (tmp_path / "alias").symlink_to(outside)
    scratch.remove(tmp_path / "alias")
    assert (outside / "kept").read_text() == "x"


def test_scratch_removal_of_nothing_is_silent(tmp_path):
    """A folder that is gone already is no error."""
    scratch.remove(tmp_path / "gone")


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (0, "it ended its own process (exit code 0)"),
        (3 << 8, "it ended its own process (exit code 3)"),
        (11, "it crashed its process (SIGSEGV)"),
        (6 | 0x80, "it crashed its process (SIGABRT)"),
        (63, "it crashed its process (signal 63)"),
    ],
)
def test_ends_in_words(status, words):
    """Wait statuses read as a person would say them."""
    assert how_it_ended(status) == words


PROBE = ProbeRun("p", "f", Program("p", ("f", "x"), "def p(f, x):\n    print('no')\n    return f(x)"), "{'x': 2}")


def test_the_stand_in_agrees_with_the_real_one(sandbox):
    """The in-process sandbox of other tests gives what the real one gives, for cells that do no harm."""
    run = Run(
        (
            CellRun(0, "a = 1\nprint('hi')", ("a", "b")),
            CellRun(2, "def f(x):\n    return x + a", ("f",)),
            CellRun(3, "b = 1\n1 / 0", ("b",)),
            CellRun(5, "a = 7"),
        ),
        (PROBE, ProbeRun("q", "g", PROBE.program, PROBE.arguments)),
    )
    real, stand_in = sandbox.run(run), InProcessSandbox().run(run)
    assert stand_in.answers == real.answers
    assert stand_in.probes == real.probes
    for left, right in zip(stand_in.cells, real.cells, strict=True):
        assert (left.index, left.outcome, left.error, left.output) == (
            right.index,
            right.outcome,
            right.error,
            right.output,
        )
    assert Path.cwd().exists()
