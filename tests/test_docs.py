"""What the documents say is what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from classroom import Classroom, InProcessReference
from click.testing import CliRunner
from in_process import InProcessSandbox

from grader import pipeline
from grader.cli import main
from grader.errors import ExitCode
from grader.reports import show_student

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_the_feedback_in_the_readme_is_real(tmp_path: Path) -> None:
    """The README shows what `grade show carl` prints, line by line."""
    block = re.search(r"<!-- grade show carl -->\n```text\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert block
    order = pipeline.Order((ROOT / "submissions" / "carl",), ROOT, tmp_path / "graded")
    graded = pipeline.grade(order, sandbox=InProcessSandbox())
    shown = show_student(graded.grades, graded.assignments)
    assert shown[: block[1].count("\n")] == block[1].splitlines()


def test_the_guides_assignment_works(tmp_path: Path) -> None:
    """The whole assignment in the instructor's guide loads, is released, and its model solution is right."""
    source = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "instructor.md").read_text(), re.S)
    assert source
    room = Classroom(tmp_path, my_first=source[1])
    pipeline.release(tmp_path, solution=True, reference=InProcessReference())
    room.file("model/my-first.ipynb", (tmp_path / "solutions" / "my-first.ipynb").read_bytes())
    assert set(room.grade()["model"].verdicts.values()) == {"right"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document: Path) -> None:
    """Every relative link is a file of the repository."""
    for target in re.findall(r"\]\(([^)#:]+)[^)]*\)", document.read_text()):
        assert (document.parent / target).exists(), target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_commands_and_options_exist(document: Path) -> None:
    """Each command line that starts with `grade` parses: its subcommand and its options are real."""
    for words in re.findall(r"^    grade (.+)$", document.read_text(), re.M):
        line = re.split(r"\s{2,}", words)[0].split()
        name = line[0] if line[0] in main.commands else "run"
        options = {name for param in main.commands[name].params for name in param.opts}
        assert {word for word in line if word.startswith("--")} <= options, words


def test_exit_codes_are_documented() -> None:
    """The CI guide's table has every exit code and no other."""
    table = re.findall(r"^\| (\d) \|", (ROOT / "docs" / "ci.md").read_text(), re.M)
    assert [int(code) for code in table] == sorted(ExitCode)


@pytest.mark.parametrize("name", ["", *main.commands])
def test_help_is_plain_and_has_an_example(name: str) -> None:
    """Every command's help shows an example and fits 80 columns."""
    done = CliRunner().invoke(main, [*([name] if name else []), "--help"], terminal_width=80)
    assert done.exit_code == 0
    assert "Example" in done.output
    assert max(map(len, done.output.splitlines())) <= 80
    for param in main.commands[name].params if name else []:
        assert not isinstance(param, click.Option) or param.help


def test_nothing_names_this_machine() -> None:
    """No document holds an absolute path of somebody's machine or a registry's address."""
    for document in [*DOCUMENTS, ROOT / "constraints.txt", ROOT / "pyproject.toml", ROOT / ".ci" / "run"]:
        assert not re.search(
            r"(?<![\w.])/(work|home|root|farm)/|https?://(?!packaging)\S*(pypi|index|mirror)", document.read_text()
        )
