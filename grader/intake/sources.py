"""What the text of a code cell says without being run: which names it assigns, and whether anything was filled in."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

LONGEST_PARSED = 50_000
LONGEST_REMEMBERED = 10_000
MOST_PARSED = 300_000

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_PYTHON_MAGICS = {"%%time", "%%capture", "%%prun"}  # cell magics whose body runs in the notebook's own namespace
_DEFINED = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")


@dataclass(frozen=True)
class Source:
    """The text of one cell.

    Attributes:
        names: what it assigns at its top level.
        placeholders: those of them that are only ever assigned `...`, or defined with nothing but `...` inside.
        empty: no statement at all (blank lines, comments).
        shape: digest of the syntax tree without docstrings, None if it cannot be parsed.
    """

    names: frozenset[str]
    placeholders: frozenset[str] = frozenset()
    empty: bool = False
    shape: str | None = None


def survey(texts: Sequence[str]) -> tuple[Source, ...]:
    """One `Source` per text. After 300,000 characters names are guessed line by line instead of parsed."""
    left = MOST_PARSED
    found = []
    for text in texts:
        small = len(text) <= min(left, LONGEST_PARSED)
        if not small:
            found.append(Source(_guessed_names(text), empty=not text.strip()))
            continue
        left -= len(text)
        found.append(read_source(text) if len(text) < LONGEST_REMEMBERED else read_source.__wrapped__(text))
    return tuple(found)


@lru_cache(maxsize=1024)
def read_source(text: str) -> Source:
    """Parse one cell; magics are stripped, and where there is no Python left, names are guessed line by line."""
    if not text.strip():
        return Source(frozenset(), empty=True)
    tree = _parse(text) or _parse(_without_magics(text))
    if tree is None:
        return Source(_guessed_names(text))
    filled: dict[str, bool] = {}
    for name, placeholder in _bindings(tree.body):
        filled[name] = filled.get(name, False) or not placeholder
    return Source(
        names=frozenset(filled),
        placeholders=frozenset(name for name, touched in filled.items() if not touched),
        # A cell of magics alone parses to nothing, but its author wrote something.
        empty=not tree.body and all(line.lstrip()[:1] in {"", "#"} for line in text.split("\n")),
        shape=_shape(tree),
    )


def _parse(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _without_magics(text: str) -> str:
    """The Python in an IPython cell, line numbers kept."""
    lines = text.lstrip("\n").split("\n")
    if lines[0].startswith("%%"):
        if lines[0].split()[0] not in _PYTHON_MAGICS:
            return ""
        lines[0] = ""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]  # IPython takes a common indentation away as well
    return "\n".join(_without_magic(line.removeprefix(indent)) for line in lines)


def _without_magic(line: str) -> str:
    bare = line.lstrip()
    indent = line[: len(line) - len(bare)]
    if bare.startswith("%time "):
        return indent + bare.removeprefix("%time ").lstrip()
    if bare.startswith(("%", "!", "?")) or (bare.rstrip().endswith("?") and "#" not in bare):
        return indent + "pass"
    target, equals, value = line.partition("=")
    if equals and value.lstrip().startswith(("%", "!")) and not value.lstrip().startswith("!="):
        return target + "= None"
    return line


def _bindings(body: Sequence[ast.AST]) -> Iterator[tuple[str, bool]]:
    """Yield (name, whether it is a placeholder) for all that a module's top level binds, blocks included."""
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, _hollow(node)
            case ast.Lambda():
                pass
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                stack += _outside_scope(node)
            case ast.Assign():
                for target in node.targets:
                    yield from _assigned(target, node.value)
                stack.append(node.value)
            case ast.AnnAssign():
                if node.value is not None:
                    yield from _assigned(node.target, node.value)
                    stack.append(node.value)
            case ast.Import() | ast.ImportFrom():
                for alias in node.names:
                    yield alias.asname or alias.name.split(".")[0], False
            case ast.Name(ctx=ast.Store()):
                yield node.id, False
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                yield name, False
                stack += ast.iter_child_nodes(node)
            case _:
                stack += ast.iter_child_nodes(node)


def _outside_scope(node: _Comprehension) -> list[ast.AST]:
    """What a comprehension evaluates, without its own targets; a walrus in it binds outside."""
    made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    loops = [each for loop in node.generators for each in (loop.iter, *loop.ifs)]
    return [*made, *loops]


def _assigned(target: ast.AST, value: ast.AST) -> Iterator[tuple[str, bool]]:
    """Pair the names of an assignment's target with whether each gets a bare `...`."""
    if isinstance(target, ast.Name):
        yield target.id, _is_ellipsis(value)
        return
    if not isinstance(target, ast.Tuple | ast.List):
        return
    values: Sequence[ast.AST] = [value] * len(target.elts)
    whole = True
    if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
        values = value.elts
        whole = any(isinstance(each, ast.Starred) for each in (*target.elts, *value.elts))
    for inner, given in zip(target.elts, values, strict=True):
        spread = inner.value if isinstance(inner, ast.Starred) else inner
        yield from ((name, placeholder and not whole) for name, placeholder in _assigned(spread, given))


def _is_ellipsis(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _hollow(node: _Definition) -> bool:
    """Whether a function or class holds nothing but docstrings and `...`, as a released stub does."""
    return all(_hollow_statement(each, node) for each in node.body)


def _hollow_statement(node: ast.stmt, inside: _Definition) -> bool:
    if isinstance(node, ast.Expr):
        return _is_ellipsis(node.value) or _is_docstring(node, inside)
    if isinstance(inside, ast.ClassDef):
        if isinstance(node, ast.AnnAssign):
            return node.value is None
        return isinstance(node, _Definition) and _hollow(node)
    return False


def _is_docstring(node: ast.stmt, inside: _Definition) -> bool:
    first = node is inside.body[0] and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return first and isinstance(node.value.value, str)  # type: ignore[attr-defined]


def _shape(tree: ast.Module) -> str | None:
    for node in ast.walk(tree):
        if isinstance(node, _Definition) and _is_docstring(node.body[0], node):
            del node.body[0]
    try:
        return hashlib.sha256(ast.dump(tree, annotate_fields=False).encode("utf-8", "replace")).hexdigest()
    except RecursionError:
        return None


def _guessed_names(text: str) -> frozenset[str]:
    """Names that unindented lines seem to assign or define, for text that Python cannot parse."""
    names: set[str] = set()
    for line in text.split("\n"):
        if not line or line[0].isspace() or line[0] == "#":
            continue
        if defined := _DEFINED.match(line):
            names.add(defined[1])
            continue
        head, equals, tail = line[:2000].partition("=")
        if (
            equals
            and not tail.startswith("=")
            and not (head.endswith(("!", "<", ">")) and head[-2:] not in ("<<", ">>"))
        ):
            head = head.rstrip("+-*/%&|^@<>").partition(":")[0]
            if head.count("(") == head.count(")") and re.fullmatch(r"[\w\s,()*\[\]]+", head):
                names.update(re.findall(r"\w+", head))
    return frozenset(names)
