"""Points: decimals in steps of 0.01, shared among the answers or probes of an exercise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from grader.course.surface import ProbeNote
from grader.records import CENT, ZERO

MOST = Decimal(1_000_000)


class BadPoints(Exception):
    """Points that cannot be used; the text says why and what to write."""


def read_points(given: object) -> Decimal:
    """A number of points more than 0.

    Raises: `BadPoints` if it is none, not positive, or finer than 0.01.
    """
    if given is None:
        raise BadPoints("has no points; add points=1")
    usable = not isinstance(given, bool) and isinstance(given, (int, float, Decimal))
    points = Decimal(str(given)) if usable else Decimal("nan")
    if points.is_nan() or not 0 < points <= MOST:
        raise BadPoints(f"has points={given!r}; give a number more than 0, such as points=1.5")
    rounded = points.quantize(CENT)
    if rounded != points:
        raise BadPoints(f"has points={given!r}; give at most 2 decimals, such as points={rounded.normalize():f}")
    return rounded


def share(points: Decimal, count: int) -> tuple[Decimal, ...]:
    """Share `points` equally among `count`, in steps of 0.01; the first ones get what is left over.

    Raises: `BadPoints` if a share would be 0.
    """
    whole, left = divmod(int(points / CENT), count)
    if whole == 0:
        raise BadPoints(f"has {points} points for {count} parts; give at least {CENT * count}")
    return tuple(CENT * (whole + (number < left)) for number in range(count))


def answer_credit(given: Any, answers: Sequence[str]) -> tuple[Decimal, ...]:
    """The points of each answer name.

    Raises: `BadPoints`, also for a dict that does not name exactly the answers.
    """
    if not isinstance(given, Mapping):
        return share(read_points(given), len(answers))
    if set(given) != set(answers):
        names = ", ".join(f'"{name}": 1' for name in answers)
        what = f"has points for {_names(given)}, but its answers are {_names(answers)}"
        raise BadPoints(f"{what}; write points={{{names}}}")
    return tuple(read_points(given[name]) for name in answers)


def probe_credit(given: Any, probes: Sequence[ProbeNote]) -> tuple[Decimal, ...]:
    """The points of each probe: what it was given, or an equal share of what the others leave.

    A ready probe of conduct may be given 0: then it is good for a remark.

    Raises: `BadPoints` if they do not add up.
    """
    if isinstance(given, Mapping):
        raise BadPoints("has a dict of points; give points to its probes instead: .probe(..., points=1)")
    total = read_points(given)
    fixed = [None if each.points is None else _probe_points(each) for each in probes]
    open_places = fixed.count(None)
    rest = total - sum(each for each in fixed if each is not None)
    if open_places == 0 and rest != 0:
        raise BadPoints(f"has {total} points, but its probes add up to {total - rest}; make the two agree")
    if open_places and rest <= 0:
        raise BadPoints(f"has {total} points and leaves {rest} for {open_places} of its probes; give it more points")
    shares = iter(share(rest, open_places) if open_places else ())
    return tuple(next(shares) if each is None else each for each in fixed)


def _probe_points(probe: ProbeNote) -> Decimal:
    return ZERO if probe.ready and type(probe.points) is int and probe.points == 0 else read_points(probe.points)


def _names(names: Any) -> str:
    return ", ".join(f"`{name}`" for name in names) or "nothing"
