"""Bending the graph for the length of one backward pass: real hooks on its nodes and leaves, taken off afterwards."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import unseen
from grader.misconceptions.worlds.passes import Pass, is_accumulator, reach, root_edges
from grader.misconceptions.worlds.sites import Node

if TYPE_CHECKING:
    from grader.misconceptions.worlds.world import World


def bend_graph(world: World, request: Pass, until: ExitStack) -> None:
    """Make torch follow the world's `cuts`, `rule` and `finish` in this pass, `until` the stack is closed."""
    kind = type(world)
    if not kind.bends_graph:
        return
    with unseen():
        graph = request.graph()
        lost = set(world.cuts(request, graph))
        if lost:
            kept = set(reach(root_edges(request.roots), lost))
            request.silenced = {node for node in graph if node not in kept}
        indices: dict[Node, list[int]] = {}
        for node, index in lost:
            indices.setdefault(node, []).append(index)
        for node in graph:
            ruled = type(node).__name__ in kind.nodes or "*" in kind.nodes
            if node in indices or (ruled and not is_accumulator(node)):
                hook = _NodeRule(world if ruled else None, node, indices.get(node, []))
                until.callback(_register_first(node, hook).remove)
        if kind.bends_ends:
            for tensor in request.ends():
                until.callback(tensor.register_hook(_Finish(world, tensor)).remove)  # type: ignore[no-untyped-call]


def _register_first(node: Node, hook: Callable[..., Any]) -> Any:
    """Register a hook on a node before those of the program, which then see the bent rule."""
    handle = node.register_hook(hook)
    hooks = handle.hooks_dict_ref()
    # Torch runs them in the order in which the dict was filled, whatever `move_to_end` says.
    earlier = [(key, hooks.pop(key)) for key in list(hooks) if key != handle.id]
    hooks.update(earlier)
    return handle


class _NodeRule:
    def __init__(self, world: World | None, node: Node, cut: list[int]) -> None:
        self.world, self.node, self.cut = world, node, cut

    def __call__(self, grads: tuple[Any, ...], upstream: tuple[Any, ...]) -> tuple[Any, ...]:
        bent = list(grads)
        if self.world is not None:
            bent = self.world.rule(self.node, bent, upstream)
        for index in self.cut:
            if bent[index] is not None:
                bent[index] = torch.zeros_like(bent[index])
        return tuple(bent)


class _Finish:
    def __init__(self, world: World, tensor: Tensor) -> None:
        self.world, self.tensor = world, tensor

    def __call__(self, grad: Tensor | None) -> Tensor | None:
        return None if grad is None else self.world.finish(self.tensor, grad)
