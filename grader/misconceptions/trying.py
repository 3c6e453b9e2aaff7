"""Trying an exercise in worlds: in bounded time, and whether two outcomes are one answer.

For the worker process alone: a world may loop, and its time limit is a signal.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from functools import partial
from types import FrameType

from grader.answers import compare
from grader.errors import ReferenceFault
from grader.misconceptions.catalogue import TOPICS
from grader.misconceptions.running import run_in_worlds
from grader.misconceptions.worlds import ANSWER_WORLDS, READINGS, WORLDS
from grader.misconceptions.worlds.leaving import is_left, leave_all
from grader.records import Exercise, Items, NotRun, Outcome, Program, Raised, Returned, Text, Value

WORLD_SECONDS = 2.0

# Of the beliefs about numbers, those that say in which order hooks run.
_ORDERING = frozenset({"hooks-run-in-reverse-order"})


def worlds_for(exercise: Exercise) -> list[str]:
    """All worlds of numbers, and those of orders or of exceptions where these are asked for."""
    chapter = {"order": "orders", "raises": "errors"}.get(exercise.kind)
    own = [entry.id for topic in TOPICS if topic.id == chapter for entry in topic.entries]
    return [*WORLDS, *(name for name in own if name in ANSWER_WORLDS)]


def readings_of(world: str) -> list[str]:
    """The ways in which a belief can be carried out, its world first."""
    return [world, *(name for name in READINGS if name.startswith(f"{world}/"))]


def outcome_in(ids: Sequence[str], program: Program, arguments: str, subject: Program | None = None) -> Outcome:
    """`run_in_worlds` in bounded time: `NotRun` where the world hangs or breaks on this program."""
    return in_time(partial(run_in_worlds, ids, program, arguments, subject))


def in_time(run: Callable[[], Outcome]) -> Outcome:
    """What `run` returns; `NotRun` if it takes more than `WORLD_SECONDS` of CPU time, or raises.

    Whatever happens, afterwards torch is as it is outside of all worlds.
    """
    try:
        return _timed(run)
    except _TooLong:
        return NotRun("timed_out", f"it ran for more than {WORLD_SECONDS:g} s")
    except Exception as error:  # noqa: BLE001 - a world may break on a program that it was not made for
        return NotRun("died", f"the world raised {type(error).__name__}")
    finally:
        # Time may be up while a world is entered or left: then its own exit does only half of its work.
        if not is_left():
            leave_all()


def _timed(run: Callable[[], Outcome]) -> Outcome:
    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, WORLD_SECONDS)
    try:
        return run()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


class _TooLong(BaseException):
    """A world ran for longer than a belief is worth."""


def same(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes are one answer: equal values, or exceptions of one name. What was not run equals nothing."""
    if isinstance(one, Raised) and isinstance(other, Raised):
        return one.exception == other.exception
    if not (isinstance(one, Returned) and isinstance(other, Returned)):
        return False
    try:
        return one == other or compare(one.value, other.value).right
    except ReferenceFault:
        return False


def speaks(world: str, truth: Outcome, outcome: Outcome) -> bool:
    """Whether what a world gives means something, where `truth` is right.

    A belief about orders moves, adds or repeats names; where one of the right names is gone, the world has only lost
    track of the program's values. A belief about numbers may lose or repeat names; where it has only moved them, that
    is how the world is built and nothing that anybody believes.
    """
    if not (isinstance(truth, Returned) and isinstance(outcome, Returned)):
        return True
    if not (_is_names(truth.value) and _is_names(outcome.value)):
        return True
    right, believed = truth.value.items, outcome.value.items  # type: ignore[union-attr]
    if world in ANSWER_WORLDS:
        return all(name in believed for name in right)
    return world in _ORDERING or sorted(map(repr, right)) != sorted(map(repr, believed))


def _is_names(value: Value) -> bool:
    return isinstance(value, Items) and all(isinstance(item, Text) for item in value.items)


def givable(exercise: Exercise, outcome: Outcome) -> bool:
    """Whether somebody could answer a program exercise with this: one value per answer name, names, an option."""
    if exercise.kind == "raises":
        return isinstance(outcome, (Raised, Returned))
    # A world that raises where torch does not is bent too far for the program: nobody answers with its error.
    if not isinstance(outcome, Returned):
        return False
    value = outcome.value
    if exercise.kind == "choice":
        return isinstance(value, Text) and value.text in dict(exercise.options)
    if exercise.kind == "order":
        return isinstance(value, Items) and all(isinstance(item, Text) for item in value.items)
    return len(exercise.answers) == 1 or (isinstance(value, Items) and len(value.items) == len(exercise.answers))
