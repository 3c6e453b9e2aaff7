"""Stored names -> text; which of them are junk; and what a name in an archive stands for.

Members of archives are never written to disk, so a name is a label here: an absolute one is read as if it began at the
archive, but one that climbs out of the archive is refused, since nobody can say whose work that is.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST = 1024

_JUNK = frozenset({"__MACOSX", "__pycache__", "node_modules", "Thumbs.db", "desktop.ini"})
# Dot folders and files that programs make by themselves. Anything else with a dot may be somebody's work.
_PROGRAMS_OWN = re.compile(
    r"\.(?:_.*|~.*|ds_store|git|github|gitignore|gitattributes|gitkeep|gitmodules|hg|svn|ipynb_checkpoints|"
    r"virtual_documents|vscode|idea|cache|config|local|jupyter|ipython|conda|venv|env|tox|nox|"
    r"(?:pytest|mypy|ruff)_cache|trash.*|spotlight-.*|fseventsd|apdisk|localized|directory|nfs.*|"
    r"python-version|pre-commit-config\.yaml|editorconfig|dockerignore|devcontainer)",
    re.IGNORECASE | re.DOTALL,
)
_DRIVE = re.compile(r"[A-Za-z]:(?=/)")


def is_junk(name: str) -> bool:
    """Whether one component of a path is made by programs and nobody's work."""
    return name in _JUNK or name.startswith("~$") or bool(_PROGRAMS_OWN.fullmatch(name))


def is_hidden(name: str) -> bool:
    """Whether a component is hidden from its owner too: it is not looked into, but said."""
    return name.startswith(".") and name not in (".", "..")


def printable(name: str) -> str:
    """A stored name as text: NFC, and bytes that are no UTF-8 written as `\\xff`."""
    raw = name.encode("utf-8", "surrogateescape") if _only_escapes(name) else name.encode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", raw.decode("utf-8", "backslashreplace"))


def parts_of(name: str) -> tuple[str, ...] | str:
    """The components of a member's name, in NFC; or why it is refused, as the end of "a name ..."."""
    if "\0" in name:
        return "has a name with a zero byte in it, which no program writes: pack it anew."
    if len(name) > LONGEST:
        return f"has a name of {len(name)} characters; at most {LONGEST} are read: give it a shorter one."
    path = _DRIVE.sub("", name.replace("\\", "/"), count=1)
    parts = tuple(printable(part) for part in path.split("/") if part not in ("", "."))
    if ".." in parts:
        return "has a name that leads out of the archive (`..`), and was left out: pack it anew."
    if not parts:
        return "has no name: pack it anew."
    return parts


def label(name: str) -> str:
    """A refused name as one component, to be shown."""
    return printable(name[:LONGEST]).replace("/", "∕").replace("\0", "\\x00")


def _only_escapes(name: str) -> bool:
    """Whether all surrogates in `name` stand for undecodable bytes, as `os.fsdecode` writes them."""
    return all("\udc80" <= c <= "\udcff" for c in name if "\ud800" <= c <= "\udfff")
