"""Ready probes of conduct: code that computes the same numbers in another way gives other numbers in some probe."""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import msgspec
import pytest
import torch
from classroom import LESSON, Classroom
from in_process import InProcessSandbox

from grader import pipeline
from grader.answers import compare
from grader.course import conduct, load, vary
from grader.course.conduct import ReadyProbe
from grader.course.conduct.layers import LayerProbe
from grader.errors import CourseError
from grader.program import define, run_probe
from grader.records import Execution, Outcome, Program, Returned, Run


class Subject(NamedTuple):
    """What is probed: the final value that all of its planted variants share, an honest one, and the ready probes."""

    final: str
    honest: tuple[str, ...]
    probes: tuple[ReadyProbe, ...]


def probes_of(module: ModuleType) -> tuple[ReadyProbe, ...]:
    return tuple(each for each in vars(module).values() if isinstance(each, ReadyProbe))


SUBJECTS = {
    "hook": Subject(
        """
        def final(hook):
            x = torch.tensor([3.0, -2.0], requires_grad=True)
            y = x**2
            z = x + 5 * y
            y.register_hook(hook)
            z.backward(torch.tensor([2.0, 3.0]))
            return x.grad
        """,
        (
            "def subject(grad):\n    return grad**2",
            "def subject(grad):\n    return grad * grad",
            "def subject(grad):\n    new = grad.clone()\n    new *= grad\n    return new",
        ),
        probes_of(conduct.hooks),
    ),
    "gradient": Subject(
        """
        def final(gradient_of):
            return gradient_of(torch.square, torch.tensor([3.0, -2.0]), torch.tensor([2.0, 3.0]))
        """,
        (
            """
            def subject(f, x, w):
                leaf = x.detach().clone().requires_grad_(True)
                f(leaf).backward(w)
                return leaf.grad
            """,
            """
            def subject(f, x, w):
                leaf = x.detach().clone().requires_grad_(True)
                return torch.autograd.grad((f(leaf) * w).sum(), leaf)[0]
            """,
        ),
        probes_of(conduct.passes),
    ),
    "attach": Subject(
        """
        def final(attach):
            x = torch.tensor([3.0, -2.0], requires_grad=True)
            y = x**2
            attach(y, lambda grad: 5 * grad)
            y.backward(torch.tensor([2.0, 3.0]))
            return x.grad
        """,
        (
            "def subject(tensor, hook):\n    return tensor.register_hook(hook)",
            "def subject(tensor, hook):\n    return tensor.register_hook(lambda grad: hook(grad))",
        ),
        probes_of(conduct.registering),
    ),
    "layer": Subject(
        """
        def final(layer):
            x = torch.tensor([3.0, -2.0], requires_grad=True)
            y = 3 * layer.apply(x * 1)
            y.backward(torch.tensor([2.0, 3.0]))
            return x.grad, y
        """,
        (
            """
            class subject(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    ctx.save_for_backward(x)
                    return x**2

                @staticmethod
                def backward(ctx, grad):
                    (x,) = ctx.saved_tensors
                    return 2 * x * grad
            """,
        ),
        tuple(each.of_function() for each in probes_of(conduct.layers) if isinstance(each, LayerProbe)),
    ),
}

FUNCTION = """
class subject(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {forward}

    @staticmethod
    def backward(ctx, grad):
        {backward}
"""
SAVED = "ctx.save_for_backward(x); return x**2"


def hook(body: str) -> tuple[str, str]:
    return "hook", "def subject(grad):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")


def gradient(body: str) -> tuple[str, str]:
    return "gradient", "def subject(f, x, w):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")


def attach(body: str) -> tuple[str, str]:
    return "attach", "def subject(tensor, hook):\n" + textwrap.indent(textwrap.dedent(body).strip(), "    ")


def layer(forward: str, backward: str) -> tuple[str, str]:
    return "layer", FUNCTION.format(forward=forward, backward=backward)


PLANTED: dict[str, tuple[str, str]] = {
    "squares in place and returns it": hook("return grad.mul_(grad)"),
    "squares in place and returns None": hook("grad.mul_(grad)"),
    "squares in place and returns a view": hook("return grad.mul_(grad).view_as(grad)"),
    "writes through data": hook("grad.data.mul_(grad.data)"),
    "swaps the data": hook("grad.data = grad.data**2\nreturn grad"),
    "writes through NumPy": hook("grad.detach().numpy()[...] **= 2"),
    "writes and puts back": hook(
        """
        old = grad.detach().clone()
        new = grad.mul_(grad).clone()
        grad.copy_(old)
        return new
        """
    ),
    "squares the data": hook("return grad.data**2"),
    "squares what is detached": hook("return grad.detach() ** 2"),
    "squares in NumPy": hook("return torch.from_numpy(grad.detach().numpy() ** 2)"),
    "squares without grad": hook("with torch.no_grad():\n    return grad**2"),
    "squares in Python": hook("return torch.tensor([float(each) ** 2 for each in grad])"),
    "runs a backward pass inside": hook(
        """
        with torch.enable_grad():
            leaf = grad.detach().requires_grad_(True)
            (leaf**3 / 3).sum().backward()
        return leaf.grad
        """
    ),
    "registers a hook inside": hook(
        """
        if grad.requires_grad:
            grad.register_hook(lambda second: None)
        return grad**2
        """
    ),
    "keeps each gradient": ("hook", "kept = []\n\ndef subject(grad):\n    kept.append(grad)\n    return grad**2"),
    "remembers its first result": (
        "hook",
        "kept = []\n\ndef subject(grad):\n    kept.append(grad**2)\n    return kept[0]",
    ),
    "leaves a hook for all modules": hook(
        """
        torch.nn.modules.module.register_module_forward_hook(lambda module, inputs, output: None)
        return grad**2
        """
    ),
    "leaves the grad mode off": hook("result = grad**2\ntorch.set_grad_enabled(False)\nreturn result"),
    "leaves another default dtype": hook("torch.set_default_dtype(torch.float64)\nreturn grad**2"),
    "runs two passes and halves": gradient(
        """
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward(w)
        f(leaf).backward(w)
        return leaf.grad / 2
        """
    ),
    "one pass per weight": gradient(
        """
        leaf = x.detach().clone().requires_grad_(True)
        for number in range(len(w)):
            one = torch.zeros_like(w)
            one[number] = w[number]
            f(leaf).backward(one)
        return leaf.grad
        """
    ),
    "calls f once more": gradient(
        """
        f(x)
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward(w)
        return leaf.grad
        """
    ),
    "writes the caller's x.grad": gradient(
        """
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward(w)
        x.grad = leaf.grad
        return leaf.grad
        """
    ),
    "makes the caller's tensor require grad": gradient(
        """
        x.requires_grad_(True)
        return torch.autograd.grad(f(x), x, w)[0]
        """
    ),
    "leaves a hook on the caller's x": gradient(
        """
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward(w)
        if x.requires_grad:
            x.register_hook(lambda grad: None)
        return leaf.grad
        """
    ),
    "leaves a hook for the accumulated gradient": gradient(
        """
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward(w)
        if x.requires_grad:
            x.register_post_accumulate_grad_hook(lambda tensor: None)
        return leaf.grad
        """
    ),
    "scales the weights and back": gradient(
        """
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward(w.mul_(2))
        w.div_(2)
        return leaf.grad / 2
        """
    ),
    "leaves the grad mode off after the pass": gradient(
        """
        torch.set_grad_enabled(True)
        leaf = x.detach().clone().requires_grad_(True)
        f(leaf).backward(w)
        torch.set_grad_enabled(False)
        return leaf.grad
        """
    ),
    "registers twice, each by a root": attach(
        """
        def root(grad):
            return grad * (hook(grad) / grad).sqrt()

        tensor.register_hook(root)
        return tensor.register_hook(root)
        """
    ),
    "tries the hook out first": attach("hook(torch.ones_like(tensor))\nreturn tensor.register_hook(hook)"),
    "runs the hook twice": attach("return tensor.register_hook(lambda grad: (hook(grad) + hook(grad)) / 2)"),
    "the handle removes nothing": attach(
        """
        tensor.register_hook(hook)
        return tensor.register_hook(lambda grad: None)
        """
    ),
    "leaves a second hook behind": attach(
        """
        tensor.register_hook(lambda grad: None)
        return tensor.register_hook(hook)
        """
    ),
    "negates the given gradient in place": layer(SAVED, "return grad.mul_(2 * ctx.saved_tensors[0])"),
    "differentiates by data": layer(SAVED, "return 2 * ctx.saved_tensors[0].data * grad"),
    "keeps the input's data on ctx": layer("ctx.x = x.data; return x**2", "return 2 * ctx.x * grad"),
    "once differentiable": (
        "layer",
        FUNCTION.format(forward=SAVED, backward="return 2 * ctx.saved_tensors[0] * grad").replace(
            "    @staticmethod\n    def backward",
            "    @staticmethod\n    @torch.autograd.function.once_differentiable\n    def backward",
        ),
    ),
    "keeps the input on the class": layer("subject.x = x; return x**2", "return 2 * subject.x * grad"),
    "uses up what it kept": layer("ctx.x = x; return x**2", "x = ctx.x; ctx.x = 0 * x; return 2 * x * grad"),
    "writes its input and puts it back": layer(
        "ctx.save_for_backward(x); kept = x.clone(); new = x.pow_(2).clone(); x.copy_(kept); return new",
        "return 2 * ctx.saved_tensors[0] * grad",
    ),
    "leaves another default dtype after forward": layer(
        "ctx.save_for_backward(x); torch.set_default_dtype(torch.float64); return x**2",
        "return 2 * ctx.saved_tensors[0] * grad",
    ),
    "leaves a hook on its input": layer(
        "ctx.save_for_backward(x); x.register_hook(lambda grad: None) if x.requires_grad else None; return x**2",
        "return 2 * ctx.saved_tensors[0] * grad",
    ),
}


@pytest.fixture(autouse=True)
def torch_as_it_was() -> Iterator[None]:
    """Modes and hooks for all modules are put back."""
    yield
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    for name, hooks in vars(torch.nn.modules.module).items():
        if name.startswith("_global_") and isinstance(hooks, dict):
            hooks.clear()


def outcome(probe: ReadyProbe, source: str, arguments: str) -> Outcome:
    return given(Program(probe.name, probe.parameters, probe.source), source, arguments)


def given(program: Program, source: str, arguments: str) -> Outcome:
    """What a probe gives with a subject that is defined anew, in torch's own modes, as in a fresh notebook."""
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        subject = define(textwrap.dedent(source), "subject")
        return run_probe(program, subject, arguments)


def outcomes(subject: Subject, source: str) -> list[Outcome]:
    return [outcome(probe, source, repr(probe.example)) for probe in subject.probes]


def equal(one: Outcome, other: Outcome) -> bool:
    return isinstance(one, Returned) and isinstance(other, Returned) and compare(one.value, other.value).right


def final(subject: Subject, source: str) -> Outcome:
    return given(Program("final", ("subject",), textwrap.dedent(subject.final)), source, "{}")


@pytest.mark.parametrize("name", PLANTED)
def test_planted_conduct_is_told_apart(name: str) -> None:
    """Code with an honest one's final value, but another conduct, differs from it in some ready probe."""
    kind, source = PLANTED[name]
    subject = SUBJECTS[kind]
    assert equal(final(subject, source), final(subject, subject.honest[0]))
    pairs = zip(outcomes(subject, source), outcomes(subject, subject.honest[0]), strict=True)
    assert not all(equal(planted, honest) for planted, honest in pairs)


@pytest.mark.parametrize("kind", SUBJECTS)
def test_honest_ways_are_alike(kind: str) -> None:
    """No ready probe raises for honest code, and different honest ways give the same in all of them."""
    subject = SUBJECTS[kind]
    found = [outcomes(subject, source) for source in subject.honest]
    assert all(isinstance(each, Returned) for each in found[0])
    assert all(equal(*pair) for one, other in pairwise(found) for pair in zip(one, other, strict=True))


@pytest.mark.parametrize(
    ("kind", "probe"),
    [pytest.param(kind, each, id=f"{kind}-{each.name}") for kind in SUBJECTS for each in SUBJECTS[kind].probes],
)
def test_every_probe_depends_on_its_inputs(kind: str, probe: ReadyProbe) -> None:
    """Other inputs, other numbers, in every entry: what does not know the inputs cannot say them."""
    shifted = {
        name: [number + 1 for number in value] if isinstance(value, list) else value + 1
        for name, value in probe.example.items()
    }
    honest = SUBJECTS[kind].honest[0]
    one, other = outcome(probe, honest, repr(probe.example)), outcome(probe, honest, repr(shifted))
    assert isinstance(one, Returned)
    assert isinstance(other, Returned)
    entries, others = dict(one.value.items), dict(other.value.items)  # type: ignore[union-attr]
    assert all(not compare(others[name], entries[name]).right for name in entries)


@pytest.mark.parametrize("kind", ["hook", "gradient", "attach", "layer"])
def test_no_probe_is_idle(kind: str) -> None:
    """Each ready probe tells at least one planted conduct from the honest one."""
    subject = SUBJECTS[kind]
    honest = outcomes(subject, subject.honest[0])
    planted = [outcomes(subject, source) for each, source in PLANTED.values() if each == kind]
    for number, probe in enumerate(subject.probes):
        assert any(not equal(each[number], honest[number]) for each in planted), probe.name


REMARKED = (
    LESSON.replace("import Assignment, vary", "import Assignment, conduct, vary")
    + """

square.conduct(conduct.hooks.argument_untouched, points=1)
square.conduct(conduct.hooks.twice_differentiable, points=0)
"""
)
PUT_BACK = """def square(grad):
    old = grad.clone()
    new = grad.mul_(grad).clone()
    grad.copy_(old)
    return new"""
DETACHED = "def square(grad):\n    return grad.detach() ** 2"


def test_conduct_gives_points_or_a_remark(tmp_path: Path) -> None:
    """A probe of conduct gives the points that its author says; without points it is a remark and no more."""
    room = Classroom(tmp_path, small_lesson=REMARKED)
    for name, cell in {"hal": "def square(grad):\n    return grad**2", "ida": PUT_BACK, "jon": DETACHED}.items():
        room.student(name, cells={"square": cell})
    marks = room.grade()
    square = {name: each["square"] for name, each in marks.items()}
    assert {name: each.verdict for name, each in square.items()} == {
        "hal": "right",
        "ida": "partly_right",
        "jon": "right",
    }
    assert {name: str(each.score) for name, each in square.items()} == {"hal": "3.00", "ida": "2.00", "jon": "3.00"}
    assert [part.name for part in square["hal"].parts] == ["on_the_square", "given_gradient_afterwards"]
    remark = square["jon"].parts[-1]
    assert (remark.name, remark.verdict, str(remark.max_score)) == ("differentiated_twice", "wrong", "0.00")
    assert "A remark" in room.text("feedback/jon/small-lesson.html")
    assert "A remark" not in room.text("feedback/hal/small-lesson.html")


def test_a_remark_that_cannot_be_had_is_not_made(tmp_path: Path) -> None:
    """Where a probe without points has no result, nothing is said and nothing is held."""
    room = Classroom(tmp_path, small_lesson=REMARKED)
    room.student("hal", cells={"square": "def square(grad):\n    return grad**2"}).student("uma", x_grad="[3, 18, 7]")

    class Losing(InProcessSandbox):
        def run(self, run: Run) -> Execution:
            done = super().run(run)
            return msgspec.structs.replace(
                done, probes=tuple(each for each in done.probes if "differentiated_twice" not in each.id)
            )

    marks = room.grade(sandbox=Losing())
    assert marks["hal"]["square"].verdict == "right"
    assert "differentiated_twice" not in [part.name for part in marks["hal"]["square"].parts]
    assert [part.name for part in marks["uma"]["square"].parts] == ["on_the_square", "given_gradient_afterwards"]


def test_the_notebook_says_what_conduct_is_worth(tmp_path: Path) -> None:
    """A ready probe is shown like any other, with its example; one without points says so. No check fails for it."""
    room = Classroom(tmp_path, small_lesson=REMARKED)
    text = "".join("".join(cell["source"]) for cell in room.released()["cells"])
    assert "with this program, where `hook` is your `square` (for a remark, without points)" in text
    assert "given_gradient_afterwards(square, grad=[3.0, -2.0], weight=2.0)" in text
    room.student("jon", cells={"square": DETACHED})
    checked = pipeline.check(room.handed_in / "jon" / "small-lesson.ipynb", room.folder, sandbox=InProcessSandbox())
    assert [line.state for line in checked.lines if line.question == "square"] == ["passes"]


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        (
            "square.conduct(len)",
            ": square: has .conduct(<built-in function len>), which is no ready probe; give one of",
        ),
        ("square.conduct(conduct.hooks.same_again, public=[dict(x=1)])", "has a public case (number 1) with `x`"),
        ("square.conduct(conduct.hooks.same_again, points=-1)", "has points=-1"),
        ("square.conduct(conduct.hooks.same_again, points=4)", "leaves -2.00 for 1 of its probes"),
        ("square.conduct(conduct.hooks.same_again.of_factory(first=2.0))", "uses the name `first` itself"),
        ("square.probe(public=[dict()], points=0)(lambda hook: 1)", "has points=0"),
    ],
)
def test_misuse_is_a_problem_with_its_mend(tmp_path: Path, written: str, problem: str) -> None:
    """What is written wrongly about a ready probe is said when the file is loaded."""
    path = tmp_path / "small-lesson.py"
    path.write_text(f"{REMARKED}\n\n{written}\n")
    with pytest.raises(CourseError, match=re.escape(problem)):
        load(path, b"k" * 32)


def test_the_guide_lists_every_ready_probe() -> None:
    """The table in the instructors' guide has each ready probe once, and no other."""
    guide = (Path(__file__).parents[2] / "docs" / "instructor.md").read_text()
    table = guide.partition("| ready probe | tells |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`(\w+s\.\w+|registering\.\w+)`", table))
    named |= {"hooks.modes_restored", "layers.modes_restored"}
    modules = (conduct.hooks, conduct.layers, conduct.passes, conduct.registering)
    ready = {
        f"{module.__name__.rpartition('.')[2]}.{name}"
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, ReadyProbe)
    }
    assert named == ready


def test_factories_functions_and_modules_are_probed(tmp_path: Path) -> None:
    """The same probes take a factory of hooks, a Function with settings, a Module; each with its settings drawn."""
    factory = conduct.hooks.argument_untouched.of_factory(limit=vary(2.0, low=1, high=3))
    clip = "def subject(limit):\n    return lambda grad: grad.clamp{}(-limit, limit)"
    assert factory.parameters == ("make_hook", "limit", "grad", "weight")
    clipped = [outcome(factory, clip.format(how), repr(factory.example)) for how in ("", "_")]
    assert isinstance(clipped[0], Returned)
    assert not equal(*clipped)
    scaled = conduct.layers.twice_differentiable.of_function(scale=2.0)
    scale = FUNCTION.replace("(ctx, x)", "(ctx, x, scale)").format(
        forward="ctx.scale = scale; return x * scale", backward="return ctx.scale * grad{}, None"
    )
    reached = [outcome(scaled, scale.format(how), repr(scaled.example)) for how in ("", ".detach()")]
    assert isinstance(reached[0], Returned)
    assert not equal(*reached)
    module = conduct.layers.arguments_untouched.of_module(scale=2.0)
    source = """
        class subject(torch.nn.Module):
            def __init__(self, scale):
                super().__init__()
                self.scale = scale

            def forward(self, x):
                return x{} * self.scale
        """
    passed = [outcome(module, source.format(how), repr(module.example)) for how in ("", ".square_().sqrt()")]
    assert isinstance(passed[0], Returned)
    assert not equal(*passed)
