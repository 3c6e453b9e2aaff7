"""Worlds that bend how several hooks on one tensor work together."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator
from types import CellType, FunctionType
from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.sites import Hook, Site
from grader.misconceptions.worlds.world import World


class HooksReversed(World):
    """Backward is backwards: the hook registered last runs first."""

    id = "hooks-run-in-reverse-order"

    def running(self, site: Site) -> list[Hook]:
        return super().running(site)[::-1]


class HooksLastOnly(World):
    """A tensor has one place for a hook; registering again overwrites."""

    id = "later-hook-replaces-earlier"

    def running(self, site: Site) -> list[Hook]:
        return super().running(site)[-1:]


class HooksNoChain(World):
    """Every hook sees the original gradient; the last return wins."""

    id = "hooks-do-not-chain"

    def dispatch(self, site: Site, grad: Tensor) -> Tensor | None:
        returned = self.returned(site, grad)
        return returned[-1] if returned else None

    def returned(self, site: Site, grad: Tensor) -> list[Tensor]:
        results = [(hook, self.call(site, hook, grad)) for hook in self.running(site)]
        return [self.accept(grad, result, hook) for hook, result in results if result is not None]


class HooksSum(HooksNoChain):
    """Every hook sees the original gradient; what they return is added up."""

    id = "hook-returns-are-summed"

    def dispatch(self, site: Site, grad: Tensor) -> Tensor | None:
        returned = self.returned(site, grad)
        return functools.reduce(torch.add, returned) if returned else None


class RemoveImmediate(World):
    """A hook that an earlier hook removes no longer runs in this pass."""

    id = "removal-inside-a-hook-acts-at-once"

    def running(self, site: Site) -> Any:
        return _still_there(site)


def _still_there(site: Site) -> Iterator[Hook]:
    for key in list(site.hooks):
        if key in site.hooks:
            yield site.hooks[key]


class ClosureFrozen(World):
    """A function made in a loop keeps the value that the loop's variable had when it was registered."""

    id = "hook-remembers-loop-variable"

    def register_hook(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return super().register_hook(function, tuple(_frozen(thing) for thing in args), kwargs)

    def register_post_hook(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return super().register_post_hook(function, tuple(_frozen(thing) for thing in args), kwargs)


def _frozen(hook: Any) -> Any:
    """The same function on cells of its own, except for those that it assigns itself (`nonlocal`) or that are empty."""
    if type(hook) is not FunctionType or not hook.__closure__:
        return hook
    names = hook.__code__.co_freevars
    cells = tuple(
        cell if name in _assigned(hook) or _is_empty(cell) else CellType(cell.cell_contents)
        for name, cell in zip(names, hook.__closure__, strict=True)
    )
    copy = FunctionType(hook.__code__, hook.__globals__, hook.__name__, hook.__defaults__, cells)
    copy.__kwdefaults__ = hook.__kwdefaults__
    return copy


def _assigned(hook: FunctionType) -> set[str]:
    return {step.argval for step in dis.get_instructions(hook) if step.opname in ("STORE_DEREF", "DELETE_DEREF")}


def _is_empty(cell: CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018 - reading is the question
    except ValueError:
        return True
    return False
