"""What beliefs give for an exercise and what parts them, computed once: a thousand students cost what one costs."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Protocol

from grader.errors import ReferenceFault
from grader.records import Assignment, Beliefs, Exercise, ExerciseKey, Separation


class Believer(Protocol):
    """Who can run an exercise in worlds; `Reference` is one."""

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs: ...

    def separation(self, exercise: Exercise, ids: Sequence[str]) -> Separation | None: ...


class RememberedBeliefs:
    """Beliefs by (exercise id, whether pairs are wanted), and what parts them, each asked for once. Thread-safe."""

    def __init__(self, believer: Believer, assignment: Assignment, keys: Mapping[str, ExerciseKey | str]) -> None:
        self._believer = believer
        self._exercises = {exercise.id: exercise for exercise in assignment.exercises}
        self._keys = keys
        self._known: dict[str, Beliefs] = {}
        self._apart: dict[tuple[str, tuple[str, ...]], Separation | None] = {}
        self._lock = threading.Lock()

    def __call__(self, exercise: str, pairs: bool) -> Beliefs:
        with self._lock:
            known = self._known.get(exercise)
            if known is None or (pairs and known.pairs is None):
                known = self._known[exercise] = self._ask(exercise, pairs)
            return known

    def separation(self, exercise: str, ids: tuple[str, ...]) -> Separation | None:
        """A version of an exercise in which these misconceptions have different answers."""
        with self._lock:
            if (exercise, ids) not in self._apart:
                try:
                    self._apart[exercise, ids] = self._believer.separation(self._exercises[exercise], ids)
                except ReferenceFault:
                    self._apart[exercise, ids] = None
            return self._apart[exercise, ids]

    def _ask(self, exercise: str, pairs: bool) -> Beliefs:
        key = self._keys[exercise]
        assert isinstance(key, ExerciseKey), "what has no key is held, and has no wrong answers"
        try:
            return self._believer.believe(self._exercises[exercise], key, pairs)
        except ReferenceFault:
            # The grade stands without its explanation; silence is honest.
            return Beliefs(exercise, (), () if pairs else None)
