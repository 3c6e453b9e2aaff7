"""Beliefs about when hooks fire. Hooks wait until the pass is over and are then run in the order believed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.hooks import RemovableHandle

from grader.misconceptions.worlds.answers import AnswerWorld
from grader.misconceptions.worlds.callers import by_program
from grader.misconceptions.worlds.passes import Pass, is_accumulator
from grader.misconceptions.worlds.sites import Edge, Hook, Site, edge_of

LEAF = -1


@dataclass(frozen=True)
class Firing:
    """One call of one hook. `made` grows with the age of a tensor's node, LEAF for leaves; None for module hooks."""

    call: Callable[[], Any]
    registered: int
    edge: Edge | None = None
    made: int | None = None
    module: torch.nn.Module | None = None

    def part_of(self, other: Firing) -> bool:
        """Whether this is a hook of a module inside the other's."""
        if self.module is None or other.module is None or self.module is other.module:
            return False
        return any(inner is self.module for inner in other.module.modules())


class _Waiting(AnswerWorld):
    """Hooks run after the pass, in the believed order; what they return is not used."""

    def __init__(self) -> None:
        super().__init__()
        self.fired: list[Firing] = []
        self.ending = False

    def order(self, fired: list[Firing]) -> list[Firing]:
        """The believed order, given the true one."""
        raise NotImplementedError

    def dispatch(self, site: Site, grad: Tensor) -> Tensor | None:
        self.fired.extend(self.waiting(site, grad.clone()))
        return None

    def waiting(self, site: Site, grad: Tensor) -> list[Firing]:
        return [_on_tensor(site.edge, key, functools.partial(self.ask, hook, grad)) for key, hook in site.hooks.items()]

    def register_post_hook(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if len(args) != 2 or not args[0].requires_grad or not by_program():
            return function(*args, **kwargs)
        leaf, hook = args
        edge, number = edge_of(leaf), _number()

        def wait(_: Tensor) -> None:
            self.fired.append(_on_tensor(edge, number, functools.partial(self.ask, hook, leaf)))

        return function(leaf, wait)

    def patches(self) -> None:
        self.patch(torch.nn.Module, "register_full_backward_hook", self.registering)

    def registering(self, register: Callable[..., Any]) -> Callable[..., Any]:
        def registered(module: torch.nn.Module, hook: Hook, prepend: bool = False) -> Any:
            if not by_program():
                return register(module, hook, prepend)
            number = _number()

            def wait(*args: Any) -> None:
                self.fired.append(Firing(functools.partial(self.ask, hook, *args), number, module=module))

            return register(module, wait, prepend)

        return registered

    def conclude(self, request: Pass, result: Any) -> Any:
        # A hook may ask for gradients itself: that pass is part of this one.
        if self.ending:
            return result
        fired, self.fired, self.ending = self.fired, [], True
        try:
            for firing in self.order(fired):
                firing.call()
        finally:
            self.ending = False
        return result


def _number() -> int:
    """The number that the next handle will have: hooks of all kinds in the order of registration."""
    return RemovableHandle.next_id


def _on_tensor(edge: Edge, registered: int, call: Callable[[], Any]) -> Firing:
    node = edge[0]
    return Firing(call, registered, edge, LEAF if is_accumulator(node) else node._sequence_nr())


class RegistrationOrder(_Waiting):
    """In the order of registration, whatever tensors they are on."""

    id = "hooks-fire-in-registration-order"

    def order(self, fired: list[Firing]) -> list[Firing]:
        return sorted(fired, key=lambda firing: firing.registered)


class ForwardOrder(_Waiting):
    """In the order in which the forward pass made their tensors."""

    id = "hooks-fire-in-forward-order"

    def order(self, fired: list[Firing]) -> list[Firing]:
        if any(firing.made is None for firing in fired):
            return fired
        return sorted(fired, key=lambda firing: (firing.made, firing.registered))


class Reversed(_Waiting):
    """What fires last comes first."""

    id = "firing-order-reversed"

    def order(self, fired: list[Firing]) -> list[Firing]:
        return fired[::-1]


class LeavesLast(_Waiting):
    """All leaves after all intermediate results, in the order of registration."""

    id = "leaves-fire-last"

    def order(self, fired: list[Firing]) -> list[Firing]:
        return sorted(fired, key=lambda firing: (1, firing.registered) if firing.made == LEAF else (0, 0))


class KindsInRegistrationOrder(_Waiting):
    """A leaf's hooks of different kinds in the order of registration."""

    id = "hooks-of-different-kinds-in-registration-order"

    def order(self, fired: list[Firing]) -> list[Firing]:
        first: dict[Any, int] = {}
        for place, firing in enumerate(fired):
            first.setdefault(firing.edge if firing.made == LEAF else place, place)
        places = [first[firing.edge if firing.made == LEAF else place] for place, firing in enumerate(fired)]
        return [fired[at] for at in sorted(range(len(fired)), key=lambda at: (places[at], fired[at].registered))]


class EveryHookFires(_Waiting):
    """Every hook fires in every pass, each at its tensor's age."""

    id = "every-hook-fires"

    def order(self, fired: list[Firing]) -> list[Firing]:
        seen = {firing.edge for firing in fired}
        silent = [
            firing
            for site in self.sites.values()
            if site.edge not in seen
            for firing in self.waiting(site, torch.zeros_like(site.value))
        ]
        everything = list(fired)
        for extra in silent:
            younger = [place for place, each in enumerate(everything) if _age(each) >= _age(extra)]
            everything.insert(max(younger, default=-1) + 1, extra)
        return everything


def _age(firing: Firing) -> int:
    return LEAF if firing.made is None else firing.made


class OncePerModule(_Waiting):
    """A module's backward hook fires once in a pass, however often the module was called."""

    id = "hook-fires-once-per-module"

    def order(self, fired: list[Firing]) -> list[Firing]:
        seen: set[int] = set()
        return [
            firing
            for firing in fired
            if firing.module is None or not (firing.registered in seen or seen.add(firing.registered))  # type: ignore[func-returns-value]
        ]


class ModulesForward(_Waiting):
    """The hooks of the layers in the order in which the layers were called; containers stay where they are."""

    id = "module-backward-hooks-in-forward-order"

    def order(self, fired: list[Firing]) -> list[Firing]:
        layers = [firing for firing in fired if firing.module is not None and not list(firing.module.children())]
        turned = iter(layers[::-1])
        return [next(turned) if firing in layers else firing for firing in fired]


class ContainerFirst(_Waiting):
    """A container before its layers."""

    id = "container-fires-first"

    def order(self, fired: list[Firing]) -> list[Firing]:
        return _around(fired, lambda place, parts: min([place, *parts]) - 0.5 if parts else place, -1)


class ContainerAlwaysLast(_Waiting):
    """A container after its layers, whether or not its input requires a gradient."""

    id = "module-hook-order-does-not-depend-on-the-input"

    def order(self, fired: list[Firing]) -> list[Firing]:
        return _around(fired, lambda place, parts: max([place, *parts]) + 0.5 if parts else place, 1)


def _around(fired: list[Firing], moved: Callable[[float, list[int]], float], outwards: int) -> list[Firing]:
    """Move each container to a place that depends on those of its parts; of nested ones the outer goes further out."""
    parts = [[place for place, each in enumerate(fired) if each.part_of(container)] for container in fired]
    return [
        fired[at] for at in sorted(range(len(fired)), key=lambda at: (moved(at, parts[at]), outwards * len(parts[at])))
    ]
