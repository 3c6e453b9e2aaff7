"""Worlds about what cuts a graph: detach, no_grad, clone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import by_program, unseen
from grader.misconceptions.worlds.in_place import changes_in_place
from grader.misconceptions.worlds.passes import Pass
from grader.misconceptions.worlds.sites import Edge, Node, edge_of
from grader.misconceptions.worlds.world import Handler, World

DETACHING = (torch.Tensor.detach, torch.detach, torch.Tensor.data.__get__)  # type: ignore[attr-defined]


class DetachIgnored(World):
    """detach() and .data only copy; gradients still flow."""

    id = "detach-ignored"

    def handlers(self) -> dict[Any, Handler]:
        return {
            **dict.fromkeys(DETACHING, self.detach),
            torch.Tensor.detach_: self.keep,
            torch.Tensor.numpy: self.numpy,
        }

    def detach(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if args and isinstance(args[0], Tensor) and args[0].requires_grad and by_program():
            return args[0].view_as(args[0])
        return function(*args, **kwargs)

    def keep(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return args[0] if by_program() else function(*args, **kwargs)

    def numpy(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with unseen():
            return function(args[0].detach(), *args[1:], **kwargs)


class DetachCutsOriginal(World):
    """After d = y.detach(), y passes no gradient either."""

    id = "detach-cuts-the-tensor-itself"

    def __init__(self) -> None:
        super().__init__()
        self.detached: set[Edge] = set()

    def handlers(self) -> dict[Any, Handler]:
        return dict.fromkeys(DETACHING, self.detach)

    def detach(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if args and isinstance(args[0], Tensor) and args[0].requires_grad and by_program():
            self.detached.add(edge_of(args[0]))
        return function(*args, **kwargs)

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        if self.detached:
            for node in graph:
                for index, edge in enumerate(node.next_functions):
                    if edge in self.detached:
                        yield node, index


class NoGradIgnored(World):
    """no_grad only saves memory; operations inside still pass gradient."""

    id = "no-grad-ignored"

    def __init__(self) -> None:
        super().__init__()
        self.claimed_off = False

    def handlers(self) -> dict[Any, Handler]:
        return {torch._C._set_grad_enabled: self.switch}

    def switch(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not by_program():
            return function(*args, **kwargs)
        # What the block ends with restores the mode before, which is on; a hook's own mode is torch's affair.
        self.claimed_off = not args[0] and torch.is_grad_enabled()
        return None if self.claimed_off else function(*args, **kwargs)

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        # An update of a parameter is no part of any forward pass, whatever one believes of no_grad.
        if self.claimed_off and changes_in_place(function, args) and args[0].is_leaf:
            with torch.no_grad():
                return function(*args, **kwargs)
        return function(*args, **kwargs)


class CloneBreaks(World):
    """clone() makes an independent tensor, without gradient."""

    id = "clone-cuts-the-graph"

    def __init__(self) -> None:
        super().__init__()
        self.copies: set[Node] = set()

    def handlers(self) -> dict[Any, Handler]:
        return {torch.Tensor.clone: self.clone, torch.clone: self.clone}

    def clone(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        copy = function(*args, **kwargs)
        if copy.requires_grad and by_program():
            self.copies.add(edge_of(copy)[0])
        return copy

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        return [(node, 0) for node in graph if node in self.copies]
