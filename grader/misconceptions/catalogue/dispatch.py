"""Which hooks run, how often, in which order on one tensor, and what registering and removing does."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Misconception, Topic, program

TOPIC = Topic(
    id="dispatch",
    title="Which hooks run, and how often",
    entries=(
        Misconception(
            id="hooks-run-in-reverse-order",
            name="hooks run in reverse order",
            belief="I run the hooks of a tensor from the last to the first, since the pass goes backward.",
            truth="The hooks on one tensor run in the order in which they were registered. "
            "Backward is only the way through the tensors: the newest results come first, the leaves last.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "x.register_hook(lambda grad: grad + 1)",
                "x.register_hook(lambda grad: grad * 10)",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(30.)",
            believer_expects="tensor(21.)",
            follow_up="Predict again with the two `register_hook` lines swapped: which hook is given the gradient "
            "first?",
        ),
        Misconception(
            id="later-hook-replaces-earlier",
            name="later hook replaces earlier",
            belief="I think a tensor has room for one hook, so that my second one replaces the first.",
            truth="A tensor keeps all its hooks. "
            "They run one after the other, and each is given what the one before it made.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "x.register_hook(lambda grad: grad + 1)",
                "x.register_hook(lambda grad: grad * 10)",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(30.)",
            believer_expects="tensor(20.)",
            follow_up="Let the first hook also append its argument to a list `seen`: is the list empty after the pass?",
        ),
        Misconception(
            id="hooks-do-not-chain",
            name="hooks do not chain",
            belief="I hand every hook the gradient as it arrived, and the last return wins.",
            truth="Each hook on a tensor is given what the hook before it returned, "
            "and what the last one makes of it flows on.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "x.register_hook(lambda grad: grad + 1)",
                "x.register_hook(lambda grad: grad * 10)",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(30.)",
            believer_expects="tensor(20.)",
            follow_up="Let the second hook append its argument to a list `seen`: "
            "does it see what arrived, or what the first hook returned?",
        ),
        Misconception(
            id="hook-returns-are-summed",
            name="hook returns are summed",
            belief="I hand every hook the gradient as it arrived, and add up what they return.",
            truth="The hooks on a tensor form a chain: each is given what the one before it made, and nothing is "
            "added.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "x.register_hook(lambda grad: grad + 1)",
                "x.register_hook(lambda grad: grad * 10)",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(30.)",
            believer_expects="tensor(23.)",
            follow_up="Predict again with two hooks that both return `grad` unchanged: is the gradient now doubled?",
        ),
        Misconception(
            id="handle-remove-does-nothing",
            name="handle.remove() does nothing",
            belief="I think `handle.remove()` comes too late once the forward pass is done.",
            truth="A removed hook is not called in any backward pass that starts after its removal. "
            "When the forward pass ran makes no difference.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "handle = y.register_hook(lambda grad: 10 * grad)",
                "handle.remove()",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(6.)",
            believer_expects="tensor(60.)",
            follow_up="Predict again without the line `handle.remove()`: is it the same answer?",
        ),
        Misconception(
            id="removal-inside-a-hook-acts-at-once",
            name="removal inside a hook acts at once",
            belief="I think a hook that another hook removes during the pass no longer runs in it.",
            truth="Which hooks of a tensor will run is settled before the first of them runs. "
            "One that is removed on the way still runs this time, and is gone in the next backward pass.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "x.register_hook(lambda grad: handle.remove())",
                "handle = x.register_hook(lambda grad: 10 * grad)",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(20.)",
            believer_expects="tensor(2.)",
            follow_up="Let a second backward pass follow: which of the hooks run in it?",
        ),
        Misconception(
            id="hook-fires-once",
            name="hook fires once",
            belief="I think a hook is used up by the first backward pass.",
            truth="A hook stays. It runs in every backward pass that reaches its tensor, "
            "until `remove()` is called on its handle.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "x.register_hook(lambda grad: 10 * grad)",
                "(2 * x).backward()",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(40.)",
            believer_expects="tensor(22.)",
            follow_up="Count the calls: how long is a list to which the hook appends, after three backward passes?",
        ),
        Misconception(
            id="hook-fires-per-consumer",
            name="hook fires per consumer",
            belief="I run the hook on `y` once for each place where `y` is used.",
            truth="In one backward pass a hook runs once, on the sum of the gradients from all places where its tensor "
            "is used.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "y = 3 * x",
                "y.register_hook(lambda grad: grad**2)",
                "(2 * y + 3 * y).backward()",
                "print(x.grad)",
            ),
            prints="tensor(75.)",
            believer_expects="tensor(39.)",
            follow_up="Count the calls: if `y` is used twice and its hook appends to a list, "
            "how long is the list after one backward pass?",
        ),
        Misconception(
            id="hook-must-be-registered-before-use",
            name="hook must be registered before use",
            belief="I think a hook that is registered after its tensor was used comes too late.",
            truth="A hook works as long as it is registered before the backward pass. "
            "It does not matter whether its tensor has been used by then.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "z = 5 * x",
                "x.register_hook(lambda grad: 10 * grad)",
                "z.backward()",
                "print(x.grad)",
            ),
            prints="tensor(50.)",
            believer_expects="tensor(5.)",
            follow_up="Predict again with `register_hook` moved up, right behind the line that makes the tensor: "
            "does that change your answer?",
        ),
        Misconception(
            id="hooks-on-leaves-ignored",
            name="hooks on leaves ignored",
            belief="I think hooks work on intermediate results only, not on a leaf such as `x`.",
            truth="A hook works on a leaf, too. It acts on the gradient just before that is added to `x.grad`.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "x.register_hook(lambda grad: 10 * grad)",
                "(x**2).backward()",
                "print(x.grad)",
            ),
            prints="tensor(60.)",
            believer_expects="tensor(6.)",
            follow_up="Predict again with the hook on the intermediate result `y = 1 * x` instead of `x`: "
            "does it work there?",
        ),
        Misconception(
            id="hooks-on-non-leaves-ignored",
            name="hooks on non-leaves ignored",
            belief="I think hooks work on leaves only, such as `x` or a parameter, not on intermediate results.",
            truth="A hook works on every tensor that requires a gradient, intermediate results included.",
            page="torch.Tensor.register_hook",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = 2 * x",
                "y.register_hook(lambda grad: 10 * grad)",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="tensor(20.)",
            believer_expects="tensor(2.)",
            follow_up="Predict again with the same hook on the leaf `x`: does it work there?",
        ),
        Misconception(
            id="leaf-hook-sees-accumulated-grad",
            name="leaf hook sees accumulated .grad",
            belief="I think a hook on a leaf is handed the whole `x.grad`, with what earlier passes left in it.",
            truth="A hook on a leaf is handed only the gradient of the present backward pass, "
            "before that is added to `x.grad`.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "x.register_hook(lambda grad: 10 * grad)",
                "(1 * x).backward()",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(30.)",
            believer_expects="tensor(120.)",
            follow_up="Let the hook append its argument to a list `seen`: what is in the list after the second pass?",
        ),
        Misconception(
            id="hook-follows-in-place-updates",
            name="hook follows in-place updates",
            belief="I think a hook belongs to the variable, so that after `y.mul_(2)` it sees the gradient of the new "
            "`y`.",
            truth="A hook stays with the value which its tensor had when the hook was registered. "
            "After `y.mul_(2)` it still sees the gradient with respect to the value from before.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "y = 3 * x",
                "y.register_hook(lambda grad: grad + 1)",
                "y.mul_(2).backward()",
                "print(x.grad)",
            ),
            prints="tensor(9.)",
            believer_expects="tensor(12.)",
            follow_up="Predict again with `register_hook` moved behind `y.mul_(2)`: does that change your answer?",
        ),
        Misconception(
            id="autograd-grad-skips-hooks",
            name="autograd.grad skips hooks",
            belief="I think hooks belong to `.backward()`, and `torch.autograd.grad` does not call them.",
            truth="`torch.autograd.grad` calls the hooks of every tensor whose gradient it computes, "
            "those of the tensors that you ask about included.",
            page="Autograd mechanics",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.register_hook(lambda grad: 10 * grad)",
                "print(torch.autograd.grad(y, x))",
            ),
            prints="(tensor(60.),)",
            believer_expects="(tensor(6.),)",
            follow_up="Predict again with `y.backward()` and `x.grad` in place of `torch.autograd.grad(y, x)`: "
            "is it the same number?",
            before="In part true before torch 2.0: hooks on the very tensors that were asked about could be skipped.",
        ),
    ),
)
