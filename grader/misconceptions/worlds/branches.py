"""Worlds in which contributions of several paths are lost or shared instead of added up."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor

from grader.misconceptions.worlds.passes import Pass, is_accumulator, reach
from grader.misconceptions.worlds.sites import Edge, Node
from grader.misconceptions.worlds.world import World


def skip_of(node: Node) -> int | None:
    """Which input of an addition is the shortcut: the one from which the other was computed. None where neither is."""
    if node is None or type(node).__name__ != "AddBackward0":
        return None
    (first, _), (second, _) = node.next_functions
    if first is None or second is None or first is second:
        return None
    if any(reached is first for reached in reach([(second, 0)])):
        return 0
    return 1 if any(reached is second for reached in reach([(first, 0)])) else None


class SkipForgotten(World):
    """x counts only through the deep branch."""

    id = "skip-connection-forgotten"

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        for node in graph:
            skip = skip_of(node)
            if skip is not None:
                yield node, skip


class BranchForgotten(World):
    """x counts only directly; the deep branch is forgotten."""

    id = "only-the-skip-connection-counts"

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        for node in graph:
            skip = skip_of(node)
            if skip is not None:
                yield node, 1 - skip


class _OneUse(World):
    """Of several uses of a tensor a single one passes gradient on."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[Edge, tuple[int, Node, int]] = {}

    def prefers(self, new: tuple[int, int], old: tuple[int, int]) -> bool:
        """Whether the use made at `new`, (sequence number, place among the arguments), replaces that made at `old`."""
        raise NotImplementedError

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        uses = [
            (edge, node._sequence_nr(), node, index)
            for node in graph
            if not is_accumulator(node)
            for index, edge in enumerate(node.next_functions)
            if edge[0] is not None
        ]
        # A leaf is used anew in every pass; a result that two passes go through has its uses once and for all.
        kept = self.kept = {edge: use for edge, use in self.kept.items() if not is_accumulator(edge[0])}
        for edge, made, node, index in uses:
            old = kept.get(edge)
            if old is None or self.prefers((made, index), (old[0], old[2])):
                kept[edge] = (made, node, index)
        return [(node, index) for edge, _, node, index in uses if kept[edge][1:] != (node, index)]


class FanoutFirst(_OneUse):
    """Where a tensor is used several times, only the first use passes gradient."""

    id = "first-use-only"

    def prefers(self, new: tuple[int, int], old: tuple[int, int]) -> bool:
        return new < old


class FanoutLast(_OneUse):
    """Contributions of several uses overwrite each other; the last use stays."""

    id = "last-use-overwrites"

    def prefers(self, new: tuple[int, int], old: tuple[int, int]) -> bool:
        return new > old


class AddSplits(World):
    """Two addends share the incoming gradient half and half."""

    id = "addition-splits-the-gradient"
    nodes = frozenset({"AddBackward0"})

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        return grads if None in [target for target, _ in node.next_functions] else [_half(grad) for grad in grads]


def _half(grad: Tensor | None) -> Tensor | None:
    return None if grad is None else grad / 2


class ProductLeftOnly(World):
    """The second factor of a product is treated as a constant."""

    id = "product-rule-forgotten"

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        for node in graph:
            if type(node).__name__ == "MulBackward0" and None not in [target for target, _ in node.next_functions]:
                yield node, 1
