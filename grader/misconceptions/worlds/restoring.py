"""What a program may leave behind in torch's global state, remembered and put back."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import ModuleType
from typing import Any, ClassVar

import torch
import torch.nn.functional
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

_GLOBAL_HOOKS = [
    value
    for owner in (modules, optimizers)
    for name, value in vars(owner).items()
    if name.startswith("_global_") and isinstance(value, dict)
]
# What a program could replace a function of.
_OWNERS: tuple[Any, ...] = (torch, torch.Tensor, torch.autograd, torch.nn.functional, torch.nn.Module)


class TorchState:
    """Grad and anomaly mode, default dtype, random generator and the hooks that hold for all modules, as they were.

    Also what few programs touch: default device, function modes and saved-tensor hooks that were entered and not left,
    flags of determinism, precision and threads.
    """

    def __init__(self) -> None:
        self.grad = torch.is_grad_enabled()
        self.dtype = torch.get_default_dtype()
        self.anomaly = torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()
        self.random = torch.get_rng_state()
        self.hooks = [dict(hooks) for hooks in _GLOBAL_HOOKS]
        self.full_hooks = modules._global_is_full_backward_hook
        self.modes = _function_modes()
        self.device = getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None)
        self.saving = torch._C._autograd._top_saved_tensors_default_hooks(True)
        self.flags = _flags()

    def restore(self) -> None:
        if _function_modes() != self.modes:
            while torch._C._len_torch_function_stack():
                torch._C._pop_torch_function_stack()
            for mode in self.modes:
                torch._C._push_on_torch_function_stack(mode)
        torch._GLOBAL_DEVICE_CONTEXT.device_context = self.device
        torch.set_grad_enabled(self.grad)
        torch.set_default_dtype(self.dtype)
        torch._C.set_anomaly_enabled(*self.anomaly)
        torch.set_rng_state(self.random)
        for hooks, before in zip(_GLOBAL_HOOKS, self.hooks, strict=True):
            if hooks or before:
                hooks.clear()
                hooks.update(before)
        modules._global_is_full_backward_hook = self.full_hooks
        _restore_saving(self.saving)
        if _flags() != self.flags:
            _set_flags(self.flags)


def _function_modes() -> list[Any]:
    return [torch._C._get_function_stack_at(at) for at in range(torch._C._len_torch_function_stack())]


def _restore_saving(outer: Any) -> None:
    """Leave the saved-tensor hooks that were entered after `outer`, and allow them again."""
    torch._C._autograd._saved_tensors_hooks_enable()
    while (top := torch._C._autograd._top_saved_tensors_default_hooks(True)) is not None and top != outer:
        torch._C._autograd._pop_saved_tensors_default_hooks()


def _flags() -> tuple[Any, ...]:
    return (
        torch.are_deterministic_algorithms_enabled(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
        torch._C._is_multithreading_enabled(),
        torch.get_num_threads(),
        torch.get_float32_matmul_precision(),
    )


def _set_flags(flags: tuple[Any, ...]) -> None:
    deterministic, warns, threaded, threads, precision = flags
    torch.use_deterministic_algorithms(deterministic, warn_only=warns)
    torch._C._set_multithreading_enabled(threaded)
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    torch.set_float32_matmul_precision(precision)


class TorchFunctions:
    """What torch's modules and classes define, and how it prints: put back where a program has replaced it."""

    def __init__(self) -> None:
        self.defined = [dict(vars(owner)) for owner in _OWNERS]
        self.printing = copy.copy(torch._tensor_str.PRINT_OPTS)

    def restore(self) -> None:
        for owner, before in zip(_OWNERS, self.defined, strict=True):
            if vars(owner) != before:
                _put_back(owner, before)
        if self.printing != torch._tensor_str.PRINT_OPTS:
            torch._tensor_str.PRINT_OPTS = copy.copy(self.printing)


def _put_back(owner: Any, before: dict[str, Any]) -> None:
    for name, value in list(vars(owner).items()):
        if name not in before and isinstance(value, ModuleType):
            # What was imported meanwhile is there to stay.
            before[name] = value
        elif name not in before:
            delattr(owner, name)
        elif before[name] is not value:
            setattr(owner, name, before[name])
    for name in before.keys() - vars(owner).keys():
        setattr(owner, name, before[name])


class Patches:
    """Attributes replaced for a while; `undo` puts back exactly what was there, last first, however often it is called.

    `standing` are all that are not undone, oldest first.
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
        # Forgotten only after it was put back: this may be interrupted at any line.
        while self._before:
            owner, name, own, value = self._before[-1]
            if own:
                setattr(owner, name, value)
            elif name in vars(owner):
                delattr(owner, name)
            self._before.pop()
        if self in Patches.standing:
            Patches.standing.remove(self)


TORCH_FUNCTIONS = TorchFunctions()
