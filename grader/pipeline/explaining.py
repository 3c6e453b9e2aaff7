"""Beliefs for the diagnosis, from a worker that may fail: points stand without a diagnosis, so a fault is only told."""

from __future__ import annotations

from collections.abc import Callable

from grader import judging
from grader.records import Beliefs, Separation


class TellingBeliefs:
    """As the beliefs of a `judging.Standard`, but a fault is told and gives silence: nobody is said to believe a thing.

    Args:
        beliefs: where they come from.
        tell: called with an exercise and what was raised.
    """

    def __init__(self, beliefs: judging.BeliefsOf, tell: Callable[[str, Exception], None]) -> None:
        self._beliefs = beliefs
        self._tell = tell
        self.failed = False

    def __call__(self, exercise: str, pairs: bool) -> Beliefs:
        try:
            return self._beliefs(exercise, pairs)
        except Exception as error:  # noqa: BLE001 - see above
            self._failed(exercise, error)
            return Beliefs(exercise, (), () if pairs else None)

    def separation(self, exercise: str, ids: tuple[str, ...]) -> Separation | None:
        """As that of the beliefs; None after a fault."""
        try:
            return self._beliefs.separation(exercise, ids)
        except Exception as error:  # noqa: BLE001 - see above
            self._failed(exercise, error)
            return None

    def _failed(self, exercise: str, error: Exception) -> None:
        self.failed = True
        self._tell(exercise, error)
