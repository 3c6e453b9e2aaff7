"""The probes of the shipped course give credit for conduct: to what is right by any means, and to nothing else."""

from __future__ import annotations

import pytest
from shipped import (
    IMPLEMENTS,
    each,
    fails_every_probe,
    try_out,
    verdicts,
)

from grader.program import define
from grader.records import (
    Exercise,
    Returned,
)


@each(IMPLEMENTS)
def test_probes_have_cases_of_every_kind(exercise: Exercise) -> None:
    """Every probe has public and hidden cases, the exercise drawn ones, and the reference returns on all of them."""
    for probe in exercise.probes:
        assert {case.origin for case in probe.cases} >= {"public", "hidden"}
    assert any(case.origin == "generated" for probe in exercise.probes for case in probe.cases)
    tried = try_out(exercise, define(exercise.reference, exercise.id))
    assert all(isinstance(it.outcome, Returned) for it in tried)


@each(IMPLEMENTS)
def test_an_untouched_implementation_gets_no_credit(exercise: Exercise) -> None:
    """The starter fails every single case."""
    assert not [tried for tried, right in verdicts(exercise, define(exercise.stub, exercise.id)) if right]


@each(IMPLEMENTS)
def test_mistakes_are_told_from_the_reference(exercise: Exercise) -> None:
    """Two mistakes or more are foreseen, and each is wrong on a public case and on a hidden one."""
    assert len(exercise.mistakes) >= 2
    for mistake in exercise.mistakes:
        assert mistake.belief.endswith(".")
        wrong = {tried.origin for tried, right in verdicts(exercise, define(mistake.source, mistake.id)) if not right}
        assert {"public", "hidden"} <= wrong, mistake.id


@each(IMPLEMENTS)
def test_mistakes_are_told_from_each_other(exercise: Exercise) -> None:
    """No two mistakes give the same on all cases, so that a belief is named for one reason alone."""
    given = [try_out(exercise, define(mistake.source, mistake.id)) for mistake in exercise.mistakes]
    assert all(given.index(it) == place for place, it in enumerate(given))


TRIVIAL = {
    "weighted_gradient": """
def {name}(f, x, w):
    return {value}
""",
    "square": """
def {name}(grad):
    return {value}
""",
    "clip_hook": """
def {name}(limit):
    return lambda grad: {value}
""",
    "ReverseGradient": """
class {name}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return {value}, None
""",
    "Watched": """
class {name}(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.norms = []

    def forward(self, x):
        grad = self.inner(x)
        return {value}
""",
}


@each(IMPLEMENTS)
@pytest.mark.parametrize("value", ["None", "grad", "0 * grad", "grad.clone()", "-grad"])
def test_trivial_implementations_get_no_credit(exercise: Exercise, value: str) -> None:
    """Doing nothing, nothing at all, zeros, a copy or the negative of the gradient fails every probe."""
    if exercise.id == "weighted_gradient":
        value = value.replace("grad", "x")
    source = TRIVIAL[exercise.id].format(name=exercise.id, value=value)
    assert fails_every_probe(exercise, define(source, exercise.id))


OTHER_MEANS = {
    "weighted_gradient": """
def weighted_gradient(f, x, w):
    copy = x.detach().requires_grad_()
    return torch.autograd.grad((f(copy) * w).sum(), copy)[0]
""",
    "square": """
square = torch.square
""",
    "clip_hook": """
class clip_hook:
    def __init__(self, limit):
        self.limit = torch.tensor(limit)

    def __call__(self, grad):
        grad = torch.where(grad > self.limit, self.limit, grad)
        return torch.where(grad < -self.limit, -self.limit, grad)
""",
    "ReverseGradient": """
class ReverseGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(torch.tensor(scale))
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        (scale,) = ctx.saved_tensors
        return grad.neg() * scale, None, None
""",
    "Watched": """
class Watched(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.add_module("wrapped", inner)
        self.norms = []
        self.register_full_backward_hook(self.note)

    def note(self, module, grad_input, grad_output):
        self.norms.append(float(torch.linalg.vector_norm(grad_output[0])))

    def forward(self, *args):
        return self.wrapped(*args)
""",
}


@each(IMPLEMENTS)
def test_right_by_other_means_is_right(exercise: Exercise) -> None:
    """Another way of writing the same gets full marks: probes look at conduct, never at code."""
    wrong = [tried for tried, right in verdicts(exercise, define(OTHER_MEANS[exercise.id], exercise.id)) if not right]
    assert not wrong
