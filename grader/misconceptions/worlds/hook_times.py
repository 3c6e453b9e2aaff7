"""Worlds that bend when a hook runs: how often, from when on, until when."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from grader.misconceptions.worlds.callers import by_program, unseen
from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.sites import Hook, Node, Site
from grader.misconceptions.worlds.world import World


class RemoveNoop(World):
    """Once the forward pass has run, removing a hook comes too late."""

    id = "handle-remove-does-nothing"

    def patches(self) -> None:
        self.patch(RemovableHandle, "remove", _only_for_torch)


def _only_for_torch(remove: Any) -> Any:
    def removed(handle: RemovableHandle) -> None:
        if not by_program(("torch.utils.hooks", "torch.autograd.graph")):
            remove(handle)

    return removed


class HookOnce(World):
    """A hook is used up by the first pass in which it runs."""

    id = "hook-fires-once"

    def running(self, site: Site) -> list[Hook]:
        fresh = [(key, hook) for key, hook in site.hooks.items() if key not in site.marks]
        site.marks.update((key, True) for key, _ in fresh)
        return [hook for _, hook in fresh]


class HookBeforeUseOnly(World):
    """A hook that is registered after its tensor was used does not run."""

    id = "hook-must-be-registered-before-use"

    def __init__(self) -> None:
        super().__init__()
        self.first_use: dict[tuple[Node, int], int] = {}

    def add_hook(self, site: Site, hook: Hook) -> RemovableHandle:
        handle = super().add_hook(site, hook)
        site.marks[handle.id] = _now()
        return handle

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        self.first_use = {}
        for node in graph:
            made = node._sequence_nr()
            for edge in node.next_functions:
                self.first_use[edge] = min(made, self.first_use.get(edge, sys.maxsize))
        return ()

    def running(self, site: Site) -> list[Hook]:
        used = self.first_use.get(site.edge, sys.maxsize)
        return [hook for key, hook in site.hooks.items() if site.marks[key] < used]


def _now() -> int:
    """A number between those of the nodes made so far and those to come."""
    with unseen(), torch.enable_grad():
        node: Any = torch.zeros((), requires_grad=True).view(()).grad_fn
        return int(node._sequence_nr())


class GradSkipsHooks(World):
    """Hooks belong to `backward`; `torch.autograd.grad` does not run them."""

    id = "autograd-grad-skips-hooks"

    def dispatch(self, site: Site, grad: Tensor) -> Tensor | None:
        if self.current is not None and not self.current.fills:
            return None
        return super().dispatch(site, grad)
