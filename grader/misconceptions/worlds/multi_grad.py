"""Worlds that bend `register_multi_grad_hook`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from grader.misconceptions.worlds.callers import by_program, unseen
from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.sites import Edge, Site
from grader.misconceptions.worlds.world import World

Group: TypeAlias = tuple[tuple[Tensor, ...], Callable[..., Any]]


class MultiGradReturnUsed(World):
    """The tuple that a multi-grad hook returns replaces the gradients.

    The gradients of all its tensors are needed before any may flow on: a rehearsal finds them, and what hooks gave
    in it is used again in the pass itself, so that each runs once.
    """

    id = "multi-grad-hook-replaces-gradients"

    def __init__(self) -> None:
        super().__init__()
        self.groups: OrderedDict[int, Group] = OrderedDict()
        self.rehearsing = False
        self.rehearsed: dict[Edge, Tensor | None] = {}

    def patches(self) -> None:
        self.patch(torch.autograd.graph, "register_multi_grad_hook", self.registering)

    def registering(self, register: Callable[..., Any]) -> Callable[..., Any]:
        def registered(tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all") -> Any:
            if mode != "all" or not by_program() or not all(tensor.requires_grad for tensor in tensors):
                return register(tensors, fn, mode=mode)
            handle = RemovableHandle(self.groups)
            self.groups[handle.id] = (tuple(tensors), fn)
            return handle

        return registered

    def perform(self, request: Pass) -> Any:
        with ExitStack() as until:
            for tensors, fn in list(self.groups.values()):
                grads = self.rehearse(request, tensors)
                given = self.ask(fn, grads) if any(grad is not None for grad in grads) else None
                if isinstance(given, (tuple, list)) and len(given) == len(tensors):
                    for tensor, grad in zip(tensors, given, strict=True):
                        if isinstance(grad, Tensor):
                            with unseen():
                                until.callback(tensor.register_hook(lambda _, grad=grad: grad).remove)  # type: ignore[no-untyped-call]
            try:
                return request.run()
            finally:
                self.rehearsed.clear()

    def rehearse(self, request: Pass, tensors: tuple[Tensor, ...]) -> list[Tensor | None]:
        self.rehearsing = True
        create_graph = bool(request.options["create_graph"])
        try:
            return list(
                torch.autograd.grad(
                    request.roots,
                    tensors,
                    request.weights,
                    retain_graph=True,
                    create_graph=create_graph,
                    allow_unused=True,
                )
            )
        finally:
            self.rehearsing = False

    def dispatch(self, site: Site, grad: Tensor) -> Tensor | None:
        if site.edge in self.rehearsed:
            return self.rehearsed[site.edge]
        result = super().dispatch(site, grad)
        if self.rehearsing:
            self.rehearsed[site.edge] = result
        return result
