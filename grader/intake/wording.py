"""The words of notes: untrusted names made safe for one line, and lists in plain English."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

MOST_NAMED = 5
LONGEST_NAME = 120


def shown(text: str) -> str:
    """`text` on one line: what cannot be printed is written as an escape, and a long text is cut."""
    cut = text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 3] + "..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`; after five items: `a, b, c, d, e and 7 more`."""
    names = list(items[:MOST_NAMED])
    if len(items) > MOST_NAMED:
        names.append(f"{len(items) - MOST_NAMED} more")
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else ""


def cells(indexes: Iterable[int]) -> str:
    """`cell 3`, `cells 3 and 7`: people count cells from 1, all cells of the file included."""
    numbers = [str(index + 1) for index in sorted(set(indexes))]
    return f"cell{'s' * (len(numbers) > 1)} {listed(numbers)}"


def sentence(text: str) -> str:
    """`text` with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]
