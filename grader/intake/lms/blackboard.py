"""Blackboard, "Assignment File Download": flat, and per attempt a .txt that says whose it is; its word counts."""

from __future__ import annotations

import re
from collections import defaultdict

from grader.intake.lms.download import Download, HandedIn, Listing, Parts, mostly
from grader.records import Handin

# Lazy: whatever a student calls a file stands after the platform's own time.
_NAME = re.compile(
    r"(?P<prefix>(?P<start>.+?)_attempt_(?P<ts>\d{4}(?:-\d\d){5}))(?:_(?P<file>.+)|(?P<meta>\.txt))", re.DOTALL
)
_WHO = re.compile(r"^Name:[ \t]+(?P<full>.+)[ \t]+\((?P<user>[^()\r\n]+)\)[ \t]*\r?$", re.MULTILINE)
_FILES = re.compile(r"Original filename:[ \t]*(?P<own>[^\r\n]+)\r?\n\s*Filename:[ \t]*(?P<stored>[^\r\n]+)")
_ASSIGNMENT = re.compile(r"^Assignment:[ \t]+(?P<name>[^\r\n]+?)[ \t]*\r?$", re.MULTILINE)


def recognise(listing: Listing) -> Download | None:
    """The download, if four in five names are Blackboard's. All attempts may be in it; the newest counts."""
    attempts: dict[str, list[tuple[re.Match[str], Parts]]] = defaultdict(list)
    for parts in listing.files:
        match = _NAME.fullmatch(parts[0]) if len(parts) == 1 else None
        if match:
            attempts[match["prefix"]].append((match, parts))
    if not mostly(sum(map(len, attempts.values())), len(listing.files)):
        return None
    metas = frozenset(parts for own in attempts.values() for match, parts in own if match["meta"])
    handed_in = tuple(_handed_in(own, listing) for _, own in sorted(attempts.items()))
    return Download("Blackboard download", handed_in, metas)


def _handed_in(own: list[tuple[re.Match[str], Parts]], listing: Listing) -> HandedIn:
    first = own[0][0]
    text = "".join(_text(listing.read(parts)) for match, parts in own if match["meta"])
    who = _WHO.search(text)
    start = first["start"]
    user = who["user"].strip() if who else start.rpartition("_")[2]
    told = _ASSIGNMENT.search(text)
    named = {match["stored"].strip(): match["own"].strip() for match in _FILES.finditer(text)}
    files = {parts: (named.get(parts[0]) or match["file"],) for match, parts in own if not match["meta"]}
    day, clock = first["ts"][:10], first["ts"][11:].replace("-", ":")
    facts = Handin(
        layout="blackboard",
        submitted_at=f"{day}T{clock}",
        attempt=f"the attempt of {day} {clock}",
        name=who["full"].strip() if who else "",
        ids=(("blackboard username", user),),
    )
    notes = (
        []
        if who
        else ["The .txt of this attempt is missing or unreadable: the user name was taken from the file's name."]
    )
    if not files:
        notes.append("In Blackboard no file was attached.")
    slot = told["name"] if told else start.removesuffix(f"_{user}")
    return HandedIn((user,), facts, files, slot, (first["ts"],), tuple(notes))


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8-sig", "replace")
