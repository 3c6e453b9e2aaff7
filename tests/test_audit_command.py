"""`grade audit`, from a solutions file to an exit code, and on the course as it is shipped."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from shipped import COURSE, SOLUTIONS

from grader import pipeline
from grader.cli import main
from grader.course import load
from grader.errors import CourseError, ExitCode, ReferenceFault
from grader.judging import Reference
from grader.records import Assignment, Audit, Exercise

LESSON = '''\
"""# A small lesson"""

import torch

from grader.course import Assignment, vary

assignment = Assignment("small-lesson")


@assignment.predict("x_grad", points=1{reason})
def weighted(w=vary([1.0, 1.0], low=-3, high=3)):
    """What does `x.grad` hold?"""
    x = torch.tensor([3.0, -1.0], requires_grad=True)
    (x**3).backward(torch.tensor(w))
    return x.grad
'''


@pytest.fixture(scope="module")
def reference() -> Iterator[Reference]:
    with Reference() as worker:
        yield worker


def course(folder: Path, reason: str = "") -> Path:
    (folder / "solutions").mkdir()
    (folder / "solutions" / "small-lesson.py").write_text(LESSON.replace("{reason}", reason))
    return folder


def test_a_blind_question_needs_a_person(tmp_path: Path) -> None:
    """Exit code 3; the belief in the catalogue's words, the question's line, the numbers that would do."""
    done = CliRunner().invoke(main, ["audit", "--course", str(course(tmp_path))])
    said = " ".join(done.output.split())
    assert done.exit_code == ExitCode.NEEDS_PERSON
    assert "weighted (line 11): NEEDS YOU" in said
    assert "I take `w` for a mere shape and send ones back" in said
    assert "0 questions pass, 1 need you." in said


def test_a_written_reason_is_enough(tmp_path: Path, reference: Reference) -> None:
    """The same question with a reason passes, and the reason is kept in the record."""
    folder = course(tmp_path, ', blind_to={"w-is-all-ones": "This is about the cube."}')
    audited = pipeline.audit(folder, reference=reference)
    assert audited.exit_code == ExitCode.DONE
    assert audited.audits[0].findings[0].reason == "This is about the cube."


def test_a_reason_that_is_no_sentence_is_a_course_error(tmp_path: Path) -> None:
    """`blind_to` is a dict from ids to sentences; anything else is said with its line and the mend."""
    course(tmp_path, ', blind_to=["w-is-all-ones"]')
    with pytest.raises(CourseError, match=r"small-lesson\.py:11: weighted: has blind_to=.*give a dict of reasons"):
        load(tmp_path / "solutions" / "small-lesson.py", b"k" * 32)


def test_reasons_change_no_fingerprint(tmp_path: Path) -> None:
    """A reason written after the release is no other question: notebooks handed out stay valid."""
    paths = [tmp_path / name for name in ("plain", "excused")]
    for path, reason in zip(paths, ("", ', blind_to={"w-is-all-ones": "So be it."}'), strict=True):
        path.mkdir()
        course(path, reason)
    plain, excused = (load(path / "solutions" / "small-lesson.py", b"k" * 32) for path in paths)
    assert plain.fingerprint == excused.fingerprint
    assert excused.exercises[0].blind_to == (("w-is-all-ones", "So be it."),)


class Broken(Reference):
    """A worker whose audits fail."""

    def audit(self, exercise: Exercise) -> Audit:
        raise ReferenceFault(f"the audit of exercise {exercise.id!r}: it hung")


def test_an_audit_that_hangs_is_the_graders_fault(tmp_path: Path) -> None:
    """Exit code 4 and the exercise's name; it passes for nothing."""
    with Broken() as broken:
        audited = pipeline.audit(course(tmp_path), reference=broken)
    assert audited.exit_code == ExitCode.GRADER_FAULT
    assert audited.faults == ("the audit of exercise 'weighted': it hung",)


def test_other_numbers_for_a_student_come_from_the_worker(tmp_path: Path, reference: Reference) -> None:
    """The worker finds weights that tell two beliefs apart, as the text of a dict literal."""
    assignment = reference.load(course(tmp_path) / "solutions" / "small-lesson.py", b"k" * 32)
    found = reference.separation(assignment.exercises[0], ["w-is-all-ones", "w-is-normalised"])
    assert found is not None
    assert found.arguments.startswith("{'w': [")


def test_the_grader_itself_stays_without_torch_while_it_audits() -> None:
    """The audit's package is imported by the worker alone: the pipeline does not name it."""
    for module in ("grader.pipeline.auditing", "grader.judging.reference", "grader.reports.auditing"):
        source = Path(str(sys.modules[module].__file__)).read_text()
        assert "misconceptions.audit" not in source.replace("`grader.misconceptions.audit.audit`", "")


@pytest.mark.parametrize("name", COURSE)
def test_every_shipped_question_passes(name: str, reference: Reference) -> None:
    """Each question sees and tells apart what it is about, or says in writing why not; no reason is one too many."""
    assignment: Assignment = reference.load(SOLUTIONS / f"{name}.py", b"k" * 32)
    findings = [(each.id, found) for each in assignment.exercises for found in reference.audit(each).findings]
    assert [(exercise, found.text) for exercise, found in findings if found.open] == []
    assert [(exercise, found.text) for exercise, found in findings if found.kind == "unneeded"] == []
