"""Worlds that bend where on the way back a hook acts."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import unseen
from grader.misconceptions.worlds.in_place import changes_in_place
from grader.misconceptions.worlds.passes import Pass, is_accumulator, reach
from grader.misconceptions.worlds.sites import Node, Site, edge_of
from grader.misconceptions.worlds.world import World


class HookAfterLocal(World):
    """A hook on y changes the gradient that leaves y's own operation."""

    id = "hook-acts-after-the-local-derivative"

    def install(self, site: Site, tensor: Tensor) -> None:
        if site.is_leaf:
            super().install(site, tensor)
            return

        def after(grads: tuple[Any, ...], upstream: tuple[Any, ...]) -> tuple[Any, ...]:
            whole = _by_source(site.edge[0], grads)
            changed = [None if grad is None else self.arrive(site, grad) for grad in whole]
            return tuple(old if new is None else new for old, new in zip(whole, changed, strict=True))

        site.installed.append(site.edge[0].register_hook(after))


def _by_source(node: Node, grads: tuple[Any, ...]) -> list[Any]:
    """What leaves a node, for each tensor that it was made from: of `u * u` one gradient and not two."""
    whole: list[Any] = list(grads)
    first: dict[Any, int] = {}
    for index, edge in enumerate(node.next_functions):
        at = first.setdefault(edge, index)
        if at != index and whole[index] is not None:
            whole[at] = whole[at] + whole[index]
            whole[index] = None
    return whole


class HookOnLeafTotal(World):
    """A hook on y changes the finished gradient of the leaves that y was made from."""

    id = "hook-acts-on-the-final-x-grad"

    def install(self, site: Site, tensor: Tensor) -> None:
        if site.is_leaf:
            super().install(site, tensor)
            return
        reached: list[bool] = []
        site.installed.append(tensor.register_hook(lambda grad: reached.append(True)))  # type: ignore[no-untyped-call]
        leaves = [node.variable for node in reach([site.edge]) if is_accumulator(node)]

        def on_leaf(grad: Tensor | None) -> Tensor | None:
            return self.arrive(site, grad) if reached else None

        site.installed.extend(leaf.register_hook(on_leaf) for leaf in leaves)
        self.reached = [*getattr(self, "reached", []), reached]

    def conclude(self, request: Pass, result: Any) -> Any:
        for reached in getattr(self, "reached", []):
            reached.clear()
        return result


class HookPerUse(World):
    """A hook on y runs once for each use of y, before the uses are added up."""

    id = "hook-fires-per-consumer"
    nodes = frozenset({"*"})

    def install(self, site: Site, tensor: Tensor) -> None:
        """Nothing: the hooks run on the edges that lead to this tensor."""

    def prepare(self, request: Pass) -> None:
        # Nothing leads to a root, yet its hooks see the weights.
        for index, root in enumerate(request.roots):
            site = self.sites.get(edge_of(root)) if root.requires_grad else None
            if site is not None and site.hooks:
                weight = request.weights[index]
                if weight is None and root.numel() == 1:
                    weight = torch.ones_like(root)
                if isinstance(weight, Tensor) and weight.shape == root.shape:
                    weight = weight.to(root.dtype)
                    changed = self.arrive(site, weight)
                    request.weights[index] = weight if changed is None else changed

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        for index, edge in enumerate(node.next_functions):
            site = self.sites.get(edge)
            grad = grads[index]
            if site is not None and grad is not None:
                changed = self.arrive(site, grad)
                grads[index] = grad if changed is None else changed
        return grads


class LeafHooksIgnored(World):
    """Hooks work on intermediate tensors only."""

    id = "hooks-on-leaves-ignored"

    def admits(self, site: Site) -> bool:
        return not site.is_leaf


class NonleafHooksIgnored(World):
    """Hooks work on leaves only."""

    id = "hooks-on-non-leaves-ignored"

    def admits(self, site: Site) -> bool:
        return site.is_leaf


class LeafHookSeesAccumulated(World):
    """A hook on a leaf runs after accumulation, on the whole of `.grad`."""

    id = "leaf-hook-sees-accumulated-grad"

    def install(self, site: Site, tensor: Tensor) -> None:
        if not site.is_leaf:
            super().install(site, tensor)
            return

        def on_total(leaf: Tensor) -> None:
            changed = self.arrive(site, leaf.grad)
            if changed is not None:
                leaf.grad = changed

        site.installed.append(tensor.register_post_accumulate_grad_hook(on_total))  # type: ignore[no-untyped-call]


class HookFollowsInplace(World):
    """A hook belongs to the Python tensor: after an in-place operation it sees the gradient of the new value."""

    id = "hook-follows-in-place-updates"
    bends_chain = True

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self.sites or not changes_in_place(function, args):
            return function(*args, **kwargs)
        with unseen():
            before = edge_of(args[0]) if args[0].requires_grad else None
        result = function(*args, **kwargs)
        site = self.sites.pop(before, None) if before is not None else None
        if before is not None and site is not None:
            site.uninstall()
            site.edge = edge_of(args[0])
            site.is_leaf = False
            self.sites[site.edge] = site
            self.install(site, args[0])
        return result
