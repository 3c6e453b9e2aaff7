"""The instructor's own rule: a regular expression for the path, whose group `student` (or the first one) is the id."""

from __future__ import annotations

import re
from collections import defaultdict

from grader.errors import UsageError
from grader.intake.lms.download import Download, HandedIn, Listing, Parts
from grader.records import Handin


def compiled(pattern: str) -> re.Pattern[str]:
    """Raises: `UsageError` if `pattern` is no regular expression, or has no group."""
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"--student-id {pattern}: is no regular expression ({error}); see docs/lms.md") from None
    if not found.groups:
        raise UsageError(f"--student-id {pattern}: has no group; put (?P<student>...) around what is the id")
    return found


def recognise(listing: Listing, pattern: re.Pattern[str]) -> Download:
    """Each file whose path (with `/`) the pattern finds a student in; the others are nobody's."""
    group = "student" if "student" in pattern.groupindex else 1
    found: dict[str, dict[Parts, Parts]] = defaultdict(dict)
    for parts in listing.files:
        match = pattern.search("/".join(parts))
        if match and match[group]:
            found[match[group]][parts] = parts
    handed_in = tuple(HandedIn((who,), Handin(layout="pattern"), files) for who, files in sorted(found.items()))
    return Download("By --student-id", handed_in)
