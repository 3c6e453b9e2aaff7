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


def documented_commands() -> list[tuple[str, str]]:
    """(where, what follows `grade`) of every command line in a code block and of every example in the help."""
    found = []
    for document in DOCUMENTS:
        blocks = re.sub(
            r"^```.*?^```", lambda fence: fence[0].replace("\n", "\n    "), document.read_text(), flags=re.M | re.S
        )
        lines = [command for line in re.findall(r"^    (.+)$", blocks, re.M) for command in line.split(" && ")]
        found += [(document.name, line) for line in lines]
    for name, command in {"": main, **main.commands}.items():
        found += [(f"grade {name} --help".replace("  ", " "), line) for line in (command.epilog or "").splitlines()]
    commands = [(where, re.match(r"\s*(?:\S*/)?grade (\S.*)", line)) for where, line in found]
    return [(where, re.split(r"\s{2,}", match[1])[0]) for where, match in commands if match]


@pytest.mark.parametrize(("where", "words"), documented_commands())
def test_documented_commands_are_accepted(
    where: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command line parses as a whole: subcommand, options, values and all arguments that it needs."""
    monkeypatch.chdir(tmp_path)
    reached = []
    for name, command in main.commands.items():
        monkeypatch.setattr(command, "callback", lambda name=name, **_: reached.append(name))
    for word in words.split():
        if re.fullmatch(r"[\w/-]+\.\w+", word) and not word.startswith("/"):
            (tmp_path / word).parent.mkdir(exist_ok=True)
            (tmp_path / word).touch()
    done = CliRunner().invoke(main, words.split())
    assert (done.exit_code, len(reached)) == (0, 1), f"{where}: grade {words}\n{done.output}"


def test_commands_are_found_in_the_documents() -> None:
    """The test above looks where command lines are: in each guide and in the help of each command."""
    places = {where for where, _ in documented_commands()}
    assert {"README.md", "ci.md", "instructor.md", "student.md", "grade check --help", "grade run --help"} <= places


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
