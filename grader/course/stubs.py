"""What an answer cell holds when it is released: names to assign, or signatures and docstrings to fill in.

Nothing of a reference's body goes into a stub: heads are written anew from the syntax tree, without comments, and the
values of class attributes and methods whose name starts with `_` are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.course.source import Definition, head_text

INDENT = "    "


def answer_stub(answers: Sequence[str]) -> str:
    """One line per answer name: `x_grad = ...`."""
    return "\n".join(f"{name} = ..." for name in answers)


def implement_stub(node: Definition) -> str:
    """The signatures and docstrings of a function or class, every body `...`."""
    return "\n".join(_outline(node, ""))


def _outline(node: Definition, indent: str) -> list[str]:
    deeper = indent + INDENT
    lines = [indent + head_text(node, defaults=True), *_docstring(node, deeper)]
    if isinstance(node, ast.FunctionDef):
        return [*lines, f"{deeper}..."]
    definitions = [each for each in node.body if isinstance(each, (ast.FunctionDef, ast.ClassDef))]
    members = [each for each in definitions if _is_public(each.name)]
    for member in members:
        decorators = [f"{deeper}@{ast.unparse(each)}" for each in member.decorator_list]
        blank = [] if lines[-1].endswith(":") else [""]
        lines += [*blank, *decorators, *_outline(member, deeper)]
    return lines if members else [*lines, f"{deeper}..."]


def _is_public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _docstring(node: Definition, indent: str) -> list[str]:
    text = ast.get_docstring(node)
    if not text:
        return []
    if '"""' in text or text.endswith(("\\", '"')):
        return [indent + repr(text)]
    lines = text.split("\n")
    quoted = f'{"r" if chr(92) in text else ""}"""{lines[0]}'
    rest = [(indent + line).rstrip() for line in lines[1:]]
    return [f'{indent}{quoted}"""'] if not rest else [indent + quoted, *rest, f'{indent}"""']
