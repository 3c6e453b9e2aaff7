"""Worlds that bend the weights w of `backward(w)`: the gradient that a pass starts from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.branches import skip_of
from grader.misconceptions.worlds.callers import unseen
from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.sites import Node
from grader.misconceptions.worlds.world import World

# The Jacobian takes one pass per element of the root; beyond this nobody predicts by hand.
MAX_ROWS = 64


class WOnes(World):
    """The weights are only a shape; ones flow back."""

    id = "w-is-all-ones"

    def prepare(self, request: Pass) -> None:
        request.weights = [torch.ones_like(w) if isinstance(w, Tensor) else w for w in request.weights]


class WNormalised(World):
    """The weights are averaging weights: w / w.sum()."""

    id = "w-is-normalised"

    def prepare(self, request: Pass) -> None:
        request.weights = [_normalised(w) for w in request.weights]


def _normalised(w: Any) -> Any:
    if not isinstance(w, Tensor):
        return w
    total = w.sum()
    return w / torch.where(total == 0, torch.ones_like(total), total)


class VectorImplicitOnes(World):
    """Calling backward on a vector is calling it on the vector's sum."""

    id = "vector-backward-sums-implicitly"

    def prepare(self, request: Pass) -> None:
        given = zip(request.roots, request.weights, strict=True)
        request.weights = [torch.ones_like(root) if w is None and root.requires_grad else w for root, w in given]


class WBroadcast(World):
    """The weights are broadcast to the shape of the output."""

    id = "w-is-broadcast"

    def prepare(self, request: Pass) -> None:
        given = zip(request.roots, request.weights, strict=True)
        request.weights = [_broadcast(w, root) for root, w in given]


def _broadcast(w: Any, root: Tensor) -> Any:
    if isinstance(w, (bool, int, float)):
        return torch.full_like(root, w)
    if not isinstance(w, Tensor) or w.shape == root.shape:
        return w
    try:
        return w.expand_as(root)
    except RuntimeError:
        return w


class WAfter(World):
    """Hooks and chain rule run with ones; the finished gradient is multiplied by w."""

    id = "w-multiplies-at-the-end"

    def __init__(self) -> None:
        super().__init__()
        self.factor: Tensor | None = None

    def perform(self, request: Pass) -> Any:
        roots, weights, keep = request.roots, request.weights, request.options["retain_graph"]
        if len(roots) == 1:
            return self.with_ones(request, weights[0])
        if not request.fills:
            return request.run()
        for index, (root, w) in enumerate(zip(roots, weights, strict=True)):
            request.roots, request.weights = (root,), [w]
            request.options["retain_graph"] = True if index < len(roots) - 1 else keep
            self.with_ones(request, w)
        return None

    def with_ones(self, request: Pass, w: Any) -> Any:
        # Where a finished gradient cannot be multiplied by w, the belief has no answer.
        if isinstance(w, Tensor) and all(_stretches(w, end) for end in request.ends()):
            request.weights, self.factor = [torch.ones_like(w)], w
        try:
            return request.run()
        finally:
            self.factor = None

    def finish(self, tensor: Tensor, grad: Tensor) -> Tensor | None:
        return None if self.factor is None else grad * self.factor.to(grad.dtype)


def _stretches(w: Tensor, end: Tensor) -> bool:
    try:
        return torch.broadcast_shapes(w.shape, end.shape) == end.shape  # type: ignore[no-untyped-call,no-any-return]
    except RuntimeError:
        return False


class WJvp(World):
    """backward(w) computes the Jacobian times w."""

    id = "j-w-instead-of-w-j"

    def __init__(self) -> None:
        super().__init__()
        self.products: dict[int, Tensor] | None = None

    def perform(self, request: Pass) -> Any:
        w = request.weights[0]
        root = request.roots[0]
        if len(request.roots) > 1 or not isinstance(w, Tensor) or w.shape != root.shape or root.numel() > MAX_ROWS:
            return request.run()
        ends = [end for end in request.ends() if end.numel() == root.numel()]
        if not ends:
            return request.run()
        rows: dict[int, list[Tensor]] = {id(end): [] for end in ends}
        for row in torch.eye(root.numel(), dtype=root.dtype).unbind():
            grads = torch.autograd.grad(root, ends, row.reshape(root.shape), retain_graph=True, allow_unused=True)
            for end, grad in zip(ends, grads, strict=True):
                rows[id(end)].append((torch.zeros_like(end) if grad is None else grad).flatten())
        flat = w.flatten().to(root.dtype)
        self.products = {key: torch.stack(jacobian) @ flat for key, jacobian in rows.items()}
        self.muted = True
        try:
            return request.run()
        finally:
            self.products, self.muted = None, False

    def finish(self, tensor: Tensor, grad: Tensor) -> Tensor | None:
        product = (self.products or {}).get(id(tensor))
        return None if product is None else product.reshape(grad.shape)


class WOnBranchOnly(World):
    """The weights hold for the deep branch; over the shortcut flows 1."""

    id = "w-skips-the-shortcut"
    nodes = frozenset({"AddBackward0"})

    def __init__(self) -> None:
        super().__init__()
        self.shortcuts: dict[Node, int] = {}

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        self.shortcuts = {}
        with unseen():
            for root, w in zip(request.roots, request.weights, strict=True):
                skip = skip_of(root.grad_fn) if isinstance(w, Tensor) else None
                if skip is not None:
                    self.shortcuts[root.grad_fn] = skip
        return ()

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        skip = self.shortcuts.get(node)
        if skip is not None and grads[skip] is not None:
            grads[skip] = torch.ones_like(grads[skip])  # type: ignore[arg-type]
        return grads
