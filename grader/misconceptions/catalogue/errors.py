"""Beliefs about what PyTorch refuses. They show in the name of an exception, so they are tried on the answer."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Misconception, Topic, program

TOPIC = Topic(
    id="errors",
    title="What PyTorch refuses",
    entries=(
        Misconception(
            id="raises-nothing",
            name="raises nothing",
            belief="I expect this program to run through.",
            truth="PyTorch refuses this program: one of its lines raises, and nothing after that line is done. "
            "The message says what was not allowed.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor([1, 2], requires_grad=True)",
                "print(x)",
            ),
            prints="RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
            believer_expects="tensor([1, 2], requires_grad=True)",
            follow_up="Go through the program line by line: for which line would PyTorch need something that it does "
            "not have?",
        ),
        Misconception(
            id="raises-something-else",
            name="raises something else",
            belief="I see that PyTorch refuses this program, but I expect another exception.",
            truth="The class of an exception says what kind of thing is wrong. PyTorch raises a `TypeError` for an "
            "object of the wrong kind, such as a list in place of a tensor, and a `RuntimeError` for most that is "
            "wrong with a tensor or the graph.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "x.register_hook(lambda grad: 2.0)",
                "(x**2).backward()",
                "print(x.grad)",
            ),
            prints="TypeError: expected Variable, but hook returned",
            believer_expects="RuntimeError",
            follow_up="Is the object that PyTorch objects to a tensor at all?",
        ),
        Misconception(
            id="raises-although-all-goes-well",
            name="raises although all goes well",
            belief="I expect PyTorch to refuse this program.",
            truth="PyTorch accepts it and runs it to the end. "
            "It checks what it needs for computing, not whether a program is in good style.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "(x**2).backward(torch.tensor([True, False]))",
                "print(x.grad)",
            ),
            prints="tensor([2., 0.])",
            believer_expects="RuntimeError",
            follow_up="Which line do you think raises, and what would PyTorch be missing there?",
        ),
        Misconception(
            id="hook-on-a-constant-is-skipped",
            name="hook on a constant is skipped",
            belief="I think a hook on a tensor that never gets a gradient is simply never called.",
            truth="Such a hook cannot be registered: `register_hook` raises a `RuntimeError` at once for a tensor that "
            "does not require a gradient.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = (x**2).detach()",
                "y.register_hook(lambda grad: 10 * grad)",
                "(x * y).backward()",
                "print(x.grad)",
            ),
            prints="RuntimeError: cannot register a hook on a tensor that doesn't require gradient",
            believer_expects="tensor(9.)",
            follow_up="What is the `requires_grad` of the tensor that the hook is on?",
        ),
        Misconception(
            id="second-backward-always-raises",
            name="second backward always raises",
            belief="I think a second `backward` on the same result always raises.",
            truth="It raises only if a value is needed that was saved for the first pass and then freed. "
            "Sums save nothing, so they can go backward again.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x + x",
                "y.backward()",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(4.)",
            believer_expects="RuntimeError",
            follow_up="Which values of the forward pass does the derivative of each operation need?",
        ),
        Misconception(
            id="any-in-place-operation-breaks-backward",
            name="any in-place operation breaks backward",
            belief="I think changing a tensor in place before the backward pass always raises.",
            truth="It raises only if the old value is still needed, for instance in the derivative of a square. "
            "Otherwise the change is recorded like any operation.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.add_(1)",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(6.)",
            believer_expects="RuntimeError",
            follow_up="Does the derivative of any operation here need the value from before the change?",
        ),
        Misconception(
            id="edits-through-detach-are-silent",
            name="edits through detach() are silent",
            belief="I think autograd does not notice when I change a tensor in place through `detach()`.",
            truth="`detach()` shares the memory and the count of changes with the original. "
            "If the old value is needed, the backward pass sees from the count that it is gone, and raises.",
            page="torch.Tensor.detach",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = 2 * x",
                "z = y**2",
                "y.detach().add_(1)",
                "z.backward()",
                "print(x.grad)",
            ),
            prints="RuntimeError: one of the variables needed for gradient computation has been modified",
            believer_expects="tensor(28.)",
            follow_up="What if `y.detach().clone()` is changed instead: does the backward pass raise?",
        ),
        Misconception(
            id="wrong-shape-from-a-custom-backward-always-raises",
            name="wrong shape from a custom backward always raises",
            belief="I expect an error whenever my own `backward` returns a gradient of another shape than the input.",
            truth="A gradient that has only more rows, such as shape `(4, 2)` for an input of shape `(2,)`, is summed "
            "to fit, without a word. Only a shape that cannot be summed to fit raises.",
            page="Extending PyTorch",
            example=program(
                "class Odd(torch.autograd.Function):",
                "    forward = staticmethod(lambda ctx, x: 3 * x)",
                "    backward = staticmethod(lambda ctx, grad_output: torch.ones(4, 2))",
                "x = torch.tensor([1.0, 2.0], requires_grad=True)",
                "Odd.apply(x).sum().backward()",
                "print(x.grad)",
            ),
            prints="tensor([4., 4.])",
            believer_expects="RuntimeError",
            follow_up="What if `backward` returns `torch.ones(7)` for an input of shape `(2,)`?",
        ),
        Misconception(
            id="in-place-activations-are-fine-next-to-module-hooks",
            name="in-place activations are fine next to module hooks",
            belief="I think an activation that works in place goes well with a backward hook on the layer before it.",
            truth="A module with a full backward hook hands out a view, a tensor that shares the memory of its "
            "output. Changing that in place raises a `RuntimeError`.",
            page="torch.nn.Module",
            example=program(
                "layer = torch.nn.Tanh()",
                "layer.register_full_backward_hook(lambda *args: None)",
                "y = layer(torch.tensor(0.0, requires_grad=True))",
                "y += 1",
                "print(y.item())",
            ),
            prints="RuntimeError: Output 0 of BackwardHookFunction is a view and is being modified inplace",
            believer_expects="1.0",
            follow_up="Predict again with an operation that returns a new tensor, `y = y + 1` in place of `y += 1`: "
            "does that raise?",
        ),
    ),
)
