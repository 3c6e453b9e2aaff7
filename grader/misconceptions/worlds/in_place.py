"""Worlds about operations that change a tensor in place."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import FORWARD, by_program, unseen
from grader.misconceptions.worlds.world import World

# They end like in-place operations and are none.
_SETTINGS = frozenset({"requires_grad_", "detach_", "share_memory_", "retain_grad_", "rename_"})

_AUGMENTED = frozenset(f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"))


def changes_in_place(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether this call of the program's own changes its first argument: `add_`, `+=`, `y[0] = ...`."""
    name: str = getattr(function, "__name__", "")
    if not args or not isinstance(args[0], Tensor):
        return False
    if name.endswith("_") and not name.endswith("__"):
        return name not in _SETTINGS and by_program(FORWARD)
    return (name == "__setitem__" or name in _AUGMENTED) and by_program(FORWARD)


class InplaceUntracked(World):
    """In-place operations only change the data; backward does not know of them."""

    id = "in-place-edits-are-not-recorded"

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not (changes_in_place(function, args) and torch.is_grad_enabled()):
            return function(*args, **kwargs)
        with unseen():
            function(args[0].data, *args[1:], **kwargs)
        return args[0]
