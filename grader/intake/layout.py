"""Whose work something is and what its names hint at, told from where it lies. Contents are not looked at here.

Folders named like an assignment are looked through. Then the first folder below the given one is the student; where
there is none, the file's name without the assignment's is: `ada_hooks.ipynb` is ada's. `hooks.ipynb` right under the
given folder belongs to whom that folder is named after.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from grader.intake.archives import ARCHIVE_ENDINGS, stem
from grader.intake.walking import DOCUMENT_ENDINGS, NOTEBOOK_ENDINGS, Entry

_COPY_BEFORE = re.compile(r"^(?:copy of|copia de|copie de|kopie von) +", re.IGNORECASE)
_COPY_AFTER = re.compile(r"(?: ?\(\d{1,3}\)|-copy\d*| - copy)$", re.IGNORECASE)
_SEPARATORS = "_- ."


class Layout:
    """The names of the assignments, and what they make of a path."""

    def __init__(self, assignments: Iterable[str]) -> None:
        self._names = {folded(name): name for name in assignments}

    def folder_student(self, entry: Entry) -> str | None:
        """The student whose folder `entry` is or lies in; None if no folder below the root is a student's."""
        folders = entry.parts if entry.kind in {"folder", "unreadable"} else entry.parts[:-1]
        for index, each in enumerate(folders):
            name = self._named(each) if index == entry.archive_at else each
            if name and folded(name) not in self._names and name != ".":
                return name
        return None

    def file_student(self, entry: Entry) -> str | None:
        """The student after whom the file is named; None if it is named after an assignment alone."""
        return self._named(entry.name)

    def archive_student(self, entry: Entry) -> str | None:
        """The student after whom the archive is named in which `entry` lies; None if it lies in none."""
        return None if entry.archive_at is None else self._named(entry.parts[entry.archive_at])

    def owner(self, entry: Entry) -> str:
        """After whom the nearest folder above the root's content is named that is not an assignment's."""
        return next((each for each in entry.root.owners if folded(each) not in self._names), "unnamed")

    def called(self, entry: Entry) -> str | None:
        """The assignment after which the file itself is named; the longest, if several fit."""
        return self._called(entry.name)

    def hints(self, entry: Entry) -> tuple[str, ...]:
        """The assignments after which the file, then the folders that hold it, are named; nearest first."""
        folders = [*reversed((entry.own or entry.parts)[:-1]), *entry.root.owners[:1]]
        if entry.handed_in is not None:
            folders.append(entry.handed_in.slot)
        if entry.archive_at is not None and entry.archive_at < len(entry.parts) - 1:
            folders.append(self._called((entry.own or entry.parts)[-(len(entry.parts) - entry.archive_at)]) or "")
        in_folders = [self._names[folded(each)] for each in folders if folded(each) in self._names]
        called = self.called(entry)
        return tuple(dict.fromkeys([*([called] if called else []), *in_folders]))

    def is_assignment(self, name: str) -> bool:
        """Whether a file of this name would have the released name of an assignment."""
        return folded(_stem(name)) in self._names

    def _named(self, name: str) -> str | None:
        return _without_assignment(_stem(name), self._names).strip(_SEPARATORS) or None

    def _called(self, name: str) -> str | None:
        inner = folded(_stem(name))
        fitting = [key for key in self._names if _begins_or_ends(inner, key)]
        return self._names[max(fitting, key=len)] if fitting else None


def folded(name: str) -> str:
    """`name` as compared: capitals and ways of writing an accent make no difference."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _stem(name: str) -> str:
    """A file's name without its ending and without what browsers and Jupyter add to a copy."""
    if name.casefold().endswith(ARCHIVE_ENDINGS):
        return _COPY_AFTER.sub("", _COPY_BEFORE.sub("", stem(name)))
    ending = next((each for each in (*NOTEBOOK_ENDINGS, *DOCUMENT_ENDINGS) if name.casefold().endswith(each)), None)
    bare = name[: -len(ending)] if ending else name.rpartition(".")[0] or name
    return _COPY_AFTER.sub("", _COPY_BEFORE.sub("", bare))


def _begins_or_ends(text: str, name: str) -> bool:
    """Whether `name` stands at an end of `text` as a word of its own."""
    if text == name:
        return True
    return (text.startswith(name) and not text[len(name)].isalnum()) or (
        text.endswith(name) and not text[-len(name) - 1].isalnum()
    )


def _without_assignment(text: str, names: Iterable[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        key = folded(text)
        if len(key) != len(text) or not _begins_or_ends(key, name):
            continue  # casefolding changed the length (ß): leave the name whole
        return text[len(name) :] if key.startswith(name) else text[: -len(name)]
    return text
