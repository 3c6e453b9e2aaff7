"""A solutions file becomes one record."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from grader.course import load
from grader.program import define
from grader.records import Assignment, Limits

Lesson = Callable[[str], Assignment]


def test_example_loads_with_every_kind(example: Assignment) -> None:
    """The documentation's example, verbatim, gives five exercises with their points and answer names."""
    assert (example.name, example.title) == ("hooked-gradients", "Hooks that change gradients")
    assert example.intro.startswith("A hook on a tensor sees the gradient")
    assert [(e.id, e.kind, e.points, e.answers) for e in example.exercises] == [
        ("squaring_hook", "predict", Decimal(2), ("x_grad",)),
        ("three_tensors", "order", Decimal(1), ("fired",)),
        ("vector_without_weights", "raises", Decimal(1), ("error",)),
        ("intermediate", "choice", Decimal(1), ("kept",)),
        ("square", "implement", Decimal(3), ("square",)),
    ]


def test_program_is_cut_out_without_decorator_docstring_and_defaults(example: Assignment) -> None:
    """The text that is keyed is the `def` alone; the numbers it is called with travel beside it."""
    squaring = example.exercises[0]
    assert squaring.program is not None
    assert squaring.program.source == (
        "def squaring_hook(w):\n"
        "    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\n"
        "    y = x**2\n"
        "    z = x + y\n"
        "    y.register_hook(lambda grad: grad**2)\n"
        "    z.backward(torch.tensor(w))\n"
        "    return x.grad\n"
    )
    assert squaring.program.parameters == ("w",)
    assert squaring.arguments == "{'w': [1.0, 2.0, 1.0]}"
    assert squaring.prompt == "What does `x.grad` hold after the backward pass?"


def test_founding_key_is_what_torch_says(example: Assignment, solve: Callable[..., object]) -> None:
    """The squaring hook's key is [3, 18, 7], whatever tutorials say."""
    squaring = example.exercises[0]
    assert squaring.program is not None
    program = define(squaring.program.source, squaring.program.name)
    assert program(**ast.literal_eval(squaring.arguments)).tolist() == [3.0, 18.0, 7.0]


def test_implement_keeps_reference_mistakes_and_cases(example: Assignment) -> None:
    """The reference, foreseen mistakes and all cases stay in the private record."""
    square = example.exercises[4]
    (probe,) = square.probes
    assert square.reference.endswith("    return grad**2\n")
    assert define(square.reference, "square")(3) == 9
    assert probe.program.source.startswith("def on_the_square(hook, x, w):  # `hook` is the student's function")
    assert [case.origin for case in probe.cases].count("generated") == 5
    (mistake,) = square.mistakes
    assert (mistake.id, mistake.source) == ("no_return", "def no_return(grad):\n    grad**2\n")
    assert define(mistake.source, mistake.id)(3) is None


def test_keys_are_shown_for_programs_and_hidden_for_implement(example: Assignment) -> None:
    """Anyone can run a program, so its key is no secret; a reference is one."""
    assert [exercise.show_key for exercise in example.exercises] == [True, True, True, True, False]


def test_comments_stay_in_the_program(lesson: Lesson) -> None:
    """Comments are part of what is shown, also behind the head and below the last statement."""
    assignment = lesson('''
        @assignment.predict("a", points=1)
        def first(
            w=[1.0],  # gone with the default
        ):  # kept at the head
            """Prompt."""

            # kept before
            x = torch.tensor(w)  # kept beside
            return x
            # kept after

        # not part of it
        OTHER = 1
    ''')
    program = assignment.exercises[0].program
    assert program is not None
    assert program.source == (
        "def first(w):  # kept at the head\n"
        "    # kept before\n"
        "    x = torch.tensor(w)  # kept beside\n"
        "    return x\n"
        "    # kept after\n"
    )


def test_lines_that_only_python_does_not_see_are_kept(lesson: Lesson) -> None:
    """A form feed or a line separator inside a string is no line end, and non-ASCII text shifts no column."""
    assignment = lesson('''
        @assignment.predict("a", points=1)
        def first(w=[1.0], s="é\u2028ü"):
            """Größe?"""
            t = "ä\u2028ö"; return len(t) + len(s)
    ''')
    program = assignment.exercises[0].program
    assert program is not None
    assert program.source == 'def first(w, s):\n    t = "ä\u2028ö"; return len(t) + len(s)\n'


def test_options_reach_the_record(write: Callable[..., Path]) -> None:
    """Limits, data files, tolerance, show_key and all_or_nothing are stored as given."""
    path = write(
        '''
        """# T"""
        import torch
        from grader.course import Assignment

        assignment = Assignment("lesson", show_keys=False, data=["data/w.csv"], cell_seconds=3, memory_mb=512)

        @assignment.predict("a", "b", points={"b": 0.5, "a": 1.25}, tolerance=1e-3, show_key=True, all_or_nothing=True)
        def first():
            """Prompt."""
            return 1, 2

        @assignment.predict("c", "d", "e", points=1)
        def second():
            """Prompt."""
            return 1, 2, 3
        ''',
        head="",
    )
    (path.parent / "data").mkdir()
    (path.parent / "data" / "w.csv").write_bytes(b"1,2\n")
    assignment = load(path, b"k")
    first, second = assignment.exercises
    assert assignment.limits == Limits(cell_seconds=3.0, memory_mb=512)
    assert [(each.name, each.data) for each in assignment.files] == [("w.csv", b"1,2\n")]
    assert (first.credit, first.points) == ((Decimal("1.25"), Decimal("0.50")), Decimal("1.75"))
    assert (first.tolerance, first.show_key, first.all_or_nothing) == (1e-3, True, True)
    assert second.credit == (Decimal("0.34"), Decimal("0.33"), Decimal("0.33"))
    assert second.show_key is False


def test_probe_points_share_what_is_left(lesson: Lesson) -> None:
    """A probe without points of its own gets an equal share of what the others leave."""
    assignment = lesson('''
        @assignment.implement(points=3)
        def f(x):
            """Prompt."""
            return x

        @f.probe(public=[dict(x=1)], points=2)
        def one(f, x):
            return f(x)

        @f.probe(public=[dict(x=1)])
        def two(f, x):
            return f(x)

        @f.probe(hidden=[dict(x=1)])
        def three(f, x):
            return f(x)
    ''')
    assert assignment.exercises[0].credit == (Decimal(2), Decimal("0.5"), Decimal("0.5"))
    assert [probe.points for probe in assignment.exercises[0].probes] == list(assignment.exercises[0].credit)


def test_cases_are_smallest_first(lesson: Lesson) -> None:
    """Cases are stored by number of elements, then by size of the numbers, then by text; each keeps its origin."""
    assignment = lesson('''
        @assignment.implement(points=1)
        def f(x):
            """Prompt."""
            return x

        @f.probe(
            public=[dict(x=[5.0, 5.0]), dict(x=[9.0])],
            hidden=[dict(x=[[1.0, 2.0], [3.0, 4.0]]), dict(x=[-1.0]), dict(x=[1.0, -2.0])],
        )
        def one(f, x):
            return f(x)
    ''')
    cases = assignment.exercises[0].probes[0].cases
    assert [(case.origin, case.arguments) for case in cases] == [
        ("hidden", "{'x': [-1.0]}"),
        ("public", "{'x': [9.0]}"),
        ("hidden", "{'x': [1.0, -2.0]}"),
        ("public", "{'x': [5.0, 5.0]}"),
        ("hidden", "{'x': [[1.0, 2.0], [3.0, 4.0]]}"),
    ]


def test_classes_can_be_implemented(lesson: Lesson, solve: Callable[..., object]) -> None:
    """An autograd.Function and a Module are references as functions are, and their text defines them again."""
    assignment = lesson('''
        @assignment.implement(points=1)
        class Reverse(torch.autograd.Function):
            """Prompt."""

            @staticmethod
            def forward(ctx, x):
                return x.clone()

            @staticmethod
            def backward(ctx, grad):
                return -grad

        @Reverse.probe(public=[dict(x=[1.0])])
        def used(Reverse, x):
            x = torch.tensor(x, requires_grad=True)
            Reverse.apply(x).sum().backward()
            return x.grad

        @assignment.implement(points=1)
        class Twice(torch.nn.Module):
            """Prompt."""

            def __init__(self):
                super().__init__()
                self.factor = 2

            def forward(self, x):
                return self.factor * x

        @Twice.probe(public=[dict(x=[1.0])])
        def called(Twice, x):
            return Twice()(torch.tensor(x))

        assert Twice()(torch.ones(1)).item() == 2 and Reverse.apply(torch.ones(1)).item() == 1
    ''')
    assert [exercise.kind for exercise in assignment.exercises] == ["implement", "implement"]
    for exercise in assignment.exercises:
        assert solve(exercise).outcomes[0].value  # type: ignore[attr-defined]


def test_generated_cases_follow_the_key(write: Callable[..., Path]) -> None:
    """The same key draws the same cases, another key draws others, and no case is drawn twice."""
    path = write('''
        @assignment.implement(points=1)
        def f(x):
            """Prompt."""
            return x

        @f.probe(generated=dict(x=vary([1.0, 1], low=-4, high=4), mode="sum"), draws=20)
        def one(f, x, mode):
            return f(x)
    ''')
    drawn = [load(path, key).exercises[0].probes[0].cases for key in (b"a" * 32, b"a" * 32, b"b" * 32)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert len(set(drawn[0])) == len(drawn[0]) == 20
    assert all(type(ast.literal_eval(case.arguments)["x"][1]) is int for case in drawn[0])


def test_draws_do_not_depend_on_python_or_on_other_probes(write: Callable[..., Path]) -> None:
    """A drawn case is pinned to the digit: key and place decide it, no random generator does."""
    path = write('''
        @assignment.implement(points=1)
        def f(x):
            """Prompt."""
            return x

        @f.probe(generated=dict(x=vary([1.0, 1.0], low=-4, high=4, step=0.5)), draws=2)
        def one(f, x):
            return f(x)
    ''')
    cases = load(path, bytes(32)).exercises[0].probes[0].cases
    assert [case.arguments for case in cases] == PINNED


PINNED = ["{'x': [-1.0, 0.0]}", "{'x': [4.0, -1.0]}"]


def test_small_grid_gives_fewer_draws(lesson: Lesson) -> None:
    """Where the grid holds fewer cases than asked for, each is drawn once, and none that is written already."""
    assignment = lesson('''
        @assignment.implement(points=1)
        def f(x):
            """Prompt."""
            return x

        @f.probe(public=[dict(x=2)], generated=dict(x=vary(1, low=0, high=2)), draws=50)
        def one(f, x):
            return f(x)
    ''')
    cases = assignment.exercises[0].probes[0].cases
    assert [(case.origin, case.arguments) for case in cases] == [
        ("generated", "{'x': 0}"),
        ("generated", "{'x': 1}"),
        ("public", "{'x': 2}"),
    ]


def test_file_leaves_no_module_behind(write: Callable[..., Path]) -> None:
    """A loaded file cannot be imported by anything that runs later in the process."""
    path = write('''
        from dataclasses import dataclass

        @dataclass
        class Own:
            x: int = 1

        @assignment.predict("a", points=1)
        def first():
            """Prompt."""
            return 1
    ''')
    before = set(sys.modules)
    load(path, b"k")
    assert {name for name in set(sys.modules) - before if "solutions" in name or "lesson" in name} == set()


def test_importing_the_surface_needs_no_torch() -> None:
    """`import grader.course` imports no torch and no nbformat: the grading process stays small."""
    code = (
        "import sys, grader.course; print([name for name in ('torch', 'nbformat', 'IPython') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_line_ends_make_no_difference(write: Callable[..., Path], newline: str) -> None:
    """A file saved on Windows gives the same fingerprint."""
    path = write('''
        @assignment.predict("a", points=1)
        def first(w=[1.0]):
            """Prompt.

            Second line.
            """
            return w[0]
    ''')
    before = load(path, b"k")
    path.write_bytes(path.read_bytes().replace(b"\n", newline.encode()))
    assert load(path, b"k") == before
