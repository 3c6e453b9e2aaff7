"""# Implement your own

Now you write the code that runs in the backward pass. Keep the signatures and replace each `...`.

Your functions and classes are tried on the cases shown and on others. Good manners count as well: a hook returns a
new tensor and leaves the one it was given alone, and nothing of the caller's is changed on the way.
"""

import torch

from grader.course import Assignment, vary

assignment = Assignment("implement-your-own")


# --- a vector-Jacobian product -------------------------------------------------------------------------------------


@assignment.implement(points=3)
def weighted_gradient(f, x, w):
    """Return the gradient of `sum(f(x) * w)` with respect to `x`, as a tensor of the shape of `x`.

    `f` is a function of one tensor; `w` has the shape of its result. The caller's `x` stays as it was, its `.grad`
    and its `requires_grad` included.
    """
    leaf = x.detach().clone().requires_grad_(True)
    f(leaf).backward(w)
    return leaf.grad


@weighted_gradient.probe(
    points=2,
    public=[dict(x=[3.0, 5.0], w=[2.0, -1.0])],
    hidden=[dict(x=[-2.0, 4.0], w=[3.0, 5.0]), dict(x=[0.5, -3.0], w=[-1.0, 4.0])],
    generated=dict(x=vary([2.0, 3.0], low=2, high=6), w=vary([2.0, 3.0], low=2, high=6)),
)
def of_product_and_sum(gradient_of, x, w):
    def f(t):
        return torch.stack([t[0] * t[1], t[0] + t[1]])

    return gradient_of(f, torch.tensor(x), torch.tensor(w))


@weighted_gradient.probe(
    points=1,
    public=[dict(x=[1.0, -3.0], w=[2.0, 5.0], old=[7.0, 8.0])],
    hidden=[dict(x=[4.0, 3.0], w=[-1.0, 2.0], old=[1.0, -6.0])],
)
def with_a_leaf_of_the_callers(gradient_of, x, w, old):
    plain = torch.tensor(x)
    gradient_of(torch.square, plain, torch.tensor(w))
    leaf = torch.tensor(x, requires_grad=True)
    leaf.grad = torch.tensor(old)
    result = gradient_of(torch.square, leaf, torch.tensor(w))
    return {"gradient": result, "x.grad afterwards": leaf.grad, "x.requires_grad afterwards": plain.requires_grad}


@weighted_gradient.mistake("The weights are only a shape: the gradient of the plain sum is what counts.")
def weights_ignored(f, x, w):
    leaf = x.detach().clone().requires_grad_(True)
    f(leaf).sum().backward()
    return leaf.grad


@weighted_gradient.mistake("The weights multiply the finished gradient.")
def weights_last(f, x, w):
    leaf = x.detach().clone().requires_grad_(True)
    f(leaf).sum().backward()
    return leaf.grad * w


@weighted_gradient.mistake("Calling backward on the caller's own tensor does it no harm.")
def on_the_callers_tensor(f, x, w):
    x.requires_grad_(True)
    f(x).backward(w)
    return x.grad


# --- a hook that squares -------------------------------------------------------------------------------------------


@assignment.implement(points=3)
def square(grad):
    """A hook for `register_hook`: the square of the gradient that passes through it flows on."""
    return grad**2


@square.probe(
    points=2,
    public=[dict(x=[1.0, 2.0, 3.0], w=[1.0, 2.0, 1.0])],
    hidden=[dict(x=[0.5, -1.0], w=[3.0, -2.0]), dict(x=[4.0], w=[-3.0])],
    generated=dict(x=vary([1.0, 2.0], low=1, high=5), w=vary([3.0, 4.0], low=3, high=6)),
)
def on_the_square(hook, x, w):
    x = torch.tensor(x, requires_grad=True)
    y = x**2
    z = x + 5 * y
    y.register_hook(hook)
    z.backward(torch.tensor(w))
    return {"x.grad": x.grad}


@square.probe(
    points=1,
    public=[dict(grad=[3.0, -1.0])],
    hidden=[dict(grad=[-2.0, 0.0, 5.0])],
)
def called_by_hand(hook, grad):
    grad = torch.tensor(grad)
    returned = hook(grad)
    return {"returned": returned, "the gradient that was given, afterwards": grad}


@square.mistake("Computing the square is enough; it need not be returned.")
def square_not_returned(grad):
    grad**2


@square.mistake("To square means to double.")
def doubled(grad):
    return 2 * grad


@square.mistake("A hook may as well edit the gradient that it is given.")
def squared_in_place(grad):
    return grad.mul_(grad)


# --- a factory of clipping hooks -----------------------------------------------------------------------------------


@assignment.implement(points=3)
def clip_hook(limit):
    """Return a *hook*: a function of `grad` that gives back `grad` with each element between `-limit` and `limit`."""

    def clip(grad):
        return grad.clamp(-limit, limit)

    return clip


@clip_hook.probe(
    points=2,
    public=[dict(limit=2.0, w=[5.0, -3.0, 1.0])],
    hidden=[dict(limit=0.5, w=[-4.0, 0.25, 2.0, -0.25]), dict(limit=3.0, w=[-7.0, 4.0])],
    generated=dict(limit=vary(2.0, low=1, high=2), w=vary([3.0, -9.0, 9.0], low=-9, high=9, step=6)),
)
def on_a_product(make_hook, limit, w):
    x = torch.tensor([3.0] * len(w), requires_grad=True)
    y = x * 4
    y.register_hook(make_hook(limit))
    y.backward(torch.tensor(w))
    return {"x.grad": x.grad}


@clip_hook.probe(
    points=1,
    public=[dict(narrow=1.0, wide=4.0, grad=[6.0, -3.0, 0.5])],
    hidden=[dict(narrow=0.5, wide=2.0, grad=[-5.0, 1.0])],
)
def two_limits_at_once(make_hook, narrow, wide, grad):
    first, second = make_hook(narrow), make_hook(wide)
    grad = torch.tensor(grad)
    return {"narrow": first(grad), "wide": second(grad), "the gradient that was given, afterwards": grad}


@clip_hook.mistake("Clipping cuts off what is too large; negative gradients are small already.")
def only_from_above(limit):
    return lambda grad: grad.clamp(max=limit)


@clip_hook.mistake("Clipping rescales the whole gradient, as clipping by norm does.")
def by_the_norm(limit):
    return lambda grad: grad * (limit / grad.norm()).clamp(max=1)


@clip_hook.mistake("What the hook computes need not be returned.")
def clipped_not_returned(limit):
    def clip(grad):
        grad.clamp(-limit, limit)

    return clip


@clip_hook.mistake("A hook may as well edit the gradient that it is given.")
def clipped_in_place(limit):
    return lambda grad: grad.clamp_(-limit, limit)


# --- a gradient reversal layer -------------------------------------------------------------------------------------


@assignment.implement(points=4)
class ReverseGradient(torch.autograd.Function):
    """A gradient reversal layer: forward passes `x` on as it is; backward multiplies the gradient by `-scale`.

    It is used as `ReverseGradient.apply(x, scale)`, with a plain number for `scale`, and can be differentiated twice.
    """

    @staticmethod
    def forward(ctx, x, scale):
        """Return the values of `x`; keep on `ctx` what backward needs."""
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        """Return one gradient for each argument of forward: `x`, then `scale`."""
        return -ctx.scale * grad_output, None


@ReverseGradient.probe(
    points=2,
    public=[dict(x=[1.0, -2.0], scale=0.5, w=[3.0, 4.0])],
    hidden=[dict(x=[2.0, 5.0, -1.0], scale=2.0, w=[-1.0, 0.5, 7.0])],
    generated=dict(
        x=vary([1.0, 2.0], low=1, high=6), scale=vary(2.0, low=2, high=5), w=vary([3.0, 2.0], low=2, high=6)
    ),
)
def between_two_layers(layer, x, scale, w):
    x = torch.tensor(x, requires_grad=True)
    y = layer.apply(x**2, scale)
    (3 * y).backward(torch.tensor(w))
    return {"y": y, "x.grad": x.grad}


@ReverseGradient.probe(
    points=1,
    public=[dict(first=2.0, second=3.0)],
    hidden=[dict(first=0.5, second=-4.0)],
)
def two_scales_at_once(layer, first, second):
    x = torch.tensor([1.0, 3.0], requires_grad=True)
    y = layer.apply(x, first) + 10 * layer.apply(x, second)
    y.sum().backward()
    return {"y": y, "x.grad": x.grad}


@ReverseGradient.probe(
    points=1,
    public=[dict(x=[2.0, -1.0], scale=2.0)],
    hidden=[dict(x=[1.0, 3.0], scale=0.5)],
)
def differentiated_twice(layer, x, scale):
    x = torch.tensor(x, requires_grad=True)
    y = x**2 + layer.apply(x, scale) ** 3
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return {"first derivative": first, "second derivative": second}


@ReverseGradient.mistake("Reversal turns the values round as well.")
class ReverseBoth(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return -scale * x

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.scale * grad_output, None


@ReverseGradient.mistake("backward gives the local derivative; autograd multiplies it by the upstream gradient.")
class LocalDerivative(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.full_like(grad_output, -ctx.scale), None


@ReverseGradient.mistake("The gradient is a plain value, so backward may detach it.")
class DetachedGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.scale = scale
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.scale * grad_output.detach(), None


@ReverseGradient.mistake("To reverse a gradient is to change its sign; the scale plays no part.")
class SignOnly(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -grad_output, None


# --- a module that watches its gradient ----------------------------------------------------------------------------


@assignment.implement(points=4)
class Watched(torch.nn.Module):
    """Wrap a module: the output is that of `inner`, and no gradient is changed.

    In each backward pass, the norm of the gradient that arrives at the output is added to the list `self.norms`, as a
    float. Under `torch.no_grad()` the module works all the same and notes nothing.
    """

    def __init__(self, inner):
        """Keep `inner`, and start with an empty list of norms."""
        super().__init__()
        self.inner = inner
        self.norms = []

    def forward(self, x):
        """Return what `inner` makes of `x`."""
        out = self.inner(x)
        if out.requires_grad:
            out.register_hook(lambda grad: self.norms.append(grad.norm().item()))
        return out


@Watched.probe(
    points=2,
    public=[dict(weight=[[2.0, 0.0], [0.0, 5.0]], x=[1.0, 2.0], weights=[[3.0, 4.0]])],
    hidden=[dict(weight=[[1.0, -2.0], [3.0, 1.0]], x=[2.0, -1.0], weights=[[6.0, 8.0], [5.0, 12.0]])],
    generated=dict(
        weight=vary([[2.0, 3.0], [4.0, 2.0]], low=2, high=5),
        x=vary([1.0, 2.0], low=1, high=5),
        weights=vary([[3.0, 4.0], [4.0, 3.0]], low=2, high=9),
    ),
)
def in_training(wrap, weight, x, weights):
    linear = torch.nn.Linear(2, 2, bias=False)
    linear.weight.data.copy_(torch.tensor(weight))
    watched = wrap(linear)
    x = torch.tensor(x, requires_grad=True)
    for w in weights:
        watched(x).backward(torch.tensor(w))
    return {"norms": list(watched.norms), "x.grad": x.grad, "weight.grad": linear.weight.grad}


@Watched.probe(
    points=1,
    public=[dict(weight=[[2.0, 1.0], [3.0, -1.0]], x=[1.0, 2.0], w=[3.0, 4.0])],
    hidden=[dict(weight=[[1.0, 4.0], [-2.0, 1.0]], x=[3.0, -1.0], w=[-8.0, 6.0])],
)
def evaluated_then_trained(wrap, weight, x, w):
    linear = torch.nn.Linear(2, 2, bias=False)
    linear.weight.data.copy_(torch.tensor(weight))
    watched = wrap(linear)
    with torch.no_grad():
        out = watched(torch.tensor(x))
    watched(torch.tensor(x, requires_grad=True)).backward(torch.tensor(w))
    return {"output": out, "norms": list(watched.norms)}


@Watched.probe(
    points=1,
    public=[dict(first=[3.0, 4.0], second=[8.0, 6.0])],
    hidden=[dict(first=[12.0, 5.0], second=[0.0, 7.0])],
)
def two_of_them(wrap, first, second):
    near_input, near_output = wrap(torch.nn.ReLU()), wrap(torch.nn.ReLU())
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (2 * near_output(3 * near_input(x))).backward(torch.tensor(first))
    near_output(x).backward(torch.tensor(second))
    return {"near the input": list(near_input.norms), "near the output": list(near_output.norms)}


@Watched.mistake("What arrives at the output is also what leaves at the input.")
class WatchesTheInput(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.norms = []

    def forward(self, x):
        if x.requires_grad:
            x.register_hook(lambda grad: self.norms.append(grad.norm().item()))
        return self.inner(x)


@Watched.mistake("A hook can be registered on any tensor, also where no gradient will ever come.")
class HooksEverything(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.norms = []

    def forward(self, x):
        out = self.inner(x)
        out.register_hook(lambda grad: self.norms.append(grad.norm().item()))
        return out


@Watched.mistake("What a watching hook returns does not matter.")
class NormalisesOnTheWay(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.norms = []

    def forward(self, x):
        def note(grad):
            self.norms.append(grad.norm().item())
            return grad / grad.norm()

        out = self.inner(x)
        if out.requires_grad:
            out.register_hook(note)
        return out


@Watched.mistake("A hook is registered once and for all, when the module first runs.")
class HooksOnce(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.norms = []
        self.hooked = False

    def forward(self, x):
        out = self.inner(x)
        if out.requires_grad and not self.hooked:
            self.hooked = True
            out.register_hook(lambda grad: self.norms.append(grad.norm().item()))
        return out
