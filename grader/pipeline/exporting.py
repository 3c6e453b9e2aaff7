"""gradebook -> the files that an LMS or a CI reads. Nothing is run or judged again."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from grader import files, reports
from grader.errors import UsageError
from grader.exports import FORMATS, Exported, Format, NotExportable, Roll, grades_jsonl
from grader.gradebook import Gradebook
from grader.pipeline.settled import read_house, settled_grades
from grader.records import Grade, PublicAssignment, Student

FOLDER = "export"
# An instructor's file is a table of a course; what is larger is another file.
LARGEST_INTO = 64 * 2**20


@dataclass(frozen=True)
class ExportOrder:
    """What the command line asks for.

    Attributes:
        into: the instructor's own file, for formats that fill one in.
        to: the folder for the files; None for `export/` in `output`.
        options: what `--set` says, by name.
    """

    format: str
    output: Path
    course: Path
    assignment: str | None = None
    into: Path | None = None
    to: Path | None = None
    roster: Path | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    dry_run: bool = False

    @property
    def folder(self) -> Path:
        """Where the files go."""
        return self.to or self.output / FOLDER


def export(order: ExportOrder) -> Exported:
    """Make the files of a format from the gradebook and write them, all or none; with `dry_run`, only make them.

    A format that holds one assignment and needs no file of the instructor's is made once for each, in folders.

    Raises: `UsageError` if the gradebook, the instructor's file or an option is not what the format needs.
    """
    chosen = check_order(order)
    grades, assignments, students = _read(order)
    roll = Roll(grades, assignments, students, into=_own_file(order), options=_options(order))
    try:
        made = _made(chosen, roll)
    except NotExportable as error:
        raise UsageError(f"{order.into or order.format}: {error}") from error
    if not order.dry_run:
        if order.into is not None:
            _spare(order.into, [order.folder / name for name in made.files])
        files.write_together(order.folder, made.files)
    return made


def check_order(order: ExportOrder) -> Format:
    """The format that an order names. What can be wrong with an order by itself is told before anything is read.

    Raises: `UsageError`.
    """
    chosen = FORMATS.get(order.format)
    if chosen is None:
        near = get_close_matches(order.format, FORMATS, 1, 0.4)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"{order.format}: there is no such format; {hint}There are: {', '.join(FORMATS)}")
    if chosen.into and order.into is None:
        raise UsageError(f"{chosen.name}: fills in {chosen.into}; give that file with --into")
    if order.into is not None and not chosen.into:
        raise UsageError(f"{chosen.name}: fills in no file; leave out --into {order.into}")
    unknown = [name for name in order.options if name not in chosen.options]
    if unknown:
        there = f"it has {', '.join(chosen.options)}" if chosen.options else "it has none"
        raise UsageError(f"{chosen.name}: has no option {unknown[0]}; {there}")
    return chosen


def formats() -> tuple[Format, ...]:
    """All formats, in the order in which they are listed."""
    return tuple(FORMATS.values())


def append_for_ci(made: Exported) -> None:
    """Append what a CI reads to the files that it names in its environment; where it names none, nothing is lost.

    Raises: `GradebookFault` naming the file and the reason.
    """
    for variable, data in made.appended.items():
        path = os.environ.get(variable)
        if path:
            files.append(Path(path), data)


def as_lines(grades: Sequence[Grade]) -> str:
    """Grades as JSON lines, as in `grades.jsonl`."""
    return grades_jsonl(grades)


def _read(order: ExportOrder) -> tuple[tuple[Grade, ...], dict[str, PublicAssignment], tuple[Student, ...]]:
    path = order.output / "gradebook.db"
    if not path.is_file():
        raise UsageError(f"{path}: there is no gradebook; grade something first, or say where with --output")
    house = read_house(order.course, order.roster)
    with Gradebook(path, readonly=True) as book:
        grades, assignments = settled_grades(book, house), book.assignments()
    if not grades:
        raise UsageError(f"{path}: there are no grades in it; grade something first, or say where with --output")
    if order.assignment is not None:
        there = sorted({grade.assignment for grade in grades})
        grades = tuple(grade for grade in grades if grade.assignment == order.assignment)
        if not grades:
            raise UsageError(f"{order.assignment}: {path} has no grades for it; there are: {', '.join(there)}")
    return grades, assignments, house.students


def _own_file(order: ExportOrder) -> bytes | None:
    if order.into is None:
        return None
    try:
        if order.into.stat().st_size > LARGEST_INTO:
            raise UsageError(f"{order.into}: has more than {LARGEST_INTO // 2**20} MiB; is it the right file?")
        return order.into.read_bytes()
    except OSError as error:
        raise UsageError(f"{order.into}: cannot be read ({error.strerror}); give the file with --into") from error


def _options(order: ExportOrder) -> dict[str, str]:
    """The options; `timestamp=now` is the one thing that asks for the clock, and the command has to say so."""
    options = dict(order.options)
    if options.get("timestamp") == "now":
        options["timestamp"] = datetime.now(UTC).isoformat(timespec="milliseconds")
    return options


def _made(chosen: Format, roll: Roll) -> Exported:
    names = sorted({grade.assignment for grade in roll.grades})
    if not chosen.single or chosen.into or len(names) == 1:
        return chosen.make(_with_pages(roll) if chosen.pages else roll)
    made = Exported({})
    for name in names:
        part = replace(roll, grades=tuple(grade for grade in roll.grades if grade.assignment == name))
        made = _joined(made, name, chosen.make(_with_pages(part) if chosen.pages else part))
    return made


def _joined(made: Exported, name: str, more: Exported) -> Exported:
    folder = reports.folder_names([name])[name]
    return Exported(
        {**made.files, **{f"{folder}/{file}": data for file, data in more.files.items()}},
        made.given + more.given,
        made.unmatched + tuple(f"{name}: {line}" for line in more.unmatched),
        made.remarks + tuple(f"{name}: {line}" for line in more.remarks),
        made.printed + more.printed,
        # A step has one output of a name: with several assignments there is none.
        {},
    )


def _with_pages(roll: Roll) -> Roll:
    pages = {
        grade.student: reports.student_page(grade, roll.assignments.get(grade.assignment)).encode()
        for grade in roll.grades
    }
    return replace(roll, pages=pages)


def _spare(into: Path, written: Sequence[Path]) -> None:
    """The instructor's file is never what is written to."""
    for path in written:
        if path.exists() and into.exists() and path.samefile(into):
            raise UsageError(f"{into}: would be overwritten by its filled-in copy; give another folder with --to")
