"""The tolerance rule, measured: right alternatives pass, small errors and swaps do not."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.answers import compare, compare_answer
from grader.program import capture
from grader.records import Value

SEEDS = range(60)


def tanh_gradients(seed: int) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """torch's own gradient of tanh at 64 points, some of them large, and six right ways of writing it in float32."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(64, generator=generator).mul(2).requires_grad_()
    torch.tanh(x).sum().backward()
    key, x = x.grad, x.detach()
    assert key is not None
    e = torch.exp(2 * x)
    tanh = (e - 1) / (e + 1)
    sigmoid = torch.sigmoid(2 * x)
    ways = [
        1 - torch.tanh(x) ** 2,
        (1 - torch.tanh(x)) * (1 + torch.tanh(x)),
        1 / torch.cosh(x) ** 2,
        1 - tanh * tanh,
        4 * sigmoid * (1 - sigmoid),
        4 / (torch.exp(x) + torch.exp(-x)) ** 2,
    ]
    return key, ways


def test_right_ways_of_writing_the_tanh_gradient_pass() -> None:
    """No right float32 formula is rejected, where allclose's defaults reject most."""
    ours = theirs = 0
    for seed in SEEDS:
        key, ways = tanh_gradients(seed)
        ours += sum(not compare(capture(way), capture(key)).right for way in ways)
        theirs += sum(not torch.allclose(way, key) for way in ways)
    assert ours == 0
    assert theirs > 0.5 * 6 * len(SEEDS)  # the trap is real: else this test would show nothing


def cross_entropy_gradient(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """torch's gradient of a batch-64 cross-entropy over ten classes, and the formula by hand."""
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(64, 10, generator=generator).requires_grad_()
    labels = torch.randint(10, (64,), generator=generator)
    torch.nn.functional.cross_entropy(logits, labels).backward()
    assert logits.grad is not None
    e = torch.exp(logits.detach())
    hand = (e / e.sum(1, keepdim=True) - torch.nn.functional.one_hot(labels, 10)) / 64
    return logits.grad, hand


@pytest.mark.parametrize("make", [lambda seed: tanh_gradients(seed)[0], lambda seed: cross_entropy_gradient(seed)[0]])
def test_scale_errors_and_swaps_are_rejected(make) -> None:  # type: ignore[no-untyped-def]
    """An error of 0.5 % is always found, and so is a swap of two elements, in either order of the operands."""
    for seed in SEEDS:
        key = make(seed)
        assert not compare(capture(key * 1.005), capture(key)).right
        assert not compare(capture(key), capture(key * 1.005)).right
        assert not compare(capture(key * 0.995), capture(key)).right
        swapped = key.clone().view(-1)
        swapped[[3, 4]] = swapped[[4, 3]]
        assert not compare(capture(swapped.view(key.shape)), capture(key)).right


def test_cross_entropy_by_hand_and_a_float64_mlp_pass() -> None:
    """Right gradients pass element by element, also those near zero, and those computed in float64."""
    for seed in SEEDS:
        key, hand = cross_entropy_gradient(seed)
        assert compare(capture(hand), capture(key)).right
    for seed in range(30):
        grads = []
        for dtype in (torch.float32, torch.float64):
            generator = torch.Generator().manual_seed(seed)
            x, a, b = (torch.randn(*s, generator=generator).to(dtype) for s in ((16, 8), (8, 8), (8, 4)))
            a.requires_grad_()
            torch.tanh(torch.tanh(x @ a) @ b).sum().backward()
            grads.append(a.grad)
        assert compare(capture(grads[1]), capture(grads[0])).right
        assert compare(capture(grads[1].to(torch.float32)), capture(grads[1])).right


def test_tolerance_depends_on_the_key_alone() -> None:
    """A huge answer does not widen the tolerance, and the key's largest element does not excuse all others."""
    key = capture(torch.tensor([1.5, 2.5]))
    for wrong in ([1.5, 1e30], [1.5, float("inf")], [1e-30, 2.5], [1.5001, 2.5]):
        assert not compare(capture(torch.tensor(wrong)), key).right
    assert not compare(capture([1e4, 0.0]), capture(torch.tensor([1e4 + 0.5, 0.3]))).right


def test_float64_is_judged_more_tightly_and_float16_less() -> None:
    """The same relative error of 3e-6 passes for a float32 key and not for a float64 one; float16 allows 2e-3."""
    base = torch.tensor([0.123456789, 1.987654321], dtype=torch.float64)
    assert compare(capture(base * (1 + 3e-6)), capture(base.float())).right
    assert not compare(capture(base * (1 + 3e-6)), capture(base)).right
    assert compare(capture(base.float()), capture(base)).right
    assert compare(capture(base * 1.002), capture(base.half())).right
    assert not compare(capture(base * 1.01), capture(base.half())).right


@pytest.mark.parametrize(
    ("answer", "key", "right"),
    [
        ([1_000_001], [1e6], False),
        ([1_000_000], [1e6], True),
        ([18], [18.000002], True),
        ([17], [18.000002], False),
        ([18.0001], [18.0], True),
        ([100_000.5], [1e5], False),
        ([2**53 + 1], [2**53], False),
        ([0], [0.0], True),
        ([1e-3], [0.0], False),
        ([1e-8], [0.0], True),
        ([1e-12], [2e-12], False),
    ],
)
def test_integers_are_met_exactly(answer: object, key: object, right: bool) -> None:
    """An integer given for an integer key is right or wrong, never nearly right; rounding noise is forgiven."""
    assert compare(capture(answer), capture(torch.tensor(key))).right is right


def test_sizes_at_which_float32_knows_no_fractions_use_the_tolerance() -> None:
    """Above 2**22 neighbouring float32 numbers are integers: a right answer one step off passes."""
    key = torch.tensor([123456789.0])
    assert compare(capture(torch.nextafter(key, torch.tensor([1e9]))), capture(key)).right
    assert not compare(capture(key * 1.0001), capture(key)).right


THIRDS = capture(torch.tensor([1 / 3, 2 / 3]))


@pytest.mark.parametrize(
    ("typed", "right"),
    [
        ([0.3333, 0.6667], True),
        ([0.333, 0.667], True),
        ([0.33333333, 0.66666667], True),
        ([0.3333, 0.6666], False),  # cut off, not rounded
        ([0.33, 0.67], False),
        ([0.3334, 0.6667], False),
        ([0.333333, 0.666766], False),
        ([0.3, 0.7], False),
        ([1, 1], False),
    ],
)
def test_decimals_typed_by_hand(typed: list[float], right: bool) -> None:
    """A typed decimal may be rounded to three digits or more, and must be right in every digit typed."""
    assert compare(capture(typed), THIRDS).right is right


def test_a_rounded_tensor_is_told_what_to_do() -> None:
    """What a function computes is not rounded: digits short in a tensor are wrong, and the message says so."""
    result = compare(capture(torch.tensor([0.3333, 0.6667])), THIRDS)
    assert (result.right, result.brief) == (False, "rounded too far")
    assert not compare_answer("implement", capture(torch.tensor([0.3333, 0.6667])), THIRDS).right
    assert "more digits" in result.message
    assert compare(capture(torch.tensor([0.3333, 0.5])), THIRDS).wrong == ((0,), (1,))


def test_a_prediction_may_be_rounded_in_a_tensor_too() -> None:
    """Typed into torch.tensor(...) or into a list, a correctly rounded prediction is right, a wrong digit is not."""
    assert compare_answer("predict", capture(torch.tensor([0.3333, 0.6667])), THIRDS).right
    assert not compare_answer("predict", capture(torch.tensor([0.3333, 0.6666])), THIRDS).right
    assert not compare_answer("predict", capture(torch.tensor([0.33, 0.67])), THIRDS).right


NESTED = capture([torch.tensor([1 / 3]), torch.tensor([1.0, 2.0])])
TABLE = capture({"x": torch.tensor([1 / 3]), "y": [torch.tensor([1.0, 2.0]), torch.tensor(0.25)]})


@pytest.mark.parametrize(
    ("answer", "key", "right"),
    [
        ([torch.tensor([0.3333]), torch.tensor([1, 2])], NESTED, True),
        ([torch.tensor([0.3333]), torch.tensor([5, 6])], NESTED, False),
        ([torch.tensor([0.3333]), None], NESTED, False),
        ([torch.tensor([0.3333]), ...], NESTED, False),
        ([torch.tensor([0.33]), torch.tensor([1, 2])], NESTED, False),
        ({"x": torch.tensor([0.3333]), "y": [torch.tensor([1, 2]), 0.25]}, TABLE, True),
        ({"x": torch.tensor([0.3333]), "y": [torch.tensor([5, 6]), 0.25]}, TABLE, False),
        ({"x": torch.tensor([0.3333]), "y": [torch.tensor([1, 2]), None]}, TABLE, False),
        ({"x": torch.tensor([0.3333]), "y": None}, TABLE, False),
        ([torch.tensor(0.3333), 0.6667], THIRDS, True),
        ([torch.tensor(0.3333), 0.6], THIRDS, False),
    ],
)
def test_rounding_excuses_its_own_number_alone(answer: object, key: Value, right: bool) -> None:
    """One rounded member never makes its neighbours right, in lists and in dicts, at any depth."""
    assert compare_answer("predict", capture(answer), key).right is right


def test_a_wrong_neighbour_of_a_rounded_number_is_the_one_that_is_told() -> None:
    """The message on a prediction is about the number that is wrong, not about the one that is rounded."""
    result = compare_answer("predict", capture(torch.tensor([0.3333, 0.5])), THIRDS)
    assert (result.right, result.wrong, result.count) == (False, ((1,),), 1)
    nested = compare_answer("predict", capture([torch.tensor([0.3333]), torch.tensor([1, 6])]), NESTED)
    assert (nested.right, nested.wrong) == (False, ((1, 1),))


def test_large_tensors_were_computed() -> None:
    """Nobody types more than a hundred numbers: digits short in so large a prediction are wrong."""
    for size, right in ((100, True), (101, False)):
        thirds = capture(torch.full((size,), 0.3333))
        assert compare_answer("predict", thirds, capture(torch.full((size,), 1 / 3))).right is right


@pytest.mark.parametrize(
    ("typed", "key", "right"),
    [
        (0.12, 0.1196, True),  # 0.120
        (0.12, 0.1194, False),
        (1.0, 0.99505, False),
        (0.995, 0.99505, True),
        (0.0452, 0.04517666, True),
        (0.045, 0.04517666, False),
        (-0.4207, -0.42073549, True),
        (0.4207, -0.42073549, False),
        (1.23e-5, 1.2345e-5, True),
        (1234.5, 1234.5432, True),
        (1235, 1234.5432, True),
        (100, 99.97, True),
        (1234.54, 1234.5432, True),
        (1230, 1234.5432, False),
        (1234570.0, 1234567.0, False),
        (2.001, 2.0, False),
        (18.0004, 18.0, False),
        (0.0, 1e-9, False),
    ],
)
def test_typed_digits_against_one_key(typed: float, key: float, right: bool) -> None:
    """Half a unit in the last digit typed; integer keys and signs are never excused."""
    assert compare(capture(typed), capture(key)).right is right


def test_explicit_tolerance_replaces_the_rule() -> None:
    """An author's tolerance is relative, replaces all else, and 0 means exactly."""
    key = capture(torch.tensor([10.0, 0.5]))
    assert compare(capture([10.05, 0.5]), key, 0.01).right
    assert not compare(capture([10.2, 0.5]), key, 0.01).right
    assert not compare(capture([10.0, 0.51]), key, 0.01).right
    assert not compare(capture([10.000001, 0.5]), key, 0.0).right
    assert compare(capture([10, 0.5]), key, 0.0).right
    assert not compare(capture(0.333), capture(1 / 3), 1e-6).right


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6, width=32).filter(lambda x: x == 0 or abs(x) > 1e-3), min_size=1, max_size=6),
    st.integers(0, 5),
    st.sampled_from([1.005, 0.995, -1.0, 2.0, 0.0]),
)
def test_property_the_key_itself_is_right_and_a_spoilt_largest_element_is_not(
    key: list[float], which: int, factor: float
) -> None:
    """Any key meets itself; multiplying its largest element by 1.005, 0.995, -1, 2 or 0 is always found."""
    array = np.array(key, dtype=np.float32)
    assert compare(capture(array), capture(torch.tensor(key))).right
    assert compare(capture(key), capture(torch.tensor(key))).right
    spoilt = array.copy()
    largest = int(np.abs(array).argmax())
    spoilt[largest] *= np.float32(factor)
    if array[largest] != 0:
        assert not compare(capture(spoilt), capture(torch.tensor(key))).right
