"""A probe that is written already: its program's text, an example, and arguments to draw more cases from."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from grader.course.vary import Vary

_T = TypeVar("_T", bound="ReadyProbe")


@dataclass(frozen=True)
class ReadyProbe:
    """The text of a probe, which gets the student's function first, then one parameter per entry of `generated`.

    `generated` has `vary` in it, as for a written probe. Its defaults are the example that students see.
    """

    source: str
    generated: Mapping[str, Any]

    @property
    def name(self) -> str:
        return _definition(self.source).name

    @property
    def parameters(self) -> tuple[str, ...]:
        """All parameters of the program, the student's function first."""
        return tuple(each.arg for each in _definition(self.source).args.args)

    @property
    def example(self) -> dict[str, Any]:
        """The arguments of the public case."""
        return {name: each.default if isinstance(each, Vary) else each for name, each in self.generated.items()}


class HookProbe(ReadyProbe):
    """Probes `hook(grad)`."""

    def of_factory(self, **settings: Any) -> HookProbe:
        """Probe a function that makes a hook: `hook = make_hook(limit)` for `of_factory(limit=2.0)`.

        Args:
            settings: its arguments, in order; each a plain literal or a `vary`.
        """
        return _adapted(self, "make_hook", ["hook = make_hook({})"], settings)


class LayerProbe(ReadyProbe):
    """Probes `f(x)`, a function of one tensor."""

    def of_function(self, **settings: Any) -> LayerProbe:
        """Probe a `torch.autograd.Function`: `layer.apply(x, scale)` for `of_function(scale=2.0)`.

        Args:
            settings: what `apply` gets behind the tensor, in order; each a plain literal or a `vary`.
        """
        lines = ["def f(tensor):", f"    return layer.apply({'tensor, {}' if settings else 'tensor'})", ""]
        return _adapted(self, "layer", lines, settings)

    def of_module(self, **settings: Any) -> LayerProbe:
        """Probe a `torch.nn.Module`: `f = make_module(scale)` for `of_module(scale=2.0)`.

        Args:
            settings: what the class is called with, in order; each a plain literal or a `vary`.
        """
        return _adapted(self, "make_module", ["f = make_module({})"], settings)


def ready(kind: type[_T], source: str, **generated: Any) -> _T:
    """A probe from its text and what its cases are drawn from."""
    probe = kind(source.strip("\n") + "\n", generated)
    assert probe.parameters[1:] == tuple(generated), f"{probe.name}: a parameter for each argument"
    return probe


def _adapted(probe: _T, subject: str, lines: list[str], settings: Mapping[str, Any]) -> _T:
    """The probe of what makes or wraps its subject: `lines`, with the settings' names filled in, come first."""
    taken = {node.id for node in ast.walk(ast.parse(probe.source)) if isinstance(node, ast.Name)}
    for name in settings:
        if name in {*taken, *probe.parameters, subject, "tensor"}:
            raise ValueError(f"the probe `{probe.name}` uses the name `{name}` itself; give that setting another name")
    body = probe.source.partition("\n")[2]
    named = ", ".join(settings)
    first = "".join(f"    {line}".rstrip() + "\n" for line in (each.format(named) for each in lines))
    parameters = ", ".join((subject, *settings, *probe.generated))
    return replace(
        probe, source=f"def {probe.name}({parameters}):\n{first}{body}", generated={**settings, **probe.generated}
    )


def _definition(source: str) -> ast.FunctionDef:
    (node,) = ast.parse(source).body
    assert isinstance(node, ast.FunctionDef), "a probe is one `def`"
    return node
