"""Everything found -> the same, each thing with the hand-in that it belongs to, where a download is recognised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from grader.intake.layout import Layout
from grader.intake.lms import Download, HandedIn, Listing, newest, recognise_download
from grader.intake.lms.canvas import without_suffix
from grader.intake.reading import BadFile
from grader.intake.walking import Entry, Root
from grader.records import FileRemark

# Gradescope's metadata hold the results of everybody.
LARGEST_METADATA = 64 * 2**20


@dataclass(frozen=True)
class Attached:
    """What was found under one root.

    Attributes:
        entries: those that count; of earlier attempts and of the platform's own files nothing is left.
        handed_in: the hand-ins that count, empty for a plain folder.
        title: how the download is called aloud; "" for a plain folder.
    """

    root: Root
    entries: list[Entry]
    handed_in: tuple[HandedIn, ...] = ()
    title: str = ""
    remarks: tuple[FileRemark, ...] = ()


def attach(entries: Sequence[Entry], names: Layout, layout: str | None, student_id: str | None) -> list[Attached]:
    """Recognise what each root is, and give its files to the hand-ins.

    Raises: `UsageError` as `recognise_download` does.
    """
    by_root: dict[Root, list[Entry]] = {}
    for entry in entries:
        by_root.setdefault(entry.root, []).append(entry)
    return [_attach(root, own, names, layout, student_id) for root, own in by_root.items()]


def _attach(root: Root, entries: list[Entry], names: Layout, layout: str | None, student_id: str | None) -> Attached:
    files = {each.parts: each for each in entries if each.kind not in ("folder", "hidden", "refused", "unreadable")}
    if not root.is_folder and student_id is None:
        return Attached(root, entries)

    def read(parts: tuple[str, ...]) -> bytes | None:
        data = files[parts].read(LARGEST_METADATA) if parts in files else None
        return None if isinstance(data, BadFile) else data

    download = recognise_download(Listing(tuple(files), root.owners, read), layout, student_id)
    if download is None:
        return Attached(root, entries)
    return _placed(root, entries, download, names)


def _placed(root: Root, entries: list[Entry], download: Download, names: Layout) -> Attached:
    counting = newest(download.handed_in)
    owners = {parts: (each, own) for each in counting for parts, own in each.files.items()}
    set_aside = {parts for each in download.handed_in for parts in each.files} - set(owners)
    found, remarks = [], []
    for entry in entries:
        if entry.parts in owners:
            handed_in, own = owners[entry.parts]
            found.append(replace(entry, handed_in=handed_in, own=_compared(own, handed_in, names)))
        elif entry.kind in ("hidden", "refused", "unreadable"):
            found.append(entry)
        elif entry.kind != "folder" and entry.parts not in set_aside | download.ignored:
            why = f"fits no rule of a {download.title}, so nobody can say whose it is: see --student-id in docs/lms.md."
            remarks.append(FileRemark(entry.shown, why))
    return Attached(root, found, tuple(counting), download.title, tuple(remarks))


def _compared(own: tuple[str, ...], handed_in: HandedIn, names: Layout) -> tuple[str, ...]:
    """The student's names; the number of a resubmission is dropped if an assignment's name is left then."""
    if handed_in.facts.layout != "canvas":
        return own
    bare = without_suffix(own[-1])
    return (*own[:-1], bare) if names.is_assignment(bare) and not names.is_assignment(own[-1]) else own
