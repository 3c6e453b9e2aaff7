"""Moodle, "Download all submissions": `<Full name>_<participant id>_assignsubmission_<plugin>`, folders or flat."""

from __future__ import annotations

import re
from collections import defaultdict

from grader.intake.lms.download import Download, HandedIn, Listing, Parts, mostly
from grader.records import Handin

_FOLDER = re.compile(r"(?P<name>[^_/]*)_(?P<pid>\d+)_assign(?:submission|feedback)_(?P<plugin>[a-z0-9]+)_?")
_FLAT = re.compile(
    r"(?P<name>[^_/]*)_(?P<pid>\d+)_assign(?:submission|feedback)_(?P<plugin>[a-z0-9]+)_(?P<file>.+)", re.DOTALL
)
# Members of no group hand in together, under a word of the site's language and no number.
_NO_GROUP = re.compile(r"(?P<name>[^_/]+)_assignsubmission_(?P<plugin>[a-z0-9]+)_?")


def recognise(listing: Listing) -> Download | None:
    """The download, if four in five names are Moodle's. The id is the participant id, which is that of the worksheet.

    Blind marking and teams look alike: a word and a number. Names and their words are of the site's language and tell
    nothing.
    """
    found: dict[str, list[tuple[re.Match[str], Parts]]] = defaultdict(list)
    for parts in listing.files:
        match = _match(parts)
        if match:
            found[match.groupdict().get("pid") or match["name"]].append((match, parts))
    if not mostly(sum(map(len, found.values())), len(listing.files)):
        return None
    return Download("Moodle download", tuple(_handed_in(student, own) for student, own in sorted(found.items())))


def _match(parts: Parts) -> re.Match[str] | None:
    if len(parts) == 1:
        return _FLAT.fullmatch(parts[0])
    return _FOLDER.fullmatch(parts[0]) or _NO_GROUP.fullmatch(parts[0])


def _handed_in(student: str, own: list[tuple[re.Match[str], Parts]]) -> HandedIn:
    files = {parts: (match["file"],) if len(parts) == 1 else parts[1:] for match, parts in own}
    numbered = "pid" in own[0][0].groupdict()
    name = own[0][0]["name"]
    facts = Handin(
        layout="moodle",
        name=name if numbered else "",
        group="" if numbered else name,
        ids=(("moodle participant", student),) if numbered else (),
    )
    notes = [] if numbered else ["Moodle gives no number for students without a group: their work is one row here."]
    if all(match["plugin"] == "onlinetext" for match, _ in own):
        notes.append("In Moodle a text was typed in, no file.")
    return HandedIn((student,), facts, files, notes=tuple(notes))
