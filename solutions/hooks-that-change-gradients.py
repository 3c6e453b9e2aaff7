"""# Hooks that change gradients

What a hook returns takes the place of the gradient that it was given, and flows on from there: through the
derivative of the operation that made the tensor, down to the leaves. `None` leaves the gradient as it is. Several
hooks on one tensor run in the order in which they were registered, and each gets what the one before it made.

A hook should *return a new tensor*. One exercise shows what comes of editing the old one.
"""

import torch

from grader.course import Assignment, vary

assignment = Assignment("hooks-that-change-gradients")


@assignment.predict(
    "x_grad",
    points=2,
    blind_to={
        "w-comes-at-the-end": "These are the numbers of the tutorial, whose [3, 10, 7] has two causes; "
        "`square_plus_one` asks again with a hook that tells them apart.",
    },
)
def squaring_hook(w=vary([1.0, 2.0, 1.0], low=-3, high=3)):
    """What does `x.grad` hold after the backward pass?"""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(lambda grad: grad**2)
    z.backward(torch.tensor(w))
    return x.grad


@assignment.choice(
    "right_formula",
    points=2,
    options={
        "hook_first": "`(w * dz_dy) ** 2 * dy_dx + w`",
        "hook_after_slope": "`(w * dz_dy * dy_dx) ** 2 + w`",
        "hook_on_total": "`(w * dz_dy * dy_dx + w) ** 2`",
        "w_last": "`w * (dz_dy**2 * dy_dx + 1)`",
        "no_hook": "`w * dz_dy * dy_dx + w`",
    },
)
def which_formula():
    """The program compares `x.grad` with five formulas. Which of them does PyTorch follow?"""
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    w = torch.tensor([3.0, 2.0])
    y = x**2
    z = x + 5 * y
    y.register_hook(lambda grad: grad**2)
    z.backward(w)

    dz_dy = 5
    dy_dx = 2 * x.detach()
    formulas = {
        "hook_first": (w * dz_dy) ** 2 * dy_dx + w,
        "hook_after_slope": (w * dz_dy * dy_dx) ** 2 + w,
        "hook_on_total": (w * dz_dy * dy_dx + w) ** 2,
        "w_last": w * (dz_dy**2 * dy_dx + 1),
        "no_hook": w * dz_dy * dy_dx + w,
    }
    return next(name for name, value in formulas.items() if value.equal(x.grad))


@assignment.predict("plus_one_grad", points=2)
def square_plus_one(w=vary([3.0, 1.0], low=-3, high=4)):
    """Now the hook adds one to the square. What does `x.grad` hold after the backward pass?"""
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(lambda grad: grad**2 + 1)
    z.backward(torch.tensor(w))
    return x.grad


@assignment.predict(
    "second_hook_saw",
    "two_hooks_grad",
    points=2,
    blind_to={
        "hook-acts-on-the-final-x-grad": "`x` is used once, so what leaves `3 * x` is `x.grad`; `squaring_hook` has a "
        "second path and tells.",
    },
)
def two_hooks(w=vary([3.0, -4.0], low=-5, high=5)):
    """Two hooks on the same tensor. What does the second one see, and what does `x.grad` hold afterwards?"""
    seen = []

    def add_one(grad):
        return grad + 1

    def double(grad):
        seen.append(grad.clone())
        return grad * 2

    x = torch.tensor([2.0, -1.0], requires_grad=True)
    y = 3 * x
    y.register_hook(add_one)
    y.register_hook(double)
    y.backward(torch.tensor(w))
    return seen[0], x.grad


@assignment.order(
    "hooks_ended",
    points=2,
    blind_to={
        "the-hook-has-no-effect": "Who ignores what a hook returns expects it to be accepted, too; `squaring_hook` "
        "shows who does.",
    },
)
def what_may_be_returned():
    """Four hooks are tried, each in a run of its own. What does the list `ended` hold at the end?"""
    ended = []
    for hook in [
        lambda grad: grad.sum(),
        lambda grad: None,
        lambda grad: 2.0,
        lambda grad: grad.double(),
    ]:
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x**2
        y.register_hook(hook)
        try:
            (3 * y).sum().backward()
            ended.append("fine")
        except Exception as error:
            ended.append(type(error).__name__)
    return ended


@assignment.predict(
    "grad_apart",
    "grad_shared",
    points=3,
    blind_to={
        "hook-receives-the-value": "Editing the value leaves the gradient as no hook at all does; `two_hooks` asks "
        "what a hook sees.",
        "hook-acts-after-the-local-derivative": "To triple before or after the local derivative is the same; "
        "`squaring_hook` tells.",
        "hook-returning-none-kills-the-gradient": "Both leave the direct use of `x` alone; `through_a_square` has one "
        "path only and tells.",
    },
)
def editing_in_place(w=vary([1.0, -2.0], low=-3, high=3)):
    """Bad manners: this hook edits the gradient it is given, and returns nothing.

    What does `x.grad` hold where `y` reaches `z` through a multiplication, and where it is added as it is?
    """

    def triple(grad):
        grad.mul_(3)

    x = torch.tensor([1.0, -3.0], requires_grad=True)
    y = x**2
    y.register_hook(triple)
    z = x + 2 * y
    z.backward(torch.tensor(w))
    apart = x.grad

    x = torch.tensor([1.0, -3.0], requires_grad=True)
    y = x**2
    y.register_hook(triple)
    z = x + y
    z.backward(torch.tensor(w))
    return apart, x.grad


@assignment.order(
    "fired_in_two_passes",
    points=2,
    blind_to={
        "firing-order-reversed": "All hooks are on one tensor, where the two orders are one; `five_tensors` has a hook "
        "on each and tells.",
    },
)
def removed_on_the_way():
    """In each pass, the first hook removes the last one. What does the list `fired` hold after both passes?"""
    fired = []

    def first(grad):
        fired.append("first")
        handle.remove()

    x = torch.tensor(2.0, requires_grad=True)
    y = 3 * x
    y.register_hook(first)
    y.register_hook(lambda grad: fired.append("middle"))
    handle = y.register_hook(lambda grad: fired.append("last"))
    y.backward(retain_graph=True)
    y.backward()
    return fired


@assignment.predict("hooked_twice", "in_the_end", points=3)
def a_hook_on_the_leaf(w=vary([2.0, 1.0], low=-3, high=3)):
    """A hook on the leaf itself stays for two backward passes and is gone for the third.

    What does `x.grad` hold after the second pass, and what after the third?
    """
    x = torch.tensor([1.0, -3.0], requires_grad=True)
    handle = x.register_hook(lambda grad: 4 * grad + 1)
    (2 * x).backward(torch.tensor([1.0, -1.0]))
    (x**2).backward(torch.tensor(w))
    after_two = x.grad.clone()

    handle.remove()
    (5 * x).backward(torch.tensor([1.0, 2.0]))
    return after_two, x.grad
