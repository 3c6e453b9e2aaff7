"""# Hooks that change gradients

A hook on a tensor sees the gradient on its way back; what it returns flows on instead.
"""

import torch

from grader.course import Assignment, vary

assignment = Assignment("hooked-gradients")  # must be the file's name


@assignment.predict("x_grad", points=2)
def squaring_hook(w=vary([1.0, 2.0, 1.0], low=-3, high=3)):
    """What does `x.grad` hold after the backward pass?"""
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(lambda grad: grad**2)
    z.backward(torch.tensor(w))
    return x.grad


@assignment.order("fired", points=1)
def three_tensors():
    """In which order do the hooks run? Give the list of names."""
    fired = []
    x = torch.tensor(2.0, requires_grad=True)
    y = 3 * x
    z = y**2
    for name, tensor in {"x": x, "y": y, "z": z}.items():
        tensor.register_hook(lambda grad, name=name: fired.append(name))
    z.backward()
    return fired


@assignment.raises("error", points=1)
def vector_without_weights():
    """Does this raise? Give the exception's name, such as `"ValueError"`, or `None`."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x**2).backward()


@assignment.choice("kept", points=1, options={"nothing": "`None`", "ones": "all ones", "twos": "`[2, 4]`"})
def intermediate():
    """What does `y.grad` hold after the backward pass?"""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    y.sum().backward()
    return "nothing" if y.grad is None else "ones" if y.grad.eq(1).all() else "twos"


@assignment.implement(points=3)
def square(grad):
    """Write a hook that squares the gradient which passes through it."""
    return grad**2


@square.probe(
    public=[dict(x=[1.0, 2.0, 3.0], w=[1.0, 2.0, 1.0])],
    hidden=[dict(x=[0.5, -1.0], w=[3.0, -2.0])],
    generated=dict(x=vary([1.0, 1.0], low=-4, high=4), w=vary([1.0, 1.0], low=-4, high=4)),
)
def on_the_square(hook, x, w):  # `hook` is the student's function in the sandbox, ours in the grader
    x = torch.tensor(x, requires_grad=True)
    y = x**2
    y.register_hook(hook)
    (x + y).backward(torch.tensor(w))
    return {"x.grad": x.grad}


@square.mistake("The hook computes the square but returns nothing, so the old gradient flows on.")
def no_return(grad):
    grad**2
