"""A world: autograd as somebody believes it works, around an unchanged program.

`World` itself keeps torch's real rules. Each misconception overrides one or two of its methods:

    hooks       admits, install, running, call, accept, dispatch     what becomes of a tensor hook
    passes      prepare, cuts, rule, finish, perform, conclude       what a backward pass starts from, does and leaves
    operations  operation                                            what an operation of the forward pass does
    the rest    handlers, patches, rewrite                           any other function of torch, or of Python

Worlds nest: each has a `TorchFunctionMode` of its own, and what one hands on, the one outside handles as if the
program had asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, ClassVar, TypeAlias

import torch
import torch.utils.checkpoint
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

from grader.misconceptions.worlds.callers import TRANSFORMS, by_program
from grader.misconceptions.worlds.graph import bend_graph
from grader.misconceptions.worlds.passes import Pass, read_pass
from grader.misconceptions.worlds.reentry import active, checkpoint_in_worlds, function_in_worlds
from grader.misconceptions.worlds.restoring import Patches, TorchState
from grader.misconceptions.worlds.sites import Edge, Hook, Node, Site, check_result, edge_of

Handler: TypeAlias = Callable[[Any, tuple[Any, ...], dict[str, Any]], Any]

WORLDS: dict[str, type[World]] = {}
# Other ways of carrying a belief out where it leaves something open, by "id/reading".
READINGS: dict[str, type[World]] = {}
_CHAIN = ("admits", "install", "running", "dispatch", "arrive", "add_hook", "site")


class World:
    """Torch's real rules, with every place at which a belief can bend them. A context manager, for one run each."""

    id: ClassVar[str] = ""
    registry: ClassVar[dict[str, type[World]]] = WORLDS
    # Set where this is another reading of a belief that has a world already.
    reading: ClassVar[str] = ""
    # Names of the node types whose `rule` is bent; see `torch.Tensor.grad_fn`. "*" is every node.
    nodes: ClassVar[frozenset[str]] = frozenset()

    # Whether a pass must look at its graph, and at its leaves: whether a subclass bends what is done there.
    bends_graph: ClassVar[bool] = False
    bends_ends: ClassVar[bool] = False

    # Whether it matters which hooks a tensor has together, rather than what each of them does.
    bends_chain: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        cls.bends_chain = cls.bends_chain or any(getattr(cls, name) is not getattr(World, name) for name in _CHAIN)
        cls.bends_ends = cls.finish is not World.finish
        cls.bends_graph = cls.bends_ends or bool(cls.nodes) or cls.cuts is not World.cuts
        if cls.reading:
            READINGS[f"{cls.id}/{cls.reading}"] = cls
        elif cls.id:
            cls.registry[cls.id] = cls

    def __init__(self) -> None:
        self.sites: dict[Edge, Site] = {}
        self.current: Pass | None = None
        # Set where a pass delivers what an earlier one found: the program's hooks have had their turn.
        self.muted = False
        self.mode = _Mode(self)
        self._patches = Patches()

    def __enter__(self) -> World:
        self._state = TorchState()
        try:
            if not active:
                self.patch(torch.autograd.function.BackwardCFunction, "apply", function_in_worlds)
                self.patch(torch.autograd.function.BackwardCFunction, "apply_boxed", function_in_worlds)
                self.patch(torch.utils.checkpoint, "checkpoint", checkpoint_in_worlds)
            self.patches()
        except BaseException:
            self._patches.undo()
            raise
        active.append(self.mode)
        self.mode.__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        try:
            self.mode.__exit__(kind, error, at)  # type: ignore[no-untyped-call]
            for site in self.sites.values():
                site.uninstall()
        finally:
            self.sites.clear()
            active.remove(self.mode)
            self._patches.undo()
            self._state.restore()

    # --- hooks of tensors -----------------------------------------------------------------------------------------

    def admits(self, site: Site) -> bool:
        """Whether the hooks of this tensor run at all."""
        return True

    def install(self, site: Site, tensor: Tensor) -> None:
        """Put the real hook behind which the site's hooks are run."""
        site.installed.append(tensor.register_hook(lambda grad: self.arrive(site, grad)))  # type: ignore[no-untyped-call]

    def running(self, site: Site) -> list[Hook]:
        """The hooks that run in this pass, in order. A list: removal on the way acts from the next pass on."""
        return list(site.hooks.values())

    def call(self, site: Site, hook: Hook, grad: Tensor) -> Any:
        """What one hook gives for `grad`."""
        return self.ask(hook, grad)

    def accept(self, grad: Tensor, result: Any, hook: Hook) -> Tensor:
        """The gradient that flows on where `hook`, given `grad`, returned `result` (not None)."""
        return check_result(grad, result, hook)

    def dispatch(self, site: Site, grad: Tensor) -> Tensor | None:
        """What all hooks of a site make of `grad`; None where it stays the tensor that it is."""
        flowing = grad
        for hook in self.running(site):
            result = self.call(site, hook, flowing)
            if result is not None:
                flowing = self.accept(flowing, result, hook)
        return None if flowing is grad else flowing

    # --- backward passes ------------------------------------------------------------------------------------------

    def prepare(self, request: Pass) -> None:
        """Change what the pass starts from."""

    def cuts(self, request: Pass, graph: list[Node]) -> Iterable[tuple[Node, int]]:
        """The edges (node, index of its input) over which nothing flows; hooks to which none else leads do not run."""
        return ()

    def rule(self, node: Node, grads: list[Tensor | None], upstream: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        """The gradients for the inputs of `node`, given torch's own for them and those for its outputs."""
        return grads

    def finish(self, tensor: Tensor, grad: Tensor) -> Tensor | None:
        """The gradient that a leaf (or a named input) ends up with in this pass; None where it stays."""
        return None

    def perform(self, request: Pass) -> Any:
        """Run the pass."""
        return request.run()

    def conclude(self, request: Pass, result: Any) -> Any:
        """Change what the pass left, and what it returns."""
        return result

    # --- everything else ------------------------------------------------------------------------------------------

    def operation(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a function of torch that has no handler does."""
        return function(*args, **kwargs)

    def handlers(self) -> dict[Any, Handler]:
        """Functions of torch, as a `TorchFunctionMode` is given them, and what is done in their place."""
        return {}

    @classmethod
    def rewrite(cls, source: str) -> str:
        """The program's text as the belief reads it, where torch has no part in what is believed."""
        return source

    def patches(self) -> None:
        """Call `patch` for what a `TorchFunctionMode` does not see."""

    # --- what the methods above are made of -----------------------------------------------------------------------

    def patch(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Set `owner.name` to `make(what it was)` until the world is left."""
        self._patches.replace(owner, name, make)

    def ask(self, hook: Callable[..., Any], *args: Any) -> Any:
        """Call the program's own function from within torch, where no mode is active, in this world."""
        with self.mode:
            return hook(*args)

    def site(self, tensor: Tensor) -> Site:
        """The site of a tensor that requires grad; made and installed where there is none."""
        edge = edge_of(tensor)
        site = self.sites.get(edge)
        if site is None:
            site = self.sites[edge] = Site(tensor, edge)
            self.install(site, tensor)
        return site

    def arrive(self, site: Site, grad: Tensor | None) -> Tensor | None:
        """The real hook: a gradient has come to a site."""
        if not site.hooks or self.silent(site):
            return None
        if grad is None:
            # An output that takes no part in this pass: there is nothing to bend.
            for hook in list(site.hooks.values()):
                self.ask(hook, None)
            return None
        return self.dispatch(site, grad) if self.admits(site) else None

    def silent(self, site: Site) -> bool:
        """Whether this pass is none in which the hooks of a site run."""
        return self.muted or (self.current is not None and site.edge[0] in self.current.silenced)

    def arrive_at(self, site: Site, hook: Hook, grad: Tensor | None) -> Tensor | None:
        """A gradient has come to one hook, which torch (or the world outside) keeps in its place among the others."""
        if grad is None:
            self.ask(hook, None)
            return None
        if self.silent(site):
            return None
        result = self.call(site, hook, grad)
        return None if result is None else self.accept(grad, result, hook)

    def add_hook(self, site: Site, hook: Hook) -> RemovableHandle:
        """Append to a site's hooks; the handle removes it again."""
        handle = RemovableHandle(site.hooks)
        site.hooks[handle.id] = hook
        return handle

    def register_hook(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor, hook = _tensor_and_hook(*args, **kwargs)
        if hook is None or not tensor.requires_grad or not by_program():
            return function(*args, **kwargs)
        if self.bends_chain:
            return self.add_hook(self.site(tensor), hook)
        site = Site(tensor, edge_of(tensor))
        return function(tensor, lambda grad: self.arrive_at(site, hook, grad))

    def register_post_hook(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        tensor, hook = _tensor_and_hook(*args, **kwargs)
        if hook is None or not tensor.requires_grad or not by_program():
            return function(*args, **kwargs)
        return function(tensor, lambda leaf: self.after_accumulation(hook, leaf))

    def after_accumulation(self, hook: Hook, leaf: Tensor) -> Any:
        """Run a post-accumulate hook."""
        return self.ask(hook, leaf)

    def differentiate(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        request = read_pass(function, args, kwargs) if by_program(TRANSFORMS) else None
        if request is None:
            return function(*args, **kwargs)
        outer, self.current = self.current, request
        try:
            self.prepare(request)
            with ExitStack() as stack:
                bend_graph(self, request, stack)
                result = self.perform(request)
            return self.conclude(request, result)
        finally:
            self.current = outer


def _tensor_and_hook(tensor: Any, hook: Any = None) -> tuple[Any, Any]:
    return tensor, hook


class _Mode(TorchFunctionMode):
    def __init__(self, world: World) -> None:
        self.operation = None if type(world).operation is World.operation else world.operation
        self.table: dict[Any, Handler] = {
            Tensor.register_hook: world.register_hook,
            Tensor.register_post_accumulate_grad_hook: world.register_post_hook,
            Tensor.backward: world.differentiate,
            torch.autograd.backward: world.differentiate,
            torch.autograd.grad: world.differentiate,
            **world.handlers(),
        }

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        handler = self.table.get(func, self.operation)
        if handler is None:
            return func(*args, **kwargs) if kwargs else func(*args)
        return handler(func, args, kwargs or {})
