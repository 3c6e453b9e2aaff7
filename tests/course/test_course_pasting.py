"""What a notebook shows of a program can be pasted, and means the same."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.course import load
from grader.course.pasting import pasteable, pasteable_probe
from grader.program import capture, run_program
from grader.records import Assignment, Outcome, Program, Raised, Returned

COURSE = Path(__file__).parents[2] / "solutions"


def paste(text: str, names: dict[str, Any] | None = None) -> Any:
    """Run `text` as a notebook cell would, in an empty namespace; returns what the cell would display."""
    tree = ast.parse(text)
    namespace: dict[str, Any] = dict(names or {})
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "<cell>", "exec"), namespace)
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "<cell>", "exec"), namespace)
    return eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)


def program(source: str, name: str = "f") -> Program:
    source = textwrap.dedent(source).lstrip("\n")
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    return Program(name, tuple(each.arg for each in node.args.args), source)


def alike(one: Outcome, other: Outcome) -> bool:
    """Whether two runs returned the same value or raised the same class."""
    if isinstance(one, Raised) and isinstance(other, Raised):
        return one.exception == other.exception
    return one == other


def test_every_shipped_program_runs_when_pasted() -> None:
    """Each program of the course, pasted on its own, displays exactly its key or raises what the key says."""
    import torch

    tried = 0
    for path in sorted(COURSE.glob("*.py")):
        for exercise in load(path, b"k").exercises:
            if exercise.program is None:
                continue
            key = run_program(exercise.program, exercise.arguments)
            text = pasteable(exercise.program, exercise.arguments)
            torch.manual_seed(0)
            outcome: Outcome
            try:
                outcome = Returned(capture(paste(text)))
            except Exception as error:  # noqa: BLE001
                outcome = Raised(type(error).__name__, str(error))
            assert alike(outcome, key), exercise.id
            tried += 1
    assert tried >= 15


def test_parameters_come_first_and_the_answer_last(example: Assignment) -> None:
    """The example reads as one would type it."""
    squaring = example.exercises[0]
    assert squaring.program is not None
    assert pasteable(squaring.program, squaring.arguments) == (
        "import torch\n"
        "\n"
        "w = [1.0, 2.0, 1.0]\n"
        "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\n"
        "y = x**2\n"
        "z = x + y\n"
        "y.register_hook(lambda grad: grad**2)\n"
        "z.backward(torch.tensor(w))\n"
        "x.grad\n"
    )


FLAT = {
    "string of several lines": (
        'def f(w):\n    s = """a\n  b\n        c"""\n    return s, w\n',
        'w = 3\ns = """a\n  b\n        c"""\ns, w\n',
    ),
    "f-string of several lines": (
        'def f(w):\n    s = f"""a\n      {w}\n    """\n    return s\n',
        'w = 3\ns = f"""a\n      {w}\n    """\ns\n',
    ),
    "return over several lines": (
        "def f(w):\n    return (\n        w,\n        w,\n    )\n",
        "w = 3\n(\n    w,\n    w,\n)\n",
    ),
    "comments": (
        "def f(w):  # at the head\n    # before\n    return w  # beside\n",
        "# at the head\nw = 3\n# before\nw  # beside\n",
    ),
    "nested function with its own return": (
        "def f(w):\n    def g():\n        return w\n\n    return g()\n",
        "w = 3\ndef g():\n    return w\n\ng()\n",
    ),
    "nothing returned": ("def f(w):\n    w += 1\n", "w = 3\nw += 1\n"),
    "comprehension and lambda": (
        "def f(w):\n    return [(lambda: w + i)() for i in range(2)]\n",
        "w = 3\n[(lambda: w + i)() for i in range(2)]\n",
    ),
}


@pytest.mark.parametrize("name", FLAT)
def test_body_is_shown_flat(name: str) -> None:
    """A body without early ends is shown without its `def`, strings untouched, and gives the same."""
    source, flat = FLAT[name]
    made = program(source)
    text = pasteable(made, "{'w': 3}")
    assert text == flat
    key = run_program(made, "{'w': 3}")
    assert isinstance(key, Returned)
    assert capture(paste(text)) == key.value


CALLED = {
    "early return": "def f(w):\n    if w:\n        return 1\n    return 2\n",
    "nonlocal": "def f(w):\n    def g():\n        nonlocal w\n        w += 1\n\n    g()\n    return w\n",
    "recursion": "def f(w):\n    return 1 if w < 1 else w * f(w - 1)\n",
    "one line": "def f(w): return w + 1\n",
    "namespace": "def f(w):\n    return sorted(locals())\n",
    "return in a loop": "def f(w):\n    for i in range(9):\n        if i == w:\n            return i\n",
}


@pytest.mark.parametrize("name", CALLED)
def test_body_that_would_change_is_shown_as_a_call(name: str) -> None:
    """Where flat text would mean something else, the `def` is shown with its arguments, and a call."""
    made = program(CALLED[name])
    text = pasteable(made, "{'w': 3}")
    assert text.startswith("def f(w=3):")
    assert text.endswith("\nf()\n")
    key = run_program(made, "{'w': 3}")
    assert isinstance(key, Returned)
    assert capture(paste(text)) == key.value


def test_probe_is_shown_with_a_call_of_the_first_public_case(example: Assignment) -> None:
    """A student can paste the probe below an own function and sees what it gives."""
    (probe,) = example.exercises[4].probes
    public = next(case for case in probe.cases if case.origin == "public")
    text = pasteable_probe(probe.program, "square", public.arguments)
    assert text.endswith("\non_the_square(square, x=[1.0, 2.0, 3.0], w=[1.0, 2.0, 1.0])\n")
    assert paste(text, {"square": lambda grad: grad**2})["x.grad"].tolist() == [3.0, 18.0, 7.0]
    without = pasteable_probe(probe.program, "square", None)
    assert paste(without) is None


def test_self_containment_follows_pythons_scopes(lesson: Callable[[str], Assignment]) -> None:
    """Names of nested functions, classes, comprehensions, `except`, `match`, imports and own globals are no leaks."""
    assignment = lesson('''
        @assignment.predict("a", points=1)
        def first(n=2):
            """Prompt."""
            import math
            from os import path as where

            global counter
            counter = 0

            class Box(torch.nn.Module):
                size = n
                double = size * 2

                def forward(self, x):
                    return x * math.pi if where else super().forward(x)

            def outer(k):
                def inner():
                    nonlocal k
                    k += n
                    return [k + i for i in range(n) if (last := i) is not None]

                return inner

            try:
                total = sum(outer(1)()) + counter + Box.double
            except (ValueError, ArithmeticError) as error:
                total = len(str(error))
            match total:
                case int(value):
                    pass
                case other:
                    value = other
            return value if __debug__ else first()
    ''')
    assert assignment.exercises[0].program is not None
