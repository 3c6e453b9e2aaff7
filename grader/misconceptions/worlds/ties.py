"""Worlds about points at which an operation has no derivative and torch has a convention."""

from __future__ import annotations

import torch
from torch import Tensor

from grader.misconceptions.worlds.sites import Node
from grader.misconceptions.worlds.world import World


class MaxFirstTie(World):
    """max() and min() pass the gradient to the first of several extreme elements."""

    id = "max-ties-go-to-the-first"
    nodes = frozenset({"MaxBackward1", "MinBackward1", "AmaxBackward0", "AminBackward0"})

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        (grad,) = grads
        dims = tuple(getattr(node, "_saved_dim", ()))
        if grad is None or len(dims) > 1:
            return grads
        # Torch gives each of n tied elements 1/n: their sum is what a single one would get.
        along = grad.movedim(dims[0], -1) if dims and grad.dim() else grad.reshape(-1)
        tied = along != 0
        first = tied & (tied.cumsum(-1) == 1)
        single = torch.where(first, along.sum(-1, keepdim=True), torch.zeros_like(along))
        return [single.movedim(-1, dims[0]) if dims and grad.dim() else single.reshape(grad.shape)]


class ClampAsRelu(World):
    """clamp has the derivative 0 at its bounds."""

    id = "clamp-has-gradient-0-at-the-bound"
    nodes = frozenset({"ClampBackward0", "ClampBackward1", "ClampMinBackward0", "ClampMaxBackward0"})

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        grad = grads[0]
        for bound in (getattr(node, "_saved_min", None), getattr(node, "_saved_max", None)):
            if grad is not None and bound is not None:
                grad = torch.where(node._saved_self == bound, torch.zeros_like(grad), grad)
        return [grad, *grads[1:]]
