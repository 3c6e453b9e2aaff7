"""Whatever breaks in the grader: no false zero, no false full mark, the rest of the class is graded, and it is said."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from classroom import Classroom
from faulty import MARK, Fault, about_bob, files_of, held, outcome, room_of_three

from grader.errors import ExitCode, GradebookFault, ReferenceFault, SandboxFault
from grader.gradebook import Gradebook
from grader.pipeline.rendering import render
from grader.records import CellReport, Execution, Grade

NO_DESCRIPTORS = OSError(errno.EMFILE, "Too many open files")
NO_SPACE = OSError(errno.ENOSPC, "No space left on device")
READ_ONLY = OSError(errno.EROFS, "Read-only file system")
REFERENCE = "classroom:InProcessReference"
SANDBOX = "in_process:InProcessSandbox.run"
BOOK = "grader.gradebook:Gradebook"


def of_two_tensors(*arguments: Any) -> bool:
    return any(getattr(each, "id", "") == "two_tensors" for each in arguments)


def sql_error(code: int, text: str) -> sqlite3.Error:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


LOCKED = sql_error(sqlite3.SQLITE_BUSY, "database is locked")
FULL = sql_error(sqlite3.SQLITE_FULL, "database or disk is full")
READONLY = sql_error(sqlite3.SQLITE_READONLY, "attempt to write a readonly database")
CORRUPT = sql_error(sqlite3.SQLITE_CORRUPT, "database disk image is malformed")

FAULTS = [
    # The reference.
    Fault("the worker cannot be started", f"{REFERENCE}.load", ReferenceFault("it did not start"), "ends"),
    Fault("loading is out of descriptors", f"{REFERENCE}.load", NO_DESCRIPTORS, "ends"),
    Fault(
        "a reference crashes",
        f"{REFERENCE}.solve",
        ReferenceFault("it crashed"),
        "exercise",
        of_two_tensors,
        "two_tensors",
    ),
    Fault(
        "no descriptor for the worker", f"{REFERENCE}.solve", NO_DESCRIPTORS, "exercise", of_two_tensors, "two_tensors"
    ),
    Fault(
        "a reference takes all memory", f"{REFERENCE}.solve", MemoryError(), "exercise", of_two_tensors, "two_tensors"
    ),
    Fault("a reply of another kind", f"{REFERENCE}.solve", AssertionError(), "exercise", of_two_tensors, "two_tensors"),
    Fault(
        "checking a key fails",
        "grader.course:verify",
        RuntimeError("odd key"),
        "exercise",
        of_two_tensors,
        "two_tensors",
    ),
    Fault("every reference crashes", f"{REFERENCE}.solve", ReferenceFault("it crashed"), "everybody"),
    # The diagnosis.
    Fault("the worlds crash for good", f"{REFERENCE}.believe", ReferenceFault("it crashed"), "explained"),
    Fault("the worlds cannot be started", f"{REFERENCE}.believe", NO_DESCRIPTORS, "explained"),
    Fault("the diagnosis raises", "grader.judging.diagnosis:diagnose", KeyError("belief"), "explained"),
    Fault("a fact raises", "grader.judging.diagnosis:certain_facts", ZeroDivisionError(), "explained"),
    Fault("comparing with others raises", "grader.judging:PersonalNumbers.noted", ValueError(), "explained", about_bob),
    # One notebook.
    Fault("a draw of one's own fails", "grader.judging:PersonalNumbers.standard", ValueError(), "one", about_bob),
    Fault("the warm process is lost", SANDBOX, SandboxFault("it ended"), "one", about_bob),
    Fault("no descriptor for a child", SANDBOX, NO_DESCRIPTORS, "one", about_bob),
    Fault("no room for scratch", SANDBOX, NO_SPACE, "one", about_bob),
    Fault("no memory for a child", SANDBOX, MemoryError(), "one", about_bob),
    Fault("the wire breaks on our side", SANDBOX, UnicodeDecodeError("utf-8", b"\xff", 0, 1, "wire"), "one", about_bob),
    Fault(
        "the sandbox says that it failed",
        SANDBOX,
        ValueError(),
        "one",
        about_bob,
        returns=lambda *_: Execution(cells=(), fault="the channel could not be made"),
    ),
    Fault("nothing came back", SANDBOX, ValueError(), "one", about_bob, returns=lambda *_: Execution(cells=())),
    Fault(
        "reports of other cells came back",
        SANDBOX,
        ValueError(),
        "one",
        about_bob,
        returns=lambda *_: Execution(cells=(CellReport(99, "ok"),)),
    ),
    Fault("planning the run fails", "grader.judging:graded_run", KeyError("cell"), "one", about_bob),
    Fault("judging raises", "grader.judging:judge", RuntimeError("bug"), "one", about_bob),
    Fault("follow-through raises", "grader.judging:follow_through", RecursionError(), "one", about_bob),
    Fault("what came back cannot be stored", "grader.gradebook.writing:_execution", OverflowError(), "one", about_bob),
    Fault("no grade of one student can be stored", "grader.gradebook.writing:rows", OverflowError(), "row", about_bob),
    # The class.
    Fault("no notebook can be run", SANDBOX, SandboxFault("it did not start"), "everybody"),
    Fault("comparing raises", "grader.judging.parts:compare_answer", FloatingPointError(), "everybody"),
    Fault("comparing a probe raises", "grader.judging.probes:compare", FloatingPointError(), "everybody"),
    Fault(
        "a probe has no key",
        "grader.judging.judge:probe_parts",
        ReferenceFault("no key for a case"),
        "exercise",
        exercise="square",
    ),
    Fault("no thread can be started", "concurrent.futures:ThreadPoolExecutor.submit", RuntimeError(), "nothing"),
    # What is rendered.
    Fault(
        "a page",
        "grader.reports.site:student_page",
        KeyError(),
        "page",
        about_bob,
        file="feedback/bob/small-lesson.html",
    ),
    Fault(
        "a page as text",
        "grader.reports.site:student_markdown",
        KeyError(),
        "page",
        about_bob,
        file="feedback/bob/small-lesson.md",
    ),
    Fault("the class page", "grader.reports.site:class_page", RecursionError(), "page", file="class.html"),
    Fault("the table", "grader.exports:gradebook_csv", ValueError(), "page", file="gradebook.csv"),
    Fault("the lines", "grader.exports:grades_jsonl", ValueError(), "page", file="grades.jsonl"),
    # The gradebook and the folder of results.
    Fault("the gradebook is locked", "grader.gradebook.writing:replace", LOCKED, "ends", about_bob),
    Fault("the disk is full", "grader.gradebook.writing:replace", FULL, "ends", about_bob),
    Fault("the gradebook became read-only", "grader.gradebook.writing:replace", READONLY, "ends", about_bob),
    Fault("the gradebook is corrupt", "grader.gradebook.reading:grade", CORRUPT, "ends", about_bob),
    Fault("a row cannot be read", "grader.gradebook.reading:grades", ValueError("not a grade"), "ends"),
    Fault("no descriptor for the gradebook", "grader.gradebook.lock:os.open", NO_DESCRIPTORS, "ends"),
    Fault("an assignment cannot be kept", f"{BOOK}.publish", GradebookFault("cannot grow"), "ends"),
    Fault("the run cannot be closed", f"{BOOK}.close_run", GradebookFault("cannot grow"), "ends"),
    Fault("the folder cannot be made", "grader.files:Path.mkdir", READ_ONLY, "ends"),
    Fault("no room for a page", "grader.files:os.fsync", NO_SPACE, "ends"),
    Fault("no page can be named", "grader.files:Path.replace", READ_ONLY, "ends"),
    # What is read.
    Fault("looking for notebooks raises", "grader.intake:collect", RuntimeError("bug"), "ends"),
    Fault("the roster cannot be read", "grader.course:kept_roster", PermissionError(13, "Permission denied"), "ends"),
]


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Classroom:
    return room_of_three(tmp_path_factory.mktemp("room"))


@pytest.fixture(scope="module")
def undisturbed(room: Classroom) -> tuple[dict[str, Grade], dict[str, bytes]]:
    grades, code, faults = outcome(room)
    assert (code, faults) == (ExitCode.DONE, ())
    assert [grades[name].score for name in ("ada", "bob", "cy")] == [8, 6, 0]
    return grades, files_of(room.output)


@pytest.fixture
def output(room: Classroom, undisturbed: object, tmp_path: Path) -> Iterator[Path]:
    before, room.output = room.output, tmp_path / "graded"
    yield room.output
    room.output = before


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_costs_what_it_must_and_is_told(
    fault: Fault,
    room: Classroom,
    undisturbed: tuple[dict[str, Grade], dict[str, bytes]],
    output: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only what broke is held, exit code and words say so, and the next run makes all as if nothing had been."""
    expected, files = undisturbed
    with monkeypatch.context() as patched:
        fault.inject(patched)
        grades, code, told = outcome(room)
        rendered = files_of(output) if output.exists() else {}
    EFFECTS[fault.effect](fault, grades, expected, rendered, files)
    assert code == (ExitCode.DONE if fault.effect == "nothing" else fault.code)
    assert bool(told) == (fault.effect != "nothing")
    assert all(line and "\n" not in line for line in told)
    assert not [name for name in rendered if name.endswith(".part")]
    assert not any(MARK.encode() in text and b"Traceback" in text for text in rendered.values())
    again, code, told = outcome(room)
    assert (again, code, told) == (expected, ExitCode.DONE, ())
    assert files_of(output) == files


def only_bob(fault: Fault, grades: Any, expected: Any, rendered: Any, files: Any) -> None:
    assert held(grades["bob"])
    assert grades["ada"] == expected["ada"]
    assert grades["cy"] == expected["cy"]
    assert rendered["feedback/ada/small-lesson.html"] == files["feedback/ada/small-lesson.html"]


def one_row(fault: Fault, grades: Any, expected: Any, rendered: Any, files: Any) -> None:
    assert grades == {name: expected[name] for name in ("ada", "cy")}
    assert rendered["feedback/ada/small-lesson.html"] == files["feedback/ada/small-lesson.html"]


def everybody(fault: Fault, grades: Any, expected: Any, rendered: Any, files: Any) -> None:
    assert grades["ada"].score is grades["bob"].score is None
    assert not {each.verdict for name in ("ada", "bob") for each in grades[name].exercises} & {"wrong", "could_not_run"}


def one_exercise(fault: Fault, grades: Any, expected: Any, rendered: Any, files: Any) -> None:
    for name in ("ada", "bob"):
        for each, before in zip(grades[name].exercises, expected[name].exercises, strict=True):
            assert each.verdict == ("grader_fault" if each.id == fault.exercise else before.verdict)
        assert grades[name].score is None


def explanation(fault: Fault, grades: Any, expected: Any, rendered: Any, files: Any) -> None:
    assert {name: each.score for name, each in grades.items()} == {name: each.score for name, each in expected.items()}
    assert grades["ada"].exercises == expected["ada"].exercises


def one_page(fault: Fault, grades: Any, expected: Any, rendered: Any, files: Any) -> None:
    assert grades == expected
    assert rendered == {name: text for name, text in files.items() if name != fault.file}


def nobody_notices(fault: Fault, grades: Any, expected: Any, rendered: Any, files: Any) -> None:
    assert grades == expected
    assert rendered == files


def the_run(fault: Fault, grades: Any, expected: Any, rendered: Any, files: Any) -> None:
    assert grades == {}
    # Nothing that could pass for the result of a run.
    assert set(rendered) <= {"UNFINISHED.txt", "gradebook.db.lock"}


EFFECTS = {
    "one": only_bob,
    "row": one_row,
    "everybody": everybody,
    "exercise": one_exercise,
    "explained": explanation,
    "page": one_page,
    "nothing": nobody_notices,
    "ends": the_run,
}


def test_there_are_as_many_points_as_promised() -> None:
    """At least thirty different places are broken."""
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
    assert {fault.effect for fault in FAULTS} == set(EFFECTS)


def test_a_fault_while_files_are_written_leaves_the_old_ones_together(room: Classroom, output: Path) -> None:
    """Where pages and tables of a second run cannot be written, all those of the first stay, and a file says so."""
    outcome(room)
    before = files_of(output)
    notebook = room.handed_in / "bob" / "small-lesson.ipynb"
    as_handed_in = notebook.read_bytes()
    notebook.write_bytes(as_handed_in.replace(b"[3, 10, 7]", b"[3, 18, 7]"))
    written: list[str] = []

    def full(descriptor: int) -> None:
        # The file that says that a run has begun, then two of the new ones.
        written.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        if len(written) > 3:
            raise NO_SPACE

    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("grader.files.os.fsync", full)
            _, code, told = outcome(room)
        assert code == ExitCode.GRADER_FAULT
        assert "No space left" in told[0]
        assert {name: text for name, text in files_of(output).items() if name != "UNFINISHED.txt"} == before
        assert "UNFINISHED.txt" in files_of(output)
        grades, code, _ = outcome(room)
        assert (code, grades["bob"].score) == (ExitCode.DONE, 8)
        assert "UNFINISHED.txt" not in files_of(output)
    finally:
        notebook.write_bytes(as_handed_in)


def test_what_a_killed_run_left_is_swept(room: Classroom, output: Path) -> None:
    """Half-written files of a run that was killed are gone after the next one."""
    outcome(room)
    before = files_of(output)
    for name in (".gradebook.csv.x1.part", "feedback/bob/.small-lesson.html.x2.part"):
        (output / name).write_text("half")
    outcome(room)
    assert files_of(output) == before


def test_pages_need_nothing_but_the_gradebook(room: Classroom, output: Path) -> None:
    """What is committed with each grade is enough to make every page again."""
    outcome(room)
    before = files_of(output)
    with Gradebook(output / "gradebook.db", readonly=True) as book:
        grades, assignments = book.grades(), book.assignments()
    for name in before:
        (output / name).unlink()
    assert render(output, grades, assignments) == []
    assert files_of(output) == before
