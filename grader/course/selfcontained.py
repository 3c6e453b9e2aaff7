"""Is a program self-contained? It may use its own names, `torch` and the builtins; nothing else goes with it."""

from __future__ import annotations

import ast
import builtins
import symtable
import sys
from collections.abc import Iterator

from grader.course.source import Definition, SourceFile

# IPython and `site` add names to builtins that a program in another process does not have.
ALLOWED = (set(dir(builtins)) | {"torch"}) - {"_", "copyright", "credits", "display", "exit", "get_ipython", "quit"}

MODULES = {name: f"import {name}" for name in (*sys.stdlib_module_names, "numpy")} | {
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
    "np": "import numpy as np",
}


def free_names(source: str) -> tuple[str, ...]:
    """The names that `source` (one definition) needs from outside, sorted.

    Python's own compiler decides what is local, in nested functions, lambdas, comprehensions and classes.
    """
    written = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    top = symtable.symtable(source, "<program>", "exec")
    used: set[str] = set()
    set_here = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned()}
    for table in _tables(top):
        for symbol in table.get_symbols():
            if symbol.is_declared_global() and symbol.is_assigned():
                set_here.add(symbol.get_name())
            if symbol.is_referenced() and (table is top or symbol.is_global()):
                used.add(symbol.get_name())
    return tuple(sorted((used & written) - set_here - ALLOWED))


def outside_names(source: SourceFile, node: Definition, text: str) -> Iterator[tuple[int, str]]:
    """For each name that `text`, cut from `node`, needs from outside: (its line in the file, what to do)."""
    top_level = _top_level_names(source)
    imports = source.imports()
    for name in free_names(text):
        if name in imports:
            mend = f"which is imported outside of it; write `{imports[name]}` inside the function"
        elif name in top_level:
            mend = "which is defined outside of it; move it into the function"
        elif name in MODULES:
            mend = f"which is a module; write `{MODULES[name]}` inside the function"
        else:
            mend = "which is defined nowhere; define it inside the function"
        if isinstance(node, ast.ClassDef):
            mend = mend.replace("the function", "the method that uses it")
        yield _line_of(node, name), f"uses `{name}`, {mend} (only its parameters, torch and builtins go with it)"


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _top_level_names(source: SourceFile) -> set[str]:
    table = symtable.symtable("\n".join(source.lines), "<file>", "exec")
    return {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned()}


def _line_of(node: Definition, name: str) -> int:
    parts: list[ast.AST] = [*node.body]
    parts += [node.args] if isinstance(node, ast.FunctionDef) else [*node.bases]
    lines = [each.lineno for part in parts for each in ast.walk(part) if isinstance(each, ast.Name) and each.id == name]
    return min(lines, default=node.lineno)
