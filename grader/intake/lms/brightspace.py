"""D2L Brightspace: `<user id>-<folder id> - <Name> - <Mon D, YYYY HMM AM|PM>/<file>`; where it is flat ` - <file>`."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import datetime

from grader.intake.lms.download import Download, HandedIn, Listing, Parts, mostly
from grader.records import Handin

_NAME = re.compile(
    r"(?P<attempt>(?P<uid>\d+)(?:-(?P<fid>\d+))?\s*-\s*(?P<name>.+?)\s*-\s*"
    r"(?P<ts>[^\W\d_]{3,9}\.? \d{1,2}, \d{4} \d{3,4} [AP]M))(?: - (?P<file>.+))?",
    re.DOTALL,
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WHEN = re.compile(r"(?P<month>\w+)\.? (?P<day>\d+), (?P<year>\d+) (?P<hour>\d{1,2})(?P<minute>\d\d) (?P<half>[AP])M")
INDEX = ("index.html",)


def recognise(listing: Listing) -> Download | None:
    """The download, if four in five names are Brightspace's. Each attempt is a folder of its own; the newest counts.

    The id is D2L's own, which is neither OrgDefinedId nor Username.
    """
    attempts: dict[str, list[tuple[re.Match[str], Parts]]] = defaultdict(list)
    others = [parts for parts in listing.files if parts != INDEX]
    for parts in others:
        match = _NAME.fullmatch(parts[0])
        if match and (len(parts) > 1) != bool(match["file"]):
            attempts[match["attempt"]].append((match, parts))
    if not mostly(sum(map(len, attempts.values())), len(others)):
        return None
    handed_in = tuple(_handed_in(own) for _, own in sorted(attempts.items()))
    return Download("Brightspace download", handed_in, frozenset({INDEX}))


def _handed_in(own: list[tuple[re.Match[str], Parts]]) -> HandedIn:
    first = own[0][0]
    files = {parts: parts[1:] or (match["file"],) for match, parts in own}
    when = _iso(first["ts"])
    ids = [("brightspace user", first["uid"])] + ([("brightspace folder", first["fid"])] if first["fid"] else [])
    facts = Handin(
        layout="brightspace",
        submitted_at=when,
        attempt=f"the attempt of {first['ts']}",
        name=first["name"],
        ids=tuple(ids),
    )
    notes = () if when else (f"The time {first['ts']} is in a language that is not read here: it orders nothing.",)
    return HandedIn((first["uid"],), facts, files, order=(when, (first["fid"] or "").zfill(12)), notes=notes)


def _iso(text: str) -> str:
    """The time as ISO 8601 without a zone; "" where the month is not English."""
    match = _WHEN.fullmatch(text)
    month = match["month"].casefold()[:3] if match else ""
    if match is None or month not in _MONTHS:
        return ""
    hour = int(match["hour"]) % 12 + (12 if match["half"] == "P" else 0)
    try:
        when = datetime(int(match["year"]), _MONTHS.index(month) + 1, int(match["day"]), hour, int(match["minute"]))
    except ValueError:
        return ""
    return when.isoformat()
