"""Ready probes of a layer: a function of one tensor, and with `of_function` or `of_module` one that is a class.

Its result must have the shape of `w`, which is that of `x` unless the cases say otherwise.
"""

from __future__ import annotations

from grader.course.conduct.modes import modes_text
from grader.course.conduct.ready import LayerProbe, ready
from grader.course.vary import vary

_INPUT = vary([1.0, 2.0], low=1, high=5)
_WEIGHTS = vary([2.0, -3.0], low=-5, high=5)

arguments_untouched = ready(
    LayerProbe,
    """
def tensors_given_afterwards(f, x, w):
    leaf = torch.tensor(x, requires_grad=True)
    given = leaf * 1
    weights = torch.tensor(w)
    result = f(given)
    result.backward(weights)
    left = len(given._backward_hooks or ())
    return {
        "result": result,
        "x.grad": leaf.grad,
        "the tensor given to forward, afterwards": given,
        "the gradient given to backward, afterwards": weights,
        "sum of w, once more per write to either": sum(w) * (1 + given._version + weights._version),
        "sum of w, once more per hook left on x": sum(w) * (1 + left),
    }
""",
    x=_INPUT,
    w=_WEIGHTS,
)
"""In place? The numbers of what forward and backward were given, afterwards; how often it was written to and how
many hooks were left on it, times the sum of `w`. `x.grad` shows where autograd is bypassed (`.data`, `detach`)."""

twice_differentiable = ready(
    LayerProbe,
    """
def differentiated_twice(f, x, w):
    x = torch.tensor(x, requires_grad=True)
    y = f(x**2) ** 2
    (first,) = torch.autograd.grad(y, x, torch.tensor(w), create_graph=True)
    second = torch.zeros_like(x)
    if first.requires_grad:
        (second,) = torch.autograd.grad(first.sum(), x)
    return {"first derivative": first, "second derivative": second}
""",
    x=_INPUT,
    w=_WEIGHTS,
)
"""Does double backward survive? The second derivative, of which a part is missing where backward uses `.data`,
`detach`, `no_grad` or NumPy."""

calls_kept_apart = ready(
    LayerProbe,
    """
def two_calls_at_once(f, x, other, w):
    x = torch.tensor(x, requires_grad=True)
    other = torch.tensor(other, requires_grad=True)
    first, second = f(x), f(other)
    first.backward(torch.tensor(w))
    second.backward(torch.tensor(w))
    return {"first gradient": x.grad, "second gradient": other.grad}
""",
    x=_INPUT,
    other=vary([4.0, 3.0], low=1, high=5),
    w=_WEIGHTS,
)
"""On the class instead of `ctx`? The gradients of two calls, both made before the first one is differentiated."""

same_graph_twice = ready(
    LayerProbe,
    """
def one_graph_twice(f, x, w):
    x = torch.tensor(x, requires_grad=True)
    y = f(x)
    (first,) = torch.autograd.grad(y, x, torch.tensor(w), retain_graph=True)
    (second,) = torch.autograd.grad(y, x, torch.tensor(w))
    return {"first pass": first, "second pass": second}
""",
    x=_INPUT,
    w=_WEIGHTS,
)
"""Does backward use up what forward kept? The gradients of two passes through one graph."""

modes_restored = ready(
    LayerProbe,
    modes_text("modes_afterwards", "f", "f(torch.tensor(w))"),
    w=_WEIGHTS,
)
"""Torch's own settings: whether a product is recorded after the call, how wide new numbers are, how many hooks were
left for all modules, each times `w`."""
