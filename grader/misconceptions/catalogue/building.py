"""Functions with a backward of one's own, modules and their hooks, saved tensors, checkpoints."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Misconception, Topic, program

TOPIC = Topic(
    id="building",
    title="Functions, modules and saved tensors",
    entries=(
        Misconception(
            id="grad-output-forgotten",
            name="grad_output forgotten",
            belief="I return the local derivative from `backward` and leave multiplying by `grad_output` to autograd.",
            truth="Autograd takes what `backward` returns as the finished gradient of the input. "
            "`backward` itself must multiply the local derivative by `grad_output`, the upstream gradient.",
            page="Extending PyTorch",
            example=program(
                "class Triple(torch.autograd.Function):",
                "    forward = staticmethod(lambda ctx, x: 3 * x)",
                "    backward = staticmethod(lambda ctx, grad_output: 3 * grad_output)",
                "x = torch.tensor(1.0, requires_grad=True)",
                "(10 * Triple.apply(x)).backward()",
                "print(x.grad)",
            ),
            prints="tensor(30.)",
            believer_expects="tensor(3.)",
            follow_up="Multiply the output of the function by 2 before the backward pass: does `x.grad` change?",
        ),
        Misconception(
            id="forward-hook-return-ignored",
            name="forward hook return ignored",
            belief="I take forward hooks of a module for onlookers: what they return is thrown away.",
            truth="What a forward hook returns takes the place of the module's output; what a forward pre-hook "
            "returns, which runs before `forward`, that of its arguments. `None` leaves them as they are.",
            page="torch.nn.Module",
            example=program(
                "layer = torch.nn.ReLU()",
                "layer.register_forward_hook(lambda module, args, output: 10 * output)",
                "print(layer(torch.tensor(3.0)))",
            ),
            prints="tensor(30.)",
            believer_expects="tensor(3.)",
            follow_up="Predict again with the hook `0 * output`: is the output zero?",
            before="True before torch 1.2.",
        ),
        Misconception(
            id="module-backward-hook-return-ignored",
            name="module backward hook return ignored",
            belief="I take a module's full backward hook for an onlooker: what it returns is thrown away.",
            truth="A tuple that a full backward hook returns takes the place of `grad_input`, "
            "the gradient that flows on from the module's input.",
            page="torch.nn.Module",
            example=program(
                "layer = torch.nn.ReLU()",
                "hook = lambda module, grad_input, grad_output: (10 * grad_input[0],)",
                "layer.register_full_backward_hook(hook)",
                "x = torch.tensor(3.0, requires_grad=True)",
                "layer(x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(10.)",
            believer_expects="tensor(1.)",
            follow_up="Predict again with a hook that returns `(0 * grad_input[0],)`: what arrives at `x`?",
        ),
        Misconception(
            id="grad-input-and-grad-output-swapped",
            name="grad_input and grad_output swapped",
            belief="I read the names along the backward pass: `grad_input` is what comes in from the loss.",
            truth="The names follow the forward pass: `grad_input` is the gradient with respect to the module's input, "
            "`grad_output` the one with respect to its output, which arrives first.",
            page="torch.nn.Module",
            example=program(
                "layer = torch.nn.LeakyReLU(0.5)",
                "hook = lambda module, grad_input, grad_output: (10 * grad_input[0],)",
                "layer.register_full_backward_hook(hook)",
                "x = torch.tensor(-4.0, requires_grad=True)",
                "layer(x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(5.)",
            believer_expects="tensor(10.)",
            follow_up="Which of the two changes if the loss is multiplied by 2 but the module's local derivative is 0?",
        ),
        Misconception(
            id="module-backward-hook-changes-the-weights-gradient",
            name="module backward hook changes the weights' gradient",
            belief="I expect what a full backward hook returns to change the gradient of the module's weights as well.",
            truth="A full backward hook changes only what flows on to the module's input. "
            "To change the weights' gradient, too, there is the full backward pre-hook, which acts on `grad_output`.",
            page="torch.nn.Module",
            example=program(
                "layer = torch.nn.Linear(1, 1)",
                "hook = lambda module, grad_input, grad_output: (10 * grad_input[0],)",
                "layer.register_full_backward_hook(hook)",
                "x = torch.ones(1, requires_grad=True)",
                "layer(x).backward()",
                "print(layer.weight.grad)",
            ),
            prints="tensor([[1.]])",
            believer_expects="tensor([[10.]])",
            follow_up="Predict again with a full backward pre-hook that returns `(10 * grad_output[0],)`: is the "
            "weights' gradient the same?",
        ),
        Misconception(
            id="module-forward-runs-hooks",
            name="module.forward() runs hooks",
            belief="I think calling `layer.forward(x)` is the same as calling `layer(x)`.",
            truth="Only `layer(x)` runs the module's hooks; `layer.forward(x)` goes round them.",
            page="torch.nn.Module",
            example=program(
                "layer = torch.nn.ReLU()",
                "layer.register_forward_hook(lambda module, args, output: 10 * output)",
                "print(layer.forward(torch.tensor(3.0)))",
            ),
            prints="tensor(3.)",
            believer_expects="tensor(30.)",
            follow_up="Predict again with `layer(...)` in place of `layer.forward(...)`: is your answer the same?",
        ),
        Misconception(
            id="unpack-hook-cannot-change-the-gradient",
            name="unpack hook cannot change the gradient",
            belief="I think hooks for saved tensors are only about storage: what unpacking returns cannot change a "
            "gradient.",
            truth="The forward pass saves values for the backward pass, and the second of the two hooks, the unpack "
            "hook, hands them out again. Whatever it returns is what the backward pass computes with.",
            page="Hooks for autograd saved tensors",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 10 * t):",
                "    y = x**2",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(60.)",
            believer_expects="tensor(6.)",
            follow_up="Predict again with `x + x` as the only operation inside the `with` block: does the unpack "
            "hook matter there?",
        ),
        Misconception(
            id="checkpoint-runs-the-function-once",
            name="checkpoint runs the function once",
            belief="I take `checkpoint(f, x)` for `f(x)`: the function runs once.",
            truth="A checkpoint saves memory by not keeping the intermediate values; to get them back, the function "
            "runs a second time during the backward pass.",
            page="torch.utils.checkpoint",
            example=program(
                "calls, x = [], torch.tensor(3.0, requires_grad=True)",
                "f = lambda t: calls.append(1) or t.exp()",
                "y = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False)",
                "y.backward()",
                "print(len(calls))",
            ),
            prints="2",
            believer_expects="1",
            follow_up="How often does the function run if `backward` is never called?",
        ),
    ),
)
