"""Put back what a notebook may have replaced: a probe runs under the torch and the builtins that it was written for.

Whoever replaces `torch.Tensor.backward` with a function that writes the wanted gradients is not cheating the grader
(a reply is only a claim), but would make probes meaningless; a student who did so by accident should not lose points.
"""

from __future__ import annotations

import random
import sys
import threading
from types import ModuleType
from typing import Any

import numpy as np
import torch

_MODULES = (
    *("builtins", "math", "json", "inspect", "ast", "torch", "torch.autograd", "torch.autograd.function"),
    *(
        "torch.autograd.functional",
        "torch.autograd.graph",
        "torch.autograd.grad_mode",
        "torch.nn",
        "torch.nn.functional",
    ),
    *(
        "torch.nn.init",
        "torch.nn.utils",
        "torch.linalg",
        "torch.func",
        "torch.testing",
        "torch.overrides",
        "torch.optim",
    ),
    *("numpy", "safetensors", "safetensors.numpy"),
    *("grader.program.capture", "grader.program.describing", "grader.program.running"),
)
_CLASSES: tuple[type, ...] = (
    *(torch.Tensor, torch.nn.Parameter, torch.nn.Module, torch.autograd.Function),
    *(torch.no_grad, torch.enable_grad, torch.set_grad_enabled, torch.inference_mode, torch.Generator),
)


class Originals:
    """What modules and classes held when this was made, before any student code ran."""

    def __init__(self) -> None:
        self._modules = {name: dict(vars(sys.modules[name])) for name in _MODULES}
        self._classes = [(kind, dict(vars(kind))) for kind in _CLASSES]
        self._loaded: dict[str, ModuleType] = dict(sys.modules)
        self._recursion = sys.getrecursionlimit()

    def restore(self) -> None:
        """Put all of it back; names that were added and hide nothing stay."""
        sys.settrace(None)
        sys.setprofile(None)
        threading.settrace(None)
        for name, module in self._loaded.items():
            if name != "__main__":
                sys.modules[name] = module
        for name, members in self._modules.items():
            _restore_module(vars(self._loaded[name]), members)
        for kind, members in self._classes:
            _restore_class(kind, members)
        sys.setrecursionlimit(self._recursion)


def _restore_module(current: dict[str, Any], members: dict[str, Any]) -> None:
    for name, member in members.items():
        if current.get(name) is not member:
            current[name] = member


def _restore_class(kind: type, members: dict[str, Any]) -> None:
    current = dict(vars(kind))
    for name, member in members.items():
        if current.get(name) is not member and name not in ("__dict__", "__weakref__"):
            type.__setattr__(kind, name, member)
    for name in current.keys() - members.keys():
        if any(name in vars(base) for base in kind.__mro__[1:]):
            type.__delattr__(kind, name)


def seed(value: int) -> None:
    """Seed torch, numpy and `random`."""
    torch.manual_seed(value)
    np.random.seed(value % 2**32)
    random.seed(value)


def reset_torch() -> None:
    """Torch's own switches as they are when it is imported."""
    while torch._C._len_torch_function_stack() > 0:
        torch._C._pop_torch_function_stack()
    torch.set_default_device(None)
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.set_flush_denormal(False)
    torch.set_num_threads(1)
    torch.autograd.set_detect_anomaly(False)
    # torch.use_deterministic_algorithms(False), which imports the compiler first: 2 s of processor time.
    torch._C._set_deterministic_algorithms(False, warn_only=False)
    compiler: Any = sys.modules.get("torch._inductor.config")
    if compiler is not None:
        compiler.deterministic = False
