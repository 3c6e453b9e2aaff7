"""Which beliefs are of one kind: alike enough that a program of the usual shape cannot tell them apart."""

from __future__ import annotations

from grader.misconceptions.catalogue.wording import Family

KIN = (
    Family(
        id="the-hook-has-no-effect",
        belief="I think the hook has no effect on what flows on.",
        members=(
            "hook-return-ignored",
            "hook-must-edit-in-place",
            "in-place-edit-in-hook-ignored",
            "hook-must-be-registered-before-use",
            "hooks-on-non-leaves-ignored",
            "hooks-on-leaves-ignored",
            "autograd-grad-skips-hooks",
        ),
        follow_up="Predict again with the hook `grad ** 2 + 1`: does the 1 that it adds show in your answer?",
    ),
    Family(
        id="the-last-hook-decides",
        belief="I think only the last hook on a tensor decides what flows on.",
        members=("later-hook-replaces-earlier", "hooks-do-not-chain"),
        follow_up="Predict again with a first hook that returns `0 * grad`: does that show in your answer?",
    ),
    Family(
        id="w-comes-at-the-end",
        belief="I think `w` is multiplied in only at the end, after the hooks and the chain rule.",
        members=("w-multiplies-at-the-end", "j-w-instead-of-w-j"),
        follow_up="Predict again with the hook `grad ** 2 + 1`: is what it is given already weighted?",
    ),
    Family(
        id="only-the-longer-branch-counts",
        belief="I let `x` count only through the longer branch.",
        members=("skip-connection-forgotten", "first-use-only"),
        follow_up="Predict again with the direct use of `x` multiplied by 5: where does the 5 show in your answer?",
    ),
    Family(
        id="only-the-direct-use-counts",
        belief="I let `x` count only where it is used last, directly in the output.",
        members=("only-the-skip-connection-counts", "last-use-overwrites"),
        follow_up="Predict again with the longer branch multiplied by 5: where does the 5 show in your answer?",
    ),
    Family(
        id="retain-grad-misses-a-hook",
        belief="I think `y.grad` is noted before all hooks on `y` have run.",
        members=("retain-grad-shows-the-gradient-before-the-hook", "retain-grad-is-one-more-hook-in-line"),
        follow_up="Predict `y.grad` again with a last hook that returns `0 * grad`: is it zero?",
    ),
    Family(
        id="the-graph-is-always-kept",
        belief="I think everything a further pass might need is kept without being asked for.",
        members=("graph-is-never-freed", "gradients-are-differentiable-by-default"),
        follow_up="Which argument of `backward` or `torch.autograd.grad` asks for what the next pass needs?",
    ),
    Family(
        id="the-order-of-registration-decides",
        belief="I list hooks in the order in which I registered them.",
        members=(
            "hooks-fire-in-registration-order",
            "hooks-of-different-kinds-in-registration-order",
            "prepend-does-nothing",
        ),
        follow_up="Register the same hooks in another order: does your list change?",
    ),
    Family(
        id="the-list-starts-at-the-leaves",
        belief="I start the list at the leaves and end it at the output.",
        members=("hooks-fire-in-forward-order", "firing-order-reversed", "module-backward-hooks-in-forward-order"),
        follow_up="Which gradient is known first: that of the output, or that of a leaf?",
    ),
)
