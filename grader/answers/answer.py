"""Comparing the answer to a question of one kind: numbers, an order, the name of an exception, one of some options."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.answers.comparing import compare
from grader.answers.comparison import EQUAL, Comparison, differs
from grader.errors import ReferenceFault
from grader.records import Blank, Items, Kind, Nothing, Text, Unreadable, Value, plain, show


def compare_answer(
    kind: Kind, given: Value, expected: Value, options: Sequence[str] = (), tolerance: float | None = None
) -> Comparison:
    """Compare one named answer of an exercise of this kind with its key.

    Args:
        expected: the key; for `raises` the exception's name as a `Text`, or `Nothing` where nothing is raised.
        options: for `choice`, the keys among which the student chooses.
        tolerance: for numbers, see `compare`.

    Raises: `ReferenceFault` if the key is not one of this kind.
    """
    if kind == "predict":
        # A prediction in a tensor is either exact, because torch computed it, or typed by a person who rounded it.
        return compare(given, expected, tolerance, rounding=True)
    if isinstance(given, (Blank, Unreadable)) or kind == "implement":
        return compare(given, expected, tolerance)
    if kind == "order":
        return _compare_order(given, expected)
    if kind == "raises":
        return _compare_raises(given, expected)
    return _compare_choice(given, expected, options)


def _compare_order(given: Value, expected: Value) -> Comparison:
    key = _names(expected)
    if key is None:
        raise ReferenceFault(f"the key of an order question must be a list of strings, and is {show(expected)}")
    if isinstance(given, Items) and given.kind == "set":
        return differs("not_a_list", "A set has no order: give a list.", "a set instead of a list")
    if not isinstance(given, Items):
        return differs("not_a_list", f"A list of names is asked: you have {show(given, 60)}.", "not a list")
    have = _names(given)
    if have is None:
        odd = next(i for i, item in enumerate(given.items) if not isinstance(item, Text))
        message = f"The entries must be names in quotes: you have {show(given.items[odd], 60)} at [{odd}]."
        return differs("not_a_name", message, "an entry that is no name", ((odd,),))
    return _compare_names(have, key)


def _names(value: Value) -> list[str] | None:
    if not isinstance(value, Items):
        return None
    names = [item.text for item in value.items if isinstance(item, Text)]
    return names if len(names) == len(value.items) else None


def _compare_names(have: list[str], key: list[str]) -> Comparison:
    if have == key:
        return EQUAL
    entries = f"{len(have)} entr{'y' if len(have) == 1 else 'ies'}"
    if len(have) < len(key):
        return differs("too_few", f"Your list has too few entries: it has {len(have)}.", f"{entries}: too few")
    if len(have) > len(key):
        return differs("too_many", f"Your list has too many entries: it has {len(have)}.", f"{entries}: too many")
    first = next(i for i, (one, other) in enumerate(zip(have, key, strict=True)) if one != other)
    wrong = tuple((i,) for i, (one, other) in enumerate(zip(have, key, strict=True)) if one != other)
    there = f"you have {show(Text(have[first]), 60)} at [{first}]"
    if sorted(have) == sorted(key):
        message = f"These are the right names in another order. The first that is out of place: {there}."
        return differs("other_order", message, "right names, another order", wrong)
    if [name.casefold() for name in have] == [name.casefold() for name in key]:
        message = f"Upper and lower case matter in names: {there}."
        return differs("letter_case", message, "upper and lower case differ", wrong)
    return differs("names", f"The first entry that is not right: {there}.", f"not right from [{first}] on", wrong)


def _compare_raises(given: Value, expected: Value) -> Comparison:
    if not isinstance(expected, (Text, Nothing)):
        raise ReferenceFault(f"the key of a raises question must be a name or None, and is {show(expected)}")
    if isinstance(given, Nothing):
        if isinstance(expected, Nothing):
            return EQUAL
        message = "You have `None`, which says that nothing is raised; something is."
        return differs("none_given", message, "`None` where something is raised")
    if not isinstance(given, Text):
        message = f'Give the exception\'s name, such as "ValueError", or None: you have {show(given, 60)}.'
        return differs("not_a_name", message, "not an exception's name")
    if given.text.strip() == "None":
        return differs("not_a_name", "Write None without the quotes.", "None in quotes")
    name = given.text.strip().rsplit(".", 1)[-1]
    if not re.fullmatch(r"\w+", name):
        message = f"Give the exception's name alone, without brackets or message: you have {show(given, 60)}."
        return differs("not_a_name", message, "not an exception's name")
    key = expected.text.rsplit(".", 1)[-1] if isinstance(expected, Text) else None
    if name == key:
        return EQUAL
    if key is not None and name.casefold() == key.casefold():
        message = f"Upper and lower case matter in an exception's name: you have {show(given, 60)}."
        return differs("letter_case", message, "upper and lower case differ")
    return differs("other", f"{plain(name)[:60]} is not what happens here.", "not what happens")


def _compare_choice(given: Value, expected: Value, options: Sequence[str]) -> Comparison:
    if not isinstance(expected, Text) or expected.text not in options:
        raise ReferenceFault(f"the key of a choice question must be one of its options, and is {show(expected)}")
    listed = ", ".join(f'"{plain(option)}"' for option in options)
    if not isinstance(given, Text):
        message = f"Give one of the options, in quotes: {listed}. You have {show(given, 60)}."
        return differs("not_an_option", message, "not one of the options")
    chosen = given.text.strip()
    if chosen not in options:
        message = f"{show(given, 60)} is not one of the options: {listed}."
        return differs("not_an_option", message, "not one of the options")
    if chosen == expected.text:
        return EQUAL
    return differs("other", f"This is not right: you chose {show(Text(chosen), 60)}.", "another option is right")
