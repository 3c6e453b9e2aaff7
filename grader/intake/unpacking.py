"""Archives among the entries of a walk -> the entries inside them.

A class's archive is a path of its own on the command line; it stays open until all has been read. What a student packed
lies in a folder or in the class's archive; it is opened for the time of reading. One in that is not opened: one deep is
what packing a folder makes, deeper is a mistake or a trap.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from grader.errors import UsageError
from grader.intake.archives import ARCHIVE_ENDINGS, CLASS, OWN, Archive, Member, open_archive, stem
from grader.intake.naming import is_hidden
from grader.intake.reading import BadFile
from grader.intake.walking import NOTEBOOK_ENDINGS, Entry, Root, open_file
from grader.intake.wording import shown


def is_class_archive(entry: Entry) -> bool:
    """Whether `entry` is an archive that was named on the command line."""
    return not entry.root.is_folder and entry.kind == "file" and entry.ends_with(ARCHIVE_ENDINGS)


def is_own_archive(entry: Entry) -> bool:
    """Whether `entry` is what a student packed, found in a folder or in the class's archive."""
    return entry.root.is_folder and entry.kind == "file" and entry.ends_with(ARCHIVE_ENDINGS)


def class_entries(entry: Entry, stack: ExitStack) -> Iterator[Entry]:
    """The entries of the class's archive at `entry`, readable until `stack` is closed.

    Raises: `UsageError` if it cannot be opened.
    """
    file = open_file(entry.path)
    archive = file if isinstance(file, BadFile) else open_archive(file, CLASS)
    if isinstance(archive, BadFile):
        raise UsageError(f"{entry.path}: {archive.reason}")
    stack.callback(archive.close)
    wrapper = _wrapper(archive.members, stem(entry.name))
    owners = (*reversed(wrapper), stem(entry.name), *entry.root.owners)
    prefix = "/".join(part for part in (entry.root.prefix, entry.name) if part) if entry.root.prefix else ""
    root = Root(entry.path, True, owners, prefix)
    yield from _entries(archive, root, (), entry.path, len(wrapper))


@contextmanager
def own_entries(entry: Entry) -> Iterator[list[Entry] | BadFile]:
    """The entries of a student's archive at `entry`, readable inside the `with`; or why it cannot be opened."""
    data = entry.read(OWN.file_bytes)
    archive = data if isinstance(data, BadFile) else open_archive(io.BytesIO(data), OWN)
    if isinstance(archive, BadFile):
        yield archive
        return
    try:
        empty = BadFile("is an archive with nothing in it: pack the notebook, or hand in the .ipynb file itself.")
        found = [
            replace(
                each, handed_in=entry.handed_in, own=(*entry.own, *each.parts[len(entry.parts) :]) if entry.own else ()
            )
            for each in _entries(archive, entry.root, entry.parts, entry.path, 0)
        ]
        yield found or empty
    finally:
        archive.close()


def _entries(archive: Archive, root: Root, above: tuple[str, ...], path: Path, wrapped: int) -> Iterator[Entry]:
    """Entries for the members, those of a hidden folder as one, without the `wrapped` folders around them all."""
    hidden = set()
    archive_at = len(above) - 1 if above else None
    for number, member in enumerate(archive.members):
        parts = member.parts if member.kind == "refused" else member.parts[wrapped:]
        if not parts:
            continue
        inside = Path(f"{path}#{number}")
        at = next((index for index, part in enumerate(parts) if is_hidden(part)), None)
        if at is None or member.kind == "refused":
            reader = _reader(archive, member)
            kind = member.kind
            yield Entry(root, (*above, *parts), inside, kind, member.problem, archive_at, reader)
        elif parts[: at + 1] not in hidden and (at + 1 < len(parts) or _counts(parts[-1])):
            hidden.add(parts[: at + 1])
            yield Entry(root, (*above, *parts[: at + 1]), inside, "hidden", archive_at=archive_at)


def _counts(name: str) -> bool:
    return name.casefold().endswith((*NOTEBOOK_ENDINGS, *ARCHIVE_ENDINGS))


def _reader(archive: Archive, member: Member) -> Callable[[int], bytes | BadFile]:
    return lambda most: archive.read(member, most)


def _wrapper(members: Sequence[Member], name: str) -> tuple[str, ...]:
    """The one folder around all members, if it is no student's: it has the archive's name, or holds several things."""
    real = [each for each in members if each.kind not in ("folder", "refused")]
    tops = {each.parts[0] for each in members if each.kind != "refused"}
    if len(tops) != 1 or any(len(each.parts) < 2 for each in real) or not real:
        return ()
    below = {each.parts[1] for each in real if len(each.parts) > 2 or _counts(each.parts[1])}
    top = next(iter(tops))
    return (top,) if len(below) > 1 or shown(top).casefold() == name.casefold() else ()
