"""Worlds about the life of a graph: whether gradients have one, and when it is freed."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from grader.misconceptions.worlds.accumulation import filled
from grader.misconceptions.worlds.callers import unseen
from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.world import World


class CreateGraphAlways(World):
    """Gradients can be differentiated again by default."""

    id = "gradients-are-differentiable-by-default"

    def __init__(self) -> None:
        super().__init__()
        self.before: list[tuple[Tensor, Tensor]] = []

    def prepare(self, request: Pass) -> None:
        self.before = []
        if not request.options["create_graph"]:
            self.before = [(leaf, leaf.grad) for leaf in filled(request) if leaf.grad is not None]
        request.options["create_graph"] = True

    def conclude(self, request: Pass, result: Any) -> Any:
        # With a graph torch accumulates into a new tensor, which nobody believes who asked for none.
        with unseen():
            for leaf, old in self.before:
                if leaf.grad is not None:
                    old.data = leaf.grad.data
        return result


class RetainGraphAlways(World):
    """Backward may be called any number of times."""

    id = "graph-is-never-freed"

    def prepare(self, request: Pass) -> None:
        request.options["retain_graph"] = True
