"""Feedback pages under the names by which an LMS gives them back, as one zip."""

from __future__ import annotations

from collections.abc import Callable

from grader.exports.door import short
from grader.exports.options import chosen
from grader.exports.seam import Exported, Given, Roll
from grader.exports.standing import WHY, points, standing
from grader.exports.zipping import zip_bytes
from grader.records import Grade

HELD = {"held": "send: pages of who is held go, too; else they wait until all is decided"}


class NoPlace(Exception):
    """Why a page cannot be given back, as the end of a sentence."""


def pages_zip(roll: Roll, name: str, entry_for: Callable[[Grade], str]) -> Exported:
    """A zip called `name` of the pages of all whose work was looked at.

    Who handed in nothing has none. Of several who handed in one file together the first one's page goes back.

    Args:
        entry_for: the name of a student's page in the zip; raises `NoPlace`.
    """
    send_held = chosen(roll, "held", "send") == "send"
    files: dict[str, bytes] = {}
    owners: dict[str, Grade] = {}
    given, unmatched = [], []
    for grade in roll.grades:
        state, page = standing(grade), roll.pages.get(grade.student)
        if state == "missing" or page is None:
            continue
        if state in ("held", "fault") and not send_held:
            given.append(Given(grade.student, grade.assignment, None, f"no page; {WHY[state]}"))
            continue
        try:
            entry = entry_for(grade)
            _one_owner(owners.setdefault(entry, grade), grade)
        except NoPlace as reason:
            unmatched.append(f"{short(grade.student, 60)}: {reason}")
            continue
        files.setdefault(entry, page)
        given.append(Given(grade.student, grade.assignment, points(roll, grade), entry))
    return Exported({name: zip_bytes(files)}, tuple(given), tuple(unmatched))


def _one_owner(owner: Grade, grade: Grade) -> None:
    if owner is not grade and (owner.path, owner.handin) != (grade.path, grade.handin):
        raise NoPlace(f"the download names {short(owner.student, 60)} and them alike: send this page by hand")
