"""Which versions of a program are tried: small numbers first, then the program written a little otherwise.

Deterministic and of bounded number: the same exercise is always tried in the same way.
"""

from __future__ import annotations

import ast
import itertools
import math
import random
from collections.abc import Iterator, Sequence

from grader.misconceptions.audit.numbers import (
    Place,
    Version,
    changed,
    data,
    data_nodes,
    filled,
    leaves,
    parameters,
    rewritten,
    span_of,
)
from grader.records import Exercise, Program

MAX_CANDIDATES = 100
MAX_ALONE = 60
# Numbers with nothing in common: where any numbers tell two rules apart, these most probably do.
UNLIKE = ((2, -3, 5, 3, -2, 4), (3, 5, -2, 2, 4, -3))


def as_written(exercise: Exercise) -> Version:
    """The program as it is asked."""
    assert exercise.program is not None, "only programs have versions"
    return Version(exercise.program, exercise.arguments)


def other_arguments(exercise: Exercise) -> list[Version]:
    """Other numbers for the parameters, smallest first; none if there are no parameters."""
    return _candidates(exercise, parameters(exercise))


def other_inputs(exercise: Exercise) -> list[Version]:
    """Other numbers for the parameters and in the program's tensors, smallest first."""
    assert exercise.program is not None, "only programs have versions"
    places = data(exercise.program)
    return _candidates(exercise, (*parameters(exercise), *places)) if places else []


def unlike_inputs(exercise: Exercise) -> list[Version]:
    """A few versions with numbers that are as different from each other as small numbers can be."""
    assert exercise.program is not None, "only programs have versions"
    places = (*parameters(exercise), *data(exercise.program))
    return [_filled(exercise, places, itertools.cycle(numbers)) for numbers in UNLIKE] if places else []


def otherwise_written(version: Version, addends: bool = True) -> list[Version]:
    """The program with one constant, one result of an inner function or one addend written otherwise.

    Args:
        addends: without those a program keeps its operations: it asks for nothing that it did not ask for.
    """
    found = []
    for old, new, span in _rewritings(version.program, addends):
        program = rewritten(version.program, [(span, new)])
        # A mere number or name says little: then the rest of its line is shown with it.
        brief = not old.replace(".", "").replace("_", "").isalnum()
        texts = (new, old) if brief else (_line(program, span), _line(version.program, span))
        change = f"`{texts[0]}` in place of `{texts[1]}`"
        found.append(Version(program, version.arguments, (*version.changes, change)))
    return found


def other_hooks(version: Version) -> list[Version]:
    """The program with one inner function of one argument that returns something quite different, as a hook may."""
    found = []
    source = version.program.source
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Lambda, ast.FunctionDef)) or node in tree.body or len(node.args.args) != 1:
            continue
        grad = node.args.args[0].arg
        if isinstance(node, ast.FunctionDef) and not any(isinstance(each, ast.Return) for each in ast.walk(node)):
            end = span_of(source, node.body[-1])[1]
            line = f"\n{' ' * node.body[-1].col_offset}return {grad}"
            found.append(_reworded(version, (end, end), line, f"`return {grad}` at the end of `{node.name}`"))
        for result in [node.body] if isinstance(node, ast.Lambda) else _results(node, tree):
            old = ast.get_source_segment(source, result) or ""
            for new in (grad, f"0 * {grad}", f"{grad} + 1", f"torch.ones_like({grad})"):
                found.append(_reworded(version, span_of(source, result), new, f"`{new}` in place of `{old}`"))
    return found


def _reworded(version: Version, span: tuple[int, int], text: str, change: str) -> Version:
    return Version(rewritten(version.program, [(span, text)]), version.arguments, (*version.changes, change))


def _candidates(exercise: Exercise, places: Sequence[Place]) -> list[Version]:
    """Versions with other numbers in one place, then in all places."""
    alone = [(place,) for place in places] if len(places) > 1 else []
    found = [version for group in alone for version in _drawn(exercise, group, MAX_ALONE // len(alone))]
    return [*found, *_drawn(exercise, places, MAX_CANDIDATES)] if places else []


def _drawn(exercise: Exercise, places: Sequence[Place], most: int) -> list[Version]:
    choices = [place.choices for place in places for _ in range(place.size)]
    if math.prod(map(len, choices)) <= most:
        drawn = list(itertools.product(*choices))
    else:
        # Seeded by the exercise's name, so that two audits of one file say the same.
        chance = random.Random(exercise.id)  # noqa: S311 - no secret
        drawn = [tuple(chance.choice(each) for each in choices) for _ in range(most)]
    drawn.sort(key=lambda numbers: (sum(map(abs, numbers)), numbers))
    written = [leaf for place in places for leaf in leaves(place.default)]
    return [_filled(exercise, places, iter(numbers)) for numbers in dict.fromkeys(drawn) if list(numbers) != written]


def _filled(exercise: Exercise, places: Sequence[Place], numbers: Iterator[int | float]) -> Version:
    return changed(exercise, {place: filled(place.default, numbers) for place in places})


def _rewritings(program: Program, addends: bool) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """(text as it is, text as it might be, where it stands)."""
    tree = ast.parse(program.source)
    skip = data_nodes(tree) | {inner for node in ast.walk(tree) for inner in _indices(node)}
    for node in ast.walk(tree):
        if node in skip or not isinstance(node, (ast.expr, ast.FunctionDef)):
            continue
        for part, new in _otherwise(node, tree, addends):
            yield ast.get_source_segment(program.source, part) or "", new, span_of(program.source, part)


def _otherwise(node: ast.AST, tree: ast.Module, addends: bool) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        yield node, repr(node.value + 1)
    elif addends and isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        for side in (node.left, node.right):
            if isinstance(side, ast.Name):
                yield side, f"5 * {side.id}"
    for result in _results(node, tree):
        yield result, ast.unparse(ast.BinOp(result, ast.Add(), ast.Constant(1)))
        yield result, ast.unparse(ast.BinOp(ast.Constant(2), ast.Mult(), result))


def _results(node: ast.AST, tree: ast.Module) -> list[ast.expr]:
    """What an inner function of one argument returns: such are hooks."""
    if isinstance(node, ast.Lambda) and len(node.args.args) - len(node.args.defaults) == 1:
        return [node.body] if _gives(node.body) else []
    if isinstance(node, ast.FunctionDef) and node not in tree.body and len(node.args.args) == 1:
        returned = [each.value for each in node.body if isinstance(each, ast.Return)]
        return [value for value in returned if value is not None and _gives(value)]
    return []


def _gives(result: ast.expr) -> bool:
    """Whether an expression is a gradient to be: not `None`, and not `seen.append(grad)`."""
    if isinstance(result, ast.Call) and isinstance(result.func, ast.Attribute) and result.func.attr == "append":
        return False
    return not (isinstance(result, ast.Constant) and result.value is None)


def _indices(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Subscript):
        yield from ast.walk(node.slice)


def _line(program: Program, span: tuple[int, int]) -> str:
    source = program.source.encode()
    start = source.rfind(b"\n", 0, span[0]) + 1
    end = source.find(b"\n", span[0])
    return source[start : end if end >= 0 else None].decode().strip().removeprefix("return ")
