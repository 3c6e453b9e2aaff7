"""Rosters: the file that an instructor has (CSV), and what is kept beside the solutions of a release per student."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from grader.errors import UsageError
from grader.records import Roster, Student

COLUMNS = ("id", "name", "email")
EXAMPLE = "write a first line such as id,name,email"


def read_roster(path: Path) -> tuple[Student, ...]:
    """The students of a CSV file with a column `id` and, if wanted, `name` and `email`; sorted by id.

    Other columns are passed over, blank lines too. UTF-8, with or without a byte order mark; commas or semicolons.

    Raises: `UsageError` with every problem of the file, each with its line.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); give the roster's file with --roster") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: is not text in UTF-8 (byte {error.start + 1}); save it as CSV in UTF-8") from error
    rows = list(_rows(path, text))
    if not rows:
        raise UsageError(f"{path}: is empty; {EXAMPLE}, then one line for each student")
    (_, header), *body = rows
    columns = _columns(path, header)
    problems: list[str] = []
    students: dict[str, Student] = {}
    lines: dict[str, int] = {}
    for line, cells in body:
        where = f"{path}:{line}"
        if len(cells) > len(header):
            problems.append(f"{where}: has {len(cells)} cells under {len(header)} columns; quote what holds a comma")
            continue
        row = {name: cells[at].strip() if at < len(cells) else "" for name, at in columns.items()}
        problem = _problem(row["id"], lines)
        if problem:
            problems.append(f"{where}: {problem}")
        else:
            lines[row["id"]] = line
            students[row["id"]] = Student(**row)
    if not problems and not students:
        problems.append(f"{path}: names no student; write one line for each below {','.join(header)}")
    if problems:
        raise UsageError("\n".join(problems))
    return tuple(students[name] for name in sorted(students))


def roster_path(course: Path, assignment: str) -> Path:
    """Where the roster of a release per student is kept: it holds names and draws, so it is yours alone."""
    return course / "solutions" / f"{assignment}.roster.json"


def kept_roster(course: Path, assignment: str) -> Roster | None:
    """The roster with which `assignment` was released; None if everybody gets the same notebook.

    Raises: `UsageError` if the file is there and cannot be read.
    """
    path = roster_path(course, assignment)
    try:
        return msgspec.json.decode(path.read_bytes(), type=Roster)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        mend = "restore it; without it nobody's numbers are known"
        raise UsageError(f"{path}: is no roster that `grade release` has written ({error}); {mend}") from error


def known_students(course: Path) -> tuple[Student, ...]:
    """Everybody in the kept rosters of a course, once each; of several entries the first that has a name counts.

    A roster that cannot be read names nobody here: it is said where its assignment is graded.
    """
    found: dict[str, Student] = {}
    for path in sorted((course / "solutions").glob("*.roster.json")):
        with suppress(UsageError):
            roster = kept_roster(course, path.name.removesuffix(".roster.json"))
            for student in roster.students if roster else ():
                known = found.get(student.id)
                if known is None or not (known.name or known.email):
                    found[student.id] = student
    return tuple(found[name] for name in sorted(found))


def roster_bytes(roster: Roster) -> bytes:
    """The file's bytes: the same for the same roster."""
    return msgspec.json.format(msgspec.json.encode(roster, order="deterministic"), indent=1) + b"\n"


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of every line that is not blank."""
    first = text.lstrip().partition("\n")[0]
    delimiter = ";" if ";" in first and "," not in first else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.line_num}: is not CSV ({error}); mend its quotes") from error


def _columns(path: Path, header: list[str]) -> dict[str, int]:
    names = [cell.strip().casefold() for cell in header]
    twice = sorted({name for name in names if name in COLUMNS and names.count(name) > 1})
    if twice:
        raise UsageError(f"{path}:1: has the column {twice[0]} twice; remove one of them")
    if "id" not in names:
        raise UsageError(f"{path}:1: has no column id (it has {', '.join(header)[:200]}); {EXAMPLE}")
    return {name: names.index(name) for name in COLUMNS if name in names}


def _problem(student: str, lines: dict[str, int]) -> str | None:
    if not student:
        return "has no id; give each student one, that which the folders of submissions are called by"
    if not student.isprintable():
        return f"has the id {student!r}, with characters that cannot be seen; type it again"
    if student in lines:
        return f"has the id {student}, as line {lines[student]} has; give each student an id of their own"
    return None
