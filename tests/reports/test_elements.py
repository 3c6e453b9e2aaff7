"""Which elements of an answer are marked beside its key."""

from __future__ import annotations

import math

import numpy as np
import pytest
from graded_samples import numbers, tensor, values
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save

from grader.records import Array, Items, Nothing, Number, Text, Value, show
from grader.reports.elements import pieces


def off(given_value: Value, expected: Value | None) -> list[str]:
    return [piece.text for piece in pieces(given_value, expected) if piece.off]


def names(*given_names: str) -> Items:
    return Items("list", tuple(Text(name) for name in given_names))


@pytest.mark.parametrize(
    ("answer", "key", "marked"),
    [
        (numbers(3, 10, 7), tensor(3, 18, 7), ["10"]),
        (tensor(3, 10, 7), tensor(3, 18, 7), ["10."]),
        (tensor(3, 18, 7), tensor(3, 18, 7), []),
        (tensor(0.33333), tensor(1 / 3), []),
        (tensor(0.33333, 2), tensor(1 / 3, 1), ["2."]),
        (tensor(math.nan, 1), tensor(math.nan, 2), ["1."]),
        (tensor(math.inf, 1), tensor(-math.inf, 1), ["inf"]),
        (names("x", "y", "z"), names("z", "y", "x"), ["'x'", "'z'"]),
        (Items("tuple", (Nothing(), Number("bool", "True"))), Items("list", (Nothing(), Number("int", "0"))), ["True"]),
        (numbers(3, 10), tensor(3, 18, 7), []),
        (Number("int", "3"), Number("int", "4"), []),
        (tensor(3, 10, 7), None, []),
    ],
)
def test_elements_that_differ_are_marked(answer: Value, key: Value | None, marked: list[str]) -> None:
    """Same shape: the elements that differ, names too; other shape, one number or no key to show: none."""
    assert off(answer, key) == marked


def test_a_matrix_is_marked_in_place() -> None:
    """Nested brackets stand as `show` writes them."""
    answer = Array("torch", save({"value": np.array([[1.0, 2.0], [3.0, 4.0]])}))
    key = Array("torch", save({"value": np.array([[1.0, 2.0], [3.0, 5.0]])}))
    assert "".join(piece.text for piece in pieces(answer, key)) == show(answer) == "tensor([[1., 2.], [3., 4.]])"
    assert off(answer, key) == ["4."]


@pytest.mark.parametrize("key", [*values(), None])
def test_every_value_can_be_shown(key: Value | None) -> None:
    """Whatever the answer and the key are, broken bytes too, the pieces are the text of `show`."""
    for answer in values():
        assert "".join(piece.text for piece in pieces(answer, key)) == show(answer)


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=24), st.lists(st.integers(-9, 9), min_size=2, max_size=24))
def test_marks_are_where_the_numbers_differ(own: list[int], key: list[int]) -> None:
    """For integers of equal count the marks are exactly the differing ones."""
    marked = off(numbers(*own), numbers(*key))
    assert marked == ([str(a) for a, b in zip(own, key, strict=True) if a != b] if len(own) == len(key) else [])


def test_a_tuple_of_one_keeps_its_comma() -> None:
    """Nothing to compare in one element: shown whole."""
    one = Items("tuple", (Number("int", "1"),))
    assert pieces(one, one)[0].text == "(1,)"
