"""Where hooks sit: one real hook per tensor, and behind it the list of those that the program registered.

A site is known by its gradient edge (node, output number), so that a hook stays with the value it was registered on
when the tensor is changed in place, as in torch.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import unseen

Node: TypeAlias = Any
Edge: TypeAlias = tuple[Node, int]
Hook: TypeAlias = Callable[[Any], Any]


def edge_of(tensor: Tensor) -> Edge:
    """The (node, output number) where the gradient of a tensor that requires grad arrives; a leaf's accumulator."""
    with unseen():
        node = tensor.grad_fn
        if node is None:
            with torch.enable_grad():
                node = tensor.view_as(tensor).grad_fn.next_functions[0][0]  # type: ignore[union-attr]
        return node, tensor.output_nr


class Site:
    """The hooks of one tensor in the order of registration, by handle id. Keeps the node alive: ids are not reused."""

    __slots__ = ("edge", "hooks", "installed", "is_leaf", "marks", "shown", "value")

    def __init__(self, tensor: Tensor, edge: Edge) -> None:
        self.edge = edge
        self.hooks: OrderedDict[int, Hook] = OrderedDict()
        with unseen():
            self.is_leaf = tensor.grad_fn is None
            self.value = tensor.detach()
        self.installed: list[Any] = []
        # What a world notes about single hooks, by handle id, and the gradient that it shows as `.grad`.
        self.marks: dict[int, Any] = {}
        self.shown: Tensor | None = None

    def uninstall(self) -> None:
        for handle in self.installed:
            handle.remove()
        self.installed.clear()


def check_result(grad: Tensor, result: object, hook: Hook) -> Tensor:
    """Refuse what torch refuses from a hook, with the same exception type and words."""
    if not isinstance(result, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")
    name = getattr(hook, "__name__", type(hook).__name__)
    with unseen():
        if result.dtype != grad.dtype or result.layout != grad.layout or result.device != grad.device:
            raise RuntimeError(f"hook '{name}' has changed the type of value (was {grad.type()} got {result.type()})")
        if result.shape != grad.shape:
            raise RuntimeError(f"hook '{name}' has changed the size of value")
    return result
