"""Worlds that bend what gathers in `.grad`, and whose `.grad` there is."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import by_program, unseen
from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.sites import Node, edge_of
from grader.misconceptions.worlds.world import Handler, World

_field: Any = torch.Tensor.grad
GET_GRAD = _field.__get__


def filled(request: Pass) -> list[Tensor]:
    """The leaves whose `.grad` this pass changes."""
    if not request.fills:
        return []
    return [end for end in request.ends() if end.is_leaf]


class BackwardReplaces(World):
    """Each backward pass overwrites `.grad` of the leaves."""

    id = "second-backward-replaces"

    def prepare(self, request: Pass) -> None:
        with unseen():
            for leaf in filled(request):
                leaf.grad = None


class BackwardReplacesRetained(BackwardReplaces):
    """Each backward pass overwrites `.grad`, that of tensors with `retain_grad` as well."""

    reading = "retained-too"

    def __init__(self) -> None:
        super().__init__()
        self.retained: list[Tensor] = []

    def handlers(self) -> dict[Any, Handler]:
        return {torch.Tensor.retain_grad: self.retain}

    def retain(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.retained.extend(args[:1])
        return function(*args, **kwargs)

    def prepare(self, request: Pass) -> None:
        super().prepare(request)
        with unseen():
            nodes = set(request.graph()) if self.retained and request.fills else set()
            for tensor in self.retained:
                if tensor.grad_fn in nodes:
                    tensor.grad = None


class AccumulateNewTensor(World):
    """Accumulation makes a new tensor; one kept from before stays as it was."""

    id = "accumulation-makes-a-new-tensor"

    def prepare(self, request: Pass) -> None:
        with unseen():
            for leaf in filled(request):
                if leaf.grad is not None:
                    leaf.grad = leaf.grad.clone()


class InputsIgnored(World):
    """`backward(inputs=...)` fills the `.grad` of all leaves anyway."""

    id = "backward-inputs-ignored"

    def prepare(self, request: Pass) -> None:
        if request.fills:
            request.inputs = None


class GradWritesField(World):
    """`torch.autograd.grad` adds to `.grad`, as `backward` does."""

    id = "autograd-grad-also-fills-grad"

    def conclude(self, request: Pass, result: Any) -> Any:
        if request.fills:
            return result
        with unseen():
            for tensor, grad in zip(request.wanted(), result, strict=True):
                if grad is not None and isinstance(tensor, Tensor) and tensor.is_leaf:
                    tensor.grad = grad.detach().clone() if tensor.grad is None else tensor.grad + grad.detach()
        return result


class UnusedIsZero(World):
    """`torch.autograd.grad` gives zeros for inputs on which the output does not depend."""

    id = "unused-input-has-gradient-zero"

    def prepare(self, request: Pass) -> None:
        if not request.fills:
            request.options.update(allow_unused=True, materialize_grads=True)


class ZeroGradZeros(World):
    """After `zero_grad`, `.grad` is a tensor of zeros."""

    id = "zero-grad-leaves-zeros"

    def patches(self) -> None:
        self.patch(torch.optim.Optimizer, "zero_grad", _with_zeros)
        self.patch(torch.nn.Module, "zero_grad", _with_zeros)


def _with_zeros(zero_grad: Any) -> Any:
    def zero(self: Any, set_to_none: bool = False) -> None:
        zero_grad(self, set_to_none=set_to_none if by_program() else True)

    return zero


class NonleafGradKept(World):
    """Backward fills the `.grad` of intermediate tensors as well."""

    id = "every-tensor-keeps-grad"
    nodes = frozenset({"*"})

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[Node, int], Tensor] = {}

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        if self.current is not None and self.current.fills:
            for index, grad in enumerate(upstream):
                if grad is not None:
                    old = self.kept.get((node, index))
                    self.kept[node, index] = grad.clone() if old is None else old + grad
        return grads

    def handlers(self) -> dict[Any, Handler]:
        return {GET_GRAD: self.read}

    def read(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor = args[0]
        found = function(*args, **kwargs)
        if found is None and tensor.requires_grad and not tensor.is_leaf and by_program():
            return self.kept.get(edge_of(tensor))
        return found


class ComplexNoConj(World):
    """The gradient of a complex leaf is the plain complex derivative."""

    id = "no-conjugation"

    def handlers(self) -> dict[Any, Handler]:
        return {GET_GRAD: self.read}

    def read(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        grad = function(*args, **kwargs)
        return _conjugate(grad) if by_program() else grad

    def conclude(self, request: Pass, result: Any) -> Any:
        return result if request.fills else tuple(_conjugate(grad) for grad in result)


def _conjugate(grad: Any) -> Any:
    return grad.conj().resolve_conj() if isinstance(grad, Tensor) and grad.is_complex() else grad
