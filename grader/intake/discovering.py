"""Folders and files -> the work of a class: one row per student and assignment, whatever lies there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from grader.errors import UsageError
from grader.intake.candidates import Candidate, examine, submission
from grader.intake.layout import Layout, folded
from grader.intake.settling import settle
from grader.intake.walking import ARCHIVE_ENDINGS, DOCUMENT_ENDINGS, NOTEBOOK_ENDINGS, Entry, walk
from grader.intake.wording import listed, shown
from grader.records import (
    ClassWork,
    FileRemark,
    Missing,
    PublicAssignment,
    Refused,
    Submission,
    Undecided,
)


@dataclass
class _Pile:
    """What lies there for one student."""

    candidates: list[Candidate] = field(default_factory=list)
    others: list[Entry] = field(default_factory=list)


def collect(
    paths: Sequence[Path],
    assignments: Sequence[PublicAssignment],
    only: str | None = None,
    results: Path | None = None,
) -> ClassWork:
    """Find every student's notebooks under `paths`; one row per student and assignment that anybody handed in.

    Args:
        paths: folders (a class, or one student's) and single files.
        assignments: the course's; a notebook is recognised by its content, see `recognising`.
        only: the one assignment that counts.
        results: the folder that this run writes to, in case it lies among the submissions.

    Raises: `UsageError` for a path that does not exist, and for an `only` that is no assignment.
    """
    if only is not None and only not in {public.name for public in assignments}:
        known = listed(sorted(public.name for public in assignments)) or "none"
        raise UsageError(f"{only}: the course has no such assignment; it has {known}")
    layout = Layout(public.name for public in assignments)
    entries = list(walk(paths, results))
    candidates = [examine(each, layout, assignments) for each in entries if _may_be_notebook(each)]
    remarks = _remarks(entries, [each for each in candidates if not (only and each.is_another_assignments)])
    if not candidates:
        return ClassWork(remarks=tuple(remarks))
    piles, stray = _piles(entries, candidates, layout)
    work = _rows(piles, only)
    every = [*remarks, *stray, *work.remarks, *_lookalikes(piles)]
    return ClassWork(
        submissions=work.submissions,
        missing=work.missing,
        refused=work.refused,
        undecided=work.undecided,
        remarks=tuple(sorted(set(every), key=lambda each: (each.path, each.remark))),
    )


def read_one(path: Path, assignments: Sequence[PublicAssignment]) -> Submission | Refused:
    """One notebook, for the student's own check. Its student is whom the file or its folder is named after.

    Raises: `UsageError` for a path that does not exist or is a folder.
    """
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; name the notebook in it")
    layout = Layout(public.name for public in assignments)
    entry = next(walk([path]))
    candidate = examine(entry, layout, assignments)
    student = layout.file_student(entry) or layout.owner(entry)
    if candidate.is_gradable:
        return submission(candidate, student)
    told = candidate.assignment.name if candidate.assignment else None
    return Refused(candidate.path, student, told, candidate.reason)


def _may_be_notebook(entry: Entry) -> bool:
    if entry.kind in {"folder", "unreadable"}:
        return False
    if not entry.root.is_folder:  # named on the command line: its owner says that it is one
        return not entry.ends_with(ARCHIVE_ENDINGS)
    return entry.ends_with(NOTEBOOK_ENDINGS)


def _remarks(entries: Iterable[Entry], candidates: Iterable[Candidate]) -> list[FileRemark]:
    found = [FileRemark(each.path, each.reason) for each in candidates if each.is_unrelated]
    for entry in entries:
        if entry.kind == "unreadable":
            found.append(FileRemark(entry.shown, f"cannot be looked into: {entry.problem}."))
        elif entry.kind == "link" and not entry.ends_with(NOTEBOOK_ENDINGS):
            found.append(FileRemark(entry.shown, "is a symbolic link, and links are not followed."))
        elif entry.kind == "file" and entry.ends_with(ARCHIVE_ENDINGS):
            found.append(
                FileRemark(entry.shown, "is an archive, and those are not opened: unpack it, then grade again.")
            )
    return found


def _piles(
    entries: Sequence[Entry], candidates: Sequence[Candidate], layout: Layout
) -> tuple[dict[str, _Pile], list[FileRemark]]:
    """Give everything found to a student; what cannot be anybody's is left out."""
    piles: dict[str, _Pile] = defaultdict(_Pile)
    stray: list[FileRemark] = []
    looked_into = {id(each.entry): each for each in candidates}
    for root in dict.fromkeys(each.root for each in entries):
        own = [each for each in candidates if each.entry.root is root]
        whole = _one_students_folder(own, layout)
        flat = not root.is_folder or any(
            each.is_gradable and not layout.folder_student(each.entry) and layout.file_student(each.entry)
            for each in own
        )
        for entry in (each for each in entries if each.root is root):
            candidate = looked_into.get(id(entry))
            student = whole or _student(entry, candidate, layout, flat)
            if student is None:
                continue
            pile = piles[student]
            if candidate is not None:
                pile.candidates.append(candidate)
                stray += [] if whole else _out_of_place(candidate, student, layout)
            elif entry.kind != "folder":
                pile.others.append(entry)
    return piles, stray


def _one_students_folder(own: Sequence[Candidate], layout: Layout) -> str | None:
    """The student to whom a whole root belongs: a notebook with an assignment's name lies in it, and no other's."""
    named = [layout.folder_student(each.entry) or layout.file_student(each.entry) for each in own if each.is_gradable]
    bare = [
        each.entry
        for each in own
        if each.entry.root.is_folder and not layout.folder_student(each.entry) and not layout.file_student(each.entry)
    ]
    return layout.owner(bare[0]) if bare and not any(named) else None


def _student(entry: Entry, candidate: Candidate | None, layout: Layout, flat: bool) -> str | None:
    student = layout.folder_student(entry)
    if student is not None:
        return student
    if candidate is None:
        # Beside one file per student, `ben.pdf` is what ben handed in; beside folders it is nobody's.
        return layout.file_student(entry) if flat and entry.ends_with(DOCUMENT_ENDINGS) else None
    called = layout.file_student(entry)
    if called is None:
        return layout.owner(entry)
    return None if candidate.is_unrelated and not flat else called


def _out_of_place(candidate: Candidate, student: str, layout: Layout) -> list[FileRemark]:
    """A remark on a file among a class's that names no student: its folder's name had to do."""
    entry = candidate.entry
    if not entry.root.is_folder or layout.folder_student(entry) or layout.file_student(entry):
        return []
    why = f"lies beside other students' work and names no student; it was taken as {shown(student)}'s, by its folder."
    return [FileRemark(candidate.path, why)]


def _rows(piles: dict[str, _Pile], only: str | None) -> ClassWork:
    """Settle every student's candidates, then say for each assignment in play who is missing."""
    settled: dict[tuple[str, str], Submission | Undecided | Refused] = {}
    remarks: list[FileRemark] = []
    nameless: list[tuple[str, Candidate]] = []
    for student in sorted(piles):
        groups: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in piles[student].candidates:
            if candidate.assignment is not None:
                groups[candidate.assignment.name].append(candidate)
            elif not candidate.is_unrelated:
                nameless.append((student, candidate))
        for name in sorted(groups):
            if only in (None, name):
                settled[student, name], more = settle(student, name, groups[name])
                remarks += more
    in_play = sorted({name for _, name in settled}) if only is None else [only]
    refused = _place_nameless(nameless, settled, in_play)
    missing = [
        Missing(student, name, _what_lies_there(piles[student], name, only))
        for student in sorted(piles)
        for name in in_play
        if (student, name) not in settled
    ]
    rows = [settled[key] for key in sorted(settled)]
    refused += [row for row in rows if isinstance(row, Refused)]
    return ClassWork(
        submissions=tuple(row for row in rows if isinstance(row, Submission)),
        missing=tuple(missing),
        refused=tuple(sorted(refused, key=lambda row: (row.student, row.assignment or "", row.path))),
        undecided=tuple(row for row in rows if isinstance(row, Undecided)),
        remarks=tuple(remarks),
    )


def _place_nameless(
    nameless: Sequence[tuple[str, Candidate]],
    settled: dict[tuple[str, str], Submission | Undecided | Refused],
    in_play: Sequence[str],
) -> list[Refused]:
    """Refusals of files whose assignment cannot be told; while just one is in play, they are a student's row for it."""
    apart = []
    for student, candidate in nameless:
        row = Refused(candidate.path, student, None, candidate.reason)
        if len(in_play) == 1 and (student, in_play[0]) not in settled:
            settled[student, in_play[0]] = Refused(row.path, student, in_play[0], row.reason)
        else:
            apart.append(row)
    return apart


def _what_lies_there(pile: _Pile, name: str, only: str | None) -> str:
    """Why a student has no notebook for an assignment, as complete sentences; "" if there is nothing to say."""
    notes = []
    for candidate in pile.candidates:
        told = candidate.assignment.name if candidate.assignment else None
        if told is None and (name in candidate.hints or not (only and candidate.is_another_assignments)):
            notes.append(f"{shown(candidate.path)} {candidate.reason}")
        elif told not in (None, name) and name in candidate.hints:
            notes.append(f"{shown(candidate.path)} was handed in for it but is the notebook of {told}.")
    closed = [each for each in pile.others if each.kind == "unreadable"]
    notes += [f"{shown(each.shown)} cannot be looked into: {each.problem}." for each in closed]
    others = [shown(each.shown) for each in pile.others if each.kind != "unreadable"]
    if not pile.candidates and others:
        notes.append(f"There is no notebook but {listed(others)}: hand in the .ipynb file itself.")
    elif not pile.candidates and not closed:
        notes.append("The folder is empty.")
    return " ".join(notes[:3])


def _lookalikes(piles: Iterable[str]) -> list[FileRemark]:
    """Students whose ids differ in capitals alone: kept apart, since only a person can tell."""
    alike: dict[str, list[str]] = defaultdict(list)
    for student in piles:
        alike[folded(student)].append(student)
    return [
        FileRemark(shown(same[0]), f"{listed(sorted(map(shown, same)))} differ in capitals alone; they are kept apart.")
        for same in map(sorted, alike.values())
        if len(same) > 1
    ]
