"""The whole road, on a class small enough to hold in the head."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from classroom import LESSON, Classroom, InProcessReference
from in_process import InProcessSandbox

from grader import pipeline
from grader.errors import CourseError, ExitCode, GradebookFault, ReferenceFault, UsageError
from grader.records import Execution, Exercise, ExerciseKey, Run

RIGHT = {"x_grad": "[3, 18, 7]", "fired": '["y", "x"]', "error": '"RuntimeError"', "kept": '"nothing"'}
SQUARE = {"square": "def square(grad):\n    return grad * grad"}


@pytest.fixture
def room(tmp_path: Path) -> Classroom:
    return Classroom(tmp_path)


def test_a_right_notebook_gets_full_marks(room: Classroom) -> None:
    """Five right answers, one per kind, give every point and exit code 0."""
    marks = room.student("ada", cells=SQUARE, **RIGHT).grade()
    assert set(marks["ada"].verdicts.values()) == {"right"}
    assert marks["ada"].score == 8
    assert room.graded
    assert room.graded.exit_code == ExitCode.DONE


def test_the_founding_mistake_costs_its_own_points(room: Classroom) -> None:
    """[3, 10, 7] is wrong where torch gives [3, 18, 7], and the feedback says which element."""
    marks = room.student("bob", **{**RIGHT, "x_grad": "[3, 10, 7]"}).grade()
    assert marks["bob"].verdicts["squaring_hook"] == "wrong"
    assert marks["bob"].score == 3
    page = room.text("feedback/bob/small-lesson.html")
    assert "[3, 10, 7]" in page


def test_an_untouched_starter_is_not_answered(room: Classroom) -> None:
    """The released notebook as it is scores nothing and is called not answered, not wrong."""
    marks = room.student("cy").grade()
    assert set(marks["cy"].verdicts.values()) == {"not_answered"}
    assert marks["cy"].score == 0


def test_a_cell_that_raises_costs_its_own_question(room: Classroom) -> None:
    """The question is could_not_run with the student's line; the others are graded."""
    marks = room.student("dee", cells=SQUARE, **{**RIGHT, "fired": "undefined_name"}).grade()
    assert marks["dee"].verdicts["two_tensors"] == "could_not_run"
    assert "NameError" in marks["dee"]["two_tensors"].message
    assert marks["dee"].score == 7


def test_the_name_is_read_at_its_own_cell(room: Classroom) -> None:
    """A later cell that uses the name for something else changes nothing."""

    def reuse(document: dict[str, Any]) -> None:
        late = {"cell_type": "code", "id": "late", "metadata": {}, "outputs": [], "execution_count": None}
        document["cells"].append({**late, "source": "x_grad = None\nfired = 'gone'\nsquare = None"})

    marks = room.student("eve", cells=SQUARE, edit=reuse, **RIGHT).grade()
    assert marks["eve"].score == 8


def test_hidden_cases_stay_hidden(room: Classroom) -> None:
    """Nothing a student may read holds a hidden input, and a hook that fails it alone still loses the points."""
    hidden = "def square(grad):\n    return grad * grad if (grad > 0).all() else grad"
    marks = room.student("fay", cells={"square": hidden}, **RIGHT).grade()
    assert marks["fay"].verdicts["square"] == "wrong"
    for path in (room.output / "feedback").rglob("*.*"):
        assert "0.5" not in path.read_text().split("</style>")[-1]


def test_every_student_has_a_row(room: Classroom) -> None:
    """A folder without a notebook and a file that cannot be read are rows too, without a total."""
    room.student("ada", cells=SQUARE, **RIGHT).file("gus/essay.pdf", b"%PDF").file("hal/small-lesson.ipynb", b"{")
    room.grade()
    rows = [json.loads(line) for line in room.text("grades.jsonl").splitlines()]
    assert [(row["student"], row["status"], row["score"]) for row in rows] == [
        ("ada", "graded", 8),
        ("gus", "missing", None),
        ("hal", "refused", None),
    ]
    assert room.text("gradebook.csv").count("\n") == 4
    assert room.graded
    assert room.graded.exit_code == ExitCode.DONE


def test_two_candidates_wait_for_a_person(room: Classroom) -> None:
    """Two different notebooks for one assignment, none under the released name: held, exit code 3."""
    room.student("ivy", **RIGHT).student("ivy2", cells=SQUARE, **RIGHT)
    first, second = (room.handed_in / name / "small-lesson.ipynb" for name in ("ivy", "ivy2"))
    data = second.read_bytes()
    first.rename(room.handed_in / "ivy" / "one.ipynb")
    (room.handed_in / "ivy" / "two.ipynb").write_bytes(data)
    marks = room.grade()
    assert marks["ivy"].grade.status == "held"
    assert marks["ivy"].score is None
    assert marks["ivy2"].score == 8
    assert room.graded
    assert room.graded.exit_code == ExitCode.NEEDS_PERSON


class StoppingSandbox(InProcessSandbox):
    """May be interrupted at one of its runs."""

    def __init__(self, fail_at: int | None = None) -> None:
        super().__init__()
        self.fail_at = fail_at

    def run(self, run: Run) -> Execution:
        execution = super().run(run)
        if len(self.runs) == self.fail_at:
            raise KeyboardInterrupt
        return execution


def test_a_second_run_runs_nothing_and_changes_nothing(room: Classroom) -> None:
    """A grade is reused while notebook, assignment and versions are unchanged; the files are byte-equal."""
    room.student("ada", cells=SQUARE, **RIGHT).student("bob", **RIGHT).grade()
    before = files_of(room)
    again = InProcessSandbox()
    room.grade(sandbox=again)
    assert again.runs == []
    assert room.graded
    assert room.graded.reused == 2
    assert files_of(room) == before


def test_a_stopped_run_does_only_the_rest(room: Classroom) -> None:
    """What was decided before an interruption is not run again, and the result equals an undisturbed run's."""
    for name in ("ada", "bob", "cleo", "dan"):
        room.student(name, **{**RIGHT, "x_grad": f"[3, 18, {ord(name[0])}]"})
    with pytest.raises(KeyboardInterrupt):
        room.grade(sandbox=StoppingSandbox(fail_at=3))
    rest = InProcessSandbox()
    room.grade(sandbox=rest)
    # The interrupted one, and those that were not decided before it; the fourth may have been, beside it.
    assert 1 <= len(rest.runs) <= 3
    resumed = files_of(room)
    room.output = room.folder / "undisturbed"
    room.grade()
    assert files_of(room) == resumed


def test_grading_a_part_keeps_the_rest_of_the_class(room: Classroom) -> None:
    """`grade submissions/ada` takes nobody out of the gradebook; a folder that is gone takes its pages along."""
    room.student("ada", **RIGHT).student("bob", **RIGHT).grade()
    everybody, room.handed_in = room.handed_in, room.handed_in / "ada"
    assert set(room.grade()) == {"ada"}
    assert [json.loads(row)["student"] for row in room.text("grades.jsonl").splitlines()] == ["ada", "bob"]
    room.handed_in = everybody
    shutil.rmtree(everybody / "bob")
    assert set(room.grade()) == {"ada"}
    assert [path.name for path in (room.output / "feedback").iterdir()] == ["ada"]


def test_a_class_of_nobody_is_a_usage_error(room: Classroom) -> None:
    """A folder without a single notebook is most likely the wrong folder: exit 2, and nothing is written."""
    with pytest.raises(UsageError, match="no notebook"):
        room.grade()
    assert not room.output.exists()


def test_one_assignment_of_several(tmp_path: Path) -> None:
    """`--assignment` grades that one; a sound notebook of another is no odd file of this one."""
    other = LESSON.replace("small-lesson", "other-lesson").replace("x_grad", "y_grad").replace("squaring", "cubing")
    room = Classroom(tmp_path, small_lesson=LESSON, other_lesson=other)
    room.student("ada", **RIGHT).student("ada", "other-lesson", y_grad="[1, 2, 3]")
    room.grade(assignment="small-lesson")
    assert room.graded
    assert {grade.assignment for grade in room.graded.grades} == {"small-lesson"}
    assert room.graded.work.refused == room.graded.work.remarks == ()


def test_a_changed_notebook_is_graded_again(room: Classroom) -> None:
    """New bytes are a new grade; the neighbour's is reused."""
    room.student("ada", **RIGHT).student("bob", **RIGHT).grade()
    room.student("ada", cells=SQUARE, **RIGHT)
    counting = InProcessSandbox()
    marks = room.grade(sandbox=counting)
    assert len(counting.runs) == 1
    assert marks["ada"].score == 8


def test_changed_points_are_a_new_grade(room: Classroom) -> None:
    """A grade is not reused when the assignment is worth something else."""
    room.student("ada", **RIGHT).grade()
    source = room.folder / "solutions" / "small-lesson.py"
    source.write_text(source.read_text().replace('"x_grad", points=2', '"x_grad", points=5'))
    assert room.grade()["ada"].score == 8


def test_a_changed_question_needs_a_person(room: Classroom) -> None:
    """A notebook released before a question changed keeps the unchanged ones; the changed one is held."""
    room.student("ada", cells=SQUARE, **RIGHT)
    source = room.folder / "solutions" / "small-lesson.py"
    source.write_text(
        source.read_text().replace("y.register_hook(lambda grad: grad**2)", "y.register_hook(lambda g: g)")
    )
    marks = room.grade()
    assert marks["ada"].verdicts["squaring_hook"] == "needs_person"
    assert marks["ada"].score is None
    assert float(marks["ada"].grade.score_so_far) == 6


class FailingReference(InProcessReference):
    def solve(self, exercise: Exercise) -> ExerciseKey:
        if exercise.id == "two_tensors":
            raise ReferenceFault("two_tensors: the reference crashed")
        return super().solve(exercise)


def test_a_reference_that_crashes_holds_its_exercise(room: Classroom) -> None:
    """No key, no zero: that exercise is a grader fault for everybody, the others are graded, exit code 4."""
    marks = room.student("ada", cells=SQUARE, **RIGHT).grade(reference=FailingReference())
    assert marks["ada"].verdicts["two_tensors"] == "grader_fault"
    assert marks["ada"].verdicts["squaring_hook"] == "right"
    assert marks["ada"].score is None
    assert room.graded
    assert room.graded.exit_code == ExitCode.GRADER_FAULT


class FaultySandbox(InProcessSandbox):
    def run(self, run: Run) -> Execution:
        if any("999" in cell.source for cell in run.cells):
            raise OSError(24, "Too many open files")
        return super().run(run)


def test_a_fault_in_one_notebook_costs_nobody_else(room: Classroom) -> None:
    """Whatever breaks in the grader holds that one grade, is told to the instructor, and is tried again."""
    room.student("ada", **RIGHT).student("bob", **{**RIGHT, "x_grad": "[999]"})
    marks = room.grade(sandbox=FaultySandbox())
    assert marks["ada"].score == 5
    assert marks["bob"].grade.status == "held"
    assert marks["bob"].verdicts["squaring_hook"] == "grader_fault"
    assert room.graded
    assert room.graded.exit_code == ExitCode.GRADER_FAULT
    assert "Too many open files" in room.graded.faults[0]
    assert "Too many" not in room.text("feedback/bob/small-lesson.html")
    assert room.grade()["bob"].verdicts["squaring_hook"] == "wrong"


def test_somebody_elses_held_grade_is_no_part_of_this_run(room: Classroom) -> None:
    """The exit code speaks of what was graded now."""
    room.student("ada", **RIGHT).student("bob", **{**RIGHT, "x_grad": "[999]"}).grade(sandbox=FaultySandbox())
    room.handed_in = room.handed_in / "ada"
    room.grade()
    assert room.graded
    assert room.graded.exit_code == ExitCode.DONE


def test_releasing_needs_every_key(room: Classroom) -> None:
    """A notebook is not released while a reference crashes."""
    with pytest.raises(CourseError, match="two_tensors"):
        pipeline.release(room.folder, reference=FailingReference())


def test_a_second_release_changes_nothing(room: Classroom) -> None:
    """Releasing is deterministic, byte for byte."""
    assert all(not changed for _, changed in pipeline.release(room.folder, reference=InProcessReference()))


def test_the_model_solution_gets_full_marks(room: Classroom) -> None:
    """What `release --solution` writes is right, every exercise."""
    pipeline.release(room.folder, solution=True, reference=InProcessReference())
    model = (room.folder / "solutions" / "small-lesson.ipynb").read_bytes()
    marks = room.file("model/small-lesson.ipynb", model).grade()
    assert set(marks["model"].verdicts.values()) == {"right"}


def test_problems_of_all_files_are_told_together(tmp_path: Path) -> None:
    """Two broken files are two problems in one error, each with its file."""
    room = Classroom(tmp_path)
    for name in ("one", "two"):
        broken = LESSON.replace("small-lesson", name).replace("points=2)", "points=0)", 1)
        (tmp_path / "solutions" / f"{name}.py").write_text(broken)
    with pytest.raises(CourseError) as error:
        room.grade()
    assert [problem.split(":")[0].split("/")[-1] for problem in error.value.problems] == ["one.py", "two.py"]


def test_a_program_that_cannot_be_asked_about_is_a_course_error(tmp_path: Path) -> None:
    """A predict function that returns a string is refused once torch has run it."""
    broken = LESSON.replace("return x.grad", 'return "x.grad"', 1)
    with pytest.raises(CourseError, match="squaring_hook"):
        Classroom(tmp_path, small_lesson=broken)


def test_the_output_is_private(room: Classroom) -> None:
    """Only its owner can enter the folder of results."""
    room.student("ada").grade()
    assert room.output.stat().st_mode & 0o077 == 0


def test_an_output_that_is_a_file_is_a_usage_error(room: Classroom) -> None:
    """The message names the path and the option."""
    room.output.write_text("")
    with pytest.raises(UsageError, match="--output"):
        room.student("ada").grade()


def test_a_page_that_cannot_be_written_says_which(room: Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is one clear line, and no half file is left."""

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    room.student("ada").student("bob")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(GradebookFault, match="No space left"):
        room.grade()
    assert not list(room.output.rglob(".*"))


def test_show_names_who_is_there(room: Classroom) -> None:
    """An unknown student gets the list of known ones; no gradebook gets the command to make one."""
    with pytest.raises(UsageError, match="no gradebook"):
        pipeline.show(room.output, "ada")
    room.student("ada").grade()
    with pytest.raises(UsageError, match="did you mean ada"):
        pipeline.show(room.output, "adda")
    with pytest.raises(UsageError, match=r"there are: ada$"):
        pipeline.show(room.output, "zoe")
    assert pipeline.show(room.output, "ada")[0][0].student == "ada"


def test_show_does_not_name_a_whole_class(room: Classroom) -> None:
    """An unknown student of a large class gets those called alike, or the first twenty and how many more there are."""
    for number in range(23):
        room.file(f"s{number:02}/essay.pdf", b"%PDF")
    room.student("ada").grade()
    with pytest.raises(UsageError, match=r"there are: ada, s00, .*s18 and 4 more$"):
        pipeline.show(room.output, "zebra")


def test_the_self_check_never_says_right(room: Classroom) -> None:
    """Predictions are recorded, public cases pass or fail, the rest is said plainly."""
    room.student("ada", cells=SQUARE, **{**RIGHT, "fired": "..."})
    notebook = room.handed_in / "ada" / "small-lesson.ipynb"
    elsewhere = room.folder / "elsewhere"
    elsewhere.mkdir()
    moved = elsewhere / "my homework.ipynb"
    moved.write_bytes(notebook.read_bytes())
    result = pipeline.check(moved, elsewhere, sandbox=InProcessSandbox())
    assert result.notes[-1] == "How your notebook was run: in-process."
    assert {line.question: line.state for line in result.lines} == {
        "squaring_hook": "recorded",
        "two_tensors": "not_answered",
        "vector_without_weights": "recorded",
        "intermediate": "recorded",
        "square": "passes",
    }


def test_the_self_check_rejects_what_no_key_could_accept(room: Classroom) -> None:
    """An option that is none, an order that is no list, numbers in quotes: the form is checked, the answer is not."""
    room.student("ada", x_grad='"[3, 18, 7]"', fired='"y, x"', error='"a RuntimeError!"', kept='"Nothing"')
    result = pipeline.check(room.handed_in / "ada" / "small-lesson.ipynb", room.folder, sandbox=InProcessSandbox())
    states = {line.question: line.state for line in result.lines}
    assert {states[name] for name in states if name != "square"} == {"fails"}


def test_the_self_check_shows_a_failing_public_case(room: Classroom) -> None:
    """A hook that returns nothing fails the example that the notebook shows."""
    room.student("ada", cells={"square": "def square(grad):\n    grad ** 2"})
    result = pipeline.check(room.handed_in / "ada" / "small-lesson.ipynb", room.folder, sandbox=InProcessSandbox())
    assert {line.question: line.state for line in result.lines}["square"] == "fails"


def test_the_self_check_finds_the_description_beside_a_stripped_notebook(room: Classroom) -> None:
    """Where a tool has removed metadata and ids, the public file beside the notebook serves."""

    def strip(document: dict[str, Any]) -> None:
        document["metadata"] = {}
        for cell in document["cells"]:
            cell["metadata"] = {}
            del cell["id"]

    room.student("ada", edit=strip, cells=SQUARE, **RIGHT)
    lonely = room.folder / "lonely" / "small-lesson.ipynb"
    lonely.parent.mkdir()
    lonely.write_bytes((room.handed_in / "ada" / "small-lesson.ipynb").read_bytes())
    with pytest.raises(UsageError, match=r"public\.json"):
        pipeline.check(lonely, lonely.parent, sandbox=InProcessSandbox())
    public = room.folder / "assignments" / "small-lesson" / "small-lesson.public.json"
    (lonely.parent / public.name).write_bytes(public.read_bytes())
    result = pipeline.check(lonely, lonely.parent, sandbox=InProcessSandbox())
    assert "passes" in {line.state for line in result.lines}


def files_of(room: Classroom) -> dict[str, bytes]:
    return {
        str(path.relative_to(room.output)): path.read_bytes()
        for path in sorted(room.output.rglob("*"))
        if path.is_file() and path.name != "gradebook.db"
    }
