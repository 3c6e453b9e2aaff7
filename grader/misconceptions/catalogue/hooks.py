"""What a hook on a tensor is given, and what becomes of what it returns."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Misconception, Topic, program

TOPIC = Topic(
    id="hooks",
    title="What a hook is given, and what becomes of its return",
    entries=(
        Misconception(
            id="hook-return-ignored",
            name="hook return ignored",
            belief="I take a hook for an onlooker: whatever it returns is thrown away.",
            truth="What a hook returns takes the place of the gradient and flows on from there. "
            "Only `None` leaves the gradient as it was.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "y = x**2",
                "y.register_hook(lambda grad: 10 * grad)",
                "y.sum().backward()",
                "print(x.grad)",
            ),
            prints="tensor([20., 40.])",
            believer_expects="tensor([2., 4.])",
            follow_up="Predict again with a hook that does both, first `grad.mul_(2)` and then `return grad + 1`: "
            "which of the two steps shows in your answer?",
        ),
        Misconception(
            id="hook-must-edit-in-place",
            name="hook must edit in place",
            belief="I think only what my hook does to `grad` itself counts; what it returns is thrown away.",
            truth="The return counts: it takes the place of the gradient. "
            "Editing `grad` in place has an effect as well, but the documentation asks you not to do it.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "y = 3 * x",
                "y.register_hook(lambda grad: grad + 1)",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(6.)",
            believer_expects="tensor(3.)",
            follow_up="Predict again with a hook that does `grad.mul_(2)` and returns nothing: "
            "is your answer the one without any hook?",
        ),
        Misconception(
            id="in-place-edit-in-hook-ignored",
            name="in-place edit in hook ignored",
            belief="I take it that a hook is given a copy, so that editing it in place changes nothing.",
            truth="A hook is given the gradient itself, so `grad.mul_(10)` changes what flows on, even on another path "
            "that shares the same memory. That is why a hook should return a new tensor and leave the old one alone.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "def hook(grad): grad.mul_(10)",
                "x.register_hook(hook)",
                "(x**2).sum().backward()",
                "print(x.grad)",
            ),
            prints="tensor([20., 40.])",
            believer_expects="tensor([2., 4.])",
            follow_up="Predict again with a hook that returns `10 * grad` instead of editing `grad`: "
            "is your answer the same?",
        ),
        Misconception(
            id="hook-returning-none-kills-the-gradient",
            name="hook returning None kills the gradient",
            belief="I think a hook that returns nothing passes nothing on, so that zero arrives behind it.",
            truth="A function without `return` returns `None`, and for a hook `None` means: the gradient stays as it "
            "is.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.register_hook(lambda grad: None)",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(6.)",
            believer_expects="tensor(0.)",
            follow_up="Predict again with `return grad` as the last line of the hook: does that change your answer?",
        ),
        Misconception(
            id="hook-return-added",
            name="hook return added",
            belief="I add what the hook returns to the gradient that was there before.",
            truth="What a hook returns replaces the gradient; "
            "of the old one only that is left which the hook itself puts into its return.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.register_hook(lambda grad: 10 * grad)",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(60.)",
            believer_expects="tensor(66.)",
            follow_up="Predict again with the hook `0 * grad`: is anything of the gradient left behind it?",
        ),
        Misconception(
            id="hook-receives-the-value",
            name="hook receives the value",
            belief="I think a hook is handed the value of its tensor, as the forward pass computed it.",
            truth="A hook is handed the gradient with respect to its tensor. It has the shape of the tensor, but "
            "not its numbers.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.register_hook(lambda grad: grad + 1)",
                "(5 * y).backward()",
                "print(x.grad)",
            ),
            prints="tensor(36.)",
            believer_expects="tensor(60.)",
            follow_up="Predict again with `w` twice as large: does what the hook is given change with it?",
        ),
        Misconception(
            id="hook-acts-after-the-local-derivative",
            name="hook acts after the local derivative",
            belief="I let the hook on `y` act on what comes out of the operation that made `y`, "
            "after the local derivative.",
            truth="A hook on `y` acts on the gradient with respect to `y`. Only what it returns is multiplied by the "
            "local derivative of the operation that made `y`.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.register_hook(lambda grad: grad + 1)",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(12.)",
            believer_expects="tensor(7.)",
            follow_up="Predict again with a hook that returns ones, `torch.ones_like(grad)`: "
            "does the local derivative of `y` still show in your answer?",
        ),
        Misconception(
            id="hook-acts-on-the-final-x-grad",
            name="hook acts on the final x.grad",
            belief="I apply the hook on `y` to the finished `x.grad`.",
            truth="A hook on `y` acts only on the part of the gradient that flows through `y`. "
            "What reaches `x` on another path is added as it is.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.register_hook(lambda grad: 10 * grad)",
                "(x + y).backward()",
                "print(x.grad)",
            ),
            prints="tensor(61.)",
            believer_expects="tensor(70.)",
            follow_up="Predict again with the hook `0 * grad`: does a path to `x` that avoids `y` still bring "
            "something?",
        ),
        Misconception(
            id="hook-return-is-coerced",
            name="hook return is coerced",
            belief="I may return a plain number, another dtype or a smaller tensor from my hook: PyTorch makes it fit.",
            truth="A hook must return a tensor of exactly the shape and dtype of the gradient, or `None`. "
            "A wrong shape or dtype raises a `RuntimeError`, something that is no tensor a `TypeError`.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "x.register_hook(lambda grad: grad.sum())",
                "(x**2).sum().backward()",
                "print(x.grad)",
            ),
            prints="RuntimeError: hook '<lambda>' has changed the size of value",
            believer_expects="tensor([6., 6.])",
            follow_up="Now let the hook return `grad.sum().expand_as(grad)`: does that raise, too?",
        ),
        Misconception(
            id="hook-remembers-loop-variable",
            name="hook remembers loop variable",
            belief="I expect a hook that I make in a loop to remember the value which the loop variable had then.",
            truth="Python looks a variable up when the hook runs, so all these hooks find the value after the last "
            "turn of the loop. Writing `lambda grad, k=k: ...` keeps each value.",
            page="Programming FAQ",
            example=program(
                "x = torch.tensor(1.0, requires_grad=True)",
                "for k in [1.0, 2.0, 3.0]:",
                "    x.register_hook(lambda grad: grad * k)",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(54.)",
            believer_expects="tensor(12.)",
            follow_up="Set the loop variable to 0 between the loop and the backward pass: does that change your "
            "answer?",
        ),
        Misconception(
            id="hook-invisible-to-second-derivative",
            name="hook invisible to second derivative",
            belief="For the second derivative I treat what the hook did as a constant.",
            truth="With `create_graph=True` the hook's own computation is recorded like any other, "
            "so the second derivative runs through it.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(2.0, requires_grad=True)",
                "y = x**3",
                "y.register_hook(lambda grad: grad * x)",
                "(first,) = torch.autograd.grad(y, x, create_graph=True)",
                "print(torch.autograd.grad(first, x))",
            ),
            prints="(tensor(36.),)",
            believer_expects="(tensor(24.),)",
            follow_up="Predict the second derivative again with the hook `grad * x.detach()`: "
            "is it another number than with `grad * x`?",
        ),
        Misconception(
            id="multi-grad-hook-replaces-gradients",
            name="multi-grad hook replaces gradients",
            belief="I expect what a hook from `register_multi_grad_hook` returns to replace the gradients.",
            truth="A hook registered for several tensors at once with `register_multi_grad_hook` only looks on; "
            "what it returns is ignored.",
            page="Automatic differentiation package - torch.autograd",
            example=program(
                "a = torch.tensor(2.0, requires_grad=True)",
                "b = torch.tensor(3.0, requires_grad=True)",
                "hook = lambda grads: tuple(10 * grad for grad in grads)",
                "torch.autograd.graph.register_multi_grad_hook((a, b), hook)",
                "(a * b).backward()",
                "print(a.grad, b.grad)",
            ),
            prints="tensor(3.) tensor(2.)",
            believer_expects="tensor(30.) tensor(20.)",
            follow_up="Predict again with a `register_hook` for each tensor in place of `register_multi_grad_hook`: "
            "are the gradients the same?",
        ),
    ),
)
