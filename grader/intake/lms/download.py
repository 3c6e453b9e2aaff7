"""What a download from an LMS says by its names: who handed in what, when, and which attempt counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import msgspec

from grader.records import Handin

Parts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """The names of a download. Junk is not among them.

    Attributes:
        files: every file, its folders first, NFC.
        above: the names of the folder or archive that holds them and of the folders above it, nearest first.
        read: the bytes of one of `files`; None if they cannot be had.
    """

    files: tuple[Parts, ...]
    above: tuple[str, ...] = ()
    read: Callable[[Parts], bytes | None] = field(default=lambda parts: None, compare=False)


@dataclass(frozen=True)
class HandedIn:
    """One attempt, of a student or a group.

    Attributes:
        students: ids, never names where the download has ids; a group's members each.
        facts: what the download says of it.
        files: stored names -> the names that the student gave.
        slot: for what it is, where the download says so; the newest attempt for a slot counts.
        order: attempts with a greater one are newer.
        notes: complete sentences, for the student's row.
    """

    students: tuple[str, ...]
    facts: Handin
    files: Mapping[Parts, Parts]
    slot: str = ""
    order: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Download:
    """A recognised download. `ignored` are the platform's own files; `title` is how it is called aloud."""

    title: str
    handed_in: tuple[HandedIn, ...]
    ignored: frozenset[Parts] = frozenset()

    @property
    def students(self) -> int:
        return len({student for each in self.handed_in for student in each.students})


def newest(handed_in: Iterable[HandedIn]) -> list[HandedIn]:
    """The attempt that counts for each student and slot, with the earlier ones in its facts and a note on them.

    A group's attempt stays one for all members whose newest it is.
    """
    attempts: dict[tuple[str, str], list[HandedIn]] = defaultdict(list)
    for each in handed_in:
        for student in each.students:
            attempts[student, each.slot].append(each)
    counting: dict[tuple[int, tuple[str, ...]], tuple[HandedIn, list[str]]] = {}
    for (student, _), own in attempts.items():
        chosen = max(own, key=lambda each: each.order)
        earlier = sorted((each for each in own if each is not chosen), key=lambda each: each.order, reverse=True)
        labels = tuple(each.facts.attempt or each.facts.submitted_at or "another one" for each in earlier)
        counting.setdefault((id(chosen), labels), (chosen, []))[1].append(student)
    return [_with_earlier(chosen, tuple(who), labels) for (_, labels), (chosen, who) in counting.items()]


def _with_earlier(chosen: HandedIn, students: tuple[str, ...], labels: tuple[str, ...]) -> HandedIn:
    if not labels:
        return replace(chosen, students=students)
    facts = chosen.facts
    which = facts.attempt or facts.submitted_at or "the newest"
    note = f"It was handed in {len(labels) + 1} times; {which} counts, not {', '.join(labels[:5])}."
    known = msgspec.structs.replace(facts, earlier=labels)
    return replace(chosen, students=students, facts=known, notes=(*chosen.notes, note))


def tops(listing: Listing) -> set[str]:
    """The names right below the root."""
    return {parts[0] for parts in listing.files}


def mostly(matching: int, total: int) -> bool:
    """Whether so many of a download's names fit that the others are strays: four in five."""
    return matching > 0 and 5 * matching >= 4 * total
