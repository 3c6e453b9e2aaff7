"""The bookkeeping of attempts, without any process."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.records import CellRun, Limits, NotRun, Number, Output, ProbeRun, Program, Returned, Run, StudentError
from grader.sandbox.replay import Attempts, unfinished
from grader.sandbox.wire import Answer, BrokenChannelError, CellEnded, ProbeEnded, Ready

PROGRAM = Program("p", ("f",), "def p(f):\n    return f()")
ONE = Number("int", "1")
ERROR = StudentError("ValueError", "", 1, "", "")


def ok(index: int) -> CellEnded:
    return CellEnded(index, "ok", None, Output(f"cell {index}"))


def attempts_of(cells: int = 3, subjects: str = "", replays: int = 4) -> Attempts:
    run = Run(
        tuple(CellRun(index, "", ("a", "b") if index == 0 else ()) for index in range(cells)),
        tuple(ProbeRun(f"{s}{n}", s, PROGRAM, "{}") for n, s in enumerate(subjects)),
        limits=Limits(replays=replays),
    )
    attempts = Attempts(run)
    attempts.next_job()
    return attempts


def test_a_smooth_run():
    """All events in order: all reports, one attempt, nothing left to do."""
    attempts = attempts_of(2, "f")
    for event in (Ready("x"), Answer(0, "a", ONE), ok(0), ok(1), ProbeEnded("f0", Returned(ONE))):
        attempts.event(event, 0.5)
    assert attempts.doing is None
    assert attempts.next_job() is None
    execution = attempts.execution()
    assert [cell.outcome for cell in execution.cells] == ["ok", "ok"]
    assert execution.answers == (("a", ONE),)
    assert execution.probes[0].outcome == Returned(ONE)
    assert execution.notes == ()


@pytest.mark.parametrize(
    "events",
    [
        (ok(0),),
        (Ready("x"), Ready("x")),
        (Ready("x"), ok(1)),
        (Ready("x"), Answer(1, "a", ONE)),
        (Ready("x"), Answer(0, "c", ONE)),
        (Ready("x"), Answer(0, "a", ONE), Answer(0, "a", ONE)),
        (Ready("x"), ProbeEnded("f0", Returned(ONE))),
        (Ready("x"), Answer(0, "a", ONE), CellEnded(0, "raised", ERROR, Output())),
        (Ready("x"), CellEnded(0, "raised", None, Output())),
        (Ready("x"), CellEnded(0, "ok", ERROR, Output())),
        (Ready("x"), ok(0), ok(1), ok(2), ProbeEnded("nobody", Returned(ONE))),
        (Ready("x"), ok(0), ok(1), ok(2), ProbeEnded("f0", Returned(ONE)), ok(2)),
    ],
)
def test_what_is_not_due_breaks_the_channel(events):
    """The last event of each sequence is out of order, unknown, not asked for or inconsistent."""
    attempts = attempts_of(3, "f")
    for event in events[:-1]:
        attempts.event(event)
    with pytest.raises(BrokenChannelError):
        attempts.event(events[-1])


def test_a_fatal_cell_is_left_out():
    """The next job has the other cells, those with a report marked as known, and staged answers are dropped."""
    attempts = attempts_of(3)
    attempts.event(Ready("x"))
    attempts.event(ok(0))
    attempts.fatal("died", "it crashed its process (SIGSEGV)", 0.1)
    job = attempts.next_job()
    assert [(cell.index, cell.known) for cell in job.cells] == [(0, True), (2, False)]
    attempts.event(Ready("x"))
    with pytest.raises(BrokenChannelError):
        # Known answers are not asked for again.
        attempts.event(Answer(0, "a", ONE))


def test_an_answer_needs_the_end_of_its_cell():
    """A value that arrived before its cell killed the process is not an answer."""
    attempts = attempts_of(1)
    attempts.event(Ready("x"))
    attempts.event(Answer(0, "a", ONE))
    attempts.fatal("timed_out", "it ran too long")
    assert attempts.next_job() is None
    assert attempts.execution().answers == ()


def test_the_first_report_stands():
    """A cell that ended well once keeps that report if it dies in a replay, and is left out from then on."""
    attempts = attempts_of(3)
    attempts.event(Ready("x"))
    attempts.event(ok(0))
    attempts.fatal("died", "it")
    attempts.next_job()
    attempts.event(Ready("x"))
    attempts.fatal("died", "it")
    assert [cell.index for cell in attempts.next_job().cells] == [2]
    assert [cell.outcome for cell in attempts.execution().cells] == ["ok", "died", "not_reached"]


def test_fatal_probes_skip_their_subject_only():
    """f dies: f's other case is skipped, g's is the next job's only probe."""
    attempts = attempts_of(1, "ffg")
    attempts.event(Ready("x"))
    attempts.event(ok(0))
    attempts.fatal("timed_out", "it used more than 5 s of processor time")
    attempts.next_job()
    attempts.event(Ready("x"))
    attempts.event(ok(0))
    assert attempts.doing.id == "g2"
    attempts.event(ProbeEnded("g2", Returned(ONE)))
    causes = [report.outcome.cause for report in attempts.execution().probes[:2]]
    assert causes == ["timed_out", "skipped"]
    assert attempts.next_job() is None


def test_a_subject_lost_in_a_replay_is_not_called_absent():
    """Where the name had been captured before, its probe is skipped and not "no subject"."""
    attempts = attempts_of(2, "a")
    attempts.event(Ready("x"))
    attempts.event(Answer(0, "a", ONE))
    attempts.event(ok(0))
    attempts.fatal("died", "it")
    attempts.next_job()
    attempts.event(Ready("x"))
    attempts.event(CellEnded(0, "raised", ERROR, Output()))
    attempts.event(ProbeEnded("a0", NotRun("no_subject", "")))
    assert attempts.execution().probes[0].outcome.cause == "skipped"


def test_attempts_are_bounded():
    """No more than one attempt and the allowed replays."""
    attempts = attempts_of(5, replays=1)
    attempts.event(Ready("x"))
    attempts.fatal("died", "it")
    assert attempts.next_job() is not None
    attempts.event(Ready("x"))
    attempts.fatal("died", "it")
    assert attempts.next_job() is None
    assert attempts.execution().attempts == 2


def test_a_broken_channel_is_noted_once():
    """The execution is flagged, with the reason, and the cell counts as died."""
    attempts = attempts_of(2)
    attempts.event(Ready("x"))
    attempts.broke("odd")
    attempts.next_job()
    attempts.event(Ready("x"))
    attempts.broke("odd")
    execution = attempts.execution()
    assert execution.broken
    assert execution.notes == ("the channel to the student's process broke: odd",)
    assert [cell.outcome for cell in execution.cells] == ["died", "died"]


def test_an_unfinished_run_reports_every_cell_and_probe():
    """A notebook that ended the process around it leaves nothing out, and needs a person."""
    run = Run((CellRun(4, ""),), (ProbeRun("p", "f", PROGRAM, "{}"),))
    execution = unfinished(run, "it ended", 2)
    assert execution.broken
    assert execution.notes == ("it ended",)
    assert execution.cells[0].outcome == "not_reached"
    assert execution.probes[0].outcome == NotRun("not_reached", "it ended")


@given(st.data())
def test_all_cells_are_reported_before_a_probe_and_probes_keep_their_order(data):
    """However often a process dies, and at which step: no report or answer comes after the first probe is sent, and no
    probe is sent after one that stands behind it."""
    attempts = attempts_of(3, "fgfgh", replays=8)
    order = [probe.id for probe in attempts._run.probes]
    sent, reported = [], None
    while attempts.count:
        attempts.event(Ready("x"))
        while (step := attempts.doing) is not None:
            if isinstance(step, ProbeRun):
                sent.append(order.index(step.id))
                now = attempts.execution()
                reported = reported or (now.cells, now.answers)
            fate = data.draw(st.sampled_from(["end", "end", "end", "die", "raise", "break", "warm"]))
            if fate == "warm":
                attempts.undone()
                break
            if fate in ("die", "break"):
                attempts.fatal("died", "it") if fate == "die" else attempts.broke("odd")
                break
            if isinstance(step, ProbeRun):
                attempts.event(ProbeEnded(step.id, Returned(ONE)))
            elif fate == "raise":
                attempts.event(CellEnded(step.index, "raised", ERROR, Output("later")))
            else:
                attempts.event(ok(step.index))
        if attempts.next_job() is None:
            break
    assert sent == sorted(sent)
    execution = attempts.execution()
    assert reported in (None, (execution.cells, execution.answers))


def test_an_attempt_that_was_undone_keeps_what_is_known():
    """After the warm process died under it, the next attempt goes on, as the same one, from what had arrived."""
    attempts = attempts_of(2, "f")
    for event in (Ready("x"), ok(0), ok(1)):
        attempts.event(event)
    attempts.undone()
    job = attempts.next_job()
    assert all(cell.known for cell in job.cells)
    assert attempts.count == 1


def test_a_note_of_a_probe_has_no_detail():
    """What a process that knows a probe sends in place of a message is not repeated in a note."""
    attempts = attempts_of(1, "f")
    attempts.event(Ready("x"))
    attempts.event(ok(0))
    attempts.broke("a message of 424242 bytes was announced")
    assert attempts.execution().notes == ("the channel to the student's process broke",)
