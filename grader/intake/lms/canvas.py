"""Canvas, "Download Submissions": flat, `<name>[_LATE]_<user id>_<attachment id>_<the student's file name>`."""

from __future__ import annotations

import re
from collections import defaultdict

from grader.intake.lms.download import Download, HandedIn, Listing, Parts, mostly
from grader.records import Handin

_ANONYMOUS = re.compile(
    r"(?:(?P<late>LATE)_)?anon_(?P<anon>[0-9A-Za-z]+)_(?:(?P<aid>\d+)_(?P<file>.+)|(?P<kind>text|link)\.html)",
    re.DOTALL,
)
_REST = r"(?:(?P<late>LATE)_)?(?P<uid>\d+)_(?:(?P<aid>\d+)_(?P<file>.+)|(?P<kind>text|link)\.html)"
# The first two numbers count, as they do for Canvas: what stands after them the student wrote.
_FILES = tuple(re.compile(name + _REST, re.DOTALL) for name in (r"(?P<name>)", r"(?P<name>.+?)_"))
# What Canvas puts before the ending when a file of the same name is handed in again.
_AGAIN = re.compile(
    r"(?P<stem>.+?)-(?:\d{1,2}|[0-9a-f]{8}-[0-9a-f-]{27})(?P<ending>(?:\.[A-Za-z][A-Za-z0-9]*)+)", re.DOTALL
)


def recognise(listing: Listing) -> Download | None:
    """The download, if four in five names are Canvas's. The id is the user id: names are neither unique nor whole.

    In a group assignment only one member appears, under the group's name: the others cannot be told from here.
    """
    found: dict[str, list[tuple[re.Match[str], Parts]]] = defaultdict(list)
    for parts in listing.files:
        patterns = (_ANONYMOUS, *_FILES) if len(parts) == 1 else ()
        match = next((match for each in patterns if (match := each.fullmatch(parts[0]))), None)
        if match:
            found[_student(match)].append((match, parts))
    if not mostly(sum(map(len, found.values())), len(listing.files)):
        return None
    return Download("Canvas download", tuple(_handed_in(student, own) for student, own in sorted(found.items())))


def without_suffix(name: str) -> str:
    """A file's name without the number that Canvas gives to a resubmission; only for comparing with another."""
    match = _AGAIN.fullmatch(name)
    return match["stem"] + match["ending"] if match else name


def _student(match: re.Match[str]) -> str:
    named = match.groupdict()
    return f"anon_{named['anon']}" if "anon" in named else named["uid"]


def _handed_in(student: str, own: list[tuple[re.Match[str], Parts]]) -> HandedIn:
    files = {parts: (match["file"] or f"{match['kind']}.html",) for match, parts in own}
    kinds = sorted({match["kind"] for match, _ in own if match["kind"]})
    attachments = ((f"canvas attachment {match['file']}", match["aid"]) for match, _ in own if match["aid"])
    anonymous = "anon" in own[0][0].groupdict()
    facts = Handin(
        layout="canvas",
        late=any(match["late"] for match, _ in own),
        name="" if anonymous else own[0][0]["name"] or "",
        ids=(
            ("canvas anonymous id" if anonymous else "canvas user", student.removeprefix("anon_")),
            *sorted(attachments),
        ),
    )
    words = {"text": "a text was typed in, no file", "link": "a link was handed in, no file"}
    notes = tuple(f"In Canvas {words[kind]}." for kind in kinds)
    return HandedIn((student,), facts, files, notes=notes)
