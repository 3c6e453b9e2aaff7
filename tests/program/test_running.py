"""Source text is run the same way wherever it is run."""

from __future__ import annotations

import textwrap

import msgspec
import pytest

from grader.program import define, run_probe, run_program
from grader.records import Array, Program, Raised, Returned, Text, Unreadable, show_outcome

SQUARING = """\
def squaring_hook(w):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(lambda grad: grad**2)
    z.backward(torch.tensor(w))
    return x.grad
"""


def program(source: str, *parameters: str) -> Program:
    source = textwrap.dedent(source)
    return Program(source.split("(")[0].split()[-1], parameters, source)


def test_the_founding_example_is_18_and_not_10() -> None:
    """What the hook returns flows on: torch leaves [3, 18, 7] in x.grad."""
    outcome = run_program(program(SQUARING, "w"), '{"w": [1.0, 2.0, 1.0]}')
    assert show_outcome(outcome) == "tensor([3., 18., 7.])"


def test_a_program_that_raises_is_an_outcome() -> None:
    """The exception's name, message and bases come back as data."""
    outcome = run_program(program("def p():\n    torch.ones(2, requires_grad=True).backward()\n"), "{}")
    assert isinstance(outcome, Raised)
    assert outcome.exception == "RuntimeError"
    assert "scalar outputs" in outcome.message
    assert outcome.bases == ("RuntimeError", "Exception", "BaseException")


def test_a_message_that_raises_is_survived() -> None:
    """An exception whose __str__ raises is still an outcome."""
    source = """
    def p():
        class Odd(Exception):
            def __str__(self):
                raise ValueError
        raise Odd
    """
    outcome = run_program(program(source), "{}")
    assert isinstance(outcome, Raised)
    assert outcome.exception == "Odd"


def test_every_run_starts_from_the_same_seed() -> None:
    """Two runs of a program that draws numbers give the same bytes."""
    drawing = program("def p():\n    return torch.rand(3)\n")
    first = run_program(drawing, "{}")
    assert isinstance(first, Returned)
    assert isinstance(first.value, Array)
    assert run_program(drawing, "{}") == first


def test_arguments_are_fresh_for_each_run() -> None:
    """A program that changes its arguments cannot change the next run's."""
    appending = program("def p(x):\n    x.append('!')\n    return x[-2]\n", "x")
    outcomes = {run_program(appending, '{"x": ["a"]}') for _ in range(2)}
    assert outcomes == {Returned(Text("a"))}


def test_a_probe_gets_the_function_first() -> None:
    """The subject is the probe's first argument, the literals are the rest."""
    probe = program("def p(hook, x):\n    return hook(torch.tensor(x)).tolist()\n", "hook", "x")
    assert show_outcome(run_probe(probe, lambda grad: grad**2, '{"x": [3.0]}')) == "[9.0]"


def test_a_definition_sees_torch_and_builtins_only() -> None:
    """Source text is run in a namespace of its own."""
    assert define("def f():\n    return sorted(globals())\n", "f")() == [
        "__builtins__",
        "__name__",
        "f",
        "torch",
    ]


def test_what_is_no_value_is_unreadable() -> None:
    """A program that returns a function gives an outcome that says so."""
    outcome = run_program(program("def p():\n    return print\n"), "{}")
    assert isinstance(outcome, Returned)
    assert isinstance(outcome.value, Unreadable)


@pytest.mark.parametrize("kind", ["SystemExit", "GeneratorExit", "ValueError"])
def test_a_message_that_exits_is_survived(kind: str) -> None:
    """An exception whose text raises what only ends programs elsewhere is still an outcome."""
    odd = f"""
    def p():
        class Odd(Exception):
            def __str__(self):
                raise {kind}
        raise Odd
    """
    outcome = run_program(program(odd), "{}")
    assert isinstance(outcome, Raised)
    assert (outcome.exception, outcome.message) == ("Odd", "(its message could not be read)")


@pytest.mark.parametrize("text", ["'m\\ud800'", "Text('m\\ud800')"])
def test_any_exception_can_be_written(text: str) -> None:
    """A lone surrogate in a message, a text that is no plain string and a metaclass that lies do no harm."""
    source = f"""
    def p():
        class Text(str):
            def __getitem__(self, part):
                return self
            def encode(self, *args):
                raise SystemExit
        class Lying(type):
            def __getattribute__(self, name):
                raise SystemExit
        class Odd(Exception, metaclass=Lying):
            def __str__(self):
                return self.args[0]
        raise Odd({text})
    """
    outcome = run_program(program(source), "{}")
    assert outcome == Raised("Odd", "m\\ud800", ("Odd", "Exception", "BaseException"))
    assert msgspec.json.decode(msgspec.json.encode(outcome), type=Raised) == outcome


@pytest.mark.parametrize("kind", ["SystemExit", "KeyboardInterrupt"])
def test_what_is_meant_for_the_caller_passes_through(kind: str) -> None:
    """An exit or the end of a deadline is the caller's to judge, and no outcome."""
    with pytest.raises((SystemExit, KeyboardInterrupt)):
        run_program(program(f"def p():\n    raise {kind}\n"), "{}")
