"""Worlds that bend post-accumulate hooks."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from grader.misconceptions.worlds.callers import by_program
from grader.misconceptions.worlds.sites import Hook
from grader.misconceptions.worlds.world import World


class PostAccGetsGrad(World):
    """A post-accumulate hook is given the gradient, and what it returns replaces `.grad`."""

    id = "post-accumulate-hook-receives-the-gradient"

    def after_accumulation(self, hook: Hook, leaf: Tensor) -> Any:
        result = self.ask(hook, leaf.grad)
        if isinstance(result, Tensor):
            leaf.grad = result


class PostAccNewOnly(World):
    """In a post-accumulate hook, `.grad` is what this pass contributed."""

    id = "post-accumulate-hook-sees-only-the-new-gradient"

    def __init__(self) -> None:
        super().__init__()
        self.before: dict[int, Tensor | None] = {}

    def register_post_hook(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        leaf = args[0]
        if leaf.requires_grad and leaf.is_leaf and by_program() and id(leaf) not in self.before:
            self.before[id(leaf)] = None

            def remember(grad: Tensor | None) -> None:
                self.before[id(leaf)] = None if leaf.grad is None else leaf.grad.clone()

            leaf.register_hook(remember)
        return super().register_post_hook(function, args, kwargs)

    def after_accumulation(self, hook: Hook, leaf: Tensor) -> Any:
        old = self.before.get(id(leaf))
        if old is None or leaf.grad is None:
            return super().after_accumulation(hook, leaf)
        leaf.grad = leaf.grad - old
        result = super().after_accumulation(hook, leaf)
        leaf.grad = old if leaf.grad is None else leaf.grad + old
        return result
