"""Ready probes of a function that registers a hook: `attach(tensor, hook)`."""

from __future__ import annotations

from grader.course.conduct.ready import ReadyProbe, ready
from grader.course.vary import vary

_INPUT = vary([1.0, 2.0], low=1, high=5)
_WEIGHTS = vary([2.0, -3.0], low=-5, high=5)

runs_in_order = ready(
    ReadyProbe,
    """
def runs_of_the_hook(attach, x, w):
    seen = []
    x = torch.tensor(x, requires_grad=True)
    y = x**2
    z = 3 * y
    for tensor in (x, y, z):
        attach(tensor, lambda grad: seen.append(grad.clone()))
    z.backward(torch.tensor(w))
    return {"what the hook was given, in order": seen, "x.grad": x.grad}
""",
    x=_INPUT,
    w=_WEIGHTS,
)
"""How often, in what order, on which tensor? Every gradient that the hook was given; each tensor has one of its own."""

result_used_once = ready(
    ReadyProbe,
    """
def what_flows_on(attach, x, w, factor):
    seen = []
    x = torch.tensor(x, requires_grad=True)
    y = x**2

    def hook(grad):
        seen.append(grad.clone())
        return factor * grad

    attach(y, hook)
    (3 * y).backward(torch.tensor(w))
    return {"what the hook was given, in order": seen, "x.grad": x.grad}
""",
    x=_INPUT,
    w=_WEIGHTS,
    factor=vary(4.0, low=2, high=9),
)
"""Registered once? What flows on, in powers of `factor`, and what the hook was given each time."""

gone_when_removed = ready(
    ReadyProbe,
    """
def after_the_handle_is_removed(attach, x, w, factor):
    seen = []
    x = torch.tensor(x, requires_grad=True)
    y = x**2

    def hook(grad):
        seen.append(grad.clone())
        return factor * grad

    handle = attach(y, hook)
    y.backward(torch.tensor(w), retain_graph=True)
    handle.remove()
    y.backward(2 * torch.tensor(w))
    left = len(y._backward_hooks or ()) + len(x._backward_hooks or ())
    return {
        "what the hook was given, in order": seen,
        "x.grad after both passes": x.grad,
        "factor, once more per hook left": factor * (1 + left),
    }
""",
    x=_INPUT,
    w=_WEIGHTS,
    factor=vary(4.0, low=2, high=9),
)
"""A leak? For an `attach` that returns the handle: what flows in a second pass, once the handle was removed."""
