"""# Vectors and weights

`backward` starts from one number: the gradient of a vector alone is not defined. For an output `o` with several
elements you say how much each of them counts: `o.backward(w)` computes the gradient of `sum(o * w)`, which is a
vector-Jacobian product, and *adds* it to the `.grad` of every leaf that requires one.

Work each answer out on paper first. The numbers are small enough.
"""

import torch

from grader.course import Assignment, vary

assignment = Assignment("vectors-and-weights")


@assignment.raises("error_without_w", points=1)
def vector_without_weights():
    """Does this raise? Give the exception's name, such as `"ValueError"`, or `None` if all goes well."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    o = x**2
    o.backward()


@assignment.predict("square_grad", points=2)
def weighted_square(w=vary([2, 5, -1], low=-5, high=5)):
    """`w` is a tensor of integers here. What does `x.grad` hold after the backward pass?"""
    x = torch.tensor([3.0, -1.0, -2.0], requires_grad=True)
    o = x**2
    o.backward(torch.tensor(w))
    return x.grad


@assignment.predict("grad_from_w", "grad_from_sum", points=3)
def mixed_outputs(w=vary([3.0, -1.0], low=-3, high=3), v=vary([1.0, 3.0], low=-3, high=4)):
    """Both elements of `o` depend on both elements of `x`.

    What does `x.grad` hold after `o.backward(w)`? And what, in a fresh run, after the loss `(o * v).sum()` went
    backward without any weights?
    """
    x = torch.tensor([3.0, 5.0], requires_grad=True)
    o = torch.stack([x[0] * x[1], x[0] + x[1]])
    o.backward(torch.tensor(w))
    first = x.grad

    x = torch.tensor([3.0, 5.0], requires_grad=True)
    o = torch.stack([x[0] * x[1], x[0] + x[1]])
    (o * torch.tensor(v)).sum().backward()
    return first, x.grad


@assignment.order("what_happened", points=2)
def which_weights():
    """Four weights are tried on an output of shape (3,). What does the list `happened` hold at the end?"""
    happened = []
    for w in [
        torch.tensor([True, False, True]),
        torch.tensor([2.0]),
        [2.0, 5.0, 1.0],
        torch.tensor([2.0, 5.0, 1.0], dtype=torch.float64),
    ]:
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        try:
            (x**2).backward(w)
            happened.append("fine")
        except Exception as error:
            happened.append(type(error).__name__)
    return happened


@assignment.predict(
    "kept_after_all",
    "grad_after_all",
    points=2,
    blind_to={
        "second-backward-replaces": "The reset hides who thinks that a pass replaces `x.grad`; `second_backward` asks "
        "without a reset.",
    },
)
def three_backwards():
    """The gradient is put aside as `kept` after the first backward pass, and `x.grad` is reset before the third.

    What do `kept` and `x.grad` hold at the very end?
    """
    x = torch.tensor([3.0, -1.0], requires_grad=True)
    (x**2).backward(torch.tensor([1.0, 4.0]))
    kept = x.grad
    ((x - 1) ** 2).sum().backward()
    x.grad = None
    (5 * x).backward(torch.tensor([3.0, -2.0]))
    return kept, x.grad


@assignment.predict("late_grad", points=2)
def switched_on_late(w=vary([3.0, 1.0], low=-3, high=4)):
    """Here `x` becomes a leaf that requires a gradient only after `a` was computed. What does `x.grad` hold?"""
    x = torch.tensor([-1.0, 3.0])
    a = 2 * x
    x.requires_grad_(True)
    o = a * x**2
    o.backward(torch.tensor(w))
    return x.grad


@assignment.order("refused_names", points=2)
def refused_switches():
    """Five times a tensor's `requires_grad` is switched by hand. What does the list `refused` hold at the end?"""
    refused = []

    def switch(name, tensor, value):
        try:
            tensor.requires_grad_(value)
        except RuntimeError:
            refused.append(name)

    measures = torch.tensor([1.0, 2.0])
    counts = torch.tensor([1, 2])
    switch("measures on", measures, True)
    switch("counts on", counts, True)
    squares = measures**2
    switch("squares on", squares, True)
    switch("squares off", squares, False)
    switch("measures off", measures, False)
    return refused
