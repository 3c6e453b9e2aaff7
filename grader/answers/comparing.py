"""Comparing a value with its key: numbers, tensors, `None`, strings, and lists or dicts of these.

dtype, container and `requires_grad` never matter: `[3, 18, 7]`, `(3., 18., 7.)`, `torch.tensor([3, 18, 7])` and
`np.array([3., 18., 7.])` are one answer. Shape always does. `None` says that there is no gradient, which is not the
same as a gradient of zeros. A boolean is a number (True is 1) only where the whole key is boolean or consists of 0 and
1: there it is a mask. A value that is empty meets only an empty key of the same shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grader.answers.closeness import close
from grader.answers.comparison import EQUAL, MAX_WRONG, Comparison, Reason, differs
from grader.answers.reading import Numbers, Refusal, read_numbers
from grader.errors import ReferenceFault
from grader.records import Blank, Items, Nothing, Table, Text, Unreadable, Value, plain, show, show_number


def compare(given: Value, expected: Value, tolerance: float | None = None, *, rounding: bool = False) -> Comparison:
    """Compare `given` with the key `expected`.

    Args:
        tolerance: relative error to allow; None for the rule that follows the key's dtype and scale
            (see `grader.answers.closeness`).
        rounding: whether the numbers of a tensor may be rounded as those of a list may: for predictions, which a
            person may have typed into it. It is decided for each number by itself, at any depth.

    Raises: `ReferenceFault` if `expected` is nothing that an answer can be compared with.
    """
    if isinstance(expected, (Blank, Unreadable)):
        raise ReferenceFault(f"the key is no value that an answer can be compared with: {show(expected)}")
    if isinstance(given, Blank):
        return differs("blank", "There is still a `...` here.", "still `...`")
    if isinstance(given, Unreadable):
        refused = read_numbers(given)
        assert isinstance(refused, Refusal), "an unreadable value is never read"
        return _refused(refused)
    if isinstance(expected, Nothing):
        return _against_nothing(given)
    if isinstance(expected, Text):
        return _against_text(given, expected)
    if isinstance(expected, Table):
        return _against_table(given, expected, tolerance, rounding)
    key = read_numbers(expected)
    if isinstance(key, Numbers):
        return _against_numbers(given, key, tolerance, rounding)
    if isinstance(expected, Items):
        return _against_items(given, expected, tolerance, rounding)
    raise ReferenceFault(f"the key could not be read: {key.message}")


def _refused(refusal: Refusal) -> Comparison:
    return differs(refusal.reason, refusal.message, refusal.brief)


def _against_nothing(given: Value) -> Comparison:
    if isinstance(given, Nothing):
        return EQUAL
    numbers = read_numbers(given)
    if isinstance(numbers, Refusal):
        return _refused(numbers)
    if numbers.array.size and not numbers.array.any():
        message = "Zero is a gradient; `None` says that there is none. They are different answers: you have zeros."
        return differs("none_expected", message, "zeros are not `None`")
    return differs("none_expected", f"This is not right: you have {show(given, 60)}.", "not right")


def _against_text(given: Value, expected: Text) -> Comparison:
    if not isinstance(given, Text):
        return differs("names", f"A string is asked: you have {show(given, 60)}.", "not a string")
    if given.text == expected.text:
        return EQUAL
    return differs("names", f"This is not right: you have {show(given, 60)}.", "not right")


def _against_numbers(given: Value, key: Numbers, tolerance: float | None, rounding: bool) -> Comparison:
    if isinstance(given, Nothing):
        message = "You have `None`, which says that there is no gradient; there is one."
        return differs("none_given", message, "`None` where there is a value")
    numbers = read_numbers(given)
    if isinstance(numbers, Refusal):
        return _refused(numbers)
    if numbers.array.shape != key.array.shape:
        return _wrong_shape(numbers.array.shape, key.array.shape)
    if numbers.array.dtype.kind == "b" and not is_mask(key.array):
        message = f"Numbers are asked, and you have {show(given, 60)}."
        return differs("not_a_number_kind", message, "True or False instead of numbers")
    right = close(numbers, key, tolerance, rounding=rounding)
    if right.all():
        return EQUAL
    if not rounding and close(numbers, key, tolerance, rounding=True).all():
        message = "The numbers of a tensor or array are taken as computed, and these look rounded:"
        advice = "give more digits, or type them as plain Python numbers."
        return differs("rounded", f"{message} {advice}", "rounded too far", (), int((~right).sum()))
    return _wrong_elements(numbers, key.array, right)


def is_mask(key: NDArray[Any]) -> bool:
    """Whether a key may be answered with True and False: it is boolean, or has no other numbers than 0 and 1."""
    return key.dtype.kind == "b" or bool(np.isin(key, (0, 1)).all())


def _wrong_shape(given: tuple[int, ...], asked: tuple[int, ...]) -> Comparison:
    brief = f"wrong shape: {given} where {asked} is asked"
    if given == ():
        return differs("shape", f"You have a single number, and shape {asked} is asked.", brief)
    if asked == ():
        return differs("shape", f"A single number is asked, and you have shape {given}.", brief)
    return differs("shape", f"You have shape {given}, and shape {asked} is asked.", brief)


def _wrong_elements(given: Numbers, key: NDArray[Any], right: NDArray[np.bool_]) -> Comparison:
    count = int((~right).sum())
    wrong = tuple(tuple(int(i) for i in index) for index in np.argwhere(~right)[:MAX_WRONG])
    reason = _numeric_reason(given.array, key, right)
    if right.shape == ():
        return differs(reason, f"This is not right: you have {_element(given, ())}.", "not the right number", ((),), 1)
    places = ", ".join(f"{_element(given, index)} at {list(index)}" for index in wrong)
    more = ", …" if count > len(wrong) else ""
    elements = f"{count} of {right.size} element{'s' if right.size > 1 else ''}"
    message = f"{elements} {'is' if count == 1 else 'are'} not right: you have {places}{more}."
    return differs(reason, message, f"{elements} {'differs' if count == 1 else 'differ'}", wrong, count)


def _numeric_reason(given: NDArray[Any], key: NDArray[Any], right: NDArray[np.bool_]) -> Reason:
    if (np.isnan(given) & ~np.isnan(key) & ~right).any():
        return "nan"
    return "inf" if (np.isinf(given) & ~right).any() else "elements"


def _element(given: Numbers, index: tuple[int, ...]) -> str:
    position = int(np.ravel_multi_index(index, given.array.shape)) if index else 0
    text = given.texts[position]
    return plain(text) if text is not None else show_number(given.array[index])


def _against_table(given: Value, expected: Table, tolerance: float | None, rounding: bool) -> Comparison:
    if not isinstance(given, Table):
        return differs("keys", f"A dict is asked: you have {show(given, 60)}.", "not a dict")
    have, asked = dict(given.items), dict(expected.items)
    if set(have) != set(asked):
        missing, extra = sorted(set(asked) - set(have)), sorted(set(have) - set(asked))
        what = f"has no {show(Text(missing[0]), 40)}" if missing else f"has {show(Text(extra[0]), 40)} too many"
        return differs("keys", f"The dict {what}.", "the dict's keys differ")
    found = [(f"`{name}`", compare(have[name], key, tolerance, rounding=rounding)) for name, key in expected.items]
    return _first_wrong(found, None)


def _against_items(given: Value, expected: Items, tolerance: float | None, rounding: bool) -> Comparison:
    if not isinstance(given, Items) or (given.kind == "set") != (expected.kind == "set"):
        return differs("not_a_list", f"A list is asked: you have {show(given, 60)}.", "not a list")
    have, asked = len(given.items), len(expected.items)
    if have != asked:
        brief = f"{have} entr{'y' if have == 1 else 'ies'} where {asked} {'is' if asked == 1 else 'are'} asked"
        return differs("shape", f"You have {brief}.", brief)
    pairs = zip(given.items, expected.items, strict=True)
    return _first_wrong(
        [(f"[{i}]", compare(one, key, tolerance, rounding=rounding)) for i, (one, key) in enumerate(pairs)], 0
    )


def _first_wrong(found: list[tuple[str, Comparison]], axis: int | None) -> Comparison:
    """The first of `found` that differs, its place named; with `axis`, its index goes in front of the others."""
    wrong = [(i, place, each) for i, (place, each) in enumerate(found) if not each.right]
    if not wrong:
        return EQUAL
    i, place, first = wrong[0]
    more = f" ({len(wrong)} of {len(found)} entries differ.)" if len(wrong) > 1 else ""
    indices = first.wrong if axis is None else tuple((i, *index) for index in first.wrong or ((),))
    # A `...` inside a list is a wrong answer; only a bare `...` is a blank one.
    reason: Reason = "unreadable" if first.reason == "blank" else first.reason
    return differs(reason, f"{place}: {first.message}{more}", f"{place}: {first.brief}", indices, first.count)
