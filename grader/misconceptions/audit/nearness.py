"""How far the answer that a belief gives is from the right one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grader.misconceptions.audit.trials import numbers_of
from grader.records import Outcome

_NOTHING = 1e-6


@dataclass(frozen=True, order=True)
class Distance:
    """In how many of `total` numbers two answers differ, and by how much at most."""

    elements: int
    size: float
    total: int


def distance(one: Outcome, other: Outcome) -> Distance | None:
    """How far two answers are from each other; None where they are not numbers of one shape."""
    some, others = numbers_of(one), numbers_of(other)
    if not some or [row.shape for row in some] != [row.shape for row in others]:
        return None
    difference = np.abs(np.concatenate(some).astype(complex) - np.concatenate(others).astype(complex))
    if not np.isfinite(difference).all():
        return None
    return Distance(int((difference > _NOTHING).sum()), float(difference.max(initial=0.0)), difference.size)
