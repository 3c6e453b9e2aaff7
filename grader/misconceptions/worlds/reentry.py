"""Back into the worlds where torch calls the program's own code in the backward pass, in which no mode is active."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from grader.misconceptions.worlds.callers import PROGRAM, by_program

# The modes of the worlds that are entered, outermost first.
active: list[TorchFunctionMode] = []


def function_in_worlds(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Torch calls the backward of a custom Function where no mode is active: enter them again."""

    def in_worlds(node: Any, *args: Any) -> Any:
        if node._forward_cls.__module__ != PROGRAM:
            return apply(node, *args)
        with again():
            return apply(node, *args)

    return in_worlds


def checkpoint_in_worlds(checkpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Torch calls a checkpointed function a second time where no mode is active."""

    def checkpointed(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        def in_worlds(*inputs: Any, **more: Any) -> Any:
            with again():
                return function(*inputs, **more)

        return checkpoint(in_worlds if by_program() else function, *args, **kwargs)

    return checkpointed


@contextmanager
def again() -> Iterator[None]:
    """Within torch's backward pass, where no mode is active, all worlds again, outermost first."""
    with ExitStack() as stack:
        if not torch._C._len_torch_function_stack():
            for mode in active:
                stack.enter_context(mode)
        yield
