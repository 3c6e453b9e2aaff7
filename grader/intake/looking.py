"""What was found -> candidates: archives are opened, files read one at a time, each recognised."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace

from grader.intake.archives import ARCHIVE_ENDINGS
from grader.intake.candidates import Candidate, examine, unopened
from grader.intake.layout import Layout
from grader.intake.reading import BadFile
from grader.intake.unpacking import class_entries, is_class_archive, is_own_archive, own_entries
from grader.intake.walking import NOTEBOOK_ENDINGS, Entry
from grader.records import PublicAssignment


def opened_up(found: Iterable[Entry], opened: ExitStack) -> list[Entry]:
    """What was found, archives of the class replaced by what is in them."""
    return [inner for each in found for inner in (class_entries(each, opened) if is_class_archive(each) else [each])]


def look_into(
    found: Iterable[Entry], layout: Layout, assignments: Sequence[PublicAssignment]
) -> tuple[list[Entry], list[Candidate]]:
    """Read what may be a notebook, one file at a time, and look into what students packed."""
    entries: list[Entry] = []
    candidates: list[Candidate] = []
    for entry in found:
        if not is_own_archive(entry):
            entries.append(entry)
            candidates += [examine(entry, layout, assignments)] if _may_be_notebook(entry) else []
            continue
        with own_entries(entry) as inside:
            if isinstance(inside, BadFile):
                entries.append(entry)
                candidates.append(unopened(entry, layout, inside.reason))
                continue
            own = [each if not is_own_archive(each) else _too_deep(each) for each in inside]
            entries += [replace(entry, kind="folder", archive_at=len(entry.parts) - 1), *own]
            candidates += [examine(each, layout, assignments) for each in own if _may_be_notebook(each)]
    return entries, candidates


def _too_deep(entry: Entry) -> Entry:
    why = "is an archive inside an archive, and those are not opened: hand in the .ipynb file itself."
    return replace(entry, kind="refused", problem=why)


def _may_be_notebook(entry: Entry) -> bool:
    if entry.kind in {"folder", "unreadable", "hidden", "refused"}:
        return False
    if not entry.root.is_folder:  # named on the command line: its owner says that it is one
        return not entry.ends_with(ARCHIVE_ENDINGS)
    return entry.ends_with(NOTEBOOK_ENDINGS)


def why_closed(entry: Entry) -> str:
    """Why something that is no file was not looked into, as the end of "ada/x ..."; "" if it was."""
    if entry.kind == "unreadable":
        return f"cannot be looked into: {entry.problem}."
    if entry.kind == "hidden":
        return "is hidden, and was not looked into: if somebody's work lies there, rename it."
    return entry.problem if entry.kind == "refused" else ""
