"""Worlds about what is kept for the backward pass: saved-tensor hooks and checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.utils.checkpoint

from grader.misconceptions.worlds.callers import by_program
from grader.misconceptions.worlds.world import World


class SavedHooksNoop(World):
    """Saved-tensor hooks are about storage; what unpack returns is not what backward uses."""

    id = "unpack-hook-cannot-change-the-gradient"

    def patches(self) -> None:
        self.patch(torch.autograd.graph.saved_tensors_hooks, "__init__", _storing_only)


def _storing_only(init: Callable[..., Any]) -> Callable[..., Any]:
    def storing(self: Any, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        def unpack(kept: tuple[Any, Any]) -> Any:
            unpack_hook(kept[1])
            return kept[0]

        if by_program():
            init(self, lambda tensor: (tensor, pack_hook(tensor)), unpack)
        else:
            init(self, pack_hook, unpack_hook)

    return storing


class CheckpointTransparent(World):
    """checkpoint(f, x) is f(x)."""

    id = "checkpoint-runs-the-function-once"

    def patches(self) -> None:
        self.patch(torch.utils.checkpoint, "checkpoint", _called_once)


_OPTIONS = ("use_reentrant", "context_fn", "determinism_check", "debug", "early_stop", "preserve_rng_state")


def _called_once(checkpoint: Callable[..., Any]) -> Callable[..., Any]:
    def once(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if not by_program():
            return checkpoint(function, *args, **kwargs)
        return function(*args, **{name: value for name, value in kwargs.items() if name not in _OPTIONS})

    return once
