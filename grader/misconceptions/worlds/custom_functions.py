"""Worlds that bend `torch.autograd.Function`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import PROGRAM
from grader.misconceptions.worlds.world import World


class FunctionLocalOnly(World):
    """backward of a custom Function gives the local derivative, not multiplied by grad_output."""

    id = "grad-output-forgotten"

    def patches(self) -> None:
        for name in ("apply", "apply_boxed"):
            self.patch(torch.autograd.function.BackwardCFunction, name, _with_ones)


def _with_ones(apply: Callable[..., Any]) -> Callable[..., Any]:
    def local(node: Any, *grads: Any) -> Any:
        if node._forward_cls.__module__ != PROGRAM:
            return apply(node, *grads)
        return apply(node, *[torch.ones_like(grad) if isinstance(grad, Tensor) else grad for grad in grads])

    return local
