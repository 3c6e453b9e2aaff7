"""GitHub Classroom clones: `<slug>-submissions/<slug>-<login>/...`, as `gh classroom clone student-repos` lays them."""

from __future__ import annotations

import re
from collections import defaultdict

from grader.intake.lms.download import Download, HandedIn, Listing, Parts
from grader.records import Handin

_ENDING = "-submissions"


def recognise(listing: Listing) -> Download | None:
    """The clones, if the folder that holds them is called `<slug>-submissions`: without the slug nothing can be split.

    A login may hold dashes; a team's slug stands where a login would. When it was handed in, GitHub alone knows: the
    time of a commit can be forged.
    """
    slug = (listing.above[0] if listing.above else "").removesuffix(_ENDING)
    if not listing.above or not listing.above[0].endswith(_ENDING) or not slug:
        return None
    name = re.compile(rf"{re.escape(slug)}-(?P<user>[A-Za-z0-9](?:[A-Za-z0-9-]{{0,38}}))")
    found: dict[str, dict[Parts, Parts]] = defaultdict(dict)
    for parts in listing.files:
        match = name.fullmatch(parts[0])
        if match and len(parts) > 1:
            found[match["user"]][parts] = parts[1:]
    if not found:
        return None
    handed_in = tuple(
        HandedIn((user,), Handin(layout="github", ids=(("github login", user),)), files)
        for user, files in sorted(found.items())
    )
    return Download("GitHub Classroom clones", handed_in)
