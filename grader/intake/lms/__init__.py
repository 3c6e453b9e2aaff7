"""Downloads from learning platforms, recognised by their names: names in, students, attempts, times and groups out.

download    what a recogniser is given and gives; which attempt counts
gradescope, nbgrader, moodle, blackboard, brightspace, canvas, classroom    one platform each
by_pattern  the instructor's own rule
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from grader.errors import UsageError
from grader.intake.lms import blackboard, brightspace, by_pattern, canvas, classroom, gradescope, moodle, nbgrader
from grader.intake.lms.download import Download, HandedIn, Listing, newest

# In this order: the first that fits. What is surer of itself comes first.
LAYOUTS: Mapping[str, Callable[[Listing], Download | None]] = {
    "gradescope": gradescope.recognise,
    "nbgrader": nbgrader.recognise,
    "moodle": moodle.recognise,
    "blackboard": blackboard.recognise,
    "brightspace": brightspace.recognise,
    "canvas": canvas.recognise,
    "github": classroom.recognise,
}
PLAIN = "plain"

__all__ = ["LAYOUTS", "PLAIN", "Download", "HandedIn", "Listing", "newest", "recognise_download"]


def recognise_download(listing: Listing, layout: str | None = None, student_id: str | None = None) -> Download | None:
    """What download this is; None for a plain folder.

    Args:
        layout: one of `LAYOUTS` or "plain", where the instructor knows better.
        student_id: the instructor's own rule for whose a file is; it overrides everything.

    Raises: `UsageError` for a rule that cannot be used, and for a layout that the names do not fit.
    """
    if student_id is not None:
        return by_pattern.recognise(listing, by_pattern.compiled(student_id))
    if layout == PLAIN or not listing.files:
        return None
    wanted = LAYOUTS if layout is None else {layout: LAYOUTS[layout]}
    for name, recognise in wanted.items():
        for each, depth in _with_and_without_top(listing):
            found = recognise(each)
            if found is not None:
                return _deepened(found, listing.files[0][:depth]) if depth else found
        if layout is not None:
            raise UsageError(f"--layout {name}: the names there are not those of such a download; see docs/lms.md")
    return None


def _with_and_without_top(listing: Listing) -> list[tuple[Listing, int]]:
    """The listing, and the one inside a single folder around everything."""
    top = listing.files[0][0]
    if any(len(parts) < 2 or parts[0] != top for parts in listing.files):
        return [(listing, 0)]
    inner = replace(
        listing,
        files=tuple(parts[1:] for parts in listing.files),
        above=(top, *listing.above),
        read=lambda parts: listing.read((top, *parts)),
    )
    return [(listing, 0), (inner, 1)]


def _deepened(found: Download, top: tuple[str, ...]) -> Download:
    handed_in = tuple(
        replace(each, files={(*top, *parts): own for parts, own in each.files.items()}) for each in found.handed_in
    )
    return replace(found, handed_in=handed_in, ignored=frozenset((*top, *parts) for parts in found.ignored))
