"""Whose row is whose: by ids, each tried in the order in which it can be trusted; by a name only when asked."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from grader.exports.door import short
from grader.exports.seam import Roll
from grader.records import Grade

# Where to look, and for what: (the columns whose cells may hold it, the id).
Key: TypeAlias = tuple[tuple[str, ...], str]


@dataclass(frozen=True)
class Row:
    """A student's row there: `ids` by column, `name` as it is written there, `shown` says where it is."""

    number: int
    ids: Mapping[str, str]
    name: str
    shown: str


@dataclass(frozen=True)
class Matched:
    """`rows` has a grade for each row that one belongs to; `by_name` are those of which only the name is equal."""

    rows: Mapping[int, Grade]
    by_name: frozenset[int]
    unmatched: tuple[str, ...]


def match(roll: Roll, rows: Sequence[Row], keys: Callable[[Grade], Sequence[Key]], by_name: bool) -> Matched:
    """Give each grade the one row that it belongs to. Two grades for one row, or two rows for one grade, are none.

    Args:
        keys: the ids of a grade's student; the first one that is there decides.
    """
    found: dict[int, list[Grade]] = defaultdict(list)
    lost: dict[str, str] = {}
    left: list[Grade] = []
    for grade in roll.grades:
        fitting = _fitting(rows, keys(grade))
        if len(fitting) == 1:
            found[fitting[0].number].append(grade)
        elif fitting:
            lost[grade.student] = f"several rows have this id: {', '.join(each.shown for each in fitting[:5])}"
        else:
            left.append(grade)
    names = _by_name(roll, left, [row for row in rows if row.number not in found])
    for grade in left:
        row = names.get(grade.student)
        if row is not None and by_name:
            found[row.number].append(grade)
        else:
            hint = "" if row is None else f"; {row.shown} has the name: --set names=yes takes it"
            lost[grade.student] = f"no row has an id of theirs{hint}"
    taken = {row.number: row for row in rows}
    for number, grades in list(found.items()):
        if len(grades) > 1:
            del found[number]
            who = ", ".join(short(each.student, 60) for each in grades)
            lost |= {each.student: f"{taken[number].shown} would be that of several: {who}" for each in grades}
    unmatched = [f"{_who(roll, grade)}: {lost[grade.student]}" for grade in roll.grades if grade.student in lost]
    unmatched += [f"{row.shown}: there is no grade here for it" for row in rows if row.number not in found]
    named = {row.number for row in names.values()} if by_name else set()
    return Matched({number: own[0] for number, own in found.items()}, frozenset(named & set(found)), tuple(unmatched))


def own_id(roll: Roll, grade: Grade, what: str) -> str:
    """The id of this kind that the download has for a student; "" for several who handed in together.

    The download of a group's work has the ids of whoever sent it: they are not those of the others.
    """
    own = dict(grade.handin.ids).get(what, "")
    together = grade.handin.members or sum(dict(each.handin.ids).get(what) == own for each in roll.grades) > 1
    return "" if together else own


def roster_id(roll: Roll, grade: Grade, platform: str) -> str:
    """What the roster says that `platform` calls a student."""
    return dict(roll.student(grade).ids).get(platform, "")


def with_fallback(trusted: Sequence[Key], here: Key, email: Key) -> list[Key]:
    """The keys in their order. What a student is called here is an id there only where no better one is known: as a
    number it may be that of somebody else."""
    known = [key for key in trusted if key[1]]
    return [*known, *([] if known else [here]), email]


def _fitting(rows: Sequence[Row], keys: Sequence[Key]) -> list[Row]:
    for columns, wanted in keys:
        key = _folded(wanted)
        fitting = [row for row in rows if key and key in {_folded(row.ids.get(column, "")) for column in columns}]
        if fitting:
            return fitting
    return []


def _by_name(roll: Roll, grades: Sequence[Grade], rows: Sequence[Row]) -> dict[str, Row]:
    """Student -> the row with the same name, where both are the only ones that have it."""
    there: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    here: dict[tuple[str, ...], list[Grade]] = defaultdict(list)
    for row in rows:
        there[_words(row.name)].append(row)
    for grade in grades:
        here[_words(roll.student(grade).name)].append(grade)
    return {
        own[0].student: there[name][0]
        for name, own in here.items()
        if name and len(own) == 1 and len(there.get(name, ())) == 1
    }


def _who(roll: Roll, grade: Grade) -> str:
    name = short(roll.student(grade).name, 60)
    return f"{short(grade.student, 60)} ({name})" if name else short(grade.student, 60)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip().casefold()


def _words(name: str) -> tuple[str, ...]:
    """The words of a name in any order: "Lee, Ann" is "Ann Lee"."""
    return tuple(sorted(re.findall(r"[\w'’-]+", _folded(name))))
