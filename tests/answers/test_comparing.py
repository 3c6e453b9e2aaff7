"""Comparing values: shape, kinds, reasons, messages that never give the key away."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from grader.answers import compare
from grader.errors import ReferenceFault
from grader.program import capture
from grader.records import Array, Blank, Items, Nothing, Number, Table, Text, Unreadable

KEY = capture(torch.tensor([3.0, 18.0, 7.0]))


@pytest.mark.parametrize(
    "answer",
    [
        [3, 18, 7],
        (3.0, 18.0, 7.0),
        torch.tensor([3, 18, 7]),
        torch.tensor([3.0, 18.0, 7.0], dtype=torch.float64, requires_grad=True),
        torch.tensor([3.0, 18.0, 7.0], dtype=torch.bfloat16),
        np.array([3, 18, 7], dtype=np.uint8),
        [torch.tensor(3.0), 18, np.float32(7)],
        torch.tensor([3.0, 18.0, 7.0, 0.0])[:3],
        [3 + 0j, 18, 7],
        [3, 18.000001, 6.9999999],
    ],
)
def test_dtype_and_container_do_not_matter(answer: object) -> None:
    """The same numbers in any container or dtype are right."""
    assert compare(capture(answer), KEY).right


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        (3, [3.0, 3.0, 3.0]),
        ([3.0], 3.0),
        (3.0, [3.0]),
        ([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0]),
        ([[1.0, 2.0, 3.0]], [[1.0], [2.0], [3.0]]),
        ([], [1.0]),
        ([], 1.0),
        ([1.0], []),
        ([[]], []),
        ([[], []], [[]]),
    ],
)
@pytest.mark.parametrize("dress", [lambda x: x, torch.tensor], ids=["list", "tensor"])
def test_nothing_broadcasts(answer: object, key: object, dress) -> None:  # type: ignore[no-untyped-def]
    """Only equal shapes are compared; an empty answer never meets a key with elements."""
    result = compare(capture(dress(answer)), capture(torch.tensor(key)))
    assert (result.right, result.reason) == (False, "shape")
    assert str(tuple(torch.tensor(key).shape)) in result.brief


def test_zero_dimensional_tensor_is_a_number_and_empty_meets_empty() -> None:
    """`tensor(3.)` equals 3, and an empty answer equals an empty key of the same shape."""
    assert compare(capture(3), capture(torch.tensor(3.0))).right
    assert compare(capture(torch.tensor(3)), capture(3.0)).right
    assert compare(capture([]), capture(torch.zeros(0))).right
    assert compare(capture([[], []]), capture(torch.zeros(2, 0))).right


def test_message_names_the_elements_and_not_the_key() -> None:
    """The [3, 10, 7] of the tutorial: which element, what the student has, and not a word of 18."""
    result = compare(capture([3, 10, 7]), KEY)
    assert result.reason == "elements"
    assert result.message == "1 of 3 elements is not right: you have 10 at [1]."
    assert result.brief == "1 of 3 elements differs"
    assert result.wrong == ((1,),)


def test_at_most_five_elements_are_named() -> None:
    """A hundred wrong elements are counted, five are named, with all their indices."""
    result = compare(capture(torch.zeros(10, 10)), capture(torch.full((10, 10), 12345.0)))
    assert result.count == 100
    assert result.wrong == tuple((0, i) for i in range(5))
    assert result.message.count("at [0, ") == 5
    assert "12345" not in result.message + result.brief


def test_lone_number() -> None:
    """A lone wrong number is shown without indices."""
    result = compare(capture(10), capture(18.0))
    assert (result.message, result.wrong, result.count) == ("This is not right: you have 10.", ((),), 1)


def test_none_is_not_zeros() -> None:
    """No gradient, a gradient of zeros and any other gradient are three answers, and the message says so."""
    assert compare(Nothing(), Nothing()).right
    zeros = compare(capture(torch.zeros(3)), Nothing())
    assert (zeros.right, zeros.reason) == (False, "none_expected")
    assert "Zero is a gradient" in zeros.message
    assert compare(capture([1, 2]), Nothing()).reason == "none_expected"
    assert compare(capture([]), Nothing()).reason == "none_expected"
    given_none = compare(Nothing(), capture(torch.zeros(3)))
    assert (given_none.right, given_none.reason) == (False, "none_given")


@pytest.mark.parametrize(
    ("answer", "key", "right", "reason"),
    [
        (math.nan, math.nan, True, "equal"),
        (math.nan, 1.0, False, "nan"),
        (1.0, math.nan, False, "elements"),
        (math.inf, math.inf, True, "equal"),
        (-math.inf, math.inf, False, "inf"),
        (math.inf, 1e30, False, "inf"),
        (1e30, math.inf, False, "elements"),
        (math.inf, math.nan, False, "inf"),
        ([math.nan, 1.0], [math.nan, 1.0], True, "equal"),
        ([math.nan, math.nan], [math.nan, 1.0], False, "nan"),
        ([math.inf, 2.0], [math.inf, 1.0], False, "elements"),
    ],
)
@pytest.mark.parametrize("tolerance", [None, 0.1, 1e9])
def test_non_finite_by_name(answer: object, key: object, right: bool, reason: str, tolerance: float | None) -> None:
    """NaN meets NaN, an infinity its own sign, whatever the tolerance; infinity in the key excuses nothing."""
    if tolerance == 1e9 and not isinstance(answer, float):
        tolerance = 0.1
    result = compare(capture(answer), capture(torch.tensor(key)), tolerance)
    assert (result.right, result.reason) == (right, reason)


@pytest.mark.parametrize(
    ("answer", "key", "right"),
    [
        (True, True, True),
        (1, True, True),
        (False, True, False),
        ([True, False], [1.0, 0.0], True),
        (torch.tensor([True, False]), torch.tensor([0.0, 1.0]), False),
        ([True, True], [1.0, 2.0], False),
        (True, 3.0, False),
    ],
)
def test_booleans_are_masks_of_zero_and_one(answer: object, key: object, right: bool) -> None:
    """True is 1 where the whole key is boolean or of 0 and 1, and no number elsewhere."""
    assert compare(capture(answer), capture(key)).right is right


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("3", "write 3 without the quotes"),
        ("None", "write None without the quotes"),
        ("[3, 18, 7]", "write [3, 18, 7] without the quotes"),
        (["3", "18", "7"], "write 3 without the quotes"),
        ("three", "a number is asked"),
        ({"x.grad": 3}, "A dict"),
        ({3, 18, 7}, "no order"),
        ([3, None, 7], "`None`"),
        ([3, ..., 7], "`...`"),
        ([[1, 2], [3]], "different lengths"),
    ],
)
def test_what_is_no_number_is_wrong_with_a_reason(answer: object, words: str) -> None:
    """Strings, dicts, sets and ragged lists are never numbers, and the message says what to write instead."""
    result = compare(capture(answer), KEY)
    assert not result.right
    assert words in result.message


def test_blank_and_unreadable() -> None:
    """A bare `...` is blank; an unreadable answer is wrong with its reason."""
    assert compare(Blank(), KEY).reason == "blank"
    result = compare(Unreadable("it is a sparse tensor"), KEY)
    assert (result.right, result.reason) == (False, "unreadable")
    assert "it is a sparse tensor" in result.message


@pytest.mark.parametrize(
    "value",
    [
        Array("torch", b""),
        Array("torch", b"\xff" * 40),
        Array("torch", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "),
        Number("float", "__import__('os')"),
        Number("int", "9" * 5000),
        Number("bool", "yes"),
        Number("complex", "1+"),
    ],
)
@pytest.mark.parametrize("key", [KEY, Nothing(), capture(1.0)], ids=["array", "none", "number"])
def test_forged_values_are_unreadable(value: object, key: object) -> None:
    """Damaged bytes and texts that are no numbers are refused, never an exception and never right."""
    result = compare(value, key)  # type: ignore[arg-type]
    assert (result.right, result.reason) == (False, "unreadable")


def test_array_under_another_name_or_beside_another_is_refused() -> None:
    """A safetensors document must hold exactly one tensor, `value`."""
    from safetensors.numpy import save

    good = np.array([3.0, 18.0, 7.0], dtype=np.float32)
    for tensors in ({"other": good}, {"value": good, "other": good}):
        assert compare(Array("torch", save(tensors)), KEY).reason == "unreadable"


def test_deep_nesting_is_refused() -> None:
    """A list nested deeper than capture ever makes is refused."""
    value = capture(1)
    for _ in range(200):
        value = Items("list", (value,))
    assert compare(value, KEY).reason == "unreadable"


def test_complex() -> None:
    """Complex numbers compare in both parts; a real number is a complex one without imaginary part."""
    key = capture(torch.tensor([2 - 4j, 1 + 0j]))
    assert compare(capture([2 - 4j, 1]), key).right
    assert compare(capture([2 + 4j, 1]), key).wrong == ((0,),)
    assert compare(capture(torch.tensor([2 - 4j, 1])), key).right
    assert compare(capture(complex(0.333, 0.667)), capture(complex(1 / 3, 2 / 3))).right
    assert not compare(capture(complex(0.333, 0.66)), capture(complex(1 / 3, 2 / 3))).right


def test_tables_compare_key_by_key() -> None:
    """A probe's dict is compared key by key; the message names the key."""
    key = capture({"x.grad": torch.tensor([3.0, 18.0, 7.0]), "calls": 1})
    assert compare(capture({"calls": 1, "x.grad": [3, 18, 7]}), key).right
    result = compare(capture({"x.grad": [3, 10, 7], "calls": 1}), key)
    assert result.message == "`x.grad`: 1 of 3 elements is not right: you have 10 at [1]."
    assert result.wrong == ((1,),)
    assert compare(capture({"x.grad": [3, 18, 7]}), key).reason == "keys"
    assert compare(capture({"x.grad": [3, 18, 7], "calls": 1, "more": 0}), key).reason == "keys"
    assert compare(capture([3, 18, 7]), key).reason == "keys"
    both = compare(capture({"x.grad": [3, 10, 7], "calls": 2}), key)
    assert "2 of 2 entries differ" in both.message


def test_lists_that_are_no_array_compare_entry_by_entry() -> None:
    """A tuple of gradients of different shapes, or with a None, is compared entry by entry."""
    key = capture((torch.tensor([1.0, 2.0]), None, torch.tensor(3.0)))
    assert compare(capture([[1, 2], None, 3]), key).right
    result = compare(capture([[1, 5], None, 3]), key)
    assert result.wrong == ((0, 1),)
    assert compare(capture([[1, 2], [0, 0], 3]), key).reason == "none_expected"
    assert compare(capture([[1, 2], None]), key).reason == "shape"
    assert compare(capture(3), key).reason == "not_a_list"
    assert compare(capture([..., None, 3]), key).reason == "unreadable"


def test_strings_in_a_probes_result() -> None:
    """A string in the key is met by that string alone."""
    assert compare(Text("ones"), Text("ones")).right
    assert not compare(Text("Ones"), Text("ones")).right
    assert not compare(Number("int", "1"), Text("1")).right


@pytest.mark.parametrize("key", [Blank(), Unreadable("x"), Array("torch", b"?"), Number("float", "?")])
def test_unusable_key_is_the_graders_fault(key: object) -> None:
    """A key that is no value is a fault of ours, whatever was answered."""
    with pytest.raises(ReferenceFault):
        compare(capture(1.0), key)  # type: ignore[arg-type]


def test_a_table_is_equal_only_to_itself_when_empty() -> None:
    """An empty dict meets an empty dict and nothing else."""
    assert compare(Table(()), Table(())).right
    assert not compare(Items("list", ()), Table(())).right
