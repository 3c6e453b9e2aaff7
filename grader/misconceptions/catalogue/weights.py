"""What the weights `w` of `o.backward(w)` are, and where they go in."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Misconception, Topic, program

TOPIC = Topic(
    id="weights",
    title="The weights given to `backward`",
    entries=(
        Misconception(
            id="w-is-all-ones",
            name="w is all ones",
            belief="I take `w` for a mere shape and send ones back.",
            truth="The backward pass starts from `w` itself: `o.backward(w)` computes the gradient of `(o * w).sum()`.",
            page="torch.autograd.backward",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "o = x**2",
                "o.backward(torch.tensor([10.0, 1.0]))",
                "print(x.grad)",
            ),
            prints="tensor([20.,  4.])",
            believer_expects="tensor([2., 4.])",
            follow_up="Predict again with every weight doubled: does your answer change?",
        ),
        Misconception(
            id="w-multiplies-at-the-end",
            name="w multiplies at the end",
            belief="I run the hooks and the chain rule with ones, and multiply the finished `x.grad` by `w`.",
            truth="`w` goes in at the output, before everything else, so every hook on the way already sees it.",
            page="torch.autograd.backward",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "y = 3 * x",
                "y.register_hook(lambda grad: grad + 1)",
                "y.backward(torch.tensor([10.0, 2.0]))",
                "print(x.grad)",
            ),
            prints="tensor([33.,  9.])",
            believer_expects="tensor([60., 12.])",
            follow_up="Predict again with the hook `grad ** 2 + 1`: is what it is given already weighted?",
        ),
        Misconception(
            id="w-is-normalised",
            name="w is normalised",
            belief="I take `w` for the weights of an average and divide them by their sum.",
            truth="`w` is used as it is; nothing is divided by its sum.",
            page="torch.autograd.backward",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "o = x**2",
                "o.backward(torch.tensor([3.0, 1.0]))",
                "print(x.grad)",
            ),
            prints="tensor([6., 4.])",
            believer_expects="tensor([1.5000, 1.0000])",
            follow_up="Predict again with all weights doubled, and then with two of them swapped: "
            "which of the two changes your answer?",
        ),
        Misconception(
            id="j-w-instead-of-w-j",
            name="J w instead of w J",
            belief="I get entry `i` of `x.grad` by asking how output `i` changes when the inputs move along `w`.",
            truth="Entry `i` of `x.grad` collects how all outputs depend on `x[i]`, output `k` counting `w[k]` times. "
            "That is a vector-Jacobian product: `w` belongs to the outputs, not to the inputs.",
            page="A Gentle Introduction to torch.autograd",
            example=program(
                "x = torch.tensor([3.0, 5.0], requires_grad=True)",
                "o = torch.stack([x[0] * x[1], x[0]])",
                "o.backward(torch.tensor([1.0, 10.0]))",
                "print(x.grad)",
            ),
            prints="tensor([15.,  3.])",
            believer_expects="tensor([35.,  1.])",
            follow_up="Let only the first output count, `w = [1, 0]`: does `x.grad` hold the derivatives of the first "
            "output, or the derivatives with respect to the first input?",
        ),
        Misconception(
            id="vector-backward-sums-implicitly",
            name="vector.backward() sums implicitly",
            belief="I think `o.backward()` on a vector does the same as `o.sum().backward()`.",
            truth="Without weights, `backward` works only for an output with one element. "
            "For any other it raises a `RuntimeError`, because nobody has said how much each element counts.",
            page="torch.autograd.backward",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "o = x**2",
                "o.backward()",
                "print(x.grad)",
            ),
            prints="RuntimeError: grad can be implicitly created only for scalar outputs",
            believer_expects="tensor([2., 4.])",
            follow_up="What if `o` has shape `(1,)`: is `o.backward()` allowed then?",
        ),
        Misconception(
            id="w-skips-the-shortcut",
            name="w skips the shortcut",
            belief="I let `w` count on the way through `y` only; where `x` is added directly I use 1.",
            truth="`w` belongs to the output, so it weights every path that leads there, the direct one included.",
            page="torch.autograd.backward",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "y = x**2",
                "(x + y).backward(torch.tensor([10.0, 1.0]))",
                "print(x.grad)",
            ),
            prints="tensor([30.,  5.])",
            believer_expects="tensor([21.,  5.])",
            follow_up="Predict again with all weights 0: is anything left in `x.grad`?",
        ),
        Misconception(
            id="w-is-broadcast",
            name="w is broadcast",
            belief="I think a single weight is stretched to the shape of the output.",
            truth="`w` must have exactly the shape of the output; any other shape raises a `RuntimeError`.",
            page="torch.autograd.backward",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "o = x**2",
                "o.backward(torch.tensor(10.0))",
                "print(x.grad)",
            ),
            prints="RuntimeError: Mismatch in shape",
            believer_expects="tensor([20., 40.])",
            follow_up="What if `w` is stretched beforehand, as in `w.expand_as(o)`: is that allowed?",
        ),
    ),
)
