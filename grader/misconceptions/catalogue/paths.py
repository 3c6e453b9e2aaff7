"""Which paths from the output to a leaf pass a gradient on, and how they add up."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Misconception, Topic, program

TOPIC = Topic(
    id="paths",
    title="Which paths pass a gradient on",
    entries=(
        Misconception(
            id="skip-connection-forgotten",
            name="skip connection forgotten",
            belief="I let `x` count only through the longer branch and forget that it is also added directly.",
            truth="All paths from the output to `x` count, and their contributions are added. "
            "Where `x` is added directly, it gets the upstream gradient as it is.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "(x + y).backward()",
                "print(x.grad)",
            ),
            prints="tensor(7.)",
            believer_expects="tensor(6.)",
            follow_up="Predict again with `5 * x + y` in place of `x + y`: where does the 5 show in your answer?",
        ),
        Misconception(
            id="only-the-skip-connection-counts",
            name="only the skip connection counts",
            belief="I let `x` count only where it is added directly and forget the longer branch.",
            truth="All paths from the output to `x` count, and their contributions are added. "
            "The one through `y` brings the upstream gradient times the local derivative of `y`.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "(x + y).backward()",
                "print(x.grad)",
            ),
            prints="tensor(7.)",
            believer_expects="tensor(1.)",
            follow_up="Predict again with `x + 5 * y` in place of `x + y`: where does the 5 show in your answer?",
        ),
        Misconception(
            id="first-use-only",
            name="first use only",
            belief="When a tensor is used several times, I let only its first use pass a gradient back.",
            truth="Every use of a tensor passes a gradient back, and the gradients are added up.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = 2 * x + 5 * x",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(7.)",
            believer_expects="tensor(2.)",
            follow_up="Predict again with the uses of `x` computed in another order: does that change your answer?",
        ),
        Misconception(
            id="last-use-overwrites",
            name="last use overwrites",
            belief="When a tensor is used several times, I let the gradient of the last use overwrite the others.",
            truth="Nothing is overwritten within a backward pass: the gradients of all uses of a tensor are added up.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = 2 * x + 5 * x",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(7.)",
            believer_expects="tensor(5.)",
            follow_up="Predict again with one more use of `x`, `+ 0 * x`, at the very end: what is left of the others?",
        ),
        Misconception(
            id="addition-splits-the-gradient",
            name="addition splits the gradient",
            belief="I give each of two addends half of the gradient that arrives at their sum.",
            truth="An addition passes the whole gradient to each of its addends: if either grows by 1, so does the "
            "sum.",
            page="A Gentle Introduction to torch.autograd",
            example=program(
                "a = torch.tensor(2.0, requires_grad=True)",
                "b = torch.tensor(3.0, requires_grad=True)",
                "(a + b).backward()",
                "print(a.grad)",
            ),
            prints="tensor(1.)",
            believer_expects="tensor(0.5000)",
            follow_up="Predict `x.grad` for `(x + 1).backward()`, where one addend is a constant: is it 1 or 0.5?",
        ),
        Misconception(
            id="detach-ignored",
            name="detach ignored",
            belief="I take `detach()` for a copy through which gradients still flow.",
            truth="No gradient flows through what `detach()` returns. "
            "It has the same numbers (in the same memory), but counts as a constant.",
            page="torch.Tensor.detach",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x * x.detach()",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(3.)",
            believer_expects="tensor(6.)",
            follow_up="Predict again without `.detach()`: is your answer the same?",
        ),
        Misconception(
            id="detach-cuts-the-tensor-itself",
            name="detach cuts the tensor itself",
            belief="I think that after `d = y.detach()` no gradient flows through `y` any more.",
            truth="`detach()` returns a new tensor that is cut off. `y` itself stays connected as before.",
            page="torch.Tensor.detach",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = 2 * x",
                "d = y.detach()",
                "(y * d).backward()",
                "print(x.grad)",
            ),
            prints="tensor(12.)",
            believer_expects="tensor(0.)",
            follow_up="Predict again with the line `d = y.detach()` in place, but `y` alone as the output: "
            "what is `x.grad`?",
        ),
        Misconception(
            id="no-grad-ignored",
            name="no_grad ignored",
            belief="I think `torch.no_grad()` only saves memory, and what is computed under it still passes gradients.",
            truth="What is computed under `torch.no_grad()` counts as a constant: no gradient flows back through it.",
            page="torch.no_grad",
            example=program(
                "x = torch.tensor(2.0, requires_grad=True)",
                "with torch.no_grad():",
                "    y = 5 * x",
                "(x * y).backward()",
                "print(x.grad)",
            ),
            prints="tensor(10.)",
            believer_expects="tensor(20.)",
            follow_up="Predict again without the `with torch.no_grad():` line: is your answer the same?",
        ),
        Misconception(
            id="clone-cuts-the-graph",
            name="clone cuts the graph",
            belief="I take `clone()` for an independent copy through which no gradient flows.",
            truth="`clone()` is an operation like any other and passes the gradient back unchanged; "
            "the one that cuts is `detach()`.",
            page="torch.clone",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x * x.clone()",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(6.)",
            believer_expects="tensor(3.)",
            follow_up="Predict again with `x.detach()` in place of `x.clone()`: is your answer the same?",
        ),
        Misconception(
            id="in-place-edits-are-not-recorded",
            name="in-place edits are not recorded",
            belief="I think an operation such as `y.mul_(5)` only changes numbers, and the gradient does not notice "
            "it.",
            truth="Autograd records operations that change a tensor in place like any others, so `y.mul_(5)` brings a "
            "factor of 5. Where an edit destroys a value that is still needed, the backward pass raises.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = 2 * x",
                "y.mul_(5)",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(10.)",
            believer_expects="tensor(2.)",
            follow_up="Predict again with `y = y * 5` in place of `y.mul_(5)`: is your answer the same?",
        ),
    ),
)
