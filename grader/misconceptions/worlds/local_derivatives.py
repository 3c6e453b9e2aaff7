"""Worlds in which one operation has another derivative than it has."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import FORWARD, by_program, unseen
from grader.misconceptions.worlds.sites import Node
from grader.misconceptions.worlds.world import World


class MeanAsSum(World):
    """The 1/n of the mean is forgotten."""

    id = "mean-has-gradient-1"
    nodes = frozenset({"MeanBackward0", "MeanBackward1"})

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        (grad,), (above,) = grads, upstream
        return grads if grad is None or above is None else [grad * (grad.numel() / above.numel())]


class PowerNoExponent(World):
    """The derivative of x**n is x**(n-1)."""

    id = "power-rule-without-exponent"
    nodes = frozenset({"PowBackward0"})

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        (grad,) = grads
        exponent = node._saved_exponent
        return grads if grad is None or exponent == 0 else [grad / exponent]


class FactorDropped(World):
    """The derivative of k*u, with a constant k, is taken as 1."""

    id = "constant-factor-dropped"
    nodes = frozenset({"MulBackward0", "DivBackward0"})

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        left, right = (target is None for target, _ in node.next_functions)
        kept = 1 if left and type(node).__name__ == "MulBackward0" else 0 if right else None
        if kept is None or grads[kept] is None or upstream[0] is None:
            return grads
        grads[kept] = upstream[0].sum_to_size(grads[kept].shape)  # type: ignore[union-attr]
        return grads


class ReluZeroOne(World):
    """relu has the derivative 1 at 0."""

    id = "relu-has-gradient-1-at-0"
    nodes = frozenset({"ReluBackward0"})

    def __init__(self) -> None:
        super().__init__()
        self.at_zero: dict[Node, Tensor] = {}

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if getattr(function, "__name__", "") not in ("relu", "relu_") or not by_program(FORWARD):
            return function(*args, **kwargs)
        with unseen():
            given = args[0] if args else kwargs["input"]
            at_zero = given.detach() == 0
        result = function(*args, **kwargs)
        with unseen():
            if result.grad_fn is not None:
                self.at_zero[result.grad_fn] = at_zero
        return result

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        at_zero = self.at_zero.get(node)
        (grad,), (above,) = grads, upstream
        return grads if at_zero is None or grad is None or above is None else [torch.where(at_zero, above, grad)]
