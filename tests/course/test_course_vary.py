"""`vary` draws on the author's grid and in the default's shape."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grader.course.drawing import draw_arguments, draw_cases, smallest_first
from grader.course.literals import arguments_text, size
from grader.course.vary import Vary, draw, problem_of, vary

STEPS = st.sampled_from([1, 2, 0.5, 0.1, 0.25, 3])
BOUNDS = st.one_of(st.integers(-50, 50), st.integers(-500, 500).map(lambda tenths: tenths / 10))


def nested(leaf: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Numbers, and lists and tuples of them in any shape."""
    return st.recursive(
        leaf, lambda inner: st.lists(inner, min_size=1, max_size=3) | st.tuples(inner, inner), max_leaves=6
    )


@st.composite
def varies(draw_from: st.DrawFn) -> Vary:
    """A `vary` that an author could have written."""
    low = draw_from(BOUNDS)
    step = draw_from(STEPS)
    count = draw_from(st.integers(0, 40))
    high = low + count * step + draw_from(st.sampled_from([0, step / 3]))
    numbers = st.integers(0, count).map(lambda k: float(Fraction(repr(low)) + k * Fraction(repr(step))))
    default = draw_from(nested(numbers.map(lambda x: int(x) if x.is_integer() else x)))
    made = vary(default, low=low, high=high, step=step)
    assume(problem_of(made) is None)
    return made


def same_shape(one: Any, other: Any) -> bool:
    """Whether two nests agree in everything but the numbers, types of numbers included."""
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(same_shape, one, other))
    return type(one) is type(other)


def leaves(nest: Any) -> list[Any]:
    """All numbers of a nest."""
    return [leaf for item in nest for leaf in leaves(item)] if isinstance(nest, (list, tuple)) else [nest]


@settings(max_examples=50)
@given(varies(), st.binary(min_size=1, max_size=32))
def test_drawn_numbers_keep_shape_type_bounds_and_grid(made: Vary, key: bytes) -> None:
    """Whatever the key: same shape, ints stay ints, floats floats, each within the bounds and on the grid."""
    drawn = draw_arguments(key, "place", {"x": made})["x"]
    assert same_shape(made.default, drawn)
    low, step = Fraction(repr(made.low)), Fraction(repr(made.step))
    for leaf in leaves(drawn):
        assert made.low <= leaf <= made.high
        assert ((Fraction(repr(leaf)) - low) / step).denominator == 1


@settings(max_examples=50)
@given(varies())
def test_both_ends_of_the_grid_are_drawn(made: Vary) -> None:
    """The smallest and the largest number of the grid are within reach, and nothing beyond."""
    first = leaves(draw(made, lambda place, count: 0))
    last = leaves(draw(made, lambda place, count: count - 1))
    assert all(leaf == made.low for leaf in first)
    assert all(leaf <= made.high < leaf + made.step * (1 + 1e-12) for leaf in last)


@settings(max_examples=50)
@given(varies(), st.binary(min_size=1), st.text(max_size=20))
def test_draws_are_a_function_of_key_and_place(made: Vary, key: bytes, place: str) -> None:
    """The same key and place give the same numbers."""
    assert draw_arguments(key, place, {"x": made}) == draw_arguments(key, place, {"x": made})


@settings(max_examples=50)
@given(varies(), st.integers(1, 8))
def test_cases_differ_from_each_other(made: Vary, draws: int) -> None:
    """No case is drawn twice, and none that the author wrote already."""
    known = {arguments_text({"x": made.default})}
    texts = [case.arguments for case in draw_cases(b"k", "place", {"x": made}, draws, known)]
    assert len(set(texts)) == len(texts) <= draws
    assert not known & set(texts)


@given(st.lists(st.fixed_dictionaries({"x": nested(st.integers(-9, 9))}), max_size=8), st.randoms())
def test_order_of_cases_does_not_depend_on_how_they_were_written(given_cases: list[Any], random: Any) -> None:
    """Smallest first, whatever the order in the file."""
    from grader.records import Case

    pairs = [(Case("hidden", arguments_text(each)), each) for each in given_cases]
    shuffled = list(pairs)
    random.shuffle(shuffled)
    ordered = smallest_first(shuffled)
    assert ordered == smallest_first(pairs)
    sizes = [size(eval(case.arguments)) for case in ordered]
    assert sizes == sorted(sizes)


@given(BOUNDS, BOUNDS, st.integers(-60, 60))
def test_default_must_lie_within_the_bounds(low: float, high: float, default: int) -> None:
    """A default is accepted exactly where it lies within the bounds."""
    problem = problem_of(vary(float(default), low=low, high=high, step=0.1))
    assert (problem is None) == (low <= default <= high)


def test_only_numbers_vary() -> None:
    """Booleans, strings, empty lists, NaN and infinite bounds are refused with a mend."""
    assert problem_of(vary([True], 0, 1)) == ("vary has True in its default; give a number or a nested list of numbers")
    assert problem_of(vary("ab", 0, 1)) == "vary has 'ab' in its default; give a number or a nested list of numbers"
    assert (
        problem_of(vary([], 0, 1)) == "vary has no number in its default []; give a number or a nested list of numbers"
    )
    assert problem_of(vary(1.0, 0, float("inf"))) == "vary has high=inf; give a finite number"
    assert problem_of(vary(1, 0.5, 2)) == ("vary has the integer 1 in its default, but low=0.5, step=1; write 1.0")
