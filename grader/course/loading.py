"""`load`: one solutions file -> one `Assignment` record, or all of its problems at once."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import msgspec

from grader.course.building import ExerciseReader
from grader.course.executing import execute
from grader.course.fingerprints import assignment_fingerprint
from grader.course.following import build_on
from grader.course.problems import Problems, shown
from grader.course.source import SourceFile, read_source
from grader.course.surface import Assignment as Surface
from grader.records import Assignment, DataFile, Limits

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_DATA_BYTES = 2_000_000


def load(path: Path, key: bytes) -> Assignment:
    """Execute and read `solutions/<name>.py`. Of the exercises only those are run that others build on.

    Args:
        path: the solutions file, trusted code.
        key: the course's key, from which all generated cases are drawn.

    Raises: `CourseError` with every problem found, each "file:line: exercise: what is wrong; what to do".
    """
    path = Path(path)
    source = read_source(path, shown(path))
    surface = execute(path, shown(path), source)
    problems = Problems(shown(path))
    _check_name(problems, path, surface)
    title, intro = _heading(problems, source)
    limits = _limits(problems, surface)
    files = _files(problems, path, surface)
    if not surface.notes:
        problems.add(surface.line, "assignment", "has no exercise; write one: @assignment.predict(...) above a `def`")
    read = [ExerciseReader(source, problems, note, key, surface.name).read(surface.show_keys) for note in surface.notes]
    exercises = tuple(each for each in read if each is not None)
    _check_unique(problems, source, surface)
    if len(exercises) == len(read):
        exercises = build_on(exercises, problems)
    problems.check()
    fingerprint = assignment_fingerprint(surface.name, title, intro, exercises, files)
    return Assignment(surface.name, title, intro, exercises, fingerprint, limits, files)


def _check_name(problems: Problems, path: Path, surface: Surface) -> None:
    name: object = surface.name
    if not isinstance(name, str) or not SLUG.fullmatch(name):
        what = f"is called {name!r}; use small letters, digits and single hyphens, such as hooked-gradients"
        problems.add(surface.line, "assignment", what)
    elif name != path.stem:
        mend = f'rename the file to {name}.py or write Assignment("{path.stem}")'
        problems.add(surface.line, "assignment", f'is called "{name}" but lies in {path.name}; {mend}')
    if surface.show_keys not in (None, True, False):
        problems.add(surface.line, "assignment", f"has show_keys={surface.show_keys!r}; give True or False")


def _heading(problems: Problems, source: SourceFile) -> tuple[str, str]:
    """(title, introduction) from the module's docstring."""
    first, _, rest = (ast.get_docstring(source.tree) or "").partition("\n")
    title = first.removeprefix("#").strip()
    if not first.startswith("# ") or not title:
        what = 'has no title; begin the file with a docstring whose first line is a heading: """# Hooked gradients'
        problems.add(1, "assignment", what)
    return title, rest.strip()


def _limits(problems: Problems, surface: Surface) -> Limits:
    kinds: dict[str, Any] = {each.name: each.type for each in msgspec.structs.fields(Limits)}
    chosen: dict[str, Any] = {}
    for name, value in surface.limits.items():
        # Annotations are texts where the record's module postpones them.
        whole = kinds.get(name) in (int, "int")
        if name not in kinds:
            what = f"has an unknown option `{name}`; it may have show_keys, data, {', '.join(kinds)}"
        elif type(value) not in ((int,) if whole else (int, float)) or not 0 < value < float("inf"):
            what = f"has {name}={value!r}; give a {'whole ' if whole else ''}number more than 0"
        else:
            chosen[name] = value if whole else float(value)
            continue
        problems.add(surface.line, "assignment", what)
    return Limits(**chosen)


def _files(problems: Problems, path: Path, surface: Surface) -> tuple[DataFile, ...]:
    if isinstance(surface.data, str) or not all(isinstance(each, str) for each in surface.data):
        problems.add(surface.line, "assignment", 'has data that is no list of paths; write data=["weights.csv"]')
        return ()
    files: list[DataFile] = []
    for each in surface.data:
        try:
            data = (path.parent / each).read_bytes()
        except OSError as error:
            what = f"ships the data file {each}, which cannot be read ({error.strerror})"
            problems.add(surface.line, "assignment", f"{what}; its path counts from {path.name}")
            continue
        if Path(each).name in {known.name for known in files}:
            what = f"ships two data files called {Path(each).name}; rename one of them"
            problems.add(surface.line, "assignment", what)
        files.append(DataFile(Path(each).name, data))
    total = sum(len(each.data) for each in files)
    if total > MAX_DATA_BYTES:
        what = f"ships {total:,} bytes of data, more than {MAX_DATA_BYTES:,}; ship less, they travel in the notebook"
        problems.add(surface.line, "assignment", what)
    return tuple(files)


def _check_unique(problems: Problems, source: SourceFile, surface: Surface) -> None:
    """Exercise names and answer names must be unique in an assignment, also those of exercises with problems."""
    exercises: dict[str, int] = {}
    answers: dict[str, str] = {}
    for note in surface.notes:
        node = source.decorated(note.line)
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)) or note.thing is None:
            continue
        if node.name in exercises:
            what = f"has the same name as the exercise in line {exercises[node.name]}; rename one of them"
            problems.add(node.lineno, node.name, what)
        exercises.setdefault(node.name, node.lineno)
        for name in note.answers or (node.name,):
            if answers.get(name) == f"`{node.name}`" and list(note.answers).count(name) > 1:
                problems.add(node.lineno, node.name, f"has the answer name `{name}` twice; rename one of them")
            elif name in answers:
                what = f"has the answer name `{name}`, as {answers[name]} has; rename one of them"
                problems.add(node.lineno, node.name, what)
            elif isinstance(name, str):
                answers[name] = f"`{node.name}`"
