"""The cases of a probe: those that the author wrote and those drawn with the course's key, smallest first.

A drawn number is HMAC-SHA256 of the course's key and the place it is for, modulo the number of choices: the same
course gives the same cases on every machine and under every Python, and nobody without the key can repeat them.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import Any, get_args

from grader.course.literals import arguments_text, size
from grader.course.vary import Choose, Vary, draw
from grader.records import Case
from grader.records.course import Origin

TRIES_PER_DRAW = 20


def draw_arguments(key: bytes, place: str, generated: Mapping[str, Any]) -> dict[str, Any]:
    """Replace each `vary` in `generated` by drawn numbers; `place` names the draw ("assignment/exercise/probe/0")."""

    def choosing(name: str) -> Choose:
        def choose(where: str, count: int) -> int:
            digest = hmac.digest(key, f"{place}/{name}{where}".encode(), "sha256")
            return int.from_bytes(digest, "big") % count

        return choose

    return {
        name: draw(value, choosing(name)) if isinstance(value, Vary) else value for name, value in generated.items()
    }


def draw_cases(key: bytes, place: str, generated: Mapping[str, Any], draws: int, known: set[str]) -> list[Case]:
    """Draw up to `draws` cases that differ from each other and from `known`; fewer where the grid holds no more."""
    cases: list[Case] = []
    seen = set(known)
    for index in range(draws * TRIES_PER_DRAW):
        text = arguments_text(draw_arguments(key, f"{place}/{index}", generated))
        if text not in seen:
            seen.add(text)
            cases.append(Case("generated", text))
        if len(cases) == draws:
            break
    return cases


def smallest_first(cases: list[tuple[Case, Mapping[str, Any]]]) -> tuple[Case, ...]:
    """Order cases by number of elements, then by the sum of absolute values, then by text, public ones before others.

    So the first case that fails is the easiest one to think through.
    """
    origins = get_args(Origin)

    def rank(pair: tuple[Case, Mapping[str, Any]]) -> tuple[int, float, str, int]:
        case, arguments = pair
        return (*size(arguments), case.arguments, origins.index(case.origin))

    return tuple(case for case, _ in sorted(cases, key=rank))
