"""The world that interferes everywhere and changes nothing: the proof that the interference itself is harmless."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.sites import Hook, Node, Site
from grader.misconceptions.worlds.world import Handler, World


class Identity(World):
    """Torch's real rules, by way of every place that a world can bend. Not in `WORLDS`: it is no belief."""

    nodes = frozenset({"*"})

    def running(self, site: Site) -> list[Hook]:
        return super().running(site)

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        return [edge for edge in ((node, 0) for node in graph) if edge[0] is None]

    def finish(self, tensor: Tensor, grad: Tensor) -> Tensor | None:
        return grad

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return function(*args, **kwargs)

    def handlers(self) -> dict[Any, Handler]:
        def same(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return function(*args, **kwargs)

        grad: Any = torch.Tensor.grad
        return {
            grad.__get__: same,
            torch.Tensor.detach: same,
            torch.Tensor.retain_grad: same,
            torch._C._set_grad_enabled: same,
        }

    def patches(self) -> None:
        def same(original: Callable[..., Any]) -> Callable[..., Any]:
            return lambda *args, **kwargs: original(*args, **kwargs)

        self.patch(RemovableHandle, "remove", same)
        self.patch(torch.autograd.graph, "register_multi_grad_hook", same)
        self.patch(torch.utils.checkpoint, "checkpoint", same)


class Transparent(World):
    """Torch's real rules, by way of each single hook."""

    def call(self, site: Site, hook: Hook, grad: Tensor) -> Any:
        return super().call(site, hook, grad)
