"""What a cell's text says: names assigned, placeholders, and whether it still is a stub."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.intake.sources import LONGEST_PARSED, MOST_PARSED, read_source, survey

ASSIGNS_X = [
    "x = 1",
    "x: int = 1",
    "x += 1",
    "x, y = 1, 2",
    "(y, [x, *z]) = f()",
    "*x, y = 1, 2",
    "y = x = 1",
    "print(x := 1)",
    "y = [x := i for i in range(3)]",
    "def x(): pass",
    "async def x(): pass",
    "class x: pass",
    "import torch as x",
    "from torch import ones as x",
    "import x.y",
    "for x in range(3): pass",
    "with open('f') as x: pass",
    "if True:\n    x = 1",
    "try:\n    x = 1\nexcept E:\n    pass",
    "while True:\n    x = 1\n    break",
    "match p:\n    case [1, x]: pass",
    "match p:\n    case {**x}: pass",
    "match p:\n    case [*x]: pass",
    "%matplotlib inline\nx = 1",
    "%%time\nx = 1",
    "%%capture out\nx = 1",
    "!pip install torch\nx = 1",
    "x = !ls",
    "x = %timeit -o f()",
    "%time x = f()",
    "torch.ones?\nx = 1",
    "?torch\nx = 1",
    "if True:\n    %time f()\n    x = 1",
    "x = await f()",
    "async for i in f():\n    x = i",
    "  x = 1\n  y = 2",
    "x = (1\n% 2)",
    "'\\d'; x = 1",
    "x = 1\ndef broken(:",
    "def x(grad)\n    return grad",
    "x: list = [1, 2",
    "x, y = 1, )",
    "x += (",
]
ASSIGNS_NOT_X = [
    "print(x)",
    "x",
    "x == 1",
    "x: int",
    "x.grad = 1",
    "x[0] = 1",
    "def f():\n    x = 1",
    "def f(x=1): pass",
    "class C:\n    x = 1",
    "f = lambda x: x",
    "y = [x for x in range(3)]",
    "y = {x: 1 for x in range(3)}",
    "f(x=1)",
    "# x = 1",
    "'x = 1'",
    "%%bash\nx=1",
    "%%writefile f.py\nx = 1",
    "!x=1",
    "f(x=1",
    "x == 1 (",
    "x <= 1 (",
    "del x",
]


@pytest.mark.parametrize("text", ASSIGNS_X)
def test_assigns(text: str) -> None:
    """Every way to bind a name at the top level of a cell is seen, magics and syntax errors in it or not."""
    assert "x" in read_source(text).names


@pytest.mark.parametrize("text", ASSIGNS_NOT_X)
def test_does_not_assign(text: str) -> None:
    """A name that is only read, or bound in a scope of its own, is not assigned."""
    assert "x" not in read_source(text).names


@pytest.mark.parametrize(
    "text",
    [
        "x = ...",
        "x: object = ...",
        "x = ...\nx = ...",
        "x, y = ..., 3",
        "y = x = ...",
        "def x(g): ...",
        'def x(g):\n    """Doc."""\n    ...',
        'def x(g):\n    """Doc."""',
        'class x(F):\n    """Doc."""\n    a: int\n    @staticmethod\n    def forward(ctx):\n        ...',
        "x = ...\nprint(x)",
        "%time\nx = ...",
    ],
)
def test_placeholder(text: str) -> None:
    """A name that only ever gets `...`, or a body of `...`, holds no answer yet."""
    assert "x" in read_source(text).placeholders


@pytest.mark.parametrize(
    "text",
    [
        "x = None",
        "x = ...\nx = 3",
        "x = 3\nx = ...",
        "x, y = 3, ...",
        "x = [...]",
        "def x(g): pass",
        "def x(g):\n    return ...",
        "def x(g):\n    ...\n    return g",
        "class x: pass",
        "class x:\n    def forward(ctx): ...\n    def backward(ctx): return 1",
        "class x:\n    a = 1",
        "x = ...\nfor x in []: pass",
        "x = lambda g: ...",
    ],
)
def test_filled_in(text: str) -> None:
    """Anything else than `...` is an answer, even `None` and `pass`."""
    found = read_source(text)
    assert "x" in found.names
    assert "x" not in found.placeholders


@pytest.mark.parametrize(
    ("text", "empty"),
    [("", True), ("  \n", True), ("# a", True), ("\n # a\n", True), ("1", False), ("%%bash\nls", False)],
)
def test_empty(text: str, empty: bool) -> None:
    """A cell of blank lines and comments is empty; one of magics is not."""
    assert read_source(text).empty is empty


def test_shape_ignores_layout_comments_and_docstrings() -> None:
    """Two texts have one shape if they differ in layout, comments or docstrings alone."""
    stub = read_source('def f(g):\n    """Doc."""\n    ...').shape
    assert read_source("# mine\ndef f( g ):\n\n    ...  # todo\n").shape == stub
    assert read_source("def f(h):\n    ...").shape != stub
    assert read_source("def f(:").shape is None


HOSTILE = [
    "-" * 100_000 + "1",
    "x" + ".a" * 40_000,
    "(" * 50_000,
    "x = 1" + "+1" * 40_000,
    "x = '\0'",
    "x = " + "1" * 9_000,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_sources_do_no_harm(text: str) -> None:
    """Text that breaks Python's own parser gives a guess, not an error."""
    assert read_source(text).placeholders == frozenset()


def test_long_texts_are_not_parsed() -> None:
    """Parsing has a budget per cell and per notebook; beyond it names are guessed, and still found."""
    long = "y = 1\n" * (LONGEST_PARSED // 6 + 1) + "x = 1"
    many = ["z = 1\n" * (LONGEST_PARSED // 6 - 1)] * (MOST_PARSED // LONGEST_PARSED + 1)
    found = survey([long, *many, "x = ..."])
    assert found[0].shape is None
    assert found[0].names == {"x", "y"}
    assert found[1].shape is not None
    assert found[-2].shape is None
    assert found[-2].names == {"z"}


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.text(alphabet="x=1:(),.\n \t%!?#'\"defclass[]{}*\\\0", max_size=60))
def test_reading_a_source_never_raises(text: str) -> None:
    """Whatever stands in a cell, something can be said of it."""
    found = read_source(text)
    assert found.placeholders <= found.names
