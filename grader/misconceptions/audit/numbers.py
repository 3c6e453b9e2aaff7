"""The numbers that a program computes with: those it is called with, and those that it makes tensors of.

They stand in `Place`s; a program with other numbers in some places, or with other text, is a `Version`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from grader.records import Exercise, Program

# Small enough to compute with by hand, where the author gave no bounds.
LOW, HIGH = -3, 5


@dataclass(frozen=True, eq=False)
class Place:
    """Numbers that belong together: a parameter's, or those that a `torch.tensor(...)` in the text is made of.

    `name` is what the program calls them, "" where it has no name for them. `spans` (first and last offset into the
    UTF-8 text) is empty for a parameter; a literal that the program writes twice for one name has two.
    """

    name: str
    default: Any
    choices: tuple[int | float, ...]
    spans: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        return len(leaves(self.default))


@dataclass(frozen=True)
class Version:
    """A program as it might be: its text, its arguments, and what was changed, in words for its author."""

    program: Program
    arguments: str
    changes: tuple[str, ...] = ()


def parameters(exercise: Exercise) -> tuple[Place, ...]:
    """The parameters that hold numbers: those that vary; if none does, all."""
    bounds = {each.name: _grid(each.low, each.high, each.step) for each in exercise.varying}
    found = [
        Place(name, value, bounds.get(name, _grid(LOW, HIGH, 1)))
        for name, value in ast.literal_eval(exercise.arguments).items()
        if _numeric(value) and (name in bounds or not bounds)
    ]
    return tuple(found)


def data(program: Program) -> tuple[Place, ...]:
    """The literals of `torch.tensor(...)` in the text, in order; equal ones of one name are one place."""
    found: dict[tuple[str, str], Place] = {}
    for node, name in _tensors(ast.parse(program.source)):
        value = ast.literal_eval(node)
        span = span_of(program.source, node)
        known = found.get((name, repr(value))) if name else None
        key = (name, repr(value)) if name else (str(span), "")
        spans = (*(known.spans if known else ()), span)
        found[key] = Place(name, value, _grid(LOW, HIGH, 1), spans)
    return tuple(found.values())


def changed(exercise: Exercise, values: Mapping[Place, Any]) -> Version:
    """The exercise's program with other numbers in these places."""
    assert exercise.program is not None, "only programs have versions"
    arguments = ast.literal_eval(exercise.arguments)
    edits: list[tuple[tuple[int, int], str]] = []
    changes = []
    for place, value in values.items():
        if not place.spans:
            arguments[place.name] = value
        edits += [(span, repr(value)) for span in place.spans]
        if value != place.default:
            changes.append(_change(place, value))
    return Version(rewritten(exercise.program, edits), repr(arguments), tuple(changes))


def rewritten(program: Program, edits: Sequence[tuple[tuple[int, int], str]]) -> Program:
    """The program with other text in these spans, which do not overlap."""
    source = program.source.encode()
    for (start, end), text in sorted(edits, reverse=True):
        source = source[:start] + text.encode() + source[end:]
    return Program(program.name, program.parameters, source.decode())


def span_of(source: str, node: ast.expr | ast.stmt) -> tuple[int, int]:
    """First and last offset of an expression or statement in the UTF-8 text."""
    starts = [0]
    for line in source.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    assert node.end_lineno is not None, "parsed from text"
    assert node.end_col_offset is not None, "parsed from text"
    return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset


def filled(like: Any, numbers: Iterator[int | float]) -> Any:
    """The next `numbers` in the shape of `like`; integers where it has integers."""
    if isinstance(like, (list, tuple)):
        return type(like)(filled(item, numbers) for item in like)
    number = next(numbers)
    return int(number) if type(like) is int and number == int(number) else float(number)


def leaves(value: Any) -> list[Any]:
    """All numbers of a nested list, in order."""
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, (list, tuple)) else [value]


def data_nodes(tree: ast.AST) -> set[ast.AST]:
    """All nodes inside the literals that tensors are made of."""
    return {inner for node, _ in _tensors(tree) for inner in ast.walk(node)}


def _change(place: Place, value: Any) -> str:
    if place.name:
        return f"{place.name} = {value!r}"
    return f"torch.tensor({value!r}) in place of torch.tensor({place.default!r})"


def _grid(low: int | float, high: int | float, step: int | float) -> tuple[int | float, ...]:
    """The choices without 0, which hides too much; with it if there is no other."""
    exact, by = Fraction(repr(low)), Fraction(repr(step))
    numbers = [float(exact + by * count) for count in range(int((Fraction(repr(high)) - exact) / by) + 1)]
    return tuple(number for number in numbers if number) or tuple(numbers)


def _numeric(value: Any) -> bool:
    found = leaves(value)
    return bool(found) and all(type(leaf) in (int, float) for leaf in found)


def _tensors(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """(the literal, the variable's name or "") of each tensor that is made of numbers written in the text."""
    names = {
        id(node.value): node.targets[0].id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]
    for node in sorted(calls, key=lambda each: (each.lineno, each.col_offset)):
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func) == "torch.tensor" and _is_data(node.args[0]):
            yield node.args[0], names.get(id(node), "")


def _is_data(node: ast.expr) -> bool:
    try:
        return _numeric(ast.literal_eval(node))
    except ValueError:
        return False
