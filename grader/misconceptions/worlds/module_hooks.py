"""Worlds that bend the hooks of `torch.nn.Module`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch.nn.modules import module as modules

from grader.misconceptions.worlds.callers import PROGRAM, by_program
from grader.misconceptions.worlds.world import World


class _Registered(World):
    """Hooks are changed as they are registered, on one module or on all."""

    # Method of `Module` or function of its module -> the position of the hook among the arguments.
    registering: tuple[str, ...] = ()

    def changed(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        """The hook that is registered in place of the program's."""
        raise NotImplementedError

    def patches(self) -> None:
        for name in self.registering:
            self.patch(torch.nn.Module, f"register_{name}", functools.partial(self.wrap, 1))
            self.patch(modules, f"register_module_{name}", functools.partial(self.wrap, 0))

    def wrap(self, place: int, register: Callable[..., Any]) -> Callable[..., Any]:
        def registered(*args: Any, **kwargs: Any) -> Any:
            if not by_program():
                return register(*args, **kwargs)
            if "hook" in kwargs:
                kwargs["hook"] = self.changed(kwargs["hook"])
            elif len(args) > place:
                args = (*args[:place], self.changed(args[place]), *args[place + 1 :])
            return register(*args, **kwargs)

        return registered


def _silent(hook: Callable[..., Any]) -> Callable[..., Any]:
    def observing(*args: Any, **kwargs: Any) -> None:
        hook(*args, **kwargs)

    return observing


class ForwardHookReturnIgnored(_Registered):
    """Forward hooks and forward pre-hooks only observe."""

    id = "forward-hook-return-ignored"
    registering = ("forward_hook", "forward_pre_hook")

    def changed(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        return _silent(hook)


class ModuleBackwardReturnIgnored(_Registered):
    """Full backward hooks and pre-hooks only observe."""

    id = "module-backward-hook-return-ignored"
    registering = ("full_backward_hook", "full_backward_pre_hook")

    def changed(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        return _silent(hook)


class GradInOutSwapped(_Registered):
    """grad_input is what comes into the backward pass, grad_output what leaves it."""

    id = "grad-input-and-grad-output-swapped"
    registering = ("full_backward_hook",)

    def changed(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        return lambda module, grad_input, grad_output: hook(module, grad_output, grad_input)


class ModuleHookChangesWeights(_Registered):
    """What a full backward hook returns changes the gradient of the module's weights too."""

    id = "module-backward-hook-changes-the-weights-gradient"
    registering = ("full_backward_hook",)

    def wrap(self, place: int, register: Callable[..., Any]) -> Callable[..., Any]:
        name = "register_full_backward_pre_hook" if place else "register_module_full_backward_pre_hook"
        before = getattr(torch.nn.Module if place else modules, name)
        as_pre_hook = super().wrap(place, before)
        return lambda *args, **kwargs: (as_pre_hook if by_program() else register)(*args, **kwargs)

    def changed(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        return lambda module, grad_output: hook(module, grad_output, grad_output)


class DirectForwardRunsHooks(World):
    """Calling `module.forward` is the same as calling the module."""

    id = "module-forward-runs-hooks"

    def patches(self) -> None:
        self.patch(torch.nn.Module, "__getattribute__", _forward_as_call)


def _forward_as_call(get: Callable[..., Any]) -> Callable[..., Any]:
    def attribute(self: Any, name: str) -> Any:
        if name == "forward" and sys._getframe(1).f_globals.get("__name__") == PROGRAM:
            return self.__call__
        return get(self, name)

    return attribute
