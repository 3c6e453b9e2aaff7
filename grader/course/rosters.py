"""Rosters: the file that an instructor has (CSV), and what is kept beside the solutions of a release per student."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from grader.errors import UsageError
from grader.records import PLATFORMS, Roster, Student

COLUMNS = ("id", "name", "email", "group", "accommodations", *PLATFORMS)
# "extension", or "extension ASSIGNMENT": any number of columns.
EXTENSION = "extension"
EXAMPLE = "write a first line such as id,name,email"


def read_roster(path: Path) -> tuple[Student, ...]:
    """The students of a CSV file with a column `id`; sorted by id.

    If wanted, the columns `name`, `email` and `group`; one for each platform that has ids of its own (`canvas`, or
    `canvas_id`); `extension` for all deadlines and `extension ASSIGNMENT` for one, with a span ("2d", "36h") or a new
    due time; `accommodations`. Other columns are passed over, blank lines too. UTF-8, with or without a byte order
    mark; commas or semicolons.

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
            students[row["id"]] = _student(row)
    if not problems and not students:
        problems.append(f"{path}: names no student; write one line for each below {','.join(header)}")
    if problems:
        raise UsageError("\n".join(problems))
    return tuple(students[name] for name in sorted(students))


def class_roster(course: Path, given: Path | None) -> tuple[Student, ...]:
    """Who is in the class: of the file `given`, else of `roster.csv` in the course's folder; nobody if there is none.

    Raises: `UsageError` as `read_roster` does.
    """
    path = given or course / "roster.csv"
    return read_roster(path) if given or path.exists() else ()


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


def known_students(course: Path, roster: Sequence[Student] = ()) -> tuple[Student, ...]:
    """Everybody in `roster` and the kept rosters of a course, once each; the first entry that has a name counts.

    A kept roster that cannot be read names nobody here: it is said where its assignment is graded.
    """
    found = {student.id: student for student in roster}
    for path in sorted((course / "solutions").glob("*.roster.json")):
        with suppress(UsageError):
            kept = kept_roster(course, path.name.removesuffix(".roster.json"))
            for student in kept.students if kept else ():
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


def _student(row: dict[str, str]) -> Student:
    return Student(
        row["id"],
        row.get("name", ""),
        row.get("email", ""),
        ids=tuple((platform, row[platform]) for platform in PLATFORMS if row.get(platform)),
        extensions=tuple(
            (name.removeprefix(EXTENSION).strip(), value)
            for name, value in row.items()
            if name.startswith(EXTENSION) and value
        ),
        accommodations=row.get("accommodations", ""),
        group=row.get("group", ""),
    )


def _column(heading: str) -> str:
    """The name of a column, whatever an instructor's heading makes of it."""
    if heading.strip().casefold().startswith(EXTENSION):
        # What follows is an assignment's name: as it is.
        return EXTENSION + heading.strip()[len(EXTENSION) :].replace(":", " ").rstrip()
    name = heading.strip().casefold()
    bare = re.sub(r"[ _-]?(user)?[ _-]?(id|login|username)$", "", name)
    return bare if bare in PLATFORMS else name


def _columns(path: Path, header: list[str]) -> dict[str, int]:
    names = [_column(cell) for cell in header]
    known = {name for name in names if name in COLUMNS or name.startswith(EXTENSION)}
    twice = sorted({name for name in known if names.count(name) > 1})
    if twice:
        raise UsageError(f"{path}:1: has the column {twice[0]} twice; remove one of them")
    if "id" not in names:
        raise UsageError(f"{path}:1: has no column id (it has {', '.join(header)[:200]}); {EXAMPLE}")
    return {name: names.index(name) for name in names if name in known}


def _problem(student: str, lines: dict[str, int]) -> str | None:
    if not student:
        return "has no id; give each student one, that which the folders of submissions are called by"
    if not student.isprintable():
        return f"has the id {student!r}, with characters that cannot be seen; type it again"
    if student in lines:
        return f"has the id {student}, as line {lines[student]} has; give each student an id of their own"
    return None
