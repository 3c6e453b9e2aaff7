"""Does a program give anything back? Without a `return`, Python gives None, and None would become the key unseen."""

from __future__ import annotations

import ast
from collections.abc import Iterator

ASKED_FOR = ("predict", "order", "choice")

NO_RETURN = "has no `return`; write `return x.grad`, or `return None` if you mean it"
NO_PROBE_RETURN = "has no `return`; return what is to be compared, such as `return f(x)`"


def returns_something(node: ast.FunctionDef) -> bool:
    """Whether the function itself, and not one defined in it, has a `return` with a value; `return None` is one.

    One that ends with `raise` gives no None unseen either: what it raises is reported once it has run.
    """
    return isinstance(node.body[-1], ast.Raise) or any(
        isinstance(each, ast.Return) and each.value is not None for each in _own(node)
    )


def _own(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            yield from _own(child)
