"""The text of a solutions file, and of the definitions in it: what is shown, keyed, run and sent is cut out here.

Columns from `ast` are counted in bytes and those from `tokenize` in characters; only the latter are used to cut.
"""

from __future__ import annotations

import ast
import io
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from grader.course.problems import problem
from grader.errors import CourseError

Definition: TypeAlias = "ast.FunctionDef | ast.ClassDef"


class Unusable(Exception):
    """A definition that cannot be cut out; the text says what is wrong and how to mend it."""


@dataclass(frozen=True)
class SourceFile:
    """A solutions file: its text by lines (without line ends) and its syntax tree."""

    lines: tuple[str, ...]
    tree: ast.Module

    def decorated(self, line: int) -> ast.stmt | None:
        """The definition that has a decorator at `line`, wherever in the file it is."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                for decorator in node.decorator_list:
                    if decorator.lineno <= line <= (decorator.end_lineno or decorator.lineno):
                        return node
        return None

    def imports(self) -> dict[str, str]:
        """The names that the file imports at its top level, each with the statement that imports it alone."""
        statements = {}
        for node in self.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    one: ast.stmt = ast.Import([alias])
                    if isinstance(node, ast.ImportFrom):
                        one = ast.ImportFrom(node.module, [alias], node.level)
                    statements[(alias.asname or alias.name).split(".")[0]] = ast.unparse(one)
        return statements


def read_source(path: Path, shown: str) -> SourceFile:
    """Read and parse a solutions file; `shown` is its name in messages.

    Raises: `CourseError` if it cannot be read, is not text, or has a syntax error (with its line).
    """
    try:
        data = path.read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except OSError as error:
        raise CourseError(f"{shown}: cannot be read ({error.strerror}); check its path and its rights") from error
    except (SyntaxError, UnicodeDecodeError) as error:
        raise CourseError(problem(shown, 1, "assignment", "is not UTF-8 text; save the file as UTF-8")) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        what = f"syntax error: {error.msg}; mend this line or the one before it"
        raise CourseError(problem(shown, error.lineno or 1, "assignment", what)) from error
    except ValueError as error:
        raise CourseError(problem(shown, 1, "assignment", f"{error}; save the file as UTF-8 text")) from error
    return SourceFile(tuple(text.split("\n")), tree)


def header_end(lines: tuple[str, ...], node: Definition) -> tuple[int, int]:
    """(line counted from 1, column in characters) just behind the colon that ends the head of `node`."""
    rest = iter(lines[node.lineno - 1 :])
    depth = 0
    for token in tokenize.generate_tokens(lambda: next(rest, "") + "\n"):
        if token.type != tokenize.OP:
            continue
        if token.string in "([{":
            depth += 1
        elif token.string in ")]}":
            depth -= 1
        elif token.string == ":" and depth == 0:
            return node.lineno - 1 + token.end[0], token.end[1]
    raise Unusable("has no colon at the end of its head; write it in the usual form")  # pragma: no cover


def docstring_node(node: Definition) -> ast.expr | None:
    """The docstring's expression, if there is one."""
    first = node.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return first.value
    return None


def whole_text(source: SourceFile, node: Definition) -> str:
    """The definition without its decorators; docstring and comments are kept; ends with a line break."""
    return _text(source.lines[node.lineno - 1 : _last_line(source, node)])


def program_text(source: SourceFile, node: ast.FunctionDef) -> str:
    """The `def` without decorators, docstring and the defaults of its parameters; comments kept.

    Raises: `Unusable` if the docstring shares a line with something else.
    """
    line, column = header_end(source.lines, node)
    head = _text(source.lines[node.lineno - 1 : line])
    if node.args.defaults or any(node.args.kw_defaults):
        head = head_text(node) + source.lines[line - 1][column:] + "\n"
    body = list(source.lines[line : _last_line(source, node)])
    docstring = docstring_node(node)
    if docstring is not None:
        end = docstring.end_lineno or docstring.lineno
        shared = len(node.body) > 1 and node.body[1].lineno == end
        if docstring.lineno <= line or shared:
            raise Unusable("shares a line with its docstring; put the docstring on lines of its own")
        del body[docstring.lineno - 1 - line : end - line]
        while body and not body[0].strip():
            del body[0]
        if len(node.body) == 1:
            body.append("    pass")
    return head + _text(tuple(body))


def head_text(node: Definition, *, defaults: bool = False, values: dict[str, str] | None = None) -> str:
    """The head in one line, up to the colon.

    Args:
        defaults: whether the defaults that the author wrote are kept.
        values: texts to give as defaults instead.
    """
    if isinstance(node, ast.ClassDef):
        bases = [ast.unparse(base) for base in node.bases] + [ast.unparse(each) for each in node.keywords]
        return f"class {node.name}({', '.join(bases)}):" if bases else f"class {node.name}:"
    old = node.args
    arguments = old
    if not defaults:
        arguments = ast.arguments(
            posonlyargs=old.posonlyargs,
            args=old.args,
            vararg=old.vararg,
            kwonlyargs=old.kwonlyargs,
            kw_defaults=[None] * len(old.kwonlyargs),
            kwarg=old.kwarg,
            defaults=[],
        )
    inner = ast.unparse(arguments)
    if values is not None:
        inner = ", ".join(f"{name}={text}" for name, text in values.items())
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({inner}){returns}:"


def _last_line(source: SourceFile, node: Definition) -> int:
    """The last line of the definition, comments at the end of its body included."""
    last = end = node.end_lineno or node.lineno
    for number in range(end, len(source.lines)):
        line = source.lines[number]
        if line.strip() and not (line[0] in " \t" and line.lstrip().startswith("#")):
            break
        if line.strip():
            last = number + 1
    return last


def _text(lines: tuple[str, ...]) -> str:
    return "".join(f"{line}\n" for line in lines)
