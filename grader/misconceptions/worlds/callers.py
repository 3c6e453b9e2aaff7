"""Whose call is it? A world bends what the program asks for, never what torch asks of itself.

The program's frames are known by their globals: `grader.program.running.define` names every namespace `__program__`.
"""

from __future__ import annotations

import sys
from types import FrameType

import torch

PROGRAM = "__program__"
# What a forward pass may go through without ceasing to be the program's: modules and the functions they call.
FORWARD = (
    "torch.nn.modules",
    "torch.nn.functional",
    "torch.functional",
    "torch.utils.checkpoint",
)
# What a request for gradients may go through.
TRANSFORMS = ("torch._functorch", "torch.func", "torch._vmap_internals", "torch.autograd.functional")

# Inside this, calls reach torch itself: no world sees them.
unseen = torch._C.DisableTorchFunction

_OURS = __name__.rpartition(".")[0]
# Between the program's line and the mode's handler lie only these: torch's own dispatch, and the worlds outside.
_DISPATCH = frozenset(
    {"torch.overrides", "torch._tensor", "torch.autograd", "torch.utils._contextlib", "torch.autograd.grad_mode"}
)


def by_program(also: tuple[str, ...] = ()) -> bool:
    """Tell whether the torch function being handled was called by the program's own line.

    Args:
        also: prefixes of module names that count as the program's hand, such as `torch.nn.modules`.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module == PROGRAM:
            return True
        if module == "torch.utils._contextlib" and not _decorates_program(frame):
            return False
        if module not in _DISPATCH and not module.startswith(_OURS) and not (also and module.startswith(also)):
            return False
        frame = frame.f_back
    return False


def _decorates_program(frame: FrameType) -> bool:
    """`@torch.no_grad()` on a function of torch's (an optimizer's `step`) is torch's own affair."""
    function = frame.f_locals.get("func")
    return getattr(function, "__module__", None) == PROGRAM
