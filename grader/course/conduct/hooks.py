"""Ready probes of a hook, `hook(grad)`: what it does besides returning a gradient.

Those that have `of_factory` probe a function that makes hooks as well.
"""

from __future__ import annotations

from grader.course.conduct.modes import modes_text
from grader.course.conduct.ready import HookProbe, ready
from grader.course.vary import vary

_GRADIENT = vary([3.0, -2.0], low=-6, high=6)
_WEIGHT = vary(2.0, low=2, high=9)

argument_untouched = ready(
    HookProbe,
    """
def given_gradient_afterwards(hook, grad, weight):
    given = torch.tensor(grad)
    returned = hook(given)
    return {
        "returned": returned,
        "the gradient that was given, afterwards": given,
        "weight, once more per write to it": weight * (1 + given._version),
    }
""",
    grad=_GRADIENT,
    weight=_WEIGHT,
)
"""In place? The numbers of the gradient that was given, after the call, also where `.data` or NumPy wrote them; and
how often it was written to, times `weight`, also where the old numbers were put back."""

result_stands_alone = ready(
    HookProbe,
    """
def returned_after_a_change(hook, grad, shift):
    given = torch.tensor(grad)
    returned = hook(given)
    given.add_(shift)
    return {"returned, after the given one grew by shift": returned}
""",
    grad=_GRADIENT,
    shift=_WEIGHT,
)
"""The same object, or a view of it? The numbers of what was returned after `shift` was added to what was given."""

neighbours_untouched = ready(
    HookProbe,
    """
def beside_another_branch(hook, x, w):
    first = torch.tensor(x, requires_grad=True)
    second = torch.tensor(x, requires_grad=True)
    w = torch.tensor(w)
    y = 2 * first
    z = 3 * second
    z.register_hook(hook)
    (y + z).backward(w)
    return {"gradient of the other branch": first.grad, "gradient behind the hook": second.grad, "w afterwards": w}
""",
    x=vary([1.0, 2.0], low=1, high=5),
    w=_GRADIENT,
)
"""In place, with its damage: both branches of a sum get one and the same gradient tensor, which is the caller's `w`."""

twice_differentiable = ready(
    HookProbe,
    """
def differentiated_twice(hook, x, w):
    x = torch.tensor(x, requires_grad=True)
    y = x**2
    y.register_hook(hook)
    (first,) = torch.autograd.grad(y**2, x, torch.tensor(w), create_graph=True)
    second = torch.zeros_like(x)
    if first.requires_grad:
        (second,) = torch.autograd.grad(first.sum(), x)
    return {"first derivative": first, "second derivative": second}
""",
    x=vary([1.0, 2.0], low=1, high=4),
    w=vary([2.0, 1.0], low=1, high=4),
)
"""Through `.data`, `detach`, `no_grad` or NumPy? The second derivative through the hook, of which a part is missing
then. The gradient that the hook gets depends on `x`."""

same_again = ready(
    HookProbe,
    """
def three_calls(hook, first, second):
    return {
        "first": hook(torch.tensor(first)),
        "second": hook(torch.tensor(second)),
        "first again": hook(torch.tensor(first)),
    }
""",
    first=_GRADIENT,
    second=vary([5.0, 4.0], low=-6, high=6),
)
"""Memory? What it returns in three calls, the third like the first: counting, caching or adding up shows."""

gradient_let_go = ready(
    HookProbe,
    """
def held_afterwards(hook, grad, weight):
    import gc
    import weakref

    given = torch.tensor(grad)
    alive = weakref.ref(given)
    returned = hook(given)
    returned = None if returned is None else returned.clone()
    del given
    if alive() is not None:
        gc.collect()
    return {"returned": returned, "weight, twice if the gradient is still held": weight * (1 + (alive() is not None))}
""",
    grad=_GRADIENT,
    weight=_WEIGHT,
)
"""A leak? `weight`, doubled if somebody still holds the gradient that was given once the call is over."""

no_hook_left = ready(
    HookProbe,
    """
def hooks_on_the_gradient_afterwards(hook, grad, weight):
    given = torch.tensor(grad, requires_grad=True) * 1
    returned = hook(given)
    left = len(given._backward_hooks or ())
    return {"returned": returned, "weight, once more per hook left on it": weight * (1 + left)}
""",
    grad=_GRADIENT,
    weight=_WEIGHT,
)
"""A hook inside a hook? How many are left on the gradient that was given, times `weight`."""

modes_restored = ready(HookProbe, modes_text("modes_afterwards", "hook", "hook(torch.tensor(w))"), w=_GRADIENT)
"""Torch's own settings: whether a product is recorded after the call, how wide new numbers are, how many hooks were
left for all modules, each times `w`."""
