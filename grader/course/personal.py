"""Numbers of one's own: which there are, whose are whose, and the tag by which a notebook says for whom it was made.

Everything follows from the course's key by HMAC-SHA256: the same student of the same course gets the same numbers, and
nobody without the key can repeat them or make a tag.
"""

from __future__ import annotations

import ast
import hmac
import json
import math
from collections.abc import Container, Iterator, Mapping
from typing import Any

import msgspec

from grader.course.drawing import draw_arguments
from grader.course.literals import arguments_text
from grader.course.vary import Vary, choices, draw, places
from grader.records import Assignment, Draws, Exercise, Roster

# A stock that is no larger is looked through whole.
MOST_LISTED = 1_000
NOBODY = ""


def candidates(key: bytes, assignment: str, exercise: Exercise) -> Iterator[str]:
    """Arguments that `exercise` might be given, as texts of dict literals, each once, the default not among them.

    They come in an order that only the key's holder knows: all of them where there are at most 1,000, else so many.
    """
    varying = _varying(exercise)
    total = math.prod(choices(each) ** places(each) for each in varying.values())
    if total <= MOST_LISTED:
        grid = (_filled(exercise, _at(varying, number)) for number in range(total))
        texts = sorted(grid, key=lambda text: _mac(key, "order", assignment, exercise.id, text))
    else:
        place = f"{assignment}/{exercise.id}/own"
        texts = [_filled(exercise, draw_arguments(key, f"{place}/{number}", varying)) for number in range(MOST_LISTED)]
    yield from (text for text in dict.fromkeys(texts) if text != exercise.arguments)


def own_arguments(key: bytes, assignment: str, draws: Draws, student: str) -> str:
    """The arguments of `student`: picked from the stock by the key, and so the same whenever they are asked for."""
    digest = _mac(key, "own", assignment, draws.exercise, student)
    return draws.arguments[int.from_bytes(digest, "big") % len(draws.arguments)]


def own_assignment(key: bytes, assignment: Assignment, roster: Roster, student: str) -> Assignment:
    """The assignment with the numbers of `student`. Its fingerprints stay those of everybody's."""
    stock = usable_draws(assignment, roster)
    return msgspec.structs.replace(
        assignment,
        exercises=tuple(
            with_arguments(each, own_arguments(key, assignment.name, stock[each.id], student))
            if each.id in stock
            else each
            for each in assignment.exercises
        ),
    )


def with_arguments(exercise: Exercise, arguments: str) -> Exercise:
    """The same exercise about other numbers."""
    return msgspec.structs.replace(exercise, arguments=arguments)


def usable_draws(assignment: Assignment, roster: Roster) -> dict[str, Draws]:
    """The stock of each exercise that has one and is still the question that it was drawn for."""
    now = {each.id: each.fingerprint for each in assignment.exercises if each.varying}
    return {each.exercise: each for each in roster.draws if now.get(each.exercise) == each.fingerprint}


def own_tags(key: bytes, assignment: Assignment, draws: Container[str], student: str) -> dict[str, str]:
    """The tag of each exercise in `draws`, for a notebook of `student` that has the numbers of `assignment`."""
    return {
        each.id: tag(key, assignment.name, each.id, student, each.arguments)
        for each in assignment.exercises
        if each.id in draws
    }


def tag(key: bytes, assignment: str, exercise: str, student: str, arguments: str) -> str:
    """64 hexadecimal digits that only the key's holder can make: these numbers were drawn for this student.

    Args:
        student: an id of the roster; `NOBODY` for the model solution, which has the numbers of the solutions file.
    """
    return _mac(key, "tag", assignment, exercise, student, arguments).hex()


def _filled(exercise: Exercise, drawn: Mapping[str, Any]) -> str:
    return arguments_text({**ast.literal_eval(exercise.arguments), **drawn})


def _varying(exercise: Exercise) -> dict[str, Vary]:
    return {
        each.name: Vary(ast.literal_eval(each.default), each.low, each.high, each.step) for each in exercise.varying
    }


def _at(varying: Mapping[str, Vary], number: int) -> dict[str, Any]:
    """The point of the grid with this number: its digits, each in the base of its own place."""
    left = number

    def choose(place: str, count: int) -> int:
        nonlocal left
        left, digit = divmod(left, count)
        return digit

    return {name: draw(each, choose) for name, each in varying.items()}


def _mac(key: bytes, *parts: object) -> bytes:
    # JSON keeps the parts apart, whatever stands in them.
    return hmac.digest(key, json.dumps(["autograd-grader", *parts]).encode(), "sha256")
