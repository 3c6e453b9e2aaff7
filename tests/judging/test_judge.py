"""Verdicts, scores and messages: every rule of judging, without running anything."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
import torch

from grader.judging import check_run, grade_unrun, graded_run, judge, self_check
from grader.program import capture
from grader.records import (
    Assignment,
    Case,
    Cell,
    CellReport,
    Execution,
    Exercise,
    ExerciseGrade,
    ExerciseKey,
    Grade,
    Limits,
    Match,
    Missing,
    NotRun,
    Outcome,
    Output,
    Probe,
    ProbeReport,
    Program,
    PublicAssignment,
    PublicCase,
    PublicProbe,
    Question,
    Raised,
    Refused,
    Returned,
    StudentError,
    Submission,
    Undecided,
    Unreadable,
    Versions,
)

VERSIONS = Versions("1", "2.13", "digest", "unconfined")
FUNCTION = Unreadable("it is a function, not a value")
KEY = ExerciseKey("hooked", (Returned(capture(torch.tensor([3.0, 18.0, 7.0]))),))


def exercise(**fields: Any) -> Exercise:
    usual: dict[str, Any] = {
        "id": "hooked",
        "kind": "predict",
        "line": 1,
        "prompt": "?",
        "points": Decimal(2),
        "credit": (Decimal(2),),
        "answers": ("x_grad",),
        "stub": "x_grad = ...",
        "fingerprint": "f",
        "show_key": True,
    }
    return Exercise(**{**usual, **fields})


def grade(
    one: Exercise,
    key: ExerciseKey | str = KEY,
    answers: dict[str, Any] | None = None,
    match: Match | None = None,
    report: CellReport | None = None,
    probes: dict[str, Outcome] | None = None,
    **execution: Any,
) -> Grade:
    """Judge one exercise that cell 4 (the person's cell 5) answers."""
    submission = Submission(
        student="ada",
        assignment="hooks",
        path="ada/hooks.ipynb",
        sha256="0" * 64,
        cells=(Cell(2, "import torch"), Cell(4, "x_grad = [3, 18, 7]")),
        matches=(match or Match(one.id, "answered", 4, "cell id"),),
        notes=("a note of intake",),
    )
    run = Execution(
        cells=execution.pop("cells", None) or (CellReport(2, "ok"), report or CellReport(4, "ok")),
        answers=tuple((answers or {}).items()),
        probes=tuple(ProbeReport(name, outcome) for name, outcome in (probes or {}).items()),
        **execution,
    )
    assignment = Assignment("hooks", "Hooks", "", (one,), "f", Limits())
    return judge(submission, run, assignment, {one.id: key}, VERSIONS)


def only(result: Grade) -> ExerciseGrade:
    (one,) = result.exercises
    return one


def test_right() -> None:
    """A right answer gets its points, and the total is theirs."""
    result = grade(exercise(), answers={"x_grad": capture([3, 18, 7])})
    assert (result.status, result.score, result.score_so_far, result.max_score) == ("graded", 2, 2, 2)
    one = only(result)
    assert (one.verdict, one.score, one.message, one.source) == ("right", 2, "right", "x_grad = [3, 18, 7]")
    assert str(one.score) == "2.00"
    assert result.notes == ("a note of intake",)


def test_wrong_says_which_element_and_shows_the_key_only_where_allowed() -> None:
    """[3, 10, 7]: wrong, which element, the key for pages only where the course shows it; no diagnosis yet."""
    for show_key in (True, False):
        one = only(grade(exercise(show_key=show_key), answers={"x_grad": capture([3, 10, 7])}))
        assert (one.verdict, one.score, one.message) == ("wrong", 0, "1 of 3 elements differs")
        assert one.parts[0].message == "1 of 3 elements is not right: you have 10 at [1]."
        assert one.parts[0].given == capture([3, 10, 7])
        assert (one.parts[0].expected is not None) is show_key
        assert one.diagnosis is None


def test_several_answers_are_several_parts() -> None:
    """Each named answer has its own credit; the message tells how many are right and names the first that is not."""
    key = ExerciseKey("hooked", (Returned(capture((torch.tensor([1.0]), None))),))
    two = exercise(answers=("x_grad", "y_grad"), credit=(Decimal("0.75"), Decimal("1.25")))
    one = only(grade(two, key, {"x_grad": capture([1]), "y_grad": capture([0])}))
    assert (one.verdict, one.score, one.max_score) == ("partly_right", Decimal("0.75"), 2)
    assert one.message == "1 of 2 parts right; `y_grad`: zeros are not `None`"
    assert [part.verdict for part in one.parts] == ["right", "wrong"]
    assert one.parts[1].expected == Returned(capture(None))
    assert only(grade(two, key, {"x_grad": capture([1]), "y_grad": capture(None)})).verdict == "right"
    assert only(grade(two, key, {"x_grad": capture(...), "y_grad": capture(...)})).verdict == "not_answered"
    half = only(grade(two, key, {"y_grad": capture([0])}))
    assert (half.verdict, half.parts[0].verdict) == ("wrong", "not_answered")


@pytest.mark.parametrize("state", ["untouched", "missing"])
def test_unanswered_whatever_it_returns(state: Any) -> None:
    """An untouched or missing cell is not answered, even if the right value came from somewhere."""
    match = Match("hooked", state, 4 if state == "untouched" else None)
    one = only(grade(exercise(), answers={"x_grad": capture([3, 18, 7])}, match=match))
    assert (one.verdict, one.score) == ("not_answered", 0)
    result = judge(
        Submission("ada", "hooks", "p", "s", (), ()),
        None,
        Assignment("hooks", "", "", (exercise(),), "f", Limits()),
        {"hooked": KEY},
        VERSIONS,
    )
    assert (only(result).verdict, result.status, result.score) == ("not_answered", "graded", 0)


def test_changed_question_needs_a_person() -> None:
    """A question that changed since release is held, with intake's note."""
    match = Match("hooked", "changed", 4, "cell id", "the question has changed since")
    result = grade(exercise(), answers={"x_grad": capture([3, 18, 7])}, match=match)
    assert (only(result).verdict, only(result).score, result.status, result.score) == (
        "needs_person",
        None,
        "held",
        None,
    )
    assert "changed" in only(result).message


def test_name_never_assigned_blank_and_unreadable() -> None:
    """What is absent or `...` is not answered; what cannot be read is wrong; each says so."""
    absent = only(grade(exercise()))
    assert (absent.verdict, absent.message) == ("not_answered", "your cell never assigns `x_grad`")
    blank = only(grade(exercise(), answers={"x_grad": capture(...)}))
    assert (blank.verdict, blank.message) == ("not_answered", "`x_grad` is still `...`")
    odd = only(grade(exercise(), answers={"x_grad": Unreadable("it is a sparse tensor")}))
    assert (odd.verdict, odd.message) == ("wrong", "could not be read: it is a sparse tensor")


def stopped(outcome: Any, reason: str, index: int = 4) -> CellReport:
    """A cell that was ended with its process, as the sandbox reports it."""
    name = {"timed_out": "TimeLimit", "died": "ProcessDied"}[outcome]
    return CellReport(index, outcome, StudentError(name, reason, None, "", ""))


ERROR = StudentError("NameError", "name 'y' is not defined", 2, "z = y", "Traceback ...")


@pytest.mark.parametrize(
    ("report", "message"),
    [
        (CellReport(4, "raised", ERROR), "your cell 5 raised NameError in line 2: name 'y' is not defined"),
        (CellReport(4, "raised"), "your cell 5 raised an error"),
        (stopped("timed_out", "it did not finish within 1.5 s"), "your cell 5 did not finish within 1.5 s"),
        (
            stopped("timed_out", "it used more than 0.5 s of processor time"),
            "your cell 5 used more than 0.5 s of processor time",
        ),
        (
            stopped("timed_out", "its notebook did not finish within 90 s"),
            "your cell 5 was stopped: its notebook did not finish within 90 s",
        ),
        (stopped("died", "it started more than 4 processes"), "your cell 5 started more than 4 processes"),
        (stopped("died", "it crashed its process (SIGSEGV)"), "your cell 5 crashed its process (SIGSEGV)"),
        (CellReport(4, "died"), "your cell 5 was stopped"),
        (
            CellReport(4, "out_of_memory", StudentError("RuntimeError", "[enforce fail]", 3, "", "")),
            "your cell 5 ran out of memory in line 3; 1,024 MB are allowed",
        ),
    ],
)
def test_a_cell_that_did_not_run(report: CellReport, message: str) -> None:
    """Which cell, which line, which limit; zero points, never held; an answer from elsewhere does not help."""
    result = grade(exercise(), answers={"x_grad": capture([3, 18, 7])}, report=report)
    one = only(result)
    assert (one.verdict, one.score, one.message, one.error) == ("could_not_run", 0, message, report.error)
    assert (result.status, result.score) == ("graded", 0)


def test_a_cell_that_was_never_tried_is_held() -> None:
    """What ended the run was not this cell: a person decides, it is no zero."""
    result = grade(exercise(), answers={}, report=CellReport(4, "not_reached"))
    one = only(result)
    assert (one.verdict, one.score) == ("needs_person", None)
    assert "was not reached" in one.message


def test_trouble_in_an_earlier_cell_is_named() -> None:
    """A NameError after an earlier failure, and a cell that was not reached, name the cell to look at."""
    cells = (CellReport(2, "raised", ERROR), CellReport(4, "raised", ERROR))
    assert only(grade(exercise(), cells=cells)).message.endswith("(cell 3 before it failed, too)")
    cells = (stopped("timed_out", "it did not finish within 1.5 s", 2), CellReport(4, "not_reached"))
    message = only(grade(exercise(), cells=cells)).message
    assert message == "your cell 5 was not reached; before it, cell 3 did not finish within 1.5 s"


@pytest.mark.parametrize(
    "report",
    [
        CellReport(4, "raised", ERROR),
        stopped("died", "it started more than 4 processes"),
        stopped("timed_out", "it did not finish within 1.5 s"),
        CellReport(4, "not_reached"),
    ],
)
def test_the_self_check_says_the_same_of_a_cell_as_the_grade(report: CellReport) -> None:
    """One outcome of a cell has one wording, whoever asks."""
    question = Question("hooked", "predict", "?", Decimal(2), (Decimal(2),), ("x_grad",), "x_grad = ...", "f", True)
    match = Match("hooked", "answered", 4, "cell id")
    submission = Submission("ada", "hooks", "p", "s", (Cell(4, ""),), (match,))
    (line,) = self_check(
        submission, Execution((report,)), PublicAssignment("hooks", "", "f", (question,), Limits())
    ).lines
    assert (line.state, line.message) == ("could_not_run", only(grade(exercise(), cells=(report,))).message)


def test_output_and_unusual_match_are_kept() -> None:
    """What the cell printed, and how it was found where that is unusual, reach the page."""
    report = CellReport(4, "ok", None, Output("hello", 7))
    match = Match("hooked", "answered", 4, "answer name", "the last of 2 cells counts")
    one = only(grade(exercise(), answers={"x_grad": capture([3, 18, 7])}, report=report, match=match))
    assert one.output == Output("hello", 7)
    assert one.matched == "found by its answer name; the last of 2 cells counts"
    assert only(grade(exercise())).matched == ""


def test_fault_of_the_sandbox_holds_every_answered_exercise() -> None:
    """The grader's own fault is never a zero: even a right answer is held, an unanswered one is not."""
    result = grade(exercise(), answers={"x_grad": capture([3, 18, 7])}, fault="the warm process died")
    assert (only(result).verdict, only(result).score, result.status) == ("grader_fault", None, "held")
    assert "the warm process died" in only(result).message
    match = Match("hooked", "untouched", 4)
    assert only(grade(exercise(), match=match, fault="the warm process died")).verdict == "not_answered"


def test_answered_but_not_run_or_without_report_is_our_fault() -> None:
    """An answered exercise without an execution or a report is held, not zeroed."""
    assert only(grade(exercise(), cells=(CellReport(2, "ok"),))).verdict == "grader_fault"
    submission = Submission("a", "hooks", "p", "s", (Cell(4, ""),), (Match("hooked", "answered", 4, "cell id"),))
    assignment = Assignment("hooks", "", "", (exercise(),), "f", Limits())
    assert only(judge(submission, None, assignment, {"hooked": KEY}, VERSIONS)).verdict == "grader_fault"


def test_broken_channel_needs_a_person_where_no_answer_came() -> None:
    """After a broken channel, answers that came count; what did not come is for a person."""
    assert only(grade(exercise(), answers={"x_grad": capture([3, 18, 7])}, broken=True)).verdict == "right"
    for more in ({}, {"cells": (CellReport(2, "ok"),)}, {"report": CellReport(4, "not_reached")}):
        result = grade(exercise(), broken=True, **more)
        assert (only(result).verdict, result.score, result.status) == ("needs_person", None, "held")


@pytest.mark.parametrize(
    "key",
    [
        "the reference hung; secret 12345",
        ExerciseKey("hooked", ()),
        ExerciseKey("hooked", (Raised("ValueError", "secret 12345"),)),
        ExerciseKey("hooked", (NotRun("died", "secret 12345"),)),
        ExerciseKey("hooked", (Returned(Unreadable("secret 12345")),)),
    ],
)
def test_without_a_usable_key_everybody_is_held(key: ExerciseKey | str) -> None:
    """No key, or none that fits: held for everybody, and nothing of the reason reaches the student."""
    for match in (None, Match("hooked", "untouched", 4)):
        if match and not isinstance(key, str):
            continue
        result = grade(exercise(), key, {"x_grad": capture([3, 18, 7])}, match=match)
        assert (only(result).verdict, only(result).score, result.score) == ("grader_fault", None, None)
        assert b"secret" not in msgspec.json.encode(result)


def test_two_exercises_one_held() -> None:
    """While one exercise is held the total is null, and what is decided is summed."""
    assignment = Assignment("hooks", "", "", (exercise(), exercise(id="b", answers=("b",))), "f", Limits())
    submission = Submission(
        "a", "hooks", "p", "s", (Cell(4, ""),), tuple(Match(name, "answered", 4, "cell id") for name in ("hooked", "b"))
    )
    run = Execution((CellReport(4, "ok"),), (("x_grad", capture([3, 18, 7])), ("b", capture(1))))
    result = judge(submission, run, assignment, {"hooked": KEY, "b": "no key"}, VERSIONS)
    assert (result.status, result.score, result.score_so_far, result.max_score) == ("held", None, 2, 4)
    assert only_verdicts(judge(submission, run, assignment, {"hooked": KEY}, VERSIONS)) == ["right", "grader_fault"]


def only_verdicts(result: Grade) -> list[str]:
    return [one.verdict for one in result.exercises]


def test_raises() -> None:
    """The key of a raises question is the exception's name, or None where the program returns."""
    one = exercise(kind="raises", answers=("error",))
    raised = ExerciseKey("hooked", (Raised("RuntimeError", "no grad"),))
    assert only(grade(one, raised, {"error": capture("RuntimeError")})).verdict == "right"
    assert only(grade(one, raised, {"error": capture(None)})).verdict == "wrong"
    quiet = ExerciseKey("hooked", (Returned(capture(5)),))
    assert only(grade(one, quiet, {"error": capture(None)})).verdict == "right"
    assert only(grade(one, quiet, {"error": capture("RuntimeError")})).verdict == "wrong"
    assert only(grade(one, quiet, {"error": capture(5)})).verdict == "wrong"
    dead = ExerciseKey("hooked", (NotRun("died", "x"),))
    assert only(grade(one, dead, {"error": capture(None)})).verdict == "grader_fault"


def test_order_and_choice() -> None:
    """Order and choice questions go to their own comparison."""
    order = exercise(kind="order", answers=("fired",))
    key = ExerciseKey("hooked", (Returned(capture(["z", "y"])),))
    assert only(grade(order, key, {"fired": capture(["z", "y"])})).verdict == "right"
    assert only(grade(order, key, {"fired": capture(["y", "z"])})).message == "right names, another order"
    choice = exercise(kind="choice", answers=("kept",), options=(("a", "A"), ("b", "B")))
    key = ExerciseKey("hooked", (Returned(capture("a")),))
    assert only(grade(choice, key, {"kept": capture("a")})).verdict == "right"
    assert only(grade(choice, key, {"kept": capture("c")})).message == "not one of the options"


def test_tolerance_of_the_exercise_is_used() -> None:
    """An author's tolerance reaches the comparison."""
    given = {"x_grad": capture([3.01, 18, 7])}
    assert only(grade(exercise(), answers=given)).verdict == "wrong"
    assert only(grade(exercise(tolerance=0.01), answers=given)).verdict == "right"


# --- implement ------------------------------------------------------------------------------------------------------

CANARY = "31415926"
ON_X = Program("on_x", ("f", "x"), "def on_x(f, x):\n    return {'x.grad': f(x)}\n")
ON_Y = Program("on_y", ("f", "y"), "def on_y(f, y):\n    return f(y)\n")
CASES = (Case("public", "{'x': 1}"), Case("hidden", f"{{'x': {CANARY}}}"), Case("generated", "{'x': 3}"))


def implement(**fields: Any) -> Exercise:
    probes = (Probe(ON_X, Decimal(2), CASES), Probe(ON_Y, Decimal(1), (Case("public", "{'y': 1}"),)))
    usual: dict[str, Any] = {
        "id": "f",
        "kind": "implement",
        "answers": ("f",),
        "points": Decimal(3),
        "credit": (Decimal(2), Decimal(1)),
        "probes": probes,
        "show_key": False,
    }
    return exercise(**{**usual, **fields})


def table(number: float) -> Returned:
    return Returned(capture({"x.grad": number}))


F_KEY = ExerciseKey("f", (table(2.0), table(float(CANARY) * 2), table(6.0), Returned(capture(2.0))))
RIGHT: dict[str, Outcome] = {
    "f/on_x/0": table(2.0),
    "f/on_x/1": table(float(CANARY) * 2),
    "f/on_x/2": table(6.0),
    "f/on_y/0": Returned(capture(2.0)),
}


def graded(one: Exercise | None = None, key: ExerciseKey | str = F_KEY, subject: Any = FUNCTION, **more: Any) -> Grade:
    probes = {name: outcome for name, outcome in {**RIGHT, **more.pop("probes", {})}.items() if outcome is not None}
    answers = {} if subject is None else {"f": subject}
    return grade(one or implement(), key, answers, probes=probes, **more)


def test_all_cases_right() -> None:
    """Every case of every probe right: full marks."""
    one = only(graded())
    assert (one.verdict, one.score, one.message) == ("right", 3, "right")
    assert [part.message for part in one.parts] == ["All 3 cases are right.", "Right."]


def test_one_wrong_case_costs_its_probe_alone() -> None:
    """A failing public case costs its probe's credit alone; the case is shown, its key only if the course allows it."""
    one = only(graded(probes={"f/on_x/0": table(5.0)}))
    assert (one.verdict, one.score) == ("partly_right", 1)
    part = one.parts[0]
    assert part.message == "2 of 3 cases are right. In the case shown: `x.grad`: This is not right: you have 5.0."
    assert part.case is not None
    assert (part.case.arguments, part.case.given, part.case.expected) == ("{'x': 1}", table(5.0), None)
    assert one.message == "1 of 2 parts right; `on_x`: 2 of 3 cases right; `x.grad`: not the right number"
    shown = only(graded(implement(show_key=True), probes={"f/on_x/0": table(5.0)})).parts[0].case
    assert shown is not None
    assert shown.expected == table(2.0)


def test_the_smallest_failing_case_that_may_be_shown_is_shown() -> None:
    """Of several failing cases the first in stored order that is not hidden is shown."""
    wrong = {"f/on_x/1": table(5.0), "f/on_x/2": table(7.0)}
    part = only(graded(probes=wrong)).parts[0]
    assert part.case is not None
    assert part.case.arguments == "{'x': 3}"
    assert part.message.startswith("1 of 3 cases is right. In the case shown: ")


@pytest.mark.parametrize("show_key", [True, False])
@pytest.mark.parametrize(
    "outcome",
    [
        Returned(capture({"x.grad": float(CANARY)})),
        Returned(capture({CANARY: 1})),
        Raised("ValueError", f"bad input {CANARY}"),
        Raised(f"E{CANARY}", "x"),
        NotRun("timed_out", f"with {CANARY}"),
    ],
)
@pytest.mark.parametrize("others", [{}, {"f/on_x/0": Raised("E", "x"), "f/on_x/2": table(1.0)}])
def test_canary_nothing_of_a_hidden_case_reaches_the_grade(show_key: bool, outcome: Outcome, others: Any) -> None:
    """A failing hidden case leaves no trace of its input, result, message or key in the grade's JSON."""
    result = graded(implement(show_key=show_key), probes={"f/on_x/1": outcome, **others})
    assert CANARY.encode() not in msgspec.json.encode(result)
    assert only(result).parts[0].verdict == "wrong"
    assert only(result).parts[0].score == 0
    if not others:
        assert only(result).parts[0].message == "2 of 3 cases are right. A case that is not shown is not right."
        assert only(result).parts[0].case is None


def test_canary_is_no_blind_test() -> None:
    """The canary would be seen if it were there: in a shown case it is."""
    assert CANARY.encode() in msgspec.json.encode(graded(probes={"f/on_x/0": table(float(CANARY))}))


def test_function_that_raises_or_hangs() -> None:
    """What a function raised in a shown case is told; one that gives no result at all could not run."""
    one = only(graded(probes={"f/on_x/2": Raised("TypeError", "boom")}))
    assert one.parts[0].message == "2 of 3 cases are right. In the case shown: it raised TypeError: boom."
    hung: dict[str, Outcome] = {
        "f/on_x/0": NotRun("timed_out", "it ran for more than 5 s"),
        **{name: NotRun("skipped", "") for name in ("f/on_x/1", "f/on_x/2", "f/on_y/0")},
    }
    one = only(graded(probes=hung))
    assert (one.verdict, one.score) == ("could_not_run", 0)
    assert one.parts[0].message.endswith("In the case shown: it ran for more than 5 s.")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (NotRun("timed_out", "it did not finish within 1.5 s"), "it did not finish within 1.5 s."),
        (NotRun("died", "it started more than 4 processes"), "it started more than 4 processes."),
        (NotRun("died", "it crashed its process (SIGSEGV)"), "it crashed its process (SIGSEGV)."),
        (NotRun("out_of_memory", "it needed more than 1024 MB"), "it needed more than 1024 MB."),
        (NotRun("died", ""), "it was stopped."),
        (NotRun("skipped", "an earlier case did not finish"), "it was not tried: an earlier case did not finish."),
    ],
)
def test_a_case_without_a_result_says_what_the_sandbox_said(outcome: NotRun, words: str) -> None:
    """Nothing is invented about a probe that gave no result, in the grade and in the self-check."""
    assert only(graded(probes={"f/on_x/0": outcome})).parts[0].message.endswith(f"In the case shown: {words}")
    case = PublicCase("{'x': 1}", table(2.0))
    probe = PublicProbe(ON_X, Decimal(3), (case,))
    question = Question("f", "implement", "?", Decimal(3), (Decimal(3),), ("f",), "", "f", False, probes=(probe,))
    submission = Submission("ada", "hooks", "p", "s", (Cell(4, ""),), (Match("f", "answered", 4, "cell id"),))
    run = Execution((CellReport(4, "ok"),), (("f", FUNCTION),), (ProbeReport("f/on_x/0", outcome),))
    (line,) = self_check(submission, run, PublicAssignment("hooks", "", "f", (question,), Limits())).lines
    assert (line.state, line.message.rstrip(".") + ".") == ("fails", f"with 'x': 1: {words}")


def test_function_never_defined() -> None:
    """A cell that defines no such name, or leaves `...`, is not answered, whatever the probes claim."""
    one = only(graded(subject=None))
    assert (one.verdict, one.message) == ("not_answered", "your cell never defines `f`")
    assert only(graded(subject=capture(...))).verdict == "not_answered"
    gone = {name: NotRun("no_subject", "") for name in RIGHT}
    assert only(graded(probes=gone)).verdict == "not_answered"


def test_results_that_did_not_arrive_need_a_person() -> None:
    """A missing probe result is neither right nor wrong: held."""
    for broken in (True, False):
        result = graded(probes={"f/on_x/1": None}, broken=broken)
        assert (only(result).verdict, result.score) == ("needs_person", None)
    assert only(graded(subject=None, broken=True)).verdict == "needs_person"


def test_vacuous_probes_never_give_marks() -> None:
    """No probes, a probe without cases, or a key of another length: our fault, never full marks."""
    empty = implement(probes=(Probe(ON_X, Decimal(3), ()),), credit=(Decimal(3),))
    assert only(graded(empty, ExerciseKey("f", ()))).verdict == "grader_fault"
    assert only(graded(implement(probes=(), credit=()), ExerciseKey("f", ()))).verdict == "grader_fault"
    assert only(graded(key=ExerciseKey("f", F_KEY.outcomes[:3]))).verdict == "grader_fault"
    raising = ExerciseKey("f", (Raised("E", CANARY), *F_KEY.outcomes[1:]))
    result = graded(key=raising)
    assert only(result).verdict == "grader_fault"
    assert CANARY.encode() not in msgspec.json.encode(result)


def test_points_are_decimals_in_cents() -> None:
    """Thirds of a point stay decimals in steps of 0.01."""
    one = implement(points=Decimal(1), credit=(Decimal("0.67"), Decimal("0.33")))
    assert str(only(graded(one, probes={"f/on_y/0": Returned(capture(3))})).score) == "0.67"
    assert str(graded(one).score) == "1.00"


def test_a_credit_that_fits_no_answer_is_never_hidden() -> None:
    """Points for more answers than there are is a broken record, not one to be cut to size."""
    with pytest.raises(ValueError, match="zip"):
        grade(exercise(credit=(Decimal(1), Decimal(1))), match=Match("hooked", "missing"))


# --- what is run ----------------------------------------------------------------------------------------------------


def test_the_outcome_of_every_case_that_was_planned_is_found() -> None:
    """What judging looks for is what the sandbox was asked for: each case of an answered exercise, hidden ones last."""
    matches = (Match("hooked", "untouched", 2), Match("f", "answered", 4, "cell id"))
    submission = Submission("ada", "hooks", "p", "s", (Cell(2, "a"), Cell(4, "b")), matches)
    planned = graded_run(submission, ASSIGNMENT)
    assert [cell.answers for cell in planned.cells] == [(), ("f",)]
    assert {probe.subject for probe in planned.probes} == {"f"}
    assert sorted(probe.id for probe in planned.probes) == sorted(RIGHT)
    assert CANARY in planned.probes[-1].arguments
    run = Execution(
        tuple(CellReport(cell.index, "ok") for cell in planned.cells),
        (("f", FUNCTION),),
        tuple(ProbeReport(probe.id, RIGHT[probe.id]) for probe in planned.probes),
    )
    assert only_verdicts(judge(submission, run, ASSIGNMENT, {"hooked": KEY, "f": F_KEY}, VERSIONS)) == [
        "not_answered",
        "right",
    ]


def test_the_self_check_runs_no_more_than_the_public_half() -> None:
    """The same plan from the public half: the same cells and captures, the public cases alone, under the same ids."""
    probes = tuple(
        PublicProbe(probe.program, probe.points, (PublicCase(probe.cases[0].arguments, table(2.0)),))
        for probe in implement().probes
    )
    question = Question("f", "implement", "?", Decimal(3), (Decimal(3),), ("f",), "", "f", False, probes=probes)
    submission = Submission("ada", "hooks", "p", "s", (Cell(4, "b"),), (Match("f", "answered", 4, "cell id"),))
    checked = check_run(submission, PublicAssignment("hooks", "", "f", (question,), Limits()))
    planned = graded_run(submission, ASSIGNMENT)
    assert checked.cells == planned.cells
    assert set(checked.probes) == {probe for probe in planned.probes if probe.id.endswith("/0")}


# --- not run --------------------------------------------------------------------------------------------------------

ASSIGNMENT = Assignment("hooks", "Hooks", "", (exercise(), implement()), "f", Limits())


@pytest.mark.parametrize(
    ("row", "status", "verdict", "so_far"),
    [
        (Missing("ada", "hooks", "found only cats.ipynb"), "missing", "not_answered", 0),
        (Refused("ada/h.ipynb", "ada", "hooks", "it is cut off in line 3"), "refused", "not_answered", 0),
        (Undecided("ada", "hooks", ("a.ipynb", "b.ipynb"), "two candidates"), "held", "needs_person", 0),
    ],
)
def test_rows_that_are_not_run(row: Any, status: str, verdict: str, so_far: int) -> None:
    """Missing, refused and undecided rows have no score, every exercise, and their reason as a note."""
    result = grade_unrun(row, ASSIGNMENT, VERSIONS)
    assert (result.student, result.status, result.score, result.score_so_far) == ("ada", status, None, so_far)
    assert only_verdicts(result) == [verdict, verdict]
    assert result.max_score == 5
    assert result.notes


def test_a_grade_survives_json() -> None:
    """Grades are stored as JSON and come back equal."""
    for result in (
        graded(probes={"f/on_x/0": table(5.0)}),
        grade(exercise()),
        grade_unrun(Missing("a", "hooks"), ASSIGNMENT, VERSIONS),
    ):
        assert msgspec.json.decode(msgspec.json.encode(result), type=Grade) == result
