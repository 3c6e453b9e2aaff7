"""What `.grad` holds, when it is written, and what the graph is kept for."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Misconception, Topic, program

TOPIC = Topic(
    id="accumulation",
    title="What `.grad` holds, and what is kept",
    entries=(
        Misconception(
            id="second-backward-replaces",
            name="second backward replaces",
            belief="I think each backward pass writes `x.grad` anew.",
            truth="Each backward pass adds to what `x.grad` already holds; only you set it back, for instance with "
            "`x.grad = None`.",
            page="torch.autograd.backward",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "(x**2).backward()",
                "(5 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(11.)",
            believer_expects="tensor(5.)",
            follow_up="Predict again with `x.grad = None` between the two passes: is your answer the same?",
        ),
        Misconception(
            id="accumulation-makes-a-new-tensor",
            name="accumulation makes a new tensor",
            belief="I expect the `x.grad` that I put aside after the first pass to stay as it was.",
            truth="The second pass adds to the same tensor in place, so what you put aside changes with it. "
            "`x.grad.clone()` keeps the numbers.",
            page="Automatic differentiation package - torch.autograd",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "(x**2).backward()",
                "kept = x.grad",
                "(5 * x).backward()",
                "print(kept)",
            ),
            prints="tensor(11.)",
            believer_expects="tensor(6.)",
            follow_up="Predict again with `x.grad = None` before the second pass: what does the tensor that was put "
            "aside hold then?",
        ),
        Misconception(
            id="zero-grad-leaves-zeros",
            name="zero_grad leaves zeros",
            belief="I expect a tensor of zeros in `.grad` after `zero_grad()`.",
            truth="`zero_grad()` sets `.grad` to `None`. Zeros are what `zero_grad(set_to_none=False)` leaves.",
            page="torch.optim.Optimizer.zero_grad",
            example=program(
                "layer = torch.nn.Linear(1, 1, bias=False)",
                "layer(torch.ones(1)).backward()",
                "layer.zero_grad()",
                "print(layer.weight.grad)",
            ),
            prints="None",
            believer_expects="tensor([[0.]])",
            follow_up="What does the `.grad` of a parameter hold before the very first backward pass: zeros, too?",
            before="True before torch 2.0, where zeros were the default.",
        ),
        Misconception(
            id="every-tensor-keeps-grad",
            name="every tensor keeps .grad",
            belief="I expect `.grad` to be filled for intermediate results as well.",
            truth="The backward pass fills `.grad` of leaves only. "
            "For an intermediate result `y` it is `None`, unless `y.retain_grad()` was called before.",
            page="Understanding requires_grad, retain_grad, Leaf, and Non-leaf Tensors",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "(5 * y).backward()",
                "print(y.grad)",
            ),
            prints="None",
            believer_expects="tensor(5.)",
            follow_up="Predict again with `y.retain_grad()` before the backward pass: does that change your answer?",
        ),
        Misconception(
            id="retain-grad-shows-the-gradient-before-the-hook",
            name="retain_grad shows the gradient before the hook",
            belief="I think `y.grad` shows the gradient as it arrived at `y`, before the hooks changed it.",
            truth="`retain_grad` keeps what the hooks on `y` have made of the gradient. "
            "It comes after all of them, wherever it was called.",
            page="Autograd mechanics",
            example=program(
                "y = 3 * torch.tensor(1.0, requires_grad=True)",
                "y.retain_grad()",
                "y.register_hook(lambda grad: 10 * grad)",
                "y.backward()",
                "print(y.grad)",
            ),
            prints="tensor(10.)",
            believer_expects="tensor(1.)",
            follow_up="Predict again with `y.retain_grad()` behind all `register_hook` lines: "
            "does that change your answer?",
            before="True before torch 2.0 where `retain_grad()` was called before the hooks were registered.",
        ),
        Misconception(
            id="retain-grad-is-one-more-hook-in-line",
            name="retain_grad is one more hook in line",
            belief="I think `y.grad` shows what the hooks registered before `retain_grad()` made, "
            "and later ones come too late.",
            truth="`retain_grad` always comes after all hooks on the tensor. "
            "Whether it is called before or after `register_hook` makes no difference.",
            page="Autograd mechanics",
            example=program(
                "y = 3 * torch.tensor(1.0, requires_grad=True)",
                "y.register_hook(lambda grad: 10 * grad)",
                "y.retain_grad()",
                "y.register_hook(lambda grad: grad + 1)",
                "y.backward()",
                "print(y.grad)",
            ),
            prints="tensor(11.)",
            believer_expects="tensor(10.)",
            follow_up="Predict again with `y.retain_grad()` moved to another place among the `register_hook` lines: "
            "does that change your answer?",
            before="True before torch 2.0.",
        ),
        Misconception(
            id="autograd-grad-also-fills-grad",
            name="autograd.grad also fills .grad",
            belief="I expect `torch.autograd.grad` to write into `x.grad`, as `backward` does.",
            truth="`torch.autograd.grad` only returns the gradients; it leaves every `.grad` alone.",
            page="torch.autograd.grad",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "torch.autograd.grad(x**2, x)",
                "print(x.grad)",
            ),
            prints="None",
            believer_expects="tensor(6.)",
            follow_up="Predict again with `backward` in place of `torch.autograd.grad`: is `x.grad` the same?",
        ),
        Misconception(
            id="backward-inputs-ignored",
            name="backward(inputs=) ignored",
            belief="I expect every leaf to get its gradient, whatever `backward(inputs=...)` lists.",
            truth="With `inputs=` only the tensors in that list get a gradient; every other `.grad` stays as it is.",
            page="torch.autograd.backward",
            example=program(
                "a = torch.tensor(2.0, requires_grad=True)",
                "b = torch.tensor(3.0, requires_grad=True)",
                "(a * b).backward(inputs=[a])",
                "print(a.grad, b.grad)",
            ),
            prints="tensor(3.) None",
            believer_expects="tensor(3.) tensor(2.)",
            follow_up="Predict again without `inputs=`: is the `.grad` of a leaf that was not listed the same?",
        ),
        Misconception(
            id="unused-input-has-gradient-zero",
            name="unused input has gradient zero",
            belief="I expect `torch.autograd.grad` to give zero for a tensor on which the output does not depend.",
            truth="It raises a `RuntimeError`. With `allow_unused=True` it gives `None`, and zeros only with "
            "`materialize_grads=True`.",
            page="torch.autograd.grad",
            example=program(
                "a = torch.tensor(2.0, requires_grad=True)",
                "b = torch.tensor(3.0, requires_grad=True)",
                "print(torch.autograd.grad(a**2, [a, b]))",
            ),
            prints="RuntimeError: The differentiated Tensor at index 1 appears to not have been used in the graph",
            believer_expects="(tensor(4.), tensor(0.))",
            follow_up="Now add 0 times that tensor to the output: does the output depend on it?",
        ),
        Misconception(
            id="gradients-are-differentiable-by-default",
            name="gradients are differentiable by default",
            belief="I think I can differentiate a gradient again without asking for it.",
            truth="A gradient is a plain tensor, unless it was computed with `create_graph=True`. "
            "Only then is its computation recorded, so that it can be differentiated again.",
            page="torch.autograd.grad",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "(first,) = torch.autograd.grad(x**3, x)",
                "(second,) = torch.autograd.grad(first, x)",
                "print(second.item())",
            ),
            prints="RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
            believer_expects="18.0",
            follow_up="What is the `requires_grad` of a gradient, with `create_graph=True` and without it?",
        ),
        Misconception(
            id="graph-is-never-freed",
            name="graph is never freed",
            belief="I think I can call `backward` on the same result as often as I like.",
            truth="After a backward pass, the values that were saved for it are freed, and a second pass that needs "
            "them raises a `RuntimeError`. `retain_graph=True` in the first pass keeps them.",
            page="torch.autograd.backward",
            example=program(
                "x = torch.tensor(3.0, requires_grad=True)",
                "y = x**2",
                "y.backward()",
                "y.backward()",
                "print(x.grad)",
            ),
            prints="RuntimeError: Trying to backward through the graph a second time",
            believer_expects="tensor(12.)",
            follow_up="Compute the output anew before the second `backward`: does that raise, too?",
        ),
        Misconception(
            id="post-accumulate-hook-receives-the-gradient",
            name="post-accumulate hook receives the gradient",
            belief="I take `register_post_accumulate_grad_hook` for a later `register_hook`: "
            "it gets the gradient, and its return replaces it.",
            truth="Such a hook runs when the gradient has been added to `.grad`, and it is handed the leaf itself. "
            "It must return `None`; it may change `p.grad` in place.",
            page="torch.Tensor.register_post_accumulate_grad_hook",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "x.register_post_accumulate_grad_hook(lambda p: 10 * p)",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="RuntimeError: Tensor post accumulate grad hooks should return None",
            believer_expects="tensor(20.)",
            follow_up="Let the hook print its argument: do you see the gradient, or the value of the leaf?",
        ),
        Misconception(
            id="post-accumulate-hook-sees-only-the-new-gradient",
            name="post-accumulate hook sees only the new gradient",
            belief="I think that inside a post-accumulate hook `p.grad` is the share of the present pass only.",
            truth="The hook runs after the new gradient was added, so `p.grad` is the whole sum of all passes so far.",
            page="torch.Tensor.register_post_accumulate_grad_hook",
            example=program(
                "x = torch.tensor(5.0, requires_grad=True)",
                "def hook(p): p.grad.mul_(10)",
                "x.register_post_accumulate_grad_hook(hook)",
                "(1 * x).backward()",
                "(2 * x).backward()",
                "print(x.grad)",
            ),
            prints="tensor(120.)",
            believer_expects="tensor(30.)",
            follow_up="Predict again with `x.grad = None` between the two passes: is your answer the same?",
        ),
    ),
)
