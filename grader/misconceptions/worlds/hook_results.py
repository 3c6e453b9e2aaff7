"""Worlds that bend what becomes of a hook's argument and of what it returns."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import unseen
from grader.misconceptions.worlds.sites import Hook, Site, check_result
from grader.misconceptions.worlds.world import World


class HookReturnIgnored(World):
    """A hook only observes."""

    id = "hook-return-ignored"

    def call(self, site: Site, hook: Hook, grad: Tensor) -> Any:
        self.ask(hook, grad.clone())


class HookInplaceIgnored(World):
    """A hook gets a copy; editing it changes nothing."""

    id = "in-place-edit-in-hook-ignored"

    def call(self, site: Site, hook: Hook, grad: Tensor) -> Any:
        return self.ask(hook, grad.clone())


class HookOnlyInplace(World):
    """What a hook returns is thrown away; what it edits counts, on this path only."""

    id = "hook-must-edit-in-place"

    def call(self, site: Site, hook: Hook, grad: Tensor) -> Any:
        edited = grad.clone()
        self.ask(hook, edited)
        return edited


class HookNoneZeroes(World):
    """A hook without a return statement passes nothing on."""

    id = "hook-returning-none-kills-the-gradient"

    def call(self, site: Site, hook: Hook, grad: Tensor) -> Any:
        result = self.ask(hook, grad)
        return torch.zeros_like(grad) if result is None else result


class HookReturnAdded(World):
    """What a hook returns is added to the gradient."""

    id = "hook-return-added"

    def accept(self, grad: Tensor, result: Any, hook: Hook) -> Tensor:
        return grad + check_result(grad, result, hook)


class HookGetsValue(World):
    """A hook's argument is the tensor's value."""

    id = "hook-receives-the-value"

    def call(self, site: Site, hook: Hook, grad: Tensor) -> Any:
        return self.ask(hook, site.value)


class HookReturnCoerced(World):
    """What a hook returns is converted to the gradient's dtype and broadcast to its shape."""

    id = "hook-return-is-coerced"

    def accept(self, grad: Tensor, result: Any, hook: Hook) -> Tensor:
        try:
            with unseen():
                fitting = torch.as_tensor(result).to(grad).expand_as(grad)
        except (RuntimeError, TypeError, ValueError):
            return check_result(grad, result, hook)
        return fitting


class HookNotDifferentiated(World):
    """What a hook computes is a constant for the second derivative."""

    id = "hook-invisible-to-second-derivative"

    def accept(self, grad: Tensor, result: Any, hook: Hook) -> Tensor:
        return grad + (check_result(grad, result, hook) - grad).detach()
