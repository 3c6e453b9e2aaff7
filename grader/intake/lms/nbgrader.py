"""nbgrader: the exchange (`<student>+<assignment>+<time>/...`), and `submitted/<student>/<assignment>/...`."""

from __future__ import annotations

import re
from collections import defaultdict

from grader.intake.lms.download import Download, HandedIn, Listing, Parts, mostly, tops
from grader.records import Handin

_INBOUND = re.compile(
    r"(?P<student>.+?)\+(?P<assn>[^+]+)\+(?P<ts>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? ?\w*)(?:\+(?P<rand>[^+]+))?"
)
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?(?:\s|$)")
STAMP = "timestamp.txt"


def recognise(listing: Listing) -> Download | None:
    """The exchange's inbound folder or a course's submitted folder. The newest attempt counts, whole."""
    return _exchange(listing) or _submitted(listing)


def _exchange(listing: Listing) -> Download | None:
    attempts: dict[str, list[Parts]] = defaultdict(list)
    for parts in listing.files:
        if len(parts) > 1 and _INBOUND.fullmatch(parts[0]):
            attempts[parts[0]].append(parts)
    if not mostly(len(attempts), len(tops(listing))):
        return None
    handed_in = []
    for name, files in sorted(attempts.items()):
        match = _INBOUND.fullmatch(name)
        if match:
            handed_in.append(_handed_in(match["student"], match["assn"], match["ts"], files, 1))
    return Download("nbgrader exchange", tuple(handed_in), _stamps(listing))


def _submitted(listing: Listing) -> Download | None:
    """`submitted/` itself, or the course's folder that holds it; what lies beside it is the instructor's."""
    skip = 0 if listing.above[:1] == ("submitted",) else 1
    own: dict[tuple[str, str], list[Parts]] = defaultdict(list)
    for parts in listing.files:
        if len(parts) >= 3 + skip and (not skip or parts[0] == "submitted"):
            own[parts[skip], parts[skip + 1]].append(parts)
    if not own or (skip and not any(parts[-1] == STAMP for files in own.values() for parts in files)):
        return None
    handed_in = []
    for (student, assignment), files in sorted(own.items()):
        stamp = next((parts for parts in files if parts[skip + 2 :] == (STAMP,)), None)
        time = (listing.read(stamp) or b"").decode("utf-8", "replace") if stamp else ""
        handed_in.append(_handed_in(student, assignment, time, files, 2 + skip))
    outside = {parts for parts in listing.files if skip and parts[0] != "submitted"}
    return Download("nbgrader course", tuple(handed_in), _stamps(listing) | outside)


def _handed_in(student: str, assignment: str, time: str, files: list[Parts], depth: int) -> HandedIn:
    when = _iso(time.strip())
    facts = Handin(
        layout="nbgrader",
        submitted_at=when,
        attempt=f"the attempt of {when}" if when else "",
        ids=(("nbgrader student", student),),
    )
    own = {parts: (assignment, *parts[depth:]) for parts in files if parts[-1] != STAMP}
    return HandedIn((student,), facts, own, assignment, (when, files[0][0]))


def _stamps(listing: Listing) -> frozenset[Parts]:
    return frozenset(parts for parts in listing.files if parts[-1] == STAMP)


def _iso(text: str) -> str:
    """The time as ISO 8601, UTC where no zone stands there; "" if it cannot be read."""
    match = _TIME.match(text)
    if match is None:
        return ""
    zone = match[3] or "UTC"
    return f"{match[1]}T{match[2]}{'+00:00' if zone in ('Z', 'UTC', 'GMT') else zone}"
