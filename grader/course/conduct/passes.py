"""Ready probes of a function that runs a backward pass: `gradient_of(f, x, w)`, the gradient of `sum(f(x) * w)`."""

from __future__ import annotations

from grader.course.conduct.modes import modes_text
from grader.course.conduct.ready import ReadyProbe, ready
from grader.course.vary import vary

_INPUT = vary([1.0, 2.0], low=1, high=5)
_WEIGHTS = vary([2.0, -3.0], low=-5, high=5)

counted = ready(
    ReadyProbe,
    """
def calls_and_passes(gradient_of, x, w):
    inputs, gradients = [], []

    def f(t):
        inputs.append(t.detach().clone())
        y = t**2
        if y.requires_grad:
            y.register_hook(lambda grad: gradients.append(grad.clone()))
        return 3 * y

    result = gradient_of(f, torch.tensor(x), torch.tensor(w))
    return {"gradient": result, "inputs of f, in order": inputs, "gradients inside f, in order": gradients}
""",
    x=_INPUT,
    w=_WEIGHTS,
)
"""How often, and with what? Every input with which `f` was called and every gradient that flowed through its middle:
one of each, unless passes are repeated, halved, or replaced by differences."""

caller_untouched = ready(
    ReadyProbe,
    """
def callers_tensors_afterwards(gradient_of, x, w, old):
    leaf = torch.tensor(x, requires_grad=True)
    leaf.grad = torch.tensor(old)
    weights = torch.tensor(w)
    result = gradient_of(torch.square, leaf, weights)
    left = len(leaf._backward_hooks or ()) + len(leaf._post_accumulate_grad_hooks or ())
    return {
        "gradient": result,
        "x afterwards": leaf,
        "w afterwards": weights,
        "x.grad afterwards": leaf.grad,
        "sum of old, if x is still a leaf that requires grad": sum(old) * (leaf.is_leaf and leaf.requires_grad),
        "sum of old, once more per write to x or w": sum(old) * (1 + leaf._version + weights._version),
        "sum of old, once more per hook left on x": sum(old) * (1 + left),
    }
""",
    x=_INPUT,
    w=_WEIGHTS,
    old=vary([4.0, 7.0], low=1, high=9),
)
"""Traces on the caller's tensors: the numbers of `x`, `w` and `x.grad` afterwards; writes and hooks left, counted in
sums of the gradient that was there before."""

plain_tensor_untouched = ready(
    ReadyProbe,
    """
def callers_plain_tensor_afterwards(gradient_of, x, w):
    plain = torch.tensor(x)
    result = gradient_of(torch.square, plain, torch.tensor(w))
    return {"gradient": result, "sum of x, twice if it now requires grad": sum(x) * (1 + plain.requires_grad)}
""",
    x=_INPUT,
    w=_WEIGHTS,
)
"""Whether a tensor of the caller's that required no grad does afterwards, in sums of `x`."""

modes_restored = ready(
    ReadyProbe,
    modes_text("modes_afterwards", "gradient_of", "gradient_of(torch.square, torch.tensor(w), torch.tensor(w))"),
    w=_WEIGHTS,
)
"""Torch's own settings: whether a product is recorded after the call, how wide new numbers are, how many hooks were
left for all modules, each times `w`."""
