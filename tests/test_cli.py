"""The command line: what is a command, what is a path, what ends how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from grader import pipeline
from grader.cli import main
from grader.errors import CourseError, GraderFault, UsageError
from grader.records import ClassWork


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Any]:
    """What the pipeline was asked for; nothing is graded."""
    calls: list[Any] = []

    def grade(order: pipeline.Order, progress: Any) -> pipeline.Graded:
        calls.append(order)
        return pipeline.Graded((), {}, ClassWork(), order.output, 0, "not at all")

    def check(notebook: Path, course: Path, confined: bool) -> None:
        calls.append(("check", notebook))
        raise UsageError("stop here")

    monkeypatch.setattr(pipeline, "grade", grade)
    monkeypatch.setattr(pipeline, "check", check)
    monkeypatch.chdir(tmp_path)
    return calls


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (["submissions/"], ["submissions"]),
        (["--jobs", "2", "submissions/"], ["submissions"]),
        (["submissions/", "--jobs", "2"], ["submissions"]),
        (["run", "submissions/"], ["submissions"]),
        (["a.ipynb", "b"], ["a.ipynb", "b"]),
        (["--jobs", "2", "check"], ["check"]),
        (["./check"], ["check"]),
        (["check/"], ["check"]),
        (["--", "check"], ["check"]),
    ],
)
def test_what_names_no_command_is_graded(asked: list[Any], words: list[str], paths: list[str]) -> None:
    """`grade PATH...` needs no subcommand, wherever its options stand and whatever the folder is called."""
    assert run(*words).exit_code == 0
    assert [str(path) for path in asked[0].paths] == paths


def test_a_folder_called_check_is_graded(asked: list[Any], tmp_path: Path) -> None:
    """`grade check` with a folder of that name and nothing else means the folder; with a notebook, the self-check."""
    (tmp_path / "check").mkdir()
    (tmp_path / "my.ipynb").write_text("{}")
    assert run("check").exit_code == 0
    assert [str(path) for path in asked[0].paths] == ["check"]
    assert run("check", "my.ipynb").exit_code == 2
    assert asked[1] == ("check", Path("my.ipynb"))


def test_defaults(asked: list[Any]) -> None:
    """The course is here, results go to graded/, all assignments, as many at once as there are cores."""
    run("x")
    order = asked[0]
    assert (order.course, order.output, order.assignment) == (Path(), Path("graded"), None)
    assert order.jobs >= 1


def test_no_argument_shows_the_help() -> None:
    """`grade` alone says what it can do."""
    assert "Commands:" in run().output


@pytest.mark.parametrize(
    ("error", "code"),
    [(UsageError("a: b"), 2), (CourseError("one.py:1: x", "two.py:2: y"), 2), (GraderFault("our fault"), 4)],
)
def test_an_error_is_clear_lines_and_a_code(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, error: Exception, code: int
) -> None:
    """Every expected error ends with its exit code and one line per problem, and no traceback."""

    def fail(order: Any, progress: Any) -> None:
        raise error

    monkeypatch.setattr(pipeline, "grade", fail)
    done = run("x")
    assert done.exit_code == code
    assert done.stderr.splitlines() == [f"grade: {line}" for line in str(error).splitlines()]


def test_a_fault_that_nobody_foresaw_has_its_code(asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything else that breaks is called the grader's fault, with exit code 4 and without a traceback."""

    def fail(order: Any, progress: Any) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(pipeline, "grade", fail)
    done = run("x")
    assert done.exit_code == 4
    assert "ZeroDivisionError: oops" in done.stderr
    assert "Traceback" not in done.stderr


def test_ctrl_c_says_what_is_kept(asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted, it says that the same command does the rest."""

    def interrupt(order: Any, progress: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "grade", interrupt)
    done = run("x")
    assert done.exit_code == 130
    assert "do the rest" in done.stderr


@pytest.mark.parametrize(
    "words", [["--jobs", "0", "x"], ["--nonsense", "x"], ["check"], ["show"], ["check", "no.ipynb"]]
)
def test_a_wrong_command_line_is_usage(asked: list[Any], words: list[str]) -> None:
    """Unknown options and missing arguments end with 2 and say what is expected."""
    done = run(*words)
    assert done.exit_code == 2
    assert "Usage" in done.stderr
