"""# Observing hooks

On the way back, PyTorch keeps the gradients of leaves only. To see the others you ask for them beforehand:
`y.register_hook(f)` calls `f` with the gradient of `y` as soon as it is complete, and `y.retain_grad()` keeps it
in `y.grad`. The backward pass visits the newest results first and the oldest last.

All hooks here return `None`. What becomes of the gradient then is one of the questions.
"""

import torch

from grader.course import Assignment, vary

assignment = Assignment("observing-hooks")


@assignment.predict(
    "seen_with_ones",
    "seen_with_w",
    points=2,
    blind_to={
        "w-comes-at-the-end": "This is the tutorial's network. Whoever multiplies at the end lets the hook see ones, "
        "as who sends ones back; `observing_hook` asks for `x.grad` and tells.",
    },
)
def what_a_hook_sees(w=vary([1, 2, 1], low=-3, high=4)):
    """The same small network goes backward twice: first with ones, then with the integers of `w`.

    What does the hook on `y` see each time?
    """
    seen = []
    for weights in [torch.ones(3), torch.tensor(w)]:
        x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
        y = x**2
        z = x + y
        y.register_hook(lambda grad: seen.append(grad.clone()))
        z.backward(weights)
    return tuple(seen)


@assignment.predict("seen_before_square", "grad_before_square", points=2)
def through_a_square(w=vary([2.0, 1.0], low=-3, high=3)):
    """What does the hook on `y` see, and what does `x.grad` hold afterwards?"""
    seen = []
    x = torch.tensor([1.0, -3.0], requires_grad=True)
    y = 2 * x + 1
    y.register_hook(lambda grad: seen.append(grad.clone()))
    o = y**2
    o.backward(torch.tensor(w))
    return seen[0], x.grad


@assignment.choice(
    "read_afterwards",
    points=1,
    options={
        "stored": "the gradient of `y`: all threes",
        "zeros": "a tensor of zeros",
        "silent": "`None`, and no warning",
        "warned": "`None`, and a warning",
    },
)
def an_intermediate_gradient():
    """What does reading `y.grad` give after the backward pass?"""
    import warnings

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    (3 * y).sum().backward()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        grad = y.grad
    if grad is None:
        return "warned" if caught else "silent"
    return "stored" if grad.eq(3).all() else "zeros"


@assignment.predict(
    "observed_grad",
    points=2,
    blind_to={
        "hook-returning-none-kills-the-gradient": "These are the numbers of the tutorial; `through_a_square` has one "
        "path only and shows who thinks that nothing flows on.",
    },
)
def observing_hook(w=vary([1.0, 2.0, 1.0], low=-3, high=4)):
    """This hook notes what it sees and returns nothing. What does `x.grad` hold after the backward pass?"""
    seen = []

    def look(grad):
        seen.append(grad.clone())

    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x**2
    z = x + y
    y.register_hook(look)
    z.backward(torch.tensor(w))
    return x.grad


@assignment.choice(
    "noticed_where",
    points=1,
    options={
        "registering": "at once: `register_hook` raises",
        "backward": "later: `backward` raises",
        "never": "never: what cannot be called is skipped",
    },
)
def not_a_hook():
    """A slip: `look` is called instead of handed over, so what is registered is the `None` that it returned.

    Where does PyTorch notice?
    """
    seen = []

    def look(grad):
        seen.append(grad)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    try:
        y.register_hook(look(y))
    except TypeError:
        return "registering"
    try:
        y.sum().backward()
    except TypeError:
        return "backward"
    return "never"


@assignment.order("fired_names", points=2)
def five_tensors():
    """`y` is used twice. What does the list `fired` hold after the backward pass?"""
    fired = []
    x = torch.tensor(2.0, requires_grad=True)
    y = 3 * x
    a = y**2
    b = 5 * y
    z = a + b
    for name, tensor in {"y": y, "z": z, "x": x, "b": b, "a": a}.items():
        tensor.register_hook(lambda grad, name=name: fired.append(name))
    z.backward()
    return fired


@assignment.predict("leaf_saw", "leaf_has", "square_has", points=3)
def second_backward(w=vary([1.0, 5.0], low=-4, high=5)):
    """Two backward passes through the same graph, the second one with `w`.

    What does the hook on the leaf `x` see the second time, what does `x.grad` hold in the end, and what `y.grad`?
    """
    seen = []
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    x.register_hook(lambda grad: seen.append(grad.clone()))
    y = x**2
    y.retain_grad()
    y.backward(torch.tensor([3.0, 1.0]), retain_graph=True)
    y.backward(torch.tensor(w))
    return seen[1], x.grad, y.grad


@assignment.raises(
    "error_detached",
    points=1,
    blind_to={
        "detach-ignored": "There are only two things to say, `None` and an error, and both beliefs say `None`.",
    },
)
def a_detached_tensor():
    """Does this raise? Give the exception's name, such as `"ValueError"`, or `None` if all goes well."""
    seen = []
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x**2
    constant = y.detach()
    constant.register_hook(lambda grad: seen.append(grad))
    (y * constant).sum().backward()
