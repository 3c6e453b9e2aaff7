"""What the instructor alone reads of two students' numbers."""

from __future__ import annotations

from decimal import Decimal

import pytest

from grader.records import ExerciseGrade, Grade, Number, OwnNumbers, Part, Versions
from grader.reports.sharing import Shared, Strayed, chance_words, shared_answers, strayed_notebooks
from grader.reports.summary import closing_lines

ONE = Decimal(1)


def grade(student: str, own: OwnNumbers | None, assignment: str = "hooks") -> Grade:
    part = Part("x", "wrong", Decimal(0), ONE, given=Number("int", "7"))
    exercise = ExerciseGrade("squares", "predict", "wrong", Decimal(0), ONE, "", (part,), own=own)
    versions = Versions("1", "2", "a", "")
    return Grade(student, assignment, f"{student}.ipynb", "0", "graded", ONE, ONE, ONE, (exercise,), (), versions)


def test_an_answer_is_listed_with_those_whose_numbers_it_fits() -> None:
    """bob's 7 is right with the numbers of ada and cy; dee has them in another assignment, and eve's 7 fits nobody.

    By hand: besides bob's, two sets of numbers are in use (w=1, w=3): 2 of 200 answers.
    """
    grades = [
        grade("cy", OwnNumbers("w=1")),
        grade("bob", OwnNumbers("w=2", ("w=1", "w=9"), 200)),
        grade("ada", OwnNumbers("w=1")),
        grade("dee", OwnNumbers("w=1"), "other"),
        grade("eve", OwnNumbers("w=3", ("w=8",), 200)),
        grade("fay", None),
    ]
    expected = Shared("bob", "hooks", "squares", "x = 7", ("ada", "cy"), "about 1 in 100")
    assert shared_answers(grades) == (expected,)
    assert any(
        "1 wrong answer is right for somebody else's numbers" in each for each in closing_lines(grades, "g", "", 0)
    )


def test_a_class_without_such_answers_is_told_nothing() -> None:
    """No line, no section."""
    grades = [grade("ada", OwnNumbers("w=1")), grade("bob", OwnNumbers("w=2"))]
    assert shared_answers(grades) == ()
    assert not any("somebody else" in each for each in closing_lines(grades, "g", "", 0))


def test_a_strayed_notebook_is_listed_once() -> None:
    """Whose it is by its tag."""
    assert strayed_notebooks([grade("ada_17", OwnNumbers(None, released_to="ada")), grade("bob", None)]) == (
        Strayed("ada_17", "hooks", "ada"),
    )


@pytest.mark.parametrize(
    ("chance", "words"),
    [
        (1.5, "about 1 in 1"),
        (1.0, "about 1 in 1"),
        (0.25, "about 1 in 4"),
        (1 / 37, "about 1 in 37"),
        (1 / 4321, "about 1 in 4,300"),
        (1e-9, "less than 1 in 1,000,000"),
        (0.0, "less than 1 in 1,000,000"),
    ],
)
def test_a_chance_in_words(chance: float, words: str) -> None:
    """Two digits are all that the model behind it is worth."""
    assert chance_words(chance) == words
