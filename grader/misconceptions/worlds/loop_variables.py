"""The belief that a function made in a loop remembers the loop's variable, read as: from when it was made.

Nothing of torch shows when a function is made, so the program's text is rewritten: a loop's variable that a function
uses becomes a default argument of it, which Python evaluates at that moment.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from grader.misconceptions.worlds.hook_order import ClosureFrozen


class ClosureFrozenWhenMade(ClosureFrozen):
    """A function made in a loop keeps the value that the loop's variable had when it was made."""

    reading = "when-made"

    @classmethod
    def rewrite(cls, source: str) -> str:
        return ast.unparse(_Remember().visit(ast.parse(source)))


class _Remember(ast.NodeTransformer):
    """Give every function in a loop the loop's variables as keyword-only defaults, where it reads them."""

    def __init__(self) -> None:
        self.targets: frozenset[str] = frozenset()

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._loop(node, [node.target])

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._loop(node, [each.target for each in node.generators])

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self._loop(node, [each.target for each in node.generators])

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return self._loop(node, [each.target for each in node.generators])

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self._loop(node, [each.target for each in node.generators])

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._function(node, [node.body])

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node, node.body)

    def _loop(self, node: ast.AST, targets: Sequence[ast.expr]) -> ast.AST:
        before = self.targets
        self.targets |= {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        try:
            return self.generic_visit(node)
        finally:
            self.targets = before

    def _function(self, node: ast.Lambda | ast.FunctionDef, body: Sequence[ast.AST]) -> ast.AST:
        before, self.targets = self.targets, frozenset()
        try:
            self.generic_visit(node)
        finally:
            self.targets = before
        for name in sorted((before & _named(body)) - _bound(node, body)):
            node.args.kwonlyargs.append(ast.arg(name))
            node.args.kw_defaults.append(ast.Name(name, ast.Load()))
        return ast.fix_missing_locations(node)


def _named(body: Sequence[ast.AST]) -> set[str]:
    """The names in a function's body, those of functions inside it among them."""
    return {name.id for part in body for name in ast.walk(part) if isinstance(name, ast.Name)}


def _bound(node: ast.Lambda | ast.FunctionDef, body: Sequence[ast.AST]) -> set[str]:
    """The names that are the function's own, or that it declares to be another's."""
    own = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
    for part in body:
        for inner in ast.walk(part):
            if isinstance(inner, (ast.Nonlocal, ast.Global)):
                own.update(inner.names)
            elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                own.add(inner.id)
    return own
