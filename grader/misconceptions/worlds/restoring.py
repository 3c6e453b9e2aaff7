"""What a program may leave behind in torch's global state, remembered and put back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch.nn.modules import module as modules

_GLOBAL_HOOKS = [
    value for name, value in vars(modules).items() if name.startswith("_global_") and isinstance(value, dict)
]


class TorchState:
    """Grad and anomaly mode, default dtype, random generator and the hooks that hold for all modules, as they were."""

    def __init__(self) -> None:
        self.grad = torch.is_grad_enabled()
        self.dtype = torch.get_default_dtype()
        self.anomaly = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
        self.random = torch.get_rng_state()
        self.hooks = [dict(hooks) for hooks in _GLOBAL_HOOKS]
        self.full_hooks = modules._global_is_full_backward_hook

    def restore(self) -> None:
        torch.set_grad_enabled(self.grad)
        torch.set_default_dtype(self.dtype)
        torch._C.set_anomaly_enabled(*self.anomaly)
        torch.set_rng_state(self.random)
        for hooks, before in zip(_GLOBAL_HOOKS, self.hooks, strict=True):
            if hooks or before:
                hooks.clear()
                hooks.update(before)
        modules._global_is_full_backward_hook = self.full_hooks


class Patches:
    """Attributes replaced for a while; `undo` puts back exactly what was there, last first.

    An `undo` that was interrupted can be called again. `standing` are all that have something to undo, oldest first.
    """

    standing: ClassVar[list[Patches]] = []

    def __init__(self) -> None:
        self._before: list[tuple[Any, str, bool, Any]] = []

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Set `owner.name` to `make(what it was)`."""
        if self not in Patches.standing:
            Patches.standing.append(self)
        own = name in vars(owner)
        self._before.append((owner, name, own, vars(owner).get(name)))
        setattr(owner, name, make(getattr(owner, name)))

    def undo(self) -> None:
        while self._before:
            owner, name, own, value = self._before[-1]
            if own:
                setattr(owner, name, value)
            elif name in vars(owner):
                delattr(owner, name)
            self._before.pop()
        if self in Patches.standing:
            Patches.standing.remove(self)
