"""Folders and files -> the work of a class: one row per student and assignment, whatever lies there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from grader.errors import UsageError
from grader.intake.attaching import Attached, attach
from grader.intake.candidates import Candidate, examine, submission
from grader.intake.layout import Layout, folded
from grader.intake.looking import look_into, opened_up, why_closed
from grader.intake.piling import piles_of
from grader.intake.rows import rows_of
from grader.intake.walking import NOTEBOOK_ENDINGS, Entry, walk
from grader.intake.wording import listed, shown
from grader.records import ClassWork, FileRemark, PublicAssignment, Refused, Submission


def collect(
    paths: Sequence[Path],
    assignments: Sequence[PublicAssignment],
    only: str | None = None,
    results: Path | None = None,
    layout: str | None = None,
    student_id: str | None = None,
) -> ClassWork:
    """Find every student's notebooks under `paths`; one row per student and assignment that anybody handed in.

    Args:
        paths: folders (a class, or one student's), archives of such, and single files.
        assignments: the course's; a notebook is recognised by its content, see `recognising`.
        only: the one assignment that counts.
        results: the folder that this run writes to, in case it lies among the submissions.
        layout, student_id: what the instructor says of the download, see `lms.recognise_download`.

    Raises: `UsageError` for a path that does not exist, an archive that cannot be opened, an `only` that is no
    assignment, and a layout or rule that does not fit.
    """
    if only is not None and only not in {public.name for public in assignments}:
        known = listed(sorted(public.name for public in assignments)) or "none"
        raise UsageError(f"{only}: the course has no such assignment; it has {known}")
    names = Layout(public.name for public in assignments)
    with ExitStack() as opened:
        attached = attach(opened_up(walk(paths, results), opened), names, layout, student_id)
        entries, candidates = look_into([entry for each in attached for entry in each.entries], names, assignments)
    remarks = [remark for each in attached for remark in each.remarks]
    remarks += _remarks(entries, [each for each in candidates if not (only and each.is_another_assignments)])
    if not candidates:
        return ClassWork(remarks=tuple(remarks))
    piles, stray = piles_of(attached, entries, candidates, names)
    work = rows_of(piles, only)
    every = [*remarks, *stray, *work.remarks, *_lookalikes(piles)]
    return ClassWork(
        submissions=work.submissions,
        missing=work.missing,
        refused=work.refused,
        undecided=work.undecided,
        remarks=tuple(sorted(set(every), key=lambda each: (each.path, each.remark))),
        downloads=tuple(_aloud(each, candidates) for each in attached if each.title),
    )


def _aloud(attached: Attached, candidates: Sequence[Candidate]) -> str:
    """What was recognised: "Canvas download, 143 students, 3 late, 2 without a notebook"."""
    students = {student for each in attached.handed_in for student in each.students}
    late = {student for each in attached.handed_in if each.facts.late for student in each.students}
    own = [each.entry.handed_in for each in candidates if each.entry.root == attached.root]
    without = students - {student for each in own if each is not None for student in each.students}
    earlier = sum(len(each.facts.earlier) for each in attached.handed_in)
    counts = [f"{len(students)} {'student' if len(students) == 1 else 'students'}"]
    counts += [f"{len(late)} late"] if late else []
    counts += [f"{earlier} earlier {'attempt' if earlier == 1 else 'attempts'} set aside"] if earlier else []
    counts += [f"{len(without)} without a notebook"] if without else []
    return ", ".join([attached.title, *counts])


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


def _remarks(entries: Iterable[Entry], candidates: Iterable[Candidate]) -> list[FileRemark]:
    found = [FileRemark(each.path, each.reason) for each in candidates if each.is_unrelated]
    for entry in entries:
        if entry.kind == "link" and not entry.ends_with(NOTEBOOK_ENDINGS):
            found.append(FileRemark(entry.shown, "is a symbolic link, and links are not followed."))
        elif why_closed(entry):
            found.append(FileRemark(entry.shown, why_closed(entry)))
    return found


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
