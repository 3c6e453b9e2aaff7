"""What beliefs give for an exercise and what parts them, computed once: a thousand students cost what one costs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol, TypeVar

from grader.errors import ReferenceFault
from grader.records import Assignment, Beliefs, Exercise, ExerciseKey, Separation

T = TypeVar("T")


class Believer(Protocol):
    """Who can run an exercise in worlds; `Reference` is one."""

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs: ...

    def separation(self, exercise: Exercise, ids: Sequence[str]) -> Separation | None: ...


class RememberedBeliefs:
    """Beliefs by (exercise id, whether pairs are wanted), and what parts them, each asked for once. Thread-safe.

    Both raise `ReferenceFault` where the worker fails for good; then it is not asked the same again.
    """

    def __init__(self, believer: Believer, assignment: Assignment, keys: Mapping[str, ExerciseKey | str]) -> None:
        self._believer = believer
        self._exercises = {exercise.id: exercise for exercise in assignment.exercises}
        self._keys = keys
        self._known: dict[str, Beliefs] = {}
        self._apart: dict[tuple[str, tuple[str, ...]], Separation | None] = {}
        self._faults: dict[tuple[object, ...], str] = {}
        self._lock = threading.Lock()

    def __call__(self, exercise: str, pairs: bool) -> Beliefs:
        with self._lock:
            known = self._known.get(exercise)
            if known is None or (pairs and known.pairs is None):
                key = self._keys[exercise]
                assert isinstance(key, ExerciseKey), "what has no key is held, and has no wrong answers"
                ask = partial(self._believer.believe, self._exercises[exercise], key, pairs)
                known = self._known[exercise] = self._asked((exercise, pairs), ask)
            return known

    def separation(self, exercise: str, ids: tuple[str, ...]) -> Separation | None:
        """A version of an exercise in which these misconceptions have different answers."""
        with self._lock:
            if (exercise, ids) not in self._apart:
                ask = partial(self._believer.separation, self._exercises[exercise], ids)
                self._apart[exercise, ids] = self._asked((exercise, ids), ask)
            return self._apart[exercise, ids]

    def _asked(self, what: tuple[object, ...], ask: Callable[[], T]) -> T:
        if what not in self._faults:
            try:
                return ask()
            except Exception as error:  # noqa: BLE001 - whatever it is, asking again would take as long and fail too
                self._faults[what] = str(error)
        raise ReferenceFault(self._faults[what])
