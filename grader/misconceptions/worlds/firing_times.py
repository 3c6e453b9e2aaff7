"""Beliefs about whether hooks of the rarer kinds fire, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.answers import AnswerWorld
from grader.misconceptions.worlds.callers import by_program
from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.sites import Hook


class GradRunsPostHooks(AnswerWorld):
    """`torch.autograd.grad` runs the post-accumulate hooks of its inputs."""

    id = "autograd-grad-runs-post-accumulate-hooks"

    def __init__(self) -> None:
        super().__init__()
        self.after: list[tuple[Tensor, Hook]] = []

    def register_post_hook(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) == 2 and by_program():
            self.after.append((args[0], args[1]))
        return super().register_post_hook(function, args, kwargs)

    def conclude(self, request: Pass, result: Any) -> Any:
        if not request.fills:
            for leaf, hook in self.after:
                if any(wanted is leaf for wanted in request.wanted()):
                    self.ask(hook, leaf)
        return result


class MultiGradPerTensor(AnswerWorld):
    """A multi-grad hook fires once for each of its tensors."""

    id = "multi-grad-hook-fires-per-tensor"

    def patches(self) -> None:
        self.patch(torch.autograd.graph, "register_multi_grad_hook", self.registering)

    def registering(self, register: Callable[..., Any]) -> Callable[..., Any]:
        def registered(tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all") -> Any:
            if not by_program():
                return register(tensors, fn, mode=mode)

            def each(grad: Tensor) -> None:
                self.ask(fn, grad if mode == "any" else [grad])

            handles = tuple(tensor.register_hook(each) for tensor in tensors)  # type: ignore[no-untyped-call]
            return torch.autograd.graph._MultiHandle(handles)

        return registered


class PackInBackward(AnswerWorld):
    """Both hooks for saved tensors run in the backward pass."""

    id = "pack-hook-runs-in-the-backward-pass"

    def patches(self) -> None:
        self.patch(torch.autograd.graph.saved_tensors_hooks, "__init__", _packing_late)


def _packing_late(init: Callable[..., Any]) -> Callable[..., Any]:
    def late(self: Any, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        if by_program():
            init(self, lambda tensor: tensor, lambda tensor: unpack_hook(pack_hook(tensor)))
        else:
            init(self, pack_hook, unpack_hook)

    return late


class PrependIgnored(AnswerWorld):
    """`prepend=True` changes nothing."""

    id = "prepend-does-nothing"

    def patches(self) -> None:
        for kind in ("forward_hook", "forward_pre_hook", "full_backward_hook", "full_backward_pre_hook"):
            self.patch(torch.nn.Module, f"register_{kind}", _appending)


def _appending(register: Callable[..., Any]) -> Callable[..., Any]:
    def registered(*args: Any, **kwargs: Any) -> Any:
        if by_program():
            kwargs.pop("prepend", None)
        return register(*args, **kwargs)

    return registered
