"""The words: what students believe about autograd, what it does instead, and how to tell beliefs apart.

Plain data, importable without torch. `CATALOGUE` has every misconception by id, in teaching order; `FAMILIES` those
groups that share a belief; `family_of` gives each misconception exactly one family. `ON_ANSWERS` are the ids of
beliefs about orders and exceptions, which are tried on an answer; all others are tried by running a program in the
world of the belief. docs/misconceptions.md is made from this: `python -m grader.misconceptions.catalogue`.
"""

from __future__ import annotations

from grader.misconceptions.catalogue import (
    accumulation,
    building,
    derivatives,
    dispatch,
    errors,
    hooks,
    orders,
    paths,
    weights,
)
from grader.misconceptions.catalogue.families import KIN
from grader.misconceptions.catalogue.page import page
from grader.misconceptions.catalogue.wording import PAGES, Family, Misconception, Topic, identity

TOPICS: tuple[Topic, ...] = (
    hooks.TOPIC,
    dispatch.TOPIC,
    weights.TOPIC,
    accumulation.TOPIC,
    paths.TOPIC,
    derivatives.TOPIC,
    building.TOPIC,
    orders.TOPIC,
    errors.TOPIC,
)
CATALOGUE: dict[str, Misconception] = {entry.id: entry for topic in TOPICS for entry in topic.entries}
ON_ANSWERS: frozenset[str] = frozenset(entry.id for topic in (orders.TOPIC, errors.TOPIC) for entry in topic.entries)
FAMILIES: dict[str, Family] = {family.id: family for family in KIN}
_FAMILY_OF: dict[str, Family] = {member: family for family in KIN for member in family.members}


def family_of(misconception: str) -> Family:
    """The one family of a misconception's id: without kin, one of its own. KeyError if the id is unknown."""
    entry = CATALOGUE[misconception]
    alone = Family(id=entry.id, belief=entry.belief, members=(entry.id,), follow_up=entry.follow_up)
    return _FAMILY_OF.get(misconception, alone)


def catalogue_page() -> str:
    """docs/misconceptions.md, as Markdown."""
    return page(TOPICS, KIN)


__all__ = [
    "CATALOGUE",
    "FAMILIES",
    "ON_ANSWERS",
    "PAGES",
    "TOPICS",
    "Family",
    "Misconception",
    "Topic",
    "catalogue_page",
    "family_of",
    "identity",
]
