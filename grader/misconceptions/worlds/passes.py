"""One request for gradients, whichever of torch's three functions it was made with; and the graph behind it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grader.misconceptions.worlds.callers import unseen
from grader.misconceptions.worlds.sites import Edge, Node, edge_of


@dataclass
class Pass:
    """A backward pass about to run; worlds change its fields.

    `weights` has one entry per root, None where the program gave none. `inputs` is None where all leaves are meant.
    `fills` tells `backward` (gradients go to `.grad`) from `torch.autograd.grad` (they are returned). `silenced` are
    the nodes that the world has cut off: no hook of theirs runs.
    """

    function: Callable[..., Any]
    roots: tuple[Any, ...]
    weights: list[Any]
    inputs: Any
    options: dict[str, Any]
    fills: bool
    silenced: set[Node] = field(default_factory=set)

    def run(self) -> Any:
        """Hand it on to torch, or to the world outside."""
        if self.function is torch.autograd.grad:
            return self.function(self.roots, self.inputs, self.weights, **self.options)
        if self.inputs is not None:
            self.options["inputs"] = self.inputs
        if self.function is torch.Tensor.backward:
            return self.function(self.roots[0], self.weights[0], **self.options)
        return self.function(self.roots, self.weights, **self.options)

    def wanted(self) -> tuple[Any, ...]:
        """What is named as `inputs`: tensors, or gradient edges."""
        return () if self.inputs is None else _several(self.inputs)

    def graph(self) -> list[Node]:
        """All nodes that are reached from the roots, the leaves' accumulators among them."""
        return list(reach(root_edges(self.roots)))

    def leaves(self) -> list[Tensor]:
        """All leaves that are reached from the roots."""
        return [node.variable for node in self.graph() if is_accumulator(node)]

    def ends(self) -> list[Tensor]:
        """The tensors whose gradients are asked for: those named, or else all leaves; each once."""
        if self.inputs is None:
            return self.leaves()
        named = [tensor for tensor in self.wanted() if isinstance(tensor, Tensor) and tensor.requires_grad]
        return list({id(tensor): tensor for tensor in named}.values())


def read_pass(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Pass | None:
    """Read a call of `Tensor.backward`, `torch.autograd.backward` or `torch.autograd.grad`.

    Returns None where the arguments are not such as torch accepts, or are a batch: torch shall see them unchanged.
    """
    reader = _READERS[function]
    try:
        read = reader(function, *args, **kwargs)
    except TypeError:
        return None
    if read is None or not all(isinstance(root, Tensor) for root in read.roots):
        return None
    return read if len(read.weights) == len(read.roots) else None


def _of_method(
    function: Any,
    root: Any,
    gradient: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    inputs: Any = None,
) -> Pass:
    options = {"retain_graph": retain_graph, "create_graph": create_graph}
    return Pass(function, (root,), [gradient], inputs, options, True)


def _of_backward(
    function: Any,
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> Pass | None:
    if grad_variables is not None:
        return None
    roots = _several(tensors)
    options = {"retain_graph": retain_graph, "create_graph": create_graph}
    return Pass(function, roots, _weights(grad_tensors, len(roots)), inputs, options, True)


def _of_grad(
    function: Any,
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    only_inputs: Any = True,
    allow_unused: Any = None,
    is_grads_batched: Any = False,
    materialize_grads: Any = False,
) -> Pass | None:
    if is_grads_batched:
        return None
    roots = _several(outputs)
    options = {
        "retain_graph": retain_graph,
        "create_graph": create_graph,
        "only_inputs": only_inputs,
        "allow_unused": allow_unused,
        "materialize_grads": materialize_grads,
    }
    return Pass(function, roots, _weights(grad_outputs, len(roots)), inputs, options, False)


_READERS: dict[Any, Callable[..., Pass | None]] = {
    torch.Tensor.backward: _of_method,
    torch.autograd.backward: _of_backward,
    torch.autograd.grad: _of_grad,
}


def _several(things: Any) -> tuple[Any, ...]:
    return tuple(things) if isinstance(things, Iterable) and not isinstance(things, Tensor) else (things,)


def _weights(given: Any, count: int) -> list[Any]:
    return [None] * count if given is None else list(_several(given))


def root_edges(roots: Iterable[Tensor]) -> list[Edge]:
    """The gradient edges of those `roots` that require grad."""
    with unseen():
        return [edge_of(root) for root in roots if root.requires_grad]


def is_accumulator(node: Node) -> bool:
    return type(node).__name__ == "AccumulateGrad"


def reach(starts: Iterable[Edge], without: Collection[tuple[Node, int]] = frozenset()) -> Iterator[Node]:
    """Every node that is reached from `starts`, each once; not over the edges `without` (node, index of its input)."""
    seen = set()
    waiting = [node for node, _ in starts]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        for index, (target, _) in enumerate(node.next_functions):
            if target is not None and (not without or (node, index) not in without):
                waiting.append(target)
