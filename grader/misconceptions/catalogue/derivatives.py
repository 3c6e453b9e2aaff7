"""The local derivatives of single operations."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Misconception, Topic, program

TOPIC = Topic(
    id="derivatives",
    title="Local derivatives",
    entries=(
        Misconception(
            id="power-rule-without-exponent",
            name="power rule without exponent",
            belief="I lower the exponent and forget to put it in front: I take `x` for the derivative of `x**2`.",
            truth="The derivative of `x**n` is `n * x**(n - 1)`.",
            page="A Gentle Introduction to torch.autograd",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(6.)",
            believer_expects="tensor(3.)",
            follow_up="Predict again with `x * x` in place of `x**2`: is your answer the same?",
        ),
        Misconception(
            id="constant-factor-dropped",
            name="constant factor dropped",
            belief="I drop a constant factor: I take 1 for the derivative of `5 * x`.",
            truth="A constant factor stays: the derivative of `5 * x` is 5, "
            "and in the chain rule it multiplies everything that comes before it.",
            page="A Gentle Introduction to torch.autograd",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = 5 * x",
                "(y**2).backward()",
                "print(x.grad)",
            ),
            prints="tensor(150.)",
            believer_expects="tensor(30.)",
            follow_up="Predict `x.grad` for the output `5 * x` alone: how much does `5 * x` grow if `x` grows by 1?",
        ),
        Misconception(
            id="product-rule-forgotten",
            name="product rule forgotten",
            belief="I treat the second factor of a product as a constant.",
            truth="Both factors of a product pass a gradient back: the first times the second factor, "
            "the second times the first.",
            page="A Gentle Introduction to torch.autograd",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = (x + 1) * (x**2)",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(33.)",
            believer_expects="tensor(9.)",
            follow_up="Predict again with the two factors swapped: does that change your answer?",
        ),
        Misconception(
            id="mean-has-gradient-1",
            name="mean has gradient 1",
            belief="I differentiate `mean()` as if it were `sum()`.",
            truth="A mean divides by the number of elements, so each element gets only `1/n` of the gradient.",
            page="A Gentle Introduction to torch.autograd",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "y = x**2",
                "y.mean().backward()",
                "print(x.grad)",
            ),
            prints="tensor([1., 2.])",
            believer_expects="tensor([2., 4.])",
            follow_up="Predict again with `sum()` in place of `mean()`: is your answer the same?",
        ),
        Misconception(
            id="relu-has-gradient-1-at-0",
            name="relu has gradient 1 at 0",
            belief="At 0, I let `relu` pass the gradient on.",
            truth="At exactly 0 `relu` has no derivative; PyTorch takes 0 there, so nothing is passed on.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor([0.0, 1.0], requires_grad=True)",
                "y = x.relu()",
                "y.sum().backward()",
                "print(x.grad)",
            ),
            prints="tensor([0., 1.])",
            believer_expects="tensor([1., 1.])",
            follow_up="Predict again with an input a little below 0, and with one a little above: on which side "
            "does 0 belong?",
        ),
        Misconception(
            id="clamp-has-gradient-0-at-the-bound",
            name="clamp has gradient 0 at the bound",
            belief="I treat `clamp(min=0)` as `relu` at the bound: what is exactly 0 passes nothing on.",
            truth="`clamp` passes the gradient on at the bound itself and stops it only outside. "
            "There it differs from `relu`, which passes nothing on at 0.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor([0.0, 1.0], requires_grad=True)",
                "y = x.clamp(min=0)",
                "y.sum().backward()",
                "print(x.grad)",
            ),
            prints="tensor([1., 1.])",
            believer_expects="tensor([0., 1.])",
            follow_up="Predict again with `relu()` in place of `clamp(min=0)`: is your answer the same?",
        ),
        Misconception(
            id="max-ties-go-to-the-first",
            name="max: ties go to the first",
            belief="Where several elements are the largest, I let `max()` pass the gradient to the first of them only.",
            truth="`max()` and `amax()` share the gradient equally among all elements that are largest. "
            "`max(dim)`, which also returns a position, gives it to the element at that position.",
            page="torch.amax",
            example=program(
                "x = torch.tensor([3.0, 3.0], requires_grad=True)",
                "y = x.max()",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor([0.5000, 0.5000])",
            believer_expects="tensor([1., 0.])",
            follow_up="Predict again with `max(dim=0).values` in place of `max()`: is your answer the same?",
        ),
        Misconception(
            id="no-conjugation",
            name="no conjugation",
            belief="For a complex leaf I expect the plain complex derivative.",
            truth="For a complex leaf PyTorch gives the conjugate, that is, with the sign of the imaginary part turned "
            "round: the direction in which the real output grows fastest.",
            page="Autograd mechanics",
            example=program(
                "z = torch.tensor(1 + 2j, requires_grad=True)",
                "y = z**2",
                "y.real.backward()",
                "print(z.grad)",
            ),
            prints="tensor(2.-4.j)",
            believer_expects="tensor(2.+4.j)",
            follow_up="Move the leaf by a small step along your answer: does the real output grow?",
        ),
    ),
)
