"""Programs as a student sees them: text that can be pasted into a cell and run on its own.

A program is shown flat (parameters as assignments, then the body, the returned expression as last line) where that
means the same as calling it, and as the `def` with a call otherwise.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence

from grader.course.source import head_text, header_end
from grader.records import Program

# They look at the namespace itself, which is another one once a body is flat.
SCOPE_SENSITIVE = {"dir", "eval", "exec", "globals", "locals", "vars"}


def pasteable(program: Program, arguments: str, builds_on: Sequence[str] = ()) -> str:
    """The program, with `arguments` (a dict literal) filled in, as text to paste.

    Its last line is the returned expression, so that a cell shows it, or a call.

    Args:
        builds_on: parameters that stand for earlier answers: each is left for the student to fill in.
    """
    values = {name: repr(value) for name, value in ast.literal_eval(arguments).items()}
    text = _flat(program, values) or _called(program, {**{name: name for name in builds_on}, **values})
    earlier = "".join(f"{name} = ...  # your answer above\n" for name in builds_on)
    return _with_torch(earlier + text)


def pasteable_probe(program: Program, subject: str, arguments: str | None) -> str:
    """The probe, and below it a call with the student's `subject` and the first public case, if there is one."""
    if arguments is None:
        return _with_torch(program.source)
    values = "".join(f", {name}={value!r}" for name, value in ast.literal_eval(arguments).items())
    return _with_torch(f"{program.source}\n{program.name}({subject}{values})\n")


def _with_torch(text: str) -> str:
    uses = any(isinstance(node, ast.Name) and node.id == "torch" for node in ast.walk(ast.parse(text)))
    return f"import torch\n\n{text}" if uses else text


def _called(program: Program, values: dict[str, str]) -> str:
    if not values:
        return f"{program.source}\n{program.name}()\n"
    node = _definition(program)
    lines = tuple(program.source.split("\n"))
    line, column = header_end(lines, node)
    body = "\n".join(lines[line:])
    return f"{head_text(node, values=values)}{lines[line - 1][column:]}\n{body}\n{program.name}()\n"


def _flat(program: Program, values: dict[str, str]) -> str | None:
    """The flat form, or None where it would not mean the same."""
    node = _definition(program)
    lines = program.source.split("\n")
    line, column = header_end(tuple(lines), node)
    if node.body[0].lineno <= line or not _flattens(node):
        return None
    remark = lines[line - 1][column:].strip()
    head = [remark] if remark else []
    head += [f"{name} = {text}" for name, text in values.items()]
    body = list(_dedented(lines, line, node.body[0].col_offset))
    last = node.body[-1]
    if isinstance(last, ast.Return):
        place = last.lineno - 1 - line
        body[place] = body[place].removeprefix("return").lstrip()
    text = "\n".join([*head, *body]).rstrip() + "\n"
    try:
        compile(text, "<pasted>", "exec", dont_inherit=True)
    except SyntaxError:
        return None
    return text


def _flattens(node: ast.FunctionDef) -> bool:
    returns = [each for each in _own_statements(node) if isinstance(each, ast.Return)]
    if returns and returns != [node.body[-1]]:
        return False
    return not any(
        isinstance(each, (ast.Nonlocal, ast.Global))
        or (isinstance(each, ast.Name) and each.id in {node.name, *SCOPE_SENSITIVE})
        for each in ast.walk(node)
    )


def _own_statements(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes in `node` but those inside nested functions and classes."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _own_statements(child)


def _dedented(lines: list[str], start: int, width: int) -> Iterator[str]:
    """The lines from `start` (counted from 0) on, `width` columns to the left, the inside of strings untouched."""
    inside = _lines_inside_strings("\n".join(lines))
    for number, line in enumerate(lines[start:], start + 1):
        blank = len(line) - len(line.lstrip())
        yield line if number in inside else line[min(width, blank) :]


def _lines_inside_strings(text: str) -> set[int]:
    """The lines (counted from 1) that begin within a string of several lines."""
    opened: list[int] = []
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        name = tokenize.tok_name[token.type]
        if name == "STRING":
            inside |= set(range(token.start[0] + 1, token.end[0] + 1))
        elif name.endswith("STRING_START"):
            opened.append(token.start[0])
        elif name.endswith("STRING_END"):
            inside |= set(range(opened.pop() + 1, token.end[0] + 1))
    return inside


def _definition(program: Program) -> ast.FunctionDef:
    node = ast.parse(program.source).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node
