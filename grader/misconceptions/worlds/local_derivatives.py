"""Worlds in which one operation has another derivative than it has."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import FORWARD, by_program, unseen
from grader.misconceptions.worlds.sites import Node
from grader.misconceptions.worlds.world import World

# Losses that torch computes in one step, which are a mean unless the program says otherwise.
_LOSSES = frozenset({"MseLossBackward0", "SmoothL1LossBackward0", "HuberLossBackward0", "BinaryCrossEntropyBackward0"})
_IS_MEAN = 1


class MeanAsSum(World):
    """The 1/n of the mean is forgotten."""

    id = "mean-has-gradient-1"
    nodes = frozenset({"MeanBackward0", "MeanBackward1"}) | _LOSSES

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        above = upstream[0]
        if above is None or getattr(node, "_saved_reduction", _IS_MEAN) != _IS_MEAN:
            return grads
        return [None if grad is None else grad * (grad.numel() / above.numel()) for grad in grads]


class PowerNoExponent(World):
    """The derivative of x**n is x**(n-1); of the squared error, the error."""

    id = "power-rule-without-exponent"
    nodes = frozenset({"PowBackward0", "MseLossBackward0"})

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        exponent = getattr(node, "_saved_exponent", 2)
        return [grad if grad is None or exponent == 0 else grad / exponent for grad in grads]


class FactorDropped(World):
    """The derivative of k*u is taken as 1, where k is a number or weights; what was computed from a leaf is neither."""

    id = "constant-factor-dropped"
    nodes = frozenset({"MulBackward0", "DivBackward0"})

    def __init__(self) -> None:
        super().__init__()
        self.computed: dict[int, Tensor] = {}

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = function(*args, **kwargs)
        if isinstance(result, Tensor) and not result.requires_grad:
            with unseen():
                if any(isinstance(each, Tensor) and self.is_computed(each) for each in args[:2]):
                    self.computed[result.untyped_storage().data_ptr()] = result
        return result

    def is_computed(self, tensor: Tensor) -> bool:
        return tensor.requires_grad or tensor.untyped_storage().data_ptr() in self.computed

    def is_constant(self, factor: Any) -> bool:
        """Whether a factor without gradient is one that this belief drops."""
        with unseen():
            return not (isinstance(factor, Tensor) and self.is_computed(factor))

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        left, right = (target is None for target, _ in node.next_functions)
        kept = 1 if left and type(node).__name__ == "MulBackward0" else 0 if right else None
        if kept is None or grads[kept] is None or upstream[0] is None:
            return grads
        if self.is_constant(node._saved_self if kept else node._saved_other):
            grads[kept] = upstream[0].sum_to_size(grads[kept].shape).clone()  # type: ignore[union-attr]
        return grads


class NumberDropped(FactorDropped):
    """The derivative of k*u is taken as 1 where k is a single number; weights are kept."""

    reading = "numbers-only"

    def is_constant(self, factor: Any) -> bool:
        return not (isinstance(factor, Tensor) and factor.dim()) and super().is_constant(factor)


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
