"""Whose each thing is: all that was found, in one pile per student."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.intake.attaching import Attached
from grader.intake.candidates import Candidate
from grader.intake.layout import Layout
from grader.intake.lms import HandedIn
from grader.intake.unpacking import is_own_archive
from grader.intake.walking import DOCUMENT_ENDINGS, Entry
from grader.intake.wording import shown
from grader.records import FileRemark, Handin


@dataclass
class Pile:
    """What lies there for one student."""

    candidates: list[Candidate] = field(default_factory=list)
    others: list[Entry] = field(default_factory=list)
    handed_in: list[HandedIn] = field(default_factory=list)

    @property
    def handin(self) -> Handin:
        """What the download says of the student, whatever was handed in."""
        return self.handed_in[-1].facts if self.handed_in else Handin()


def piles_of(
    attached: Sequence[Attached], entries: Sequence[Entry], candidates: Sequence[Candidate], layout: Layout
) -> tuple[dict[str, Pile], list[FileRemark]]:
    """Give everything found to a student, by the download's rules or by where it lies; the rest is left out."""
    piles: dict[str, Pile] = defaultdict(Pile)
    stray: list[FileRemark] = []
    looked_into = {id(each.entry): each for each in candidates}
    for handed_in in (one for each in attached for one in each.handed_in):
        for student in handed_in.students:
            piles[student].handed_in.append(handed_in)
    recognised = {each.root for each in attached if each.title}
    for entry in (each for each in entries if each.handed_in is not None):
        for member in entry.handed_in.students if entry.handed_in else ():
            _lay(piles[member], entry, looked_into.get(id(entry)))
    plain = dict.fromkeys(each.root for each in entries if each.root not in recognised)
    for root in plain:
        own = [each for each in candidates if each.entry.root is root]
        whole = _one_students_folder(own, layout)
        flat = not root.is_folder or any(each.is_gradable and _is_file_of_student(each.entry, layout) for each in own)
        for entry in (each for each in entries if each.root is root):
            candidate = looked_into.get(id(entry))
            owner = whole or _student(entry, candidate, layout, flat)
            if owner is None:
                if candidate is not None and not candidate.is_unrelated:
                    stray.append(FileRemark(candidate.path, candidate.reason))
                continue
            _lay(piles[owner], entry, candidate)
            if candidate is not None and not whole:
                stray += _out_of_place(candidate, owner, layout)
    return piles, stray


def _lay(pile: Pile, entry: Entry, candidate: Candidate | None) -> None:
    if candidate is not None:
        pile.candidates.append(candidate)
    elif entry.kind != "folder":
        pile.others.append(entry)


def _one_students_folder(own: Sequence[Candidate], layout: Layout) -> str | None:
    """The student to whom a whole root belongs: a notebook with an assignment's name lies in it, and no other's."""
    named = [layout.folder_student(each.entry) or layout.file_student(each.entry) for each in own if each.is_gradable]
    bare = [
        each.entry
        for each in own
        if each.entry.root.is_folder and not layout.folder_student(each.entry) and not layout.file_student(each.entry)
    ]
    return layout.owner(bare[0]) if bare and not any(named) else None


def _is_file_of_student(entry: Entry, layout: Layout) -> bool:
    """Whether a student's work is one file, a notebook or an archive, beside those of others."""
    if entry.archive_at is not None:
        return layout.archive_student(entry) is not None and entry.archive_at == 0
    return layout.folder_student(entry) is None and layout.file_student(entry) is not None


def _student(entry: Entry, candidate: Candidate | None, layout: Layout, flat: bool) -> str | None:
    student = layout.folder_student(entry)
    if student is not None:
        return student
    if entry.kind in {"hidden", "refused"}:
        return None
    if candidate is None:
        # Beside one file per student, `ben.pdf` is what ben handed in; beside folders it is nobody's.
        return layout.file_student(entry) if flat and entry.ends_with(DOCUMENT_ENDINGS) else None
    called = layout.file_student(entry)
    if is_own_archive(entry):
        return called if flat else None
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
