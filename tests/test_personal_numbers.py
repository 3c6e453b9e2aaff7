"""Numbers of one's own, down the whole road: released per student, graded by the roster, never by the notebook."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from classroom import Classroom, InProcessReference, Marks
from in_process import InProcessSandbox

from grader import course, pipeline
from grader.errors import ExitCode, UsageError
from grader.records import Exercise, ExerciseKey, Roster

OWN = '''\
"""# Numbers of one's own

One exercise with them, one without."""

import torch

from grader.course import Assignment, vary

assignment = Assignment("own-numbers")


@assignment.predict("x_grad", points=2)
def squaring_hook(w=vary([1.0, 2.0, 1.0], low=-3, high=3)):
    """What does `x.grad` hold?"""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(lambda grad: grad**2)
    z.backward(torch.tensor(w))
    return x.grad


@assignment.raises("error", points=1)
def vector_without_weights():
    """Does this raise?"""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x**2).backward()
'''
KEY = "5a" * 32
NAMES = ("ada", "bob", "cy")
DRAWS = ("{'w': [2.0, -1.0, 3.0]}", "{'w': [-2.0, 1.0, 2.0]}", "{'w': [3.0, 3.0, -1.0]}", "{'w': [-1.0, -3.0, 1.0]}")


class FewDraws(InProcessReference):
    """A reference that knows four draws: choosing them among all is tested where that is done."""

    def __init__(self, draws: tuple[str, ...] = DRAWS) -> None:
        self.draws = draws
        self.asked: list[str] = []
        self.solved: list[str] = []

    def draw(self, exercise: Exercise, candidates: Any) -> tuple[tuple[str, ...], int]:
        self.asked.append(exercise.id)
        return self.draws, len(candidates)

    def solve(self, exercise: Exercise) -> ExerciseKey:
        self.solved.append(exercise.arguments)
        return super().solve(exercise)


class Course(Classroom):
    """A class whose notebooks are released per student."""

    def __init__(self, folder: Path, names: tuple[str, ...] = NAMES) -> None:
        # A key made here would draw other numbers in every run, and sometimes the same for two students.
        (folder / "course.key").write_text(KEY)
        super().__init__(folder, own_numbers=OWN)
        self.remarks: list[str] = []
        self.release(names)

    def release(self, names: tuple[str, ...] | None, reference: Any = None) -> list[tuple[Path, bool]]:
        roster = self.folder / "roster.csv"
        if names is not None:
            roster.write_text("id,name\n" + "".join(f"{name},{name.title()}\n" for name in names))
        return pipeline.release(
            self.folder,
            reference=reference or FewDraws(),
            roster=None if names is None else roster,
            remark=self.remarks.append,
        )

    def notebook(self, name: str) -> dict[str, Any]:
        path = self.folder / "assignments" / "own-numbers" / name / "own-numbers.ipynb"
        document: dict[str, Any] = json.loads(path.read_text())
        return document

    def weights(self, name: str) -> list[float]:
        """A student's own `w`, read where the student reads it."""
        prompt = next(c for c in self.notebook(name)["cells"] if c["id"] == "prompt-squaring_hook")
        found = re.search(r"^w = (\[.*\])$", "".join(prompt["source"]), re.M)
        assert found
        weights: list[float] = json.loads(found[1])
        return weights

    def hand_in(
        self,
        name: str,
        answer: str | None,
        notebook_of: str | None = None,
        edit: Callable[[dict[str, Any]], None] | None = None,
    ) -> Course:
        document = self.notebook(name if notebook_of is None else notebook_of)
        for cell in document["cells"]:
            source = "".join(cell["source"])
            if answer is not None:
                source = source.replace("x_grad = ...", f"x_grad = {answer}")
            cell["source"] = source.replace("error = ...", 'error = "RuntimeError"')
        if edit:
            edit(document)
        self.file(f"{name}/own-numbers.ipynb", json.dumps(document).encode())
        return self

    def marks(self, reference: Any = None, **options: Any) -> dict[str, Marks]:
        return self.grade(reference=reference or FewDraws(), **options)


def right(w: list[float]) -> list[float]:
    """(w dz/dy)^2 dy/dx + w with x = [1, 2, 3]: what torch gives, by hand."""
    return [each**2 * 2 * x + each for each, x in zip(w, [1, 2, 3], strict=True)]


def strip(document: dict[str, Any]) -> None:
    """What Colab may do: the notebook's own metadata is gone, cell ids are not."""
    document["metadata"] = {}


@pytest.fixture
def room(tmp_path: Path) -> Course:
    return Course(tmp_path)


def test_everybody_is_graded_by_numbers_of_their_own(room: Course) -> None:
    """Each right answer is that of the numbers in the student's own notebook, and gets full marks."""
    for name in NAMES:
        room.hand_in(name, str(right(room.weights(name))))
    marks = room.marks()
    assert {name: marks[name].score for name in NAMES} == dict.fromkeys(NAMES, 3)
    assert {tuple(room.weights(name)) for name in NAMES} <= {tuple(json.loads(d[6:-1])) for d in DRAWS}
    assert room.graded
    assert room.graded.exit_code == ExitCode.DONE


def test_the_notebook_is_not_asked_for_its_numbers(room: Course) -> None:
    """Who types easier numbers into prompt and metadata is still graded by the real ones."""

    def easier(document: dict[str, Any]) -> None:
        text = json.dumps(document).replace(str(room.weights("ada")), "[1.0, 1.0, 1.0]")
        document.update(json.loads(text))

    marks = room.hand_in("ada", str(right([1, 1, 1])), edit=easier).marks()
    assert marks["ada"].verdicts["squaring_hook"] == "wrong"
    own = marks["ada"]["squaring_hook"].own
    assert own
    assert own.arguments == str({"w": room.weights("ada")})


def test_fingerprints_do_not_depend_on_the_draw(room: Course) -> None:
    """All notebooks, the common one too, claim the same fingerprints; no two students' tags are the same."""
    ours = [room.notebook(name)["metadata"]["autograd_grader"] for name in (*NAMES, "")]
    assert len({json.dumps([each["fingerprint"], each["questions"]]) for each in ours}) == 1
    tags = [each["tags"]["squaring_hook"] for each in ours[:-1]]
    assert len(set(tags)) == len(NAMES)
    assert "tags" not in ours[-1]
    assert all("vector_without_weights" not in each["tags"] for each in ours[:-1])


@pytest.mark.parametrize(
    "tags",
    [
        {"squaring_hook": "0" * 64},
        {"squaring_hook": "no tag"},
        {"squaring_hook": ["a list"]},
        {"another": "0" * 64},
        {},
        "garbled",
        None,
        17,
    ],
    ids=str,
)
def test_a_forged_tag_is_for_a_person(room: Course, tags: object) -> None:
    """A tag that is not the course's holds the varied exercise, whatever was answered; the other one is graded."""

    def forge(document: dict[str, Any]) -> None:
        document["metadata"]["autograd_grader"]["tags"] = tags

    marks = room.hand_in("ada", "[0.0, 0.0, 0.0]", edit=forge).marks()
    assert marks["ada"].verdicts == {"squaring_hook": "needs_person", "vector_without_weights": "right"}
    assert (marks["ada"].score, float(marks["ada"].grade.score_so_far)) == (None, 1)
    assert room.graded
    assert room.graded.exit_code == ExitCode.NEEDS_PERSON


def test_somebody_elses_notebook_is_for_a_person(room: Course) -> None:
    """bob's notebook handed in as ada's: held; only the instructor's page says whose it is."""
    marks = room.hand_in("ada", str(right(room.weights("bob"))), notebook_of="bob").marks()
    assert marks["ada"].verdicts == {"squaring_hook": "needs_person", "vector_without_weights": "right"}
    assert "bob" in room.text("class.html")
    for page in (room.output / "feedback").rglob("*.*"):
        assert "bob" not in page.read_text().casefold()


def test_a_name_that_the_lms_made_is_for_a_person(room: Course) -> None:
    """A folder that is not called by the roster's id: nobody is graded by wrong numbers, and nobody gets a zero."""
    marks = room.hand_in("ada_4711_assignsubmission", str(right(room.weights("ada"))), notebook_of="ada").marks()
    graded = marks["ada_4711_assignsubmission"]
    assert graded.verdicts == {"squaring_hook": "needs_person", "vector_without_weights": "right"}
    assert graded["squaring_hook"].own
    assert graded["squaring_hook"].own.released_to == "ada"


def test_a_stranger_without_a_tag_is_for_a_person(room: Course) -> None:
    """Not in the roster, metadata lost: nobody knows the numbers."""
    marks = room.hand_in("zoe", "[1, 2, 3]", notebook_of="ada", edit=strip).marks()
    assert marks["zoe"].verdicts == {"squaring_hook": "needs_person", "vector_without_weights": "right"}


def test_the_common_notebook_is_for_a_person(room: Course) -> None:
    """Who answers in the notebook that is nobody's has other numbers than their own: held, not wrong."""
    marks = room.hand_in("ada", "[3, 18, 7]", notebook_of="").marks()
    assert marks["ada"].verdicts == {"squaring_hook": "needs_person", "vector_without_weights": "right"}


def test_what_nobody_answered_needs_no_person(room: Course) -> None:
    """An untouched cell is not answered, whatever the tag says."""
    marks = room.hand_in("ada", None, notebook_of="bob").marks()
    assert marks["ada"].verdicts == {"squaring_hook": "not_answered", "vector_without_weights": "right"}


def test_a_notebook_that_lost_its_metadata_is_graded_by_the_roster(room: Course) -> None:
    """Colab's loss costs nobody anything: the numbers are those of the student's id, and a note says so."""
    marks = room.hand_in("ada", str(right(room.weights("ada"))), edit=strip).marks()
    assert marks["ada"].score == 3
    assert any("those of ada were taken" in note for note in marks["ada"].grade.notes)


def test_without_the_roster_a_personal_notebook_is_for_a_person(room: Course) -> None:
    """The kept roster was deleted: notebooks with tags are not graded by everybody's numbers."""
    room.hand_in("ada", str(right(room.weights("ada"))))
    (room.folder / "solutions" / "own-numbers.roster.json").unlink()
    assert room.marks()["ada"].verdicts == {"squaring_hook": "needs_person", "vector_without_weights": "right"}


def test_a_changed_question_holds_itself_alone(room: Course) -> None:
    """Numbers drawn for another question are not used; a new release draws anew for that one."""
    room.hand_in("ada", str(right(room.weights("ada"))), edit=strip)
    source = room.folder / "solutions" / "own-numbers.py"
    source.write_text(source.read_text().replace("grad**2", "grad**3"))
    assert room.marks()["ada"].verdicts == {"squaring_hook": "needs_person", "vector_without_weights": "right"}
    again = FewDraws()
    room.release(None, again)
    assert again.asked == ["squaring_hook"]


def test_what_was_drawn_stays_drawn(room: Course) -> None:
    """A second release, with a grader that would choose other draws or with one student more, changes no notebook."""
    before = {name: room.notebook(name) for name in NAMES}
    other = FewDraws(("{'w': [1.0, 1.0, 1.0]}",))
    assert all(not changed for _, changed in room.release(None, other))
    room.release((*NAMES, "dee"), other)
    assert other.asked == []
    assert {name: room.notebook(name) for name in NAMES} == before
    assert room.hand_in("dee", str(right(room.weights("dee")))).marks()["dee"].score == 3


def test_changed_bounds_are_drawn_anew_and_old_notebooks_wait(room: Course) -> None:
    """After new bounds the old notebook's tag is of another draw: held, never graded by numbers it does not show."""
    room.hand_in("ada", str(right(room.weights("ada"))))
    source = room.folder / "solutions" / "own-numbers.py"
    source.write_text(source.read_text().replace("high=3", "high=4"))
    room.release(None, FewDraws(("{'w': [4.0, 1.0, 1.0]}",)))
    assert room.marks()["ada"].verdicts["squaring_hook"] == "needs_person"


def test_the_model_solution_still_gets_full_marks(room: Course) -> None:
    """`grade solutions/NAME.ipynb`: its tags say that its numbers are the author's."""
    pipeline.release(room.folder, solution=True, reference=FewDraws())
    room.handed_in = room.folder / "solutions" / "own-numbers.ipynb"
    (marks,) = room.marks().values()
    assert marks.score == 3


def test_each_draw_is_solved_once(tmp_path: Path) -> None:
    """A class of thirty with four draws asks for five keys of the exercise: those and the author's."""
    names = tuple(f"student{number:02}" for number in range(30))
    room = Course(tmp_path, names)
    for name in names:
        room.hand_in(name, "[1, 1, 1]")
    reference = FewDraws()
    room.marks(reference)
    assert sorted(each for each in reference.solved if each != "{}") == sorted([*DRAWS, str({"w": [1.0, 2.0, 1.0]})])
    assert len({tuple(room.weights(name)) for name in names}) == len(DRAWS)


def copied(room: Course) -> Course:
    """ada answers right, bob has ada's answer, cy is wrong in a way of her own."""
    assert room.weights("ada") != room.weights("bob")
    answer = str(right(room.weights("ada")))
    return room.hand_in("ada", answer).hand_in("bob", answer).hand_in("cy", "[50, 60, 70]")


def test_an_answer_that_is_right_for_somebody_else_is_listed(room: Course) -> None:
    """bob's wrong answer is ada's right one: one entry for the instructor, with the chance of accident."""
    marks = copied(room).marks()
    assert marks["bob"].verdicts["squaring_hook"] == "wrong"
    own = marks["bob"]["squaring_hook"].own
    assert own
    assert own.right_for == (str({"w": room.weights("ada")}),)
    # By hand, with w^2 * 2x + w: places hold {10, 6, 21, 1}, {3, 5, 39, 33} and {57, 26, 5, 7}.
    assert own.plausible == 4**3
    other = marks["cy"]["squaring_hook"].own
    assert other
    assert other.right_for == ()
    page = room.text("class.html")
    section = page[page.index("right for somebody else") :]
    assert "bob" in section
    assert "ada" in section
    others = {tuple(room.weights(name)) for name in NAMES} - {tuple(room.weights("bob"))}
    assert f"about 1 in {64 // len(others)}<" in section


def test_the_list_is_no_students_business(room: Course) -> None:
    """bob's page says nothing of ada, of copying, or of other numbers."""
    copied(room).marks()
    for page in (room.output / "feedback" / "bob").iterdir():
        text = page.read_text().casefold()
        assert "ada" not in re.sub("style.*?/style", "", text, flags=re.S)
        assert "somebody else" not in text
        assert str(room.weights("ada")) not in text


def test_a_students_page_shows_the_students_own_numbers(room: Course) -> None:
    """The program on the page is called with what the student's notebook showed."""
    room.hand_in("ada", "[0, 0, 0]").marks()
    page = room.text("feedback/ada/own-numbers.md")
    assert f"w={room.weights('ada')}" in page
    assert "w=[1.0, 2.0, 1.0]" not in page


def test_a_second_run_lists_the_same(room: Course) -> None:
    """What is listed comes from the gradebook: nothing is run, and the page is byte-equal."""
    copied(room).marks()
    before = room.text("class.html")
    again = InProcessSandbox()
    room.grade(sandbox=again, reference=FewDraws())
    assert again.runs == []
    assert room.text("class.html") == before


def test_the_self_check_knows_the_students_own_question(room: Course) -> None:
    """The public half in a personal notebook is enough, and nothing is said to have changed."""
    room.hand_in("ada", "[1, 2, 3]")
    path = room.handed_in / "ada" / "own-numbers.ipynb"
    found = pipeline.check(path, room.folder, sandbox=InProcessSandbox())
    assert {line.question: line.state for line in found.lines} == dict.fromkeys(
        ("squaring_hook", "vector_without_weights"), "recorded"
    )


def test_the_release_says_how_many_draws_there_are(room: Course) -> None:
    """One line per varied exercise."""
    assert [line for line in room.remarks if "squaring_hook: 4 sets of numbers" in line]


def test_names_of_the_roster_are_in_the_table(room: Course) -> None:
    """`gradebook.csv` says who a student is, from the roster of the release."""
    room.hand_in("ada", "[1, 2, 3]").marks()
    (row,) = [line for line in room.text("gradebook.csv").splitlines() if line.startswith("ada,")]
    assert row.startswith("ada,Ada,,")


def test_who_left_the_roster_is_named_and_nothing_of_theirs_is_deleted(room: Course) -> None:
    """Bob is taken off: the release says where his notebook lies, each time, until somebody removes it."""
    theirs = room.folder / "assignments" / "own-numbers" / "bob"
    for _ in range(2):
        room.remarks.clear()
        room.release(("ada", "cy"))
        assert f"own-numbers: no longer on the roster: {theirs}; remove it by hand" in room.remarks
        assert (theirs / "own-numbers.ipynb").is_file()
    shutil.rmtree(theirs)
    room.remarks.clear()
    room.release(("ada", "cy"))
    assert not [line for line in room.remarks if "roster" in line]


def test_a_student_with_an_odd_name_gets_a_safe_folder(tmp_path: Path) -> None:
    """An id that is no folder name still gets a notebook inside the assignment's folder."""
    room = Course(tmp_path, ("../../evil", "con", "ok"))
    folders = sorted(path.parent.name for path in (tmp_path / "assignments").glob("own-numbers/*/own-numbers.ipynb"))
    assert len(folders) == 3
    assert "ok" in folders
    assert not [each for each in folders if each.startswith(".") or each == "con"]
    assert room.folder == tmp_path


def test_an_assignment_without_vary_is_released_as_ever(tmp_path: Path) -> None:
    """A roster changes nothing where there are no numbers to draw."""
    fixed = OWN.replace("vary([1.0, 2.0, 1.0], low=-3, high=3)", "[1.0, 2.0, 1.0]")
    room = Classroom(tmp_path, own_numbers=fixed)
    (tmp_path / "roster.csv").write_text("id\nada\n")
    pipeline.release(tmp_path, reference=FewDraws(), roster=tmp_path / "roster.csv")
    assert [path.name for path in (tmp_path / "solutions").iterdir()] == ["own-numbers.py"]
    assert len(list((tmp_path / "assignments").rglob("*.ipynb"))) == 1
    assert room.released("own-numbers")


def test_a_bad_roster_changes_nothing(room: Course) -> None:
    """A roster with a mistake is refused before a file is written."""
    kept = (room.folder / "solutions" / "own-numbers.roster.json").read_bytes()
    (room.folder / "roster.csv").write_text("name\nAda\n")
    with pytest.raises(UsageError, match="no column id"):
        pipeline.release(room.folder, reference=FewDraws(), roster=room.folder / "roster.csv")
    assert (room.folder / "solutions" / "own-numbers.roster.json").read_bytes() == kept


def test_the_kept_roster_is_private_and_read_strictly(room: Course) -> None:
    """Names and draws are for their owner's eyes; a damaged file is an error, not everybody's numbers."""
    path = room.folder / "solutions" / "own-numbers.roster.json"
    assert path.stat().st_mode & 0o077 == 0
    roster = course.kept_roster(room.folder, "own-numbers")
    assert isinstance(roster, Roster)
    assert [student.name for student in roster.students] == ["Ada", "Bob", "Cy"]
    path.write_text("{}")
    with pytest.raises(UsageError, match=r"own-numbers\.roster\.json"):
        room.hand_in("ada", "[1, 2, 3]").marks()
