"""Points: decimals in steps of 0.01, and how they are written for people."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

ZERO = Decimal("0.00")
CENT = Decimal("0.01")


def in_cents(number: Decimal) -> Decimal:
    """`number` in steps of 0.01, always with two decimals."""
    return number.quantize(CENT, rounding=ROUND_HALF_UP)


def show_points(number: Decimal) -> str:
    """`7`, `7.5`, `7.25`: no zeros that say nothing."""
    return f"{in_cents(number):f}".rstrip("0").rstrip(".")


def count_points(number: Decimal) -> str:
    """`1 point`, `2 points`, `0.5 points`."""
    text = show_points(number)
    return f"{text} point{'' if text == '1' else 's'}"
