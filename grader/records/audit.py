"""What an audit says of a question: which mistaken beliefs it cannot see, and which it cannot tell apart."""

from __future__ import annotations

from typing import Literal

from grader.records.values import Record


class Finding(Record, frozen=True):
    """One thing that a question cannot do, in sentences for its author.

    `blind`: a belief gives the right answer. `merged`: beliefs of different families give one wrong answer. `slip`: a
    belief is so near the right answer that the grader takes it for a slip. `beyond`: beliefs about what the program
    does that can never change its answer. `unknown`, `unneeded`: an id in `blind_to` that is none, or that nothing
    asks for.

    `cure` says which numbers or which program would do, or that none does; `reason` is the author's own, "" if there
    is none. `open`: somebody must change the question or write a reason. `sides` are the ids that a reason may be
    written for, one for each belief that is confused with the others, or with the truth.
    """

    kind: Literal["blind", "merged", "slip", "beyond", "unknown", "unneeded"]
    ids: tuple[str, ...]
    text: str
    cure: str = ""
    reason: str = ""
    open: bool = False
    sides: tuple[str, ...] = ()


class Audit(Record, frozen=True):
    """All findings on one exercise.

    `beliefs` counts the families of beliefs (for `implement` the foreseen mistakes) that show in a wrong answer,
    `apart` those of them whose answer is like no other's. `nearest` describes the wrong answer nearest to the truth.
    """

    exercise: str
    line: int
    beliefs: int
    apart: int
    findings: tuple[Finding, ...] = ()
    nearest: str = ""
