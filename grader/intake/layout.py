"""Whose work something is and what its names hint at, told from where it lies. Contents are not looked at here.

Folders named like an assignment are looked through. Then the first folder below the given one is the student; where
there is none, the file's name without the assignment's is: `ada_hooks.ipynb` is ada's. `hooks.ipynb` right under the
given folder belongs to whom that folder is named after.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

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
        folders = entry.parts[:-1] if entry.kind not in {"folder", "unreadable"} else entry.parts
        return next((each for each in folders if folded(each) not in self._names and each != "."), None)

    def file_student(self, entry: Entry) -> str | None:
        """The student after whom the file is named; None if it is named after an assignment alone."""
        stem = _without_assignment(_stem(entry.name), self._names)
        return stem.strip(_SEPARATORS) or None

    def owner(self, entry: Entry) -> str:
        """After whom the nearest folder above the root's content is named that is not an assignment's."""
        return next((each for each in entry.root.owners if folded(each) not in self._names), "unnamed")

    def called(self, entry: Entry) -> str | None:
        """The assignment after which the file itself is named; the longest, if several fit."""
        stem = folded(_stem(entry.name))
        fitting = [key for key in self._names if _begins_or_ends(stem, key)]
        return self._names[max(fitting, key=len)] if fitting else None

    def hints(self, entry: Entry) -> tuple[str, ...]:
        """The assignments after which the file, then the folders that hold it, are named; nearest first."""
        folders = [*reversed(entry.parts[:-1]), *entry.root.owners[:1]]
        in_folders = [self._names[folded(each)] for each in folders if folded(each) in self._names]
        called = self.called(entry)
        return tuple(dict.fromkeys([*([called] if called else []), *in_folders]))


def folded(name: str) -> str:
    """`name` as compared: capitals and ways of writing an accent make no difference."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _stem(name: str) -> str:
    """A file's name without its ending and without what browsers and Jupyter add to a copy."""
    ending = next((each for each in (*NOTEBOOK_ENDINGS, *DOCUMENT_ENDINGS) if name.casefold().endswith(each)), None)
    stem = name[: -len(ending)] if ending else name.rpartition(".")[0] or name
    return _COPY_AFTER.sub("", _COPY_BEFORE.sub("", stem))


def _begins_or_ends(stem: str, name: str) -> bool:
    """Whether `name` stands at an end of `stem` as a word of its own."""
    if stem == name:
        return True
    return (stem.startswith(name) and not stem[len(name)].isalnum()) or (
        stem.endswith(name) and not stem[-len(name) - 1].isalnum()
    )


def _without_assignment(stem: str, names: Iterable[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        key = folded(stem)
        if len(key) != len(stem) or not _begins_or_ends(key, name):
            continue  # casefolding changed the length (ß): leave the name whole
        return stem[len(name) :] if key.startswith(name) else stem[: -len(name)]
    return stem
