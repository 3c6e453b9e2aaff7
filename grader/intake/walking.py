"""Everything that lies under the given paths, in a fixed order. Links are never followed; only `read_file` opens."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import IO, Literal, TypeAlias

from grader.errors import UsageError
from grader.intake.lms import HandedIn
from grader.intake.naming import is_hidden, is_junk, printable
from grader.intake.reading import MOST_BYTES, BadFile

Kind: TypeAlias = Literal["file", "folder", "link", "special", "unreadable", "hidden", "refused"]

DEEPEST = 24
NOTEBOOK_ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json", ".ipynb.download")
# What is handed in by mistake instead of a notebook. Other files (data, pictures, rosters) are nobody's work.
DOCUMENT_ENDINGS = (".py", ".pdf", ".html", ".htm", ".doc", ".docx", ".odt", ".rtf")


@dataclass(frozen=True)
class Root:
    """One path from the command line. `owner` has the folder names above its content, nearest first."""

    path: Path
    is_folder: bool
    owners: tuple[str, ...]
    prefix: str = ""


@dataclass(frozen=True)
class Entry:
    """One thing found, on disk or in an archive.

    Attributes:
        parts: its names below the root, in NFC and printable as UTF-8; `path` is as stored.
        kind: `unreadable`: a folder that cannot be listed. `hidden`: a name with a dot, not looked into. `refused`: a
            member of an archive whose name leads nowhere; its parts are those of the archive and one to be shown.
        problem: why it cannot be looked into, as the end of "ada/hooks.ipynb ...".
        archive_at: which of the parts is an archive that a student packed; None if none is.
        member: reads it where it lies in an archive.
        handed_in: what a recognised download says of it; `own` are then the names that the student gave it.
    """

    root: Root
    parts: tuple[str, ...]
    path: Path
    kind: Kind
    problem: str = ""
    archive_at: int | None = None
    member: Callable[[int], bytes | BadFile] | None = field(default=None, compare=False)
    handed_in: HandedIn | None = field(default=None, compare=False)
    own: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The path for records and people: relative to the root, with `/`."""
        return "/".join((self.root.prefix, *self.parts) if self.root.prefix else self.parts)

    @property
    def name(self) -> str:
        """What its student called it."""
        return (self.own or self.parts)[-1]

    def read(self, most: int = MOST_BYTES) -> bytes | BadFile:
        """Its bytes, or why they cannot be had; of a file on disk one more than `most`, if there are so many."""
        return read_file(self.path, most) if self.member is None else self.member(most)

    def ends_with(self, endings: tuple[str, ...]) -> bool:
        return self.name.casefold().endswith(endings)


def walk(paths: Sequence[Path], results: Path | None = None) -> Iterator[Entry]:
    """Yield all that lies under `paths` once, folders before their content, sorted by name; junk is left out.

    Args:
        results: the folder that this run writes to. It is no submission; a folder that only looks like it is one.

    Raises: `UsageError` for a path that does not exist.
    """
    seen: set[Path] = set()
    ours = results.resolve() if results is not None else None
    for given in paths:
        path = _resolved(given)
        prefix = _prefix(given) if len(paths) > 1 else ""
        if path.is_dir():
            owners = tuple(printable(each) for each in (path.name, *(above.name for above in path.parents)) if each)
            root = Root(path, True, owners, prefix)
            entries = _inside(root, path, (), ours)
        else:
            owners = tuple(printable(above.name) for above in path.parents if above.name)
            root = Root(path, False, owners, prefix.rpartition("/")[0])
            entries = iter([Entry(root, (printable(given.name or path.name),), path, _kind_of(path))])
        for entry in entries:
            if entry.path not in seen:
                seen.add(entry.path)
                yield entry


def read_file(path: Path, most: int = MOST_BYTES) -> bytes | BadFile:
    """The bytes of a plain file, one more than allowed at most. Never follows a link, never waits for a FIFO."""
    file = open_file(path)
    if isinstance(file, BadFile):
        return file
    with file:
        try:
            return file.read(most + 1)
        except OSError as error:
            return BadFile(f"cannot be read ({error.strerror}): copy it again.")


def open_file(path: Path) -> IO[bytes] | BadFile:
    """A plain file, opened for reading. Never follows a link, never waits for a FIFO."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        return BadFile(f"cannot be opened ({error.strerror}): give the grader the right to read it.")
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return BadFile("is no plain file (a device or pipe): hand in the .ipynb file itself.")
    return os.fdopen(handle, "rb")


def _resolved(given: Path) -> Path:
    try:
        return given.resolve(strict=True)
    except FileNotFoundError:
        raise UsageError(f"{given}: there is no such file or folder; check the spelling") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{given}: cannot be opened ({getattr(error, 'strerror', None) or error})") from error


def _prefix(given: Path) -> str:
    """How a path is told from its siblings when several are given."""
    pure = PurePath(given)
    parts = pure.parts[1:] if pure.is_absolute() else [part for part in pure.parts if part != ".."]
    return printable("/".join(parts))


def _inside(root: Root, folder: Path, parts: tuple[str, ...], ours: Path | None) -> Iterator[Entry]:
    stack = [(folder, parts)]
    while stack:
        folder, parts = stack.pop()
        try:
            found = sorted(os.scandir(folder), key=lambda each: printable(each.name))
        except OSError as error:
            yield Entry(root, parts or (".",), folder, "unreadable", error.strerror or "cannot be listed")
            continue
        if folder == ours:
            continue
        if parts:
            yield Entry(root, parts, folder, "folder")
        below = []
        for each in found:
            inner = (*parts, printable(each.name))
            if is_junk(each.name):
                continue
            kind = _kind(each)
            if is_hidden(each.name):
                if kind == "folder" or each.name.casefold().endswith(NOTEBOOK_ENDINGS):
                    yield Entry(root, inner, Path(each.path), "hidden")
                continue
            if kind != "folder":
                yield Entry(root, inner, Path(each.path), kind)
            elif len(inner) > DEEPEST:
                yield Entry(root, inner, Path(each.path), "unreadable", f"more than {DEEPEST} folders deep")
            else:
                below.append((Path(each.path), inner))
        stack += reversed(below)


def _kind(found: os.DirEntry[str]) -> Kind:
    try:
        if found.is_symlink():
            return "link"
        if found.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if found.is_file(follow_symlinks=False) else "special"
    except OSError:
        return "special"


def _kind_of(path: Path) -> Kind:
    return "file" if path.is_file() else "special"
