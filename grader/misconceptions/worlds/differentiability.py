"""Worlds about the life of a graph: whether gradients have one, and when it is freed."""

from __future__ import annotations

from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.world import World


class CreateGraphAlways(World):
    """Gradients can be differentiated again by default."""

    id = "gradients-are-differentiable-by-default"

    def prepare(self, request: Pass) -> None:
        request.options["create_graph"] = True


class RetainGraphAlways(World):
    """Backward may be called any number of times."""

    id = "graph-is-never-freed"

    def prepare(self, request: Pass) -> None:
        request.options["retain_graph"] = True
