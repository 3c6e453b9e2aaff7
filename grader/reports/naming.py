"""Folder names made of student ids: safe on every system, unique, and the same in every run."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from grader.reports.escape import line

MAX_BYTES = 100
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[/\\<>:"|?*\x00-\x1f]|\.{2,}')


def folder_names(names: Iterable[str]) -> dict[str, str]:
    """A folder name for each name: itself where that is safe and no other differs from it in case or form alone,
    else its safe letters and a digest of it."""
    known = sorted(set(names))
    safe = {name: safe_name(name) for name in known}
    taken = Counter(_fold(folder) for folder in safe.values())
    folders = {
        name: folder if folder == name and taken[_fold(folder)] == 1 else _with_digest(name, folder, 8)
        for name, folder in safe.items()
    }
    taken = Counter(_fold(folder) for folder in folders.values())
    return {
        name: folder if taken[_fold(folder)] == 1 else _with_digest(name, safe[name], 40)
        for name, folder in folders.items()
    }


def safe_name(name: str) -> str:
    """One path component of at most 100 bytes, never empty, hidden, reserved by Windows or ending in a dot."""
    letters = _FORBIDDEN.sub("_", line(name)).strip(". ")
    if not letters or _RESERVED.fullmatch(letters):
        letters = f"_{letters}"
    return _cut(letters, MAX_BYTES)


def _with_digest(name: str, folder: str, length: int) -> str:
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:length]
    return f"{_cut(folder, MAX_BYTES - length - 1)}-{digest}"


def _cut(text: str, count: int) -> str:
    return text.encode()[:count].decode(errors="ignore").rstrip(". ") or "_"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
