"""What people and calendars make of a recorded grade: adjustments, then lateness. Pure, and never recorded.

`settle(grade, ...)` is what everybody sees; the gradebook keeps what the notebook itself is worth.
"""

from grader.settling.lateness import lateness_of
from grader.settling.moving import basis_changes, moved, moved_with_torch
from grader.settling.settle import settle
from grader.settling.spans import local, parse_extension, parse_span

__all__ = [
    "basis_changes",
    "lateness_of",
    "local",
    "moved",
    "moved_with_torch",
    "parse_extension",
    "parse_span",
    "settle",
]
