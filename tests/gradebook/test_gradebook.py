"""The gradebook keeps everything exactly, alone, privately, and says what to do when it cannot."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from graded_samples import NAME, PUBLIC, VERSIONS, classroom, everything, execution, perfect, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.errors import ExitCode, GradebookFault
from grader.gradebook import Gradebook, schema
from grader.records import Execution, Items, Number, ProbeReport, Raised, Text

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates, too


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gradebook.db"


def filled(path: Path) -> None:
    with Gradebook(path) as book:
        book.publish(PUBLIC)
        for grade in classroom():
            book.record(grade, execution() if grade.status in ("graded", "held") else None)


def fill_up(book: Gradebook) -> None:
    for number in range(50):
        book.record(perfect(f"student {number}"), execution())


def test_grades_come_back_as_recorded_and_sorted(path: Path) -> None:
    """`grades()` equals what was recorded, sorted by student, also after the file was closed."""
    with Gradebook(path) as book:
        for grade in reversed(classroom()):
            book.record(grade, None)
        assert book.grades() == classroom()
    with Gradebook(path) as book:
        assert book.grades() == classroom()


def test_an_execution_comes_back_as_recorded(path: Path) -> None:
    """Every answer, probe outcome, cell report, time and note is rebuilt from the tables."""
    filled(path)
    with Gradebook(path) as book:
        assert book.execution("mira", NAME) == execution()
        assert book.execution("noor", NAME) is None
        assert book.execution("nobody", NAME) is None


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ANY_TEXT, ANY_TEXT, st.floats(allow_nan=False, allow_infinity=False), st.lists(ANY_TEXT, max_size=3))
def test_any_text_survives(path: Path, student: str, text: str, seconds: float, items: list[str]) -> None:
    """NUL, surrogates, control characters: names, messages and answers are rebuilt exactly."""
    grade = msgspec.structs.replace(perfect(), student=student, path=text, notes=tuple(items))
    given = Execution(
        cells=(),
        answers=((text, Items("list", tuple(Text(each) for each in items))), (text, Number("float", text))),
        probes=(ProbeReport(text, Raised(text, text, tuple(items))),),
        cpu_seconds=seconds,
    )
    with Gradebook(path) as book:
        book.record(grade, given)
        book.close_run([(student, NAME)], ["/class"])
        assert book.grades() == (grade,)
        assert book.execution(student, NAME) == given


def test_tensors_can_be_queried_without_the_grader(path: Path) -> None:
    """dtype, shape and bytes of each tensor are columns of their own; bytes that are no tensor have neither."""
    filled(path)
    with sqlite3.connect(path) as db:
        rows = db.execute(
            "SELECT dtype, shape, length(bytes) FROM tensors WHERE student = 'mira' AND holder = 'answer' "
            "ORDER BY position, part"
        ).fetchall()
    db.close()
    assert rows[0][:2] == ("F32", "[3]")
    assert rows[1][:2] == ("I64", "[2, 0, 3]")
    assert rows[2] == (None, None, len(b"no safetensors at all"))
    assert len(rows) == 8


def test_a_second_record_replaces_the_first(path: Path) -> None:
    """One row per student and assignment: the older exercises, answers and tensors leave with their grade."""
    filled(path)
    with Gradebook(path) as book:
        book.record(refused("mira"), None)
        assert refused("mira") in book.grades()
        assert book.execution("mira", NAME) is None
        rows = [line for line in book.dump().splitlines() if not line.startswith(("grades ", "exercises "))]
        assert "mira" not in "".join(rows)


def test_a_grade_is_found_only_for_the_same_bytes_and_versions(path: Path) -> None:
    """Another sha256, or any other version, or no notebook at all, means: grade again."""
    with Gradebook(path) as book:
        book.record(perfect(), execution())
        same = perfect().sha256
        assert book.find("ada", NAME, same, VERSIONS) == perfect()
        assert book.find("ada", NAME, "0" * 64, VERSIONS) is None
        assert book.find("ada", NAME, None, VERSIONS) is None
        assert book.find("bob", NAME, same, VERSIONS) is None
        for field in VERSIONS.__struct_fields__:
            assert book.find("ada", NAME, same, msgspec.structs.replace(VERSIONS, **{field: "other"})) is None, field


def test_a_grade_held_by_our_fault_is_not_reused(path: Path) -> None:
    """A fault of ours is tried again by the next run; a decision that waits for a person is kept."""
    faulty, waiting = everything("mira"), everything("zoe")
    person = tuple(
        msgspec.structs.replace(each, verdict="needs_person") if each.verdict == "grader_fault" else each
        for each in waiting.exercises
    )
    waiting = msgspec.structs.replace(waiting, exercises=person)
    with Gradebook(path) as book:
        book.record(faulty, execution())
        book.record(waiting, execution())
        assert book.find("mira", NAME, faulty.sha256, VERSIONS) is None
        assert book.find("zoe", NAME, waiting.sha256, VERSIONS) == waiting


def test_finding_a_grade_reads_no_tensors(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The grade itself says whether it may be used again: what came back from the notebook stays in its rows."""

    def read(*_: object) -> None:
        raise AssertionError("an execution was read")

    with Gradebook(path) as book:
        book.record(perfect(), execution())
        monkeypatch.setattr("grader.gradebook.reading.execution", read)
        assert book.find("ada", NAME, perfect().sha256, VERSIONS) == perfect()


def test_who_left_the_run_leaves_the_renderings_but_not_the_file(path: Path) -> None:
    """What is no longer found where it was is out of `grades()`, and can be reused when its notebook returns."""
    filled(path)
    with Gradebook(path) as book:
        book.close_run({("ada", NAME), ("noor", NAME), ("stranger", NAME)}, ["/class"])
        assert [grade.student for grade in book.grades()] == ["ada", "noor"]
        assert book.find("ada", NAME, perfect().sha256, VERSIONS) == perfect()
        book.record(everything("mira"), None)
        assert [grade.student for grade in book.grades()] == ["ada", "mira", "noor"]


@pytest.mark.parametrize(
    ("roots", "assignment", "left"),
    [
        (["/class"], None, ["noor"]),
        (["/"], None, ["noor"]),
        (["/class/ada"], None, ["ada", "noor"]),
        (["/elsewhere"], None, ["ada", "noor"]),
        (["/class"], "another", ["ada", "noor"]),
        (["/class"], NAME, ["noor"]),
    ],
)
def test_a_run_over_a_part_leaves_the_rest_alone(
    path: Path, roots: list[str], assignment: str | None, left: list[str]
) -> None:
    """Only what lies at or below the paths of a run, and is of its assignment, can leave with it."""
    with Gradebook(path) as book:
        for student in ("ada", "noor"):
            book.record(perfect(student), None)
        book.close_run({("ada", NAME), ("noor", NAME)}, ["/class"])
        book.close_run({("noor", NAME)}, roots, assignment)
        assert [grade.student for grade in book.grades()] == left


def test_the_assignment_published_last_is_current(path: Path) -> None:
    """An older version stays in the file; publishing it again makes it the current one again."""
    newer = msgspec.structs.replace(PUBLIC, fingerprint="fp-2", title="Second edition")
    other = msgspec.structs.replace(PUBLIC, name="a-first")
    with Gradebook(path) as book:
        for public in (PUBLIC, newer, other):
            book.publish(public)
        assert book.assignments() == {"a-first": other, NAME: newer}
        assert list(book.assignments()) == ["a-first", NAME]
        book.publish(PUBLIC)
        assert book.assignments()[NAME] == PUBLIC
        retitled = msgspec.structs.replace(PUBLIC, title="The same questions, another title")
        book.publish(retitled)
        assert book.assignments()[NAME] == retitled


def test_the_file_is_private_and_alone(path: Path) -> None:
    """Mode 0600 whatever the umask, and no journal, WAL or lock is left beside it."""
    old = os.umask(0)
    try:
        filled(path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == [path.name]


def test_a_second_writer_is_refused_at_once(path: Path) -> None:
    """Two graders never write one gradebook; the fault names the file, the other process and the way out."""
    with Gradebook(path):
        with pytest.raises(
            GradebookFault, match=rf"{path}: another `grade` \(process {os.getpid()}\).*--output"
        ) as caught:
            Gradebook(path).__enter__()
        assert caught.value.exit_code == ExitCode.GRADER_FAULT
    filled(path)


def test_one_may_look_while_another_writes(path: Path) -> None:
    """`readonly` needs no lock and sees every grade that is committed."""
    with Gradebook(path) as book:
        book.record(perfect(), None)
        with Gradebook(path, readonly=True) as view:
            assert view.grades() == (perfect(),)
            with pytest.raises(GradebookFault, match="cannot be opened or written"):
                view.record(perfect("bob"), None)
    assert os.listdir(path.parent) == [path.name]


def test_a_killed_run_keeps_what_it_had_decided(path: Path) -> None:
    """SIGKILL between two grades loses nothing, blocks nobody, and doing the rest gives the same rows."""
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom graded_samples import *\n"
        "from grader.gradebook import Gradebook\nbook = Gradebook(Path(sys.argv[1])).__enter__()\n"
        "book.publish(PUBLIC)\nbook.record(perfect('ada'), execution())\n"
        "book._db.execute('BEGIN IMMEDIATE')\nbook._db.execute('DELETE FROM grades')\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)}
    killed = subprocess.run([sys.executable, "-c", code, str(path)], env=environment, check=False)
    assert killed.returncode == -9
    with Gradebook(path) as book:
        assert book.find("ada", NAME, perfect().sha256, VERSIONS) == perfect()
        for grade in classroom()[1:]:
            book.record(grade, execution() if grade.status in ("graded", "held") else None)
        resumed = book.dump()
    undisturbed = path.with_name("undisturbed.db")
    filled(undisturbed)
    with Gradebook(undisturbed) as book:
        assert book.dump() == resumed


def test_measured_times_do_not_make_databases_differ(path: Path) -> None:
    """The dump leaves out CPU times and nothing else."""
    slower = msgspec.structs.replace(execution(), cpu_seconds=9.0)
    dumps = []
    for report in (execution(), slower, msgspec.structs.replace(execution(), attempts=3)):
        with Gradebook(path) as book:
            book.record(perfect(), report)
            dumps.append(book.dump())
    assert dumps[0] == dumps[1] != dumps[2]


def test_a_full_disk_loses_only_the_grade_in_hand(path: Path) -> None:
    """The fault says that the disk is full; the grades before are whole, and the file can be written again."""
    with Gradebook(path) as book:
        book.record(perfect("ada"), execution())
        pages = book._db.execute("PRAGMA page_count").fetchone()[0]
        book._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(GradebookFault, match=r"gradebook\.db: cannot grow: the disk is full"):
            fill_up(book)
        assert book.grades()[0] == perfect("ada")
        book._db.execute("PRAGMA max_page_count = 100000")
        book.record(perfect("zoe"), execution())
    with Gradebook(path) as book:
        assert book.execution("ada", NAME) == book.execution("zoe", NAME) == execution()


def test_another_programs_file_is_left_alone(path: Path) -> None:
    """A text file, and an SQLite file that is no gradebook, are refused by name and keep their bytes."""
    path.write_text("name,score\nada,10\n" * 100)
    before = path.read_bytes()
    with pytest.raises(GradebookFault, match=r"gradebook\.db: is no gradebook"):
        Gradebook(path).__enter__()
    assert path.read_bytes() == before
    path.unlink()
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE grades (mine TEXT)")
    db.close()
    with pytest.raises(GradebookFault, match="another program's database"):
        Gradebook(path).__enter__()


def test_a_damaged_file_is_a_fault_with_advice(path: Path) -> None:
    """Overwritten pages, and a row that holds no document of ours, are named as damage, never read as grades."""
    filled(path)
    db = sqlite3.connect(path)
    db.execute("UPDATE exercises SET verdict = 'splendid'")
    db.commit()
    db.close()
    with Gradebook(path) as book, pytest.raises(GradebookFault, match="is damaged; move it aside"):
        book.grades()
    data = bytearray(path.read_bytes())
    data[2000:] = b"\xff" * (len(data) - 2000)
    path.write_bytes(data)
    with pytest.raises(GradebookFault, match="is damaged; move it aside"), Gradebook(path) as book:
        book.grades()


def test_places_that_cannot_be_written_are_faults(tmp_path: Path) -> None:
    """A missing folder, a folder in the file's place, and a missing file to look at: each one clear line."""
    for place in (tmp_path / "nowhere" / "gradebook.db", tmp_path):
        with pytest.raises(GradebookFault, match=f"{place}: cannot be opened or written") as caught:
            Gradebook(place).__enter__()
        assert "\n" not in str(caught.value)
    with pytest.raises(GradebookFault, match="there is no gradebook"):
        Gradebook(tmp_path / "none.db", readonly=True).__enter__()
    assert not (tmp_path / "none.db").exists()


def test_a_newer_gradebook_is_not_touched(path: Path) -> None:
    """A file of a later schema is refused with the advice to update."""
    filled(path)
    db = sqlite3.connect(path)
    db.execute(f"PRAGMA user_version = {len(schema.STEPS) + 1}")
    db.close()
    for readonly in (False, True):
        with pytest.raises(GradebookFault, match="newer grader"):
            Gradebook(path, readonly=readonly).__enter__()


def test_steps_that_are_missing_are_run_one_by_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of an older schema is brought up to date by its writer, keeps its grades, and is not changed by a look."""
    filled(path)
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, "CREATE TABLE later (x);", "INSERT INTO later VALUES (7);"))
    with pytest.raises(GradebookFault, match="older grader"):
        Gradebook(path, readonly=True).__enter__()
    with Gradebook(path) as book:
        assert book.grades() == classroom()
        assert "later [7]" in book.dump()
    with Gradebook(path, readonly=True) as book:
        assert book.grades() == classroom()


def test_a_closed_gradebook_says_so() -> None:
    """Using it outside `with` is our own mistake, and named."""
    with pytest.raises(GradebookFault, match="is not open"):
        Gradebook(Path("x.db")).grades()
