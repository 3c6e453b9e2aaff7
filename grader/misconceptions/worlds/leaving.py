"""Out of every world at once, where one could not be left in order: its time was up while it was entered or left."""

from __future__ import annotations

import torch

from grader.misconceptions.worlds.reentry import active
from grader.misconceptions.worlds.restoring import Patches, TorchState

_OUTSIDE = TorchState()
# Each holds for as long as it lives.
_enabling: list[object] = []


def is_left() -> bool:
    """Whether torch is as it is outside of all worlds: no mode, no patch."""
    seen = torch._C._is_torch_function_enabled()
    return seen and not (active or Patches.standing or torch._C._len_torch_function_stack())


def leave_all() -> None:
    """Take away the modes and patches of all worlds, and put torch's global state back. May be called anywhere."""
    active.clear()
    while torch._C._len_torch_function_stack():
        torch._C._pop_torch_function_stack()
    while Patches.standing:
        Patches.standing[-1].undo()
    if not torch._C._is_torch_function_enabled():
        # There is no other way to undo a `DisableTorchFunction` that was interrupted before it could do so itself.
        _enabling.append(torch._C._EnableTorchFunction())
    _OUTSIDE.restore()
