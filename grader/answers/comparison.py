"""What comparing one answer with its key says: right or not, why, and which elements."""

from __future__ import annotations

from typing import Literal, TypeAlias

from grader.records import Record

Reason: TypeAlias = Literal[
    "equal",
    "blank",
    "unreadable",
    "shape",
    "not_a_number_kind",
    "none_expected",
    "none_given",
    "nan",
    "inf",
    "elements",
    "rounded",
    "keys",
    "not_a_list",
    "too_few",
    "too_many",
    "other_order",
    "names",
    "not_a_name",
    "letter_case",
    "not_an_option",
    "other",
]

MAX_WRONG = 5


class Comparison(Record, frozen=True):
    """The result of comparing one answer with the key.

    `message` is one or two plain sentences to the student, `brief` a clause that fits a table. Both show what the
    student gave, its shape and the shape that is asked, and where the two differ; never a value of the key.
    `wrong` has the indices of the first elements that differ, at most five, `()` for a lone number; `count` says how
    many differ in all.
    """

    right: bool
    reason: Reason
    message: str = ""
    brief: str = ""
    wrong: tuple[tuple[int, ...], ...] = ()
    count: int = 0


EQUAL = Comparison(True, "equal", "Right.", "right")


def differs(
    reason: Reason, message: str, brief: str, wrong: tuple[tuple[int, ...], ...] = (), count: int = 0
) -> Comparison:
    """A comparison that found a difference; `count` is taken from `wrong` where it is not given."""
    return Comparison(False, reason, message, brief, wrong[:MAX_WRONG], count or len(wrong))
