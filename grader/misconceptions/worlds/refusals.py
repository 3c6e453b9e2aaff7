"""Beliefs about what torch refuses, and about what it lets pass."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from grader.misconceptions.worlds.answers import AnswerWorld
from grader.misconceptions.worlds.callers import FORWARD, PROGRAM, by_program, unseen
from grader.misconceptions.worlds.in_place import changes_in_place
from grader.misconceptions.worlds.passes import Pass, is_accumulator
from grader.misconceptions.worlds.severed import DETACHING
from grader.misconceptions.worlds.sites import Node, edge_of
from grader.misconceptions.worlds.world import Handler


class HookOnConstantSkipped(AnswerWorld):
    """A hook on a tensor that never gets a gradient is never called."""

    id = "hook-on-a-constant-is-skipped"

    def register_hook(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not args[0].requires_grad and by_program():
            return RemovableHandle(OrderedDict())
        return super().register_hook(function, args, kwargs)


class SecondBackwardRaises(AnswerWorld):
    """A second pass from the same result raises, unless the graph was retained."""

    id = "second-backward-always-raises"

    def __init__(self) -> None:
        super().__init__()
        self.done: set[Node] = set()

    def prepare(self, request: Pass) -> None:
        roots = {edge_of(root)[0] for root in request.roots if root.requires_grad}
        if roots & self.done:
            raise RuntimeError("Trying to backward through the graph a second time")
        keep = request.options["retain_graph"]
        if not (request.options["create_graph"] if keep is None else keep):
            self.done |= roots


class InPlaceBreaksBackward(AnswerWorld):
    """Changing a tensor in place before the backward pass always raises."""

    id = "any-in-place-operation-breaks-backward"

    def __init__(self) -> None:
        super().__init__()
        self.changed: set[Node] = set()

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        changes = changes_in_place(function, args)
        result = function(*args, **kwargs)
        if changes and torch.is_grad_enabled() and args[0].requires_grad:
            self.changed.add(edge_of(args[0])[0])
        return result

    def prepare(self, request: Pass) -> None:
        if self.changed and not self.changed.isdisjoint(request.graph()):
            raise RuntimeError("one of the variables needed for gradient computation has been modified in place")


class DetachedEditsSilent(AnswerWorld):
    """Autograd does not notice changes in place through detach()."""

    id = "edits-through-detach-are-silent"

    def handlers(self) -> dict[Any, Handler]:
        return dict.fromkeys(DETACHING, self.detach)

    def detach(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not (args and isinstance(args[0], Tensor) and by_program()):
            return function(*args, **kwargs)
        with unseen():
            return args[0].data


class WrongShapeRaises(AnswerWorld):
    """A gradient of another shape than the input's always raises."""

    id = "wrong-shape-from-a-custom-backward-always-raises"

    def patches(self) -> None:
        for name in ("apply", "apply_boxed"):
            self.patch(torch.autograd.function.BackwardCFunction, name, _exact)


def _exact(apply: Callable[..., Any]) -> Callable[..., Any]:
    def exact(node: Any, *grads: Any) -> Any:
        results = apply(node, *grads)
        if node._forward_cls.__module__ == PROGRAM:
            given = results if isinstance(results, tuple) else (results,)
            needed = [grad for grad, needs in zip(given, node.needs_input_grad, strict=False) if needs]
            targets = [edge for edge in node.next_functions if edge[0] is not None]
            for grad, (target, number) in zip(needed, targets, strict=False):
                if isinstance(grad, Tensor) and grad.shape != _shape_at(target, number):
                    raise RuntimeError(f"{type(node).__name__} returned a gradient of invalid shape")
        return results

    return exact


def _shape_at(node: Node, number: int) -> torch.Size:
    return torch.Size(node.variable.shape if is_accumulator(node) else node._input_metadata[number].shape)


class InPlaceActivationsFine(AnswerWorld):
    """An activation that works in place goes well with a backward hook on the layer before it."""

    id = "in-place-activations-are-fine-next-to-module-hooks"

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if kwargs.get("inplace") is True and by_program(FORWARD):
            kwargs = {**kwargs, "inplace": False}
        changes = changes_in_place(function, args)
        try:
            return function(*args, **kwargs)
        except RuntimeError as error:
            if not changes or "BackwardHookFunction" not in str(error):
                raise
        with unseen():
            function(args[0].data, *args[1:], **kwargs)
        return args[0]
