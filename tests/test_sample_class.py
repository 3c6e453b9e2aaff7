"""The sample class in submissions/, graded for real: forked children, limits, pages. Its verdicts are pinned.

After a meant change, `python tests/test_sample_class.py` writes tests/sample_class_grades.txt anew; read what differs.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sample_class import CHANGING, OBSERVING, ROOT, SUBMISSIONS, WEIGHTS, Desk, classroom

from grader import pipeline
from grader.errors import ExitCode
from grader.misconceptions.catalogue import CATALOGUE
from grader.records import Grade
from grader.sandbox import usable_cores

PINNED = Path(__file__).parent / "sample_class_grades.txt"


def pinned_lines(grades: tuple[Grade, ...]) -> Iterator[str]:
    """One line per grade: all that was decided, none of the wording."""
    for grade in grades:
        yield f"{grade.student} {grade.assignment}: {grade.status} {grade.score} of {grade.max_score}"
        for each in grade.exercises if grade.status != "missing" else ():
            yield f"    {each.id}: {each.verdict} {each.score} of {each.max_score}"


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> pipeline.Graded:
    output = tmp_path_factory.mktemp("sample") / "graded"
    return pipeline.grade(pipeline.Order((SUBMISSIONS,), ROOT, output, jobs=usable_cores()))


def test_every_verdict_and_score_is_as_pinned(graded: pipeline.Graded) -> None:
    """No verdict and no score of the sample class moves unnoticed."""
    assert list(pinned_lines(graded.grades)) == PINNED.read_text().splitlines()


def test_the_sample_class_needs_nobody(graded: pipeline.Graded) -> None:
    """Everything in it is decided: exit code 0, also with a file that was refused."""
    assert graded.exit_code == ExitCode.DONE


def test_every_student_has_a_row_per_assignment(graded: pipeline.Graded) -> None:
    """Handed in or not: students times assignments."""
    rows = [json.loads(line) for line in (graded.output / "grades.jsonl").read_text().splitlines()]
    students = {path.name for path in SUBMISSIONS.iterdir()}
    assert len(students) >= 16
    assert {row["student"] for row in rows} == students
    assert len(rows) == 4 * len(students)


@pytest.mark.parametrize(
    ("student", "assignment", "exercise", "verdict", "words"),
    [
        ("carl", CHANGING, "squaring_hook", "wrong", "element"),
        ("walt", CHANGING, "two_hooks", "wrong", "shape"),
        ("hana", CHANGING, "two_hooks", "could_not_run", "NameError"),
        ("ivan", OBSERVING, "observing_hook", "could_not_run", "10"),
        ("jo", WEIGHTS, "three_backwards", "could_not_run", "process"),
        ("kim", CHANGING, "which_formula", "could_not_run", "memory"),
        ("emil", OBSERVING, "five_tensors", "not_answered", "no cell"),
        ("dora", WEIGHTS, "weighted_square", "not_answered", "released"),
        ("gus", CHANGING, "squaring_hook", "right", "right"),
    ],
)
def test_what_went_wrong_is_said(
    graded: pipeline.Graded, student: str, assignment: str, exercise: str, verdict: str, words: str
) -> None:
    """The message of each kind of trouble names the trouble."""
    grade = next(each for each in graded.grades if (each.student, each.assignment) == (student, assignment))
    found = next(each for each in grade.exercises if each.id == exercise)
    assert found.verdict == verdict
    assert words in found.message


def test_one_bad_cell_costs_one_question(graded: pipeline.Graded) -> None:
    """A loop, an exit and a memory hog lose two points each; everything else in their notebooks stands."""
    lost = {"ivan", "jo", "kim"}
    grades = [each for each in graded.grades if each.student in lost and each.status == "graded"]
    assert len(grades) == 3
    assert [float(each.max_score - each.score) for each in grades if each.score is not None] == [2, 2, 2]


def test_the_sample_class_shows_what_naming_is(graded: pipeline.Graded) -> None:
    """At least eight misconceptions are named in it, one answer fits several families, one is left in silence."""
    found = [each.diagnosis for grade in graded.grades for each in grade.exercises if each.diagnosis is not None]
    alone = {name for each in found if each.kind == "one" for name in each.misconceptions if name in CATALOGUE}
    assert len(alone) >= 8
    assert {"one", "several", "none"} <= {each.kind for each in found}
    carl = next(each for each in graded.grades if (each.student, each.assignment) == ("carl", CHANGING))
    seed = next(each for each in carl.exercises if each.id == "squaring_hook")
    assert seed.diagnosis
    assert seed.diagnosis.kind == "several"
    assert [each.id for each in seed.diagnosis.beliefs] == ["the-hook-has-no-effect", "w-comes-at-the-end"]


def test_the_folder_is_what_its_script_writes() -> None:
    """submissions/ can be made anew from tests/sample_class.py, byte for byte."""
    written = classroom(Desk())
    found = {str(path.relative_to(SUBMISSIONS)): path.read_bytes() for path in SUBMISSIONS.rglob("*") if path.is_file()}
    assert found == written


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        order = pipeline.Order((SUBMISSIONS,), ROOT, Path(folder) / "graded", jobs=usable_cores())
        PINNED.write_text("\n".join(pinned_lines(pipeline.grade(order).grades)) + "\n")
    sys.stdout.write(f"{PINNED}\n")
