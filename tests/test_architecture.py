"""The import law of docs/architecture.md: who may import whom, as data."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "grader"

SPINE = {"records", "errors"}
LAW: dict[str, set[str]] = {
    "__init__": set(),
    "records": set(),
    "errors": set(),
    "files": {"errors"},
    "processes": set(),
    "program": SPINE,
    "answers": SPINE,
    "intake": SPINE,
    "sandbox": SPINE | {"__init__", "processes", "program"},
    "course": SPINE | {"program", "answers", "settling"},
    "misconceptions": SPINE | {"program", "answers", "course"},
    "judging": SPINE | {"processes", "program", "answers", "course", "misconceptions"},
    "gradebook": SPINE,
    "settling": SPINE,
    "reports": SPINE,
    "exports": SPINE | {"reports"},
    "pipeline": SPINE
    | {
        "__init__",
        "files",
        "answers",
        "intake",
        "sandbox",
        "course",
        "judging",
        "gradebook",
        "settling",
        "reports",
        "exports",
    },
    "notebook": SPINE | {"program", "pipeline", "reports"},
    "cli": SPINE | {"__init__", "pipeline", "reports", "sandbox"},
}
TORCH_FREE = [
    "answers",
    "intake",
    "sandbox",
    "misconceptions.catalogue",
    "judging",
    "gradebook",
    "settling",
    "reports",
    "exports",
    "pipeline",
    "cli",
    "notebook",
]


def part_of(module: str) -> str:
    """`grader.records.values` -> `records`; `grader` itself -> `__init__`."""
    names = module.split(".")
    return names[1] if len(names) > 1 else "__init__"


def imports_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            if node.module == "grader":
                yield from (f"grader.{alias.name}" if alias.name in LAW else "grader" for alias in node.names)
            else:
                yield node.module or ""


def modules() -> list[tuple[str, Path]]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        relative = path.relative_to(PACKAGE)
        found.append((relative.parts[0].removesuffix(".py"), path))
    return found


@pytest.mark.parametrize(("part", "path"), modules(), ids=lambda value: str(value).split("/grader/")[-1])
def test_a_module_imports_only_what_the_law_allows(part: str, path: Path) -> None:
    """Every import of a module, also under TYPE_CHECKING or inside a function, is in the law's table."""
    assert part in LAW, f"{path}: a new part of the house needs its line in LAW, and the reason in docs/decisions.md"
    for name in imports_of(path):
        if name.split(".")[0] == "grader":
            assert part_of(name) in LAW[part] | {part}, f"{path} imports {name}"


def test_the_package_itself_imports_nothing() -> None:
    """`grader/__init__.py` runs first in every process, the one that students are forked from too."""
    assert list(imports_of(PACKAGE / "__init__.py")) == []


def test_no_module_is_called_after_nothing() -> None:
    """A module's name says what it does: no utils, helpers, common, core, base."""
    names = {path.stem for path in PACKAGE.rglob("*.py")} | {path.name for path in PACKAGE.rglob("*") if path.is_dir()}
    assert not names & {"utils", "util", "helpers", "common", "core", "base", "misc"}


def test_only_the_gradebook_speaks_sql() -> None:
    """sqlite3 is imported by `grader.gradebook` and by nothing else."""
    offenders = [str(path) for part, path in modules() if part != "gradebook" and "sqlite3" in set(imports_of(path))]
    assert offenders == []


def test_nothing_is_pickled() -> None:
    """No module imports pickle, marshal, shelve or dill: from a student's process comes data only."""
    for _, path in modules():
        assert not set(imports_of(path)) & {"pickle", "marshal", "shelve", "dill", "cloudpickle"}, path


@pytest.mark.parametrize("part", TORCH_FREE)
def test_the_trusted_side_does_not_load_torch(part: str) -> None:
    """Importing a stage of the grader loads neither torch nor IPython."""
    assert not loaded_by(f"import grader.{part}") & {"torch", "IPython"}


def test_help_does_not_load_torch() -> None:
    """`grade --help` and every command's help answer without torch, IPython, rich or jinja2."""
    for command in ["", "run", "check", "release", "show"]:
        words = [*command.split(), "--help"]
        seen = loaded_by(
            f"from grader.cli import main\ntry: main({words!r})\nexcept SystemExit as end: assert not end.code"
        )
        assert not seen & {"torch", "IPython", "numpy", "jinja2", "rich"}, command


def loaded_by(code: str) -> set[str]:
    report = "\nimport sys; print('LOADED', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code + report], capture_output=True, text=True, check=True)
    listing = re.search(r"^LOADED (.*)$", done.stdout, re.M)
    assert listing
    return {name.split(".")[0] for name in listing[1].split()}
