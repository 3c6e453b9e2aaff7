"""What beliefs give for an exercise, computed once: a class of a thousand costs what one student costs."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Protocol

from grader.errors import ReferenceFault
from grader.records import Assignment, Beliefs, Exercise, ExerciseKey


class Believer(Protocol):
    """Who can run an exercise in worlds; `Reference` is one."""

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs: ...


class RememberedBeliefs:
    """Callable (exercise id, whether pairs are wanted) -> `Beliefs`, asked for at most once each. Safe for threads."""

    def __init__(self, believer: Believer, assignment: Assignment, keys: Mapping[str, ExerciseKey | str]) -> None:
        self._believer = believer
        self._exercises = {exercise.id: exercise for exercise in assignment.exercises}
        self._keys = keys
        self._known: dict[str, Beliefs] = {}
        self._lock = threading.Lock()

    def __call__(self, exercise: str, pairs: bool) -> Beliefs:
        with self._lock:
            known = self._known.get(exercise)
            if known is None or (pairs and known.pairs is None):
                known = self._known[exercise] = self._ask(exercise, pairs)
            return known

    def _ask(self, exercise: str, pairs: bool) -> Beliefs:
        key = self._keys[exercise]
        assert isinstance(key, ExerciseKey), "what has no key is held, and has no wrong answers"
        try:
            return self._believer.believe(self._exercises[exercise], key, pairs)
        except ReferenceFault:
            # The grade stands without its explanation; silence is honest.
            return Beliefs(exercise, (), () if pairs else None)
