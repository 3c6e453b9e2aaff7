"""Values as text: as a student would write them, short and safe."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from grader.program import capture
from grader.records import Array, NotRun, Number, Raised, Returned, Text, Unreadable, show, show_outcome


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        ([3, 18, 7], "[3, 18, 7]"),
        ((3.0,), "(3.0,)"),
        ((), "()"),
        (set(), "set()"),
        ({1}, "{1}"),
        (torch.tensor([3.0, 18.0, 7.0]), "tensor([3., 18., 7.])"),
        (torch.tensor([3, 18, 7]), "tensor([3, 18, 7])"),
        (torch.tensor(3.0), "tensor(3.)"),
        (torch.tensor([[1.0, 2.0], [3.0, 4.5]]), "tensor([[1., 2.], [3., 4.5]])"),
        (torch.tensor([0.1, 1 / 3]), "tensor([0.1, 0.33333334])"),
        (torch.tensor([float("nan"), float("-inf")]), "tensor([nan, -inf])"),
        (torch.tensor([True, False]), "tensor([True, False])"),
        (torch.tensor([1 - 2j]), "tensor([1.-2.j])"),
        (torch.zeros(0), "tensor([])"),
        (torch.zeros(0, 3), "tensor of shape (0, 3) (no numbers)"),
        (np.array([1.0, 2.0]), "array([1., 2.])"),
        (torch.tensor([0.1]).tolist(), "[0.1]"),
        (0.3333, "0.3333"),
        (1e-7, "1e-07"),
        (True, "True"),
        (None, "None"),
        (..., "..."),
        ("it's", '"it\'s"'),
        (["x", None], "['x', None]"),
        ({"x.grad": torch.tensor(1.0)}, "{'x.grad': tensor(1.)}"),
    ],
)
def test_show(thing: object, text: str) -> None:
    """A value is shown as the student would write it."""
    assert show(capture(thing)) == text


def test_long_values_are_cut_in_the_middle() -> None:
    """Of a thousand numbers the first and last three are shown, and how many there are."""
    assert show(capture(torch.arange(1000.0))) == "tensor([0., 1., 2., … 1,000 numbers …, 997., 998., 999.])"
    assert "shape (10, 100)" in show(capture(torch.zeros(10, 100)))
    for thing in (list(range(1000)), "x" * 5000, [["y" * 90] * 20] * 20, {f"k{i}": "z" * 99 for i in range(99)}):
        assert len(show(capture(thing))) <= 200


@pytest.mark.parametrize(
    "evil",
    [
        "\x1b[31mred",
        "a\u202eb",
        "zero\u200bwidth",
        "bell\x07",
        "two\nlines",
        "\ud800".encode("utf-8", "replace").decode(),
    ],
)
def test_no_control_characters(evil: str) -> None:
    """Escape sequences, bidirectional overrides, zero-width characters and line breaks never come out."""
    for text in (
        show(Text(evil)),
        show(Unreadable(evil)),
        show(capture({evil: evil})),
        show(Number("float", evil)),
        show_outcome(Raised(evil, evil)),
        show_outcome(NotRun("died", evil)),
    ):
        assert text.isprintable()


def test_damaged_bytes_are_shown_as_such() -> None:
    """A page can be made of a forged array, too."""
    assert show(Array("torch", b"?")) == "a tensor whose bytes could not be read"


def test_outcomes() -> None:
    """An outcome is its value, the exception, or why there is none."""
    assert show_outcome(Returned(capture([1]))) == "[1]"
    assert show_outcome(Raised("RuntimeError", "no grad")) == "raised RuntimeError: no grad"
    assert show_outcome(NotRun("timed_out", "it ran for more than 5 s")) == "no result: it ran for more than 5 s"
