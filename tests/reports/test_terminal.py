"""What the terminal says: complete, short, in 80 columns, and harmless."""

from __future__ import annotations

import io
from decimal import Decimal

import msgspec
import pytest
from graded_samples import (
    NAME,
    PUBLIC,
    classroom,
    everything,
    exercise,
    grade_of,
    missing,
    numbers,
    part,
    perfect,
    refused,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from grader.records import CheckLine, ClassWork, FileRemark, Grade, Refused, SelfCheck, Undecided
from grader.reports import plain_lines, show_student, summary_rows, terminal
from grader.reports.odd_files import odd_lines

WORK = ClassWork(
    refused=(Refused(f"theo/{NAME}.ipynb", "theo", NAME, "The file ends in the middle (character 812)."),),
    undecided=(Undecided("kit", NAME, ("kit/a.ipynb", "kit/b.ipynb"), "both answer this assignment"),),
    remarks=(FileRemark("ada/notes.ipynb", "another notebook lies beside the right one"),),
)


def screen(*, tty: bool, encoding: str = "utf-8") -> tuple[Console, io.BytesIO]:
    raw = io.BytesIO()
    return Console(file=io.TextIOWrapper(raw, encoding, write_through=True), force_terminal=tty, width=80), raw


def wrong(name: str, verdict: str = "wrong") -> Grade:
    return grade_of("ada", exercise(name, "predict", verdict, "0", "1"), exercise("b", "predict", "right", "1", "1"))


@pytest.mark.parametrize(
    ("grade", "words"),
    [
        (perfect(), "all right"),
        (missing(), "handed in nothing"),
        (refused(), "The file ends in the middle (character 812)."),
        (wrong("squaring_hook"), "squaring_hook wrong"),
        (wrong("square", "could_not_run"), "square did not run"),
        (everything(), "1 held by us, 1 wrong, 1 did not run, 1 unanswered, 1 partly right"),
        (grade_of("a", *[exercise(n, "predict", "not_answered", "0", "1") for n in "ab"]), "all unanswered"),
    ],
)
def test_five_words(grade: Grade, words: str) -> None:
    """What went wrong, most urgent first."""
    assert summary_rows([grade])[0].words == words


def test_the_summary_is_complete() -> None:
    """A row for every student, every odd file once, and at the end how it ended and what was not enforced."""
    lines = plain_lines(classroom(), WORK, "graded", "unconfined: students' code could read your files", 3)
    text = "\n".join(lines)
    assert [line.split()[0] for line in lines[:4]] == ["ada", "mira", "noor", "theo"]
    assert text.count(f"theo/{NAME}.ipynb") == 1
    assert text.count("ada/notes.ipynb") == 1
    assert "kit/a.ipynb and kit/b.ipynb: you decide which counts" in text
    flat = " ".join(text.split())
    assert (
        "4 students; of their notebooks 1 graded, 1 held, 1 refused, 1 not handed in (3 notebooks unchanged since"
        in flat
    )
    assert "1 exercise is held by a fault of the grader" in flat
    assert "graded/class.html" in flat
    assert flat.endswith("How notebooks were run: unconfined: students' code could read your files.")


def test_what_many_files_share_is_one_line() -> None:
    """A class that used Colab gets one line for what all its files share, with a count and the first names."""
    told = "4 questions were matched by the answer names that cells assign (cells 4, 6, 8 and 10), for want of ids."
    grades = [
        msgspec.structs.replace(perfect(name), path=f"{name}/x.ipynb", notes=("It was recognised by names.", note))
        for name, note in {"ada": told, "ben": told.replace("6, 8", "7, 9"), "cleo": told, "dan": told}.items()
    ]
    grades[3] = msgspec.structs.replace(grades[3], notes=(*grades[3].notes, "Only here."))
    lines = odd_lines(grades, ClassWork(remarks=(FileRemark("b", "is a link."), FileRemark("a", "is a link."))))
    files = "(ada/x.ipynb, ben/x.ipynb, cleo/x.ipynb and 1 more)"
    assert lines == [
        f"4 files: It was recognised by names. {files}",
        f"4 files: Questions were matched by the answer names that cells assign, for want of ids. {files}",
        "a: is a link.",
        "b: is a link.",
        "dan/x.ipynb: Only here.",
    ]


def test_what_was_not_handed_in_makes_no_row_of_its_own() -> None:
    """A student with another notebook has a row for that one; a student with none has one row that says so."""
    other = msgspec.structs.replace(missing("ada"), assignment="weights")
    alone = [missing("theo"), msgspec.structs.replace(missing("theo"), assignment="weights")]
    rows = summary_rows([perfect("ada"), other, *alone])
    assert [(row.student, row.assignment, row.words) for row in rows] == [
        ("ada", NAME, "all right"),
        ("theo", "", "handed in nothing"),
    ]


def test_several_assignments_have_a_column() -> None:
    """With one assignment its name is not repeated in every row."""
    other = msgspec.structs.replace(perfect(), assignment="weights")
    assert "weights" in plain_lines([perfect(), other], ClassWork(), "graded", "")[1]
    assert NAME not in plain_lines([perfect()], ClassWork(), "graded", "")[0]


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=60), st.text(max_size=60))
def test_table_rows_fit_and_are_harmless(student: str, note: str) -> None:
    """Whatever students and notes are called: one row each, 80 columns, no control character, no markup."""
    grades = [msgspec.structs.replace(refused(student), notes=(note,)), perfect("ada")]
    lines = plain_lines(grades, ClassWork(), "graded", "")
    assert all(cell_len(line) <= 80 for line in lines[:2])
    assert all(line.isprintable() or "\u3000" in line or "\xa0" in line or not line.isascii() for line in lines)
    assert not any(set(line) & set("\x1b\x07\x9b\u202e\n\r") for line in lines)


def test_a_terminal_gets_colour_and_the_same_words() -> None:
    """On a terminal the lines are the same but for style; `[red]` in a name is a name."""
    console, raw = screen(tty=True)
    grades = [perfect("[red]ada[/]"), *classroom()[1:]]
    terminal.print_summary(grades, WORK, "graded", "unconfined", 0, console)
    shown = raw.getvalue().decode()
    assert "\x1b[" in shown
    assert "[red]ada[/]" in shown
    console, raw = screen(tty=False)
    terminal.print_summary(grades, WORK, "graded", "unconfined", 0, console)
    plain = raw.getvalue().decode()
    assert "\x1b" not in plain
    from grader.reports.escape import plain as without_styles

    assert without_styles(shown) == plain


def test_an_ascii_terminal_is_no_reason_to_fail() -> None:
    """A stream that knows ASCII alone gets question marks."""
    console, raw = screen(tty=False, encoding="ascii")
    terminal.print_summary([perfect("Jürgen")], ClassWork(), "graded", "", 0, console)
    assert b"J?rgen" in raw.getvalue()


def test_one_student_is_shown_with_reasons() -> None:
    """`grade show`: each exercise with verdict, points, message, answer, key and failing case."""
    lines = show_student([everything()], {NAME: PUBLIC})
    text = " ".join(" ".join(lines).split())
    for said in [
        "mira, Hooks that change gradients: 2.5 / 10 so far",
        "1. squaring_hook: not right (0 of 2)",
        "answered x_grad = [3, 10, 7]",
        "PyTorch computes tensor([3., 18., 7.])",
        "6. clipping_factory: not graded yet (held of 2)",
        "on_the_square(square, x=[1.0, 2.0, 3.0], w=[1.0, 2.0, 1.0]) gives",
    ]:
        assert said in text, said
    assert max(map(len, lines)) <= 80
    console, raw = screen(tty=True)
    terminal.print_student([everything()], {NAME: PUBLIC}, console)
    assert raw.getvalue().decode().splitlines() == lines


def test_the_self_check_says_what_it_did_not_check() -> None:
    """Each question's state, how many points nobody has looked at, and the receipt."""
    lines = (
        CheckLine("squaring_hook", Decimal(2), "recorded", "x_grad = [3, 10, 7]"),
        CheckLine("square", Decimal(3), "passes", "1 public case right"),
        CheckLine("kept", Decimal(1), "not_answered", "not answered yet"),
        CheckLine("bad\x1b[31m", Decimal("0.5"), "could_not_run", "its cell raises \x1b]0;x\x07NameError"),
    )
    answers = (("x_grad", numbers(3, 10, 7)),)
    check = SelfCheck(NAME, "Hooks", "my.ipynb", "9f" * 32, lines, answers, ("save the notebook first",))
    console, raw = screen(tty=False)
    terminal.print_check(check, console)
    text = raw.getvalue().decode()
    for said in [
        "squaring_hook (2 points): recorded. x_grad = [3, 10, 7]",
        "kept (1 point): NOT ANSWERED. not answered yet",
        "bad (0.5 points): COULD NOT RUN. its cell raises NameError",
        "2 questions need your attention (1.5 points).",
        "Not checked here: whether the recorded answers are right (2 points).",
        "Checked on the public cases alone (3 points)",
        "Note: save the notebook first",
        "9f" * 32,
        "  x_grad = [3, 10, 7]",
    ]:
        assert said in text, said
    assert "\x1b" not in text


def test_a_remark_on_what_is_right_is_shown() -> None:
    """A probe without points says what it saw, also where all points are given; the right parts need no word."""
    parts = (
        part("on_the_square", "right", "2", "2", "All 3 cases are right."),
        part("handles_left", "wrong", "0", "0", "This is not right: you have 1."),
    )
    noted = grade_of("ada", exercise("square", "implement", "right", "2", "2", "right", parts=parts))
    lines = " ".join(" ".join(show_student([noted], {NAME: PUBLIC})).split())
    assert "handles_left, a remark without points: This is not right: you have 1." in lines
    assert "All 3 cases" not in lines
