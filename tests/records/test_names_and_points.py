"""How a name and a number of points read: in the notebook and in the feedback alike."""

from __future__ import annotations

from decimal import Decimal

import pytest

from grader.course.wording import question_text
from grader.records import ExerciseGrade, Grade, Limits, PublicAssignment, Question, Versions, count_points, human_name
from grader.reports.view import student_view


@pytest.mark.parametrize(
    ("name", "human"),
    [
        ("squaring_hook", "Squaring hook"),
        ("GradientReversal", "Gradient reversal"),
        ("a_VJP", "A VJP"),
        ("my-first-lesson", "My first lesson"),
        ("x2", "X2"),
        ("_", "_"),
    ],
)
def test_headings_read_as_words(name: str, human: str) -> None:
    """An exercise's name becomes a heading in words."""
    assert human_name(name) == human


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ("1.00", "1 point"),
        ("2.00", "2 points"),
        ("0.50", "0.5 points"),
        ("10", "10 points"),
        ("0", "0 points"),
        ("1.3333", "1.33 points"),
        ("1.25", "1.25 points"),
    ],
)
def test_points_read_as_words(points: str, text: str) -> None:
    """Points have no needless zeros."""
    assert count_points(Decimal(points)) == text


@pytest.mark.parametrize("name", ["ReverseGradient", "squaring_hook", "a_VJP"])
def test_notebook_and_feedback_call_an_exercise_by_one_name(name: str) -> None:
    """The heading above the answer cell and the heading on the feedback page are the same words and points."""
    worth = Decimal("1.50")
    question = Question(name, "predict", "?", worth, (worth,), ("x",), "x = ...", "f", True)
    exercise = ExerciseGrade(name, "predict", "wrong", Decimal(0), worth, "not right")
    grade = Grade("ada", "a", None, None, "graded", worth, worth, worth, (exercise,), (), Versions("", "", "", ""))
    (card,) = student_view(grade, PublicAssignment("a", "A", "f", (question,), Limits())).cards
    heading = question_text(1, question).splitlines()[0]
    assert heading == f"### 1. {card.title} · {card.points.removeprefix('0 of ')}"
