"""An object of unknown origin becomes plain data, or a reason why not."""

from __future__ import annotations

import warnings
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load

from grader.program import capture
from grader.records import Array, Blank, Items, Nothing, Number, Table, Text, Unreadable, Value


def array_of(value: Value) -> Any:
    assert isinstance(value, Array), value
    return load(value.data)["value"]


@pytest.mark.parametrize(
    ("thing", "value"),
    [
        (None, Nothing()),
        (..., Blank()),
        (True, Number("bool", "True")),
        (3, Number("int", "3")),
        (0.1, Number("float", "0.1")),
        (float("nan"), Number("float", "nan")),
        (float("-inf"), Number("float", "-inf")),
        (1 + 2j, Number("complex", "(1+2j)")),
        ("x", Text("x")),
        (RuntimeError, Text("RuntimeError")),
        ([1, (2,)], Items("list", (Number("int", "1"), Items("tuple", (Number("int", "2"),))))),
        ({"a": None}, Table((("a", Nothing()),))),
        ({2, 1}, Items("set", (Number("int", "1"), Number("int", "2")))),
    ],
)
def test_plain_python_is_read_exactly(thing: object, value: Value) -> None:
    """Plain Python values keep their kind and their digits."""
    assert capture(thing) == value


@pytest.mark.parametrize(
    "tensor",
    [
        torch.tensor([3.0, 18.0, 7.0], requires_grad=True),
        torch.tensor(2.5),
        torch.arange(6).reshape(2, 3).T,
        torch.ones(2, 0),
        torch.tensor([True, False]),
        torch.tensor([float("nan"), float("inf")]),
        torch.nn.Parameter(torch.ones(2, 1)),
        torch.ones(1).expand(4),
        torch.tensor(1 + 2j).conj(),
    ],
    ids=str,
)
def test_a_tensor_keeps_dtype_shape_and_bytes(tensor: torch.Tensor) -> None:
    """Views, leaves, 0-d, empty, bool, conjugated: what arrives equals the tensor, element by element."""
    got = array_of(capture(tensor))
    want = tensor.detach().resolve_conj().numpy()
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    assert np.array_equal(got, want, equal_nan=want.dtype.kind == "f")


def test_bfloat16_arrives_as_float32() -> None:
    """numpy has no bfloat16; the values are exact in float32."""
    assert array_of(capture(torch.tensor([1.5], dtype=torch.bfloat16))).dtype == np.float32


@pytest.mark.parametrize("array", [np.float64(3), np.zeros((2, 3)).T, np.array(1), np.array([1, 2], dtype=">i4")])
def test_numpy_is_read_like_torch(array: Any) -> None:
    """numpy arrays and scalars keep their shape, also 0-d ones and ones in foreign byte order."""
    got = array_of(capture(array))
    assert got.shape == array.shape
    assert np.array_equal(got, array)


class YesMan:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise AssertionError("a foreign __repr__ was called")


class Liar(list[int]):
    def __iter__(self) -> Any:
        raise AssertionError("a foreign __iter__ was called")


class Endless(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError("a foreign __torch_function__ was called")


def self_containing() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


@pytest.mark.parametrize(
    ("thing", "reason"),
    [
        (print, "a function"),
        (lambda: 0, "a function"),
        (torch.nn.Linear, "a class"),
        (YesMan(), "type 'YesMan'"),
        (Liar([1]), "type 'Liar'"),
        (self_containing(), "nested"),
        (10**5000, "digits"),
        ("x" * 2_000_000, "larger"),
        (torch.ones(1).expand(10**12), "larger"),
        (torch.ones(2, device="meta"), "device"),
        (torch.ones(2).to_sparse(), "sparse"),
        ({1: 2}, "keys"),
        (np.array(["a"]), "dtype"),
        (b"bytes", "type 'bytes'"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 30 else "",
)
def test_what_cannot_be_an_answer_says_why(thing: object, reason: str) -> None:
    """Functions, foreign objects, giants and odd tensors are refused with a reason, and none of their code is run."""
    got = capture(thing)
    assert isinstance(got, Unreadable)
    assert reason in got.reason


def test_a_nested_tensor_is_refused() -> None:
    """Nested tensors have no single shape."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    assert isinstance(capture(nested), Unreadable)


def test_a_tensor_subclass_is_read_as_the_tensor_it_is() -> None:
    """`__torch_function__` of a subclass gets no say."""
    assert array_of(capture(torch.ones(2).as_subclass(Endless))).tolist() == [1, 1]


def test_the_cap_holds_for_the_whole_answer() -> None:
    """Many small things together are as large as one."""
    assert isinstance(capture([torch.ones(100)] * 100, max_bytes=10_000), Unreadable)
    assert isinstance(capture([0] * 100_000, max_bytes=50_000), Unreadable)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.complex_numbers()
trees = st.recursive(
    scalars, lambda child: st.lists(child, max_size=4) | st.dictionaries(st.text(), child, max_size=3), max_leaves=20
)


@given(trees)
def test_every_value_survives_the_wire(thing: object) -> None:
    """What was captured decodes to what was encoded, byte for byte."""
    value = capture(thing)
    encoded = msgspec.json.encode(value)
    assert msgspec.json.decode(encoded, type=Value) == value  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, ValueError])
def test_an_object_that_exits_is_unreadable(kind: type[BaseException]) -> None:
    """An object that raises whatever it is asked, its class included, is refused."""

    class Exiting:
        def __getattribute__(self, name: str) -> object:
            raise kind

    assert capture([Exiting()]) == Unreadable(f"reading it raised {kind.__name__}")


def test_every_reason_can_be_written() -> None:
    """A lone surrogate in a field's name becomes an escape."""
    value = capture(np.zeros(1, np.dtype([("f\ud800", "i4")])))
    assert isinstance(value, Unreadable)
    assert "f\\ud800" in value.reason
    assert msgspec.json.decode(msgspec.json.encode(value), type=Unreadable) == value
