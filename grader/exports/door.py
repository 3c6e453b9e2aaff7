"""How text of unknown origin gets into a file for another program: through the one door of the reports, then this."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from grader.exports.csv_table import defused
from grader.reports.escape import line, plain

# What an LMS or CI shows of one remark.
MAX_TEXT = 2_000


def short(text: str, most: int = MAX_TEXT) -> str:
    """One harmless line of at most `most` characters."""
    whole = line(text)
    return whole if len(whole) <= most else f"{whole[: most - 1]}…"


def block(lines: Iterable[str], most: int = MAX_TEXT) -> str:
    """Harmless lines, at most `most` characters together."""
    text = plain("\n".join(line(each) for each in lines))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def cell(text: str, most: int = MAX_TEXT) -> str:
    """One harmless line that no spreadsheet takes for a formula."""
    return defused(short(text, most))


def json_bytes(document: Any, indent: int | None = None) -> bytes:
    """JSON in ASCII: no character in it can do anything to a terminal. Numbers are finite or it is an error."""
    return json.dumps(document, indent=indent, ensure_ascii=True, allow_nan=False).encode() + b"\n"


class Names:
    """Each name once: what the door makes equal is told apart by a number behind it."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def once(self, name: str) -> str:
        """`name`, or `name (2)` where that is taken."""
        wanted, count = name, 1
        while wanted in self._taken:
            count += 1
            wanted = f"{name} ({count})"
        self._taken.add(wanted)
        return wanted
