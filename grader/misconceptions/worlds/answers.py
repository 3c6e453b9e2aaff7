"""Beliefs about answers that are no numbers: in which order hooks fire, what raises.

`ANSWER_WORLDS` are run like `WORLDS`, but the program's *values* mean nothing in them: only the list of names that a
program gathers, or whether it raises. `believed_refusals` are the beliefs that say no more than "raises" or "does not".
"""

from __future__ import annotations

from typing import ClassVar

from grader.misconceptions.worlds.world import World
from grader.records import Nothing, NotRun, Outcome, Raised, Returned

ANSWER_WORLDS: dict[str, type[World]] = {}

# What a student may name: those that torch and Python raise in programs of this kind.
USUAL = (
    "RuntimeError",
    "TypeError",
    "ValueError",
    "AttributeError",
    "IndexError",
    "KeyError",
    "NotImplementedError",
    "AssertionError",
    "NameError",
    "ZeroDivisionError",
)


class AnswerWorld(World):
    """A world in which only names and exceptions mean something."""

    registry: ClassVar[dict[str, type[World]]] = ANSWER_WORLDS


def believed_refusals(truth: Outcome) -> dict[str, tuple[Outcome, ...]]:
    """By id, what those answer who think that a program raises nothing, something else, or something at all.

    Several outcomes are several ways to be wrong in the same way. An exception of a base class of the true one is no
    belief of its own: it is left out.
    """
    if isinstance(truth, NotRun):
        return {}
    if isinstance(truth, Returned):
        return {"raises-although-all-goes-well": tuple(Raised(name, "") for name in USUAL)}
    others = tuple(Raised(name, "") for name in USUAL if name != truth.exception and name not in truth.bases)
    return {"raises-nothing": (Returned(Nothing()),), "raises-something-else": others}
