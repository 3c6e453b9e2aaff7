"""Ready probes of conduct: not what a student's code computes, but how it goes about it.

    from grader.course import Assignment, conduct, vary

    square.conduct(conduct.hooks.argument_untouched, points=1)
    clip_hook.conduct(conduct.hooks.twice_differentiable.of_factory(limit=2.0), points=1)
    Reverse.conduct(conduct.layers.calls_kept_apart.of_function(scale=vary(2.0, low=2, high=5)), points=0)

What code says of its own conduct can be forged. So each probe turns the conduct into numbers that depend on inputs
nobody knows beforehand, next to the numbers that the code is there to compute: doing nothing is no good conduct.

`hooks`: a function of the gradient, `hook(grad)`, or a factory of such.
`layers`: a function of one tensor, `f(x)`, a `torch.autograd.Function` or a `torch.nn.Module`.
`passes`: a function that runs a backward pass, `gradient_of(f, x, w)`.
`registering`: a function that registers a hook, `attach(tensor, hook)`.
"""

from grader.course.conduct import hooks, layers, passes, registering
from grader.course.conduct.ready import ReadyProbe

__all__ = ["ReadyProbe", "hooks", "layers", "passes", "registering"]
