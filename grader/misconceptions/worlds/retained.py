"""Worlds that bend what `retain_grad` keeps."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.accumulation import GET_GRAD
from grader.misconceptions.worlds.callers import by_program
from grader.misconceptions.worlds.sites import Site, edge_of
from grader.misconceptions.worlds.world import Handler, World


class _Shown(World):
    """`.grad` of a retained tensor is another one than torch's."""

    def handlers(self) -> dict[Any, Handler]:
        return {torch.Tensor.retain_grad: self.retain, GET_GRAD: self.read}

    def retain(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor = args[0]
        result = function(*args, **kwargs)
        if tensor.requires_grad and not tensor.is_leaf and by_program():
            self.retained(self.site(tensor))
        return result

    def retained(self, site: Site) -> None:
        raise NotImplementedError

    def show(self, site: Site, grad: Tensor) -> None:
        site.shown = grad.clone() if site.shown is None else site.shown + grad

    def read(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor = args[0]
        real = function(*args, **kwargs)
        if real is None or tensor.is_leaf or not by_program():
            return real
        site = self.sites.get(edge_of(tensor))
        return real if site is None or site.shown is None else site.shown


class RetainBeforeHooks(_Shown):
    """`y.grad` is the gradient as it arrives; hooks change only what flows on."""

    id = "retain-grad-shows-the-gradient-before-the-hook"

    def retained(self, site: Site) -> None:
        site.marks[-1] = True

    def arrive(self, site: Site, grad: Tensor | None) -> Tensor | None:
        if site.marks and grad is not None:
            self.show(site, grad)
        return super().arrive(site, grad)


class RetainAtPosition(_Shown):
    """`retain_grad` is one more hook in line: it keeps what the hooks before it have made."""

    id = "retain-grad-is-one-more-hook-in-line"

    def retained(self, site: Site) -> None:
        if not site.marks:
            site.marks[-1] = True
            self.add_hook(site, lambda grad: self.show(site, grad))
