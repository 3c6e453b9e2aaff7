"""When is a number the same number? The rule follows the reference alone: its dtype, its size, its being an integer.

A fixed `allclose` either rejects right answers (entries near zero, where only the scale of the whole tensor tells how
exact float32 can be) or accepts errors of half a percent. Here, for each element r of the reference, with R the
largest finite |r|:

    |given - r| <= max(rtol * |r|, scale * R)     float32: 1e-5, 2e-6    float64: 2e-7, 1e-10    float16: 4e-3, 1e-3

float64's rtol lets a right answer pass that was stored as a float32. An integer counts as float32. A reference of
nothing but zeros has no scale of its own and gets R = 1. bfloat16 arrives as float32 and wants an explicit tolerance.

Three rules on top, none of them with an explicit tolerance, which replaces rtol (and bounds scale):

- an element that is an integer but for rounding noise is met exactly by an integer or not at all (9 is never 10, and
  1,000,001 is not 1,000,000);
- for an element that is no integer, a number typed in Python may be rounded (one in a tensor was computed, unless the
  caller says that it may have been typed: `rounding`). It must be right in every digit that was typed, and right to
  three significant digits at least. So 0.3333 and 0.333 are a third; 0.33, 0.3334 and 0.334 are not. Zeros at the end
  cannot be seen in a `repr`: 0.12 may mean 0.120;
- NaN is met by NaN alone, an infinity by the same infinity alone.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.answers.reading import Numbers, Precision
from grader.records import show_number

# rtol, scale, and the size from which on every number of that dtype is an integer, less a margin.
_RULES: dict[Precision, tuple[float, float, float]] = {
    "exact": (1e-5, 2e-6, 2.0**50),
    "float16": (4e-3, 1e-3, 2.0**9),
    "float32": (1e-5, 2e-6, 2.0**22),
    "float64": (2e-7, 1e-10, 2.0**50),
}
_NOISE: dict[Precision, float] = {"exact": 0.0, "float16": 2.0**-9, "float32": 2.0**-20, "float64": 2.0**-40}
MAX_NOISE = 0.01
MAX_INTEGER_ERROR = 0.1
MIN_DIGITS = 3
# More numbers than this in one tensor were computed, not typed.
MAX_TYPED = 100


def close(given: Numbers, reference: Numbers, tolerance: float | None, *, rounding: bool = False) -> NDArray[np.bool_]:
    """Which elements of `given` are those of `reference`; both have one shape, which the result has too.

    Args:
        tolerance: relative error allowed instead of the dtype's; 0 for exactly equal.
        rounding: a tensor of at most `MAX_TYPED` numbers may have been typed: each of them may be rounded, as a
            Python number always may. Without effect where there is a `tolerance`.
    """
    if given.array.dtype.kind in "biu" and reference.array.dtype.kind in "biu" and tolerance is None:
        return np.asarray(given.array == reference.array)
    wide = np.complex128 if "c" in (given.array.dtype.kind, reference.array.dtype.kind) else np.float64
    g, r = given.array.astype(wide), reference.array.astype(wide)
    with np.errstate(all="ignore"):
        right = (g == r) | (np.isnan(g) & np.isnan(r))
        both = np.isfinite(g) & np.isfinite(r)
        allowed = _allowed(r, reference.precision, tolerance)
        right |= both & (np.abs(g - r) <= allowed)
        if tolerance is not None:
            return np.asarray(right)
        whole = both & _is_whole(r, reference.precision)
        right = np.where(whole & (g == np.rint(g)), g == np.rint(r), right)
    texts = _as_if_typed(given) if rounding and g.size <= MAX_TYPED else given.texts
    return _forgive_rounding(texts, r, np.asarray(right), whole)


def _as_if_typed(given: Numbers) -> tuple[str, ...]:
    return tuple(text or show_number(number) for text, number in zip(given.texts, given.array.flat, strict=True))


def _scale(r: NDArray[Any]) -> float:
    sizes = np.abs(r[np.isfinite(r)])
    return float(sizes.max()) if sizes.size and sizes.max() > 0 else 1.0


def _allowed(r: NDArray[Any], precision: Precision, tolerance: float | None) -> NDArray[Any]:
    rtol, scale, _ = _RULES[precision]
    if tolerance is not None:
        rtol, scale = tolerance, min(scale, tolerance)
    allowed: NDArray[Any] = np.maximum(rtol * np.abs(r), scale * _scale(r))
    if tolerance is None and precision != "float16":
        # 100,000.5 is not 100,000, however small the difference is beside it; beyond 2**17 float32 can't tell.
        small = _is_whole(r, precision) & ((np.abs(r) < 2.0**17) | (precision == "exact"))
        allowed = np.where(small, np.minimum(allowed, MAX_INTEGER_ERROR), allowed)
    return allowed


def _is_whole(r: NDArray[Any], precision: Precision) -> NDArray[np.bool_]:
    noise = min(_NOISE[precision] * _scale(r), MAX_NOISE)
    with np.errstate(invalid="ignore"):
        return np.asarray((np.abs(r - np.rint(r)) <= noise) & (np.abs(r) < _RULES[precision][2]))


def _forgive_rounding(
    texts: tuple[str | None, ...], r: NDArray[Any], right: NDArray[np.bool_], whole: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    if not any(texts):
        return right
    flat = [
        bool(ok) or (text is not None and not integer and _is_rounded(text, complex(key)))
        for ok, text, key, integer in zip(right.flat, texts, r.flat, whole.flat, strict=True)
    ]
    return np.asarray(flat, dtype=np.bool_).reshape(right.shape)


def _is_rounded(text: str, key: complex) -> bool:
    """Whether `text` is `key` rounded to the digits typed, of which three significant ones at least are right."""
    if text in ("True", "False"):
        return False
    typed = complex(text)
    return _is_rounded_part(typed.real, text, key.real) and _is_rounded_part(typed.imag, text, key.imag)


def _is_rounded_part(typed: float, text: str, key: float) -> bool:
    if typed == key:
        return True
    if not (math.isfinite(typed) and math.isfinite(key)) or key == 0 or typed == 0:
        return False
    exponent = Decimal(text if "j" not in text else repr(typed)).normalize().as_tuple().exponent
    assert isinstance(exponent, int), "a finite number has an exponent"
    # Digits before the point are seen, zeros too.
    last_typed = min(exponent, 0)
    last_needed = math.floor(math.log10(abs(key))) - MIN_DIGITS + 1
    # A hair more than half a unit: the key itself carries float32 noise, and 0.0005 has no exact double.
    half_unit = 0.5 * 10.0 ** min(last_typed, last_needed)
    return abs(typed - key) <= half_unit * (1 + 1e-9) + 1e-7 * abs(key)
