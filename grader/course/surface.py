"""What a solutions file is written with: `Assignment` and its decorators.

Nothing is checked here: a decorator notes what it was given and where, so that `load` can report every problem of a
file at once, each with its line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from grader.course.conduct import ReadyProbe

Points: TypeAlias = "int | float | Mapping[str, int | float] | None"
BlindTo: TypeAlias = "Mapping[str, str] | None"


@dataclass
class ProbeNote:
    """One `.probe(...)` as written. `thing` is the decorated function, None while the decorator was not applied.

    With `ready`, it is a `.conduct(...)`, and `thing` is what should be a ready probe.
    """

    line: int
    public: Any
    hidden: Any
    generated: Any
    points: Any
    draws: Any
    thing: Any = None
    ready: bool = False


@dataclass
class MistakeNote:
    """One `.mistake(...)` as written."""

    line: int
    belief: Any
    thing: Any = None


@dataclass
class ExerciseNote:
    """One exercise as written."""

    kind: str
    line: int
    answers: tuple[Any, ...]
    points: Any
    tolerance: Any
    show_key: Any
    all_or_nothing: Any
    options: Any = None
    blind_to: Any = None
    builds_on: Any = None
    thing: Any = None
    probes: list[ProbeNote] = field(default_factory=list)
    mistakes: list[MistakeNote] = field(default_factory=list)


class Declared:
    """What a decorated function or class becomes: still callable, and open for probes and mistakes."""

    def __init__(self, note: ExerciseNote) -> None:
        self._note = note

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._note.thing(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "_note":  # copying asks before there is one
            raise AttributeError(name)
        return getattr(self._note.thing, name)

    def probe(
        self,
        *,
        public: Sequence[Mapping[str, Any]] = (),
        hidden: Sequence[Mapping[str, Any]] = (),
        generated: Mapping[str, Any] | None = None,
        points: int | float | None = None,
        draws: int = 5,
    ) -> Callable[[Any], Any]:
        """Exercise the student's function or class, which the decorated function gets as its first argument.

        Args:
            public: cases (a dict of arguments each) that the notebook shows with their results.
            hidden: cases that only the grader knows.
            generated: arguments with `vary` in them; `draws` cases are drawn from it, the same for everybody.
            points: this probe's share of the exercise's points; without it, what is left is shared equally.
            draws: how many cases to draw from `generated`.
        """
        note = ProbeNote(_line(), public, hidden, generated, points, draws)
        self._note.probes.append(note)
        return _noting(note)

    def conduct(
        self,
        ready: ReadyProbe,
        *,
        points: int | float | None = None,
        public: Sequence[Mapping[str, Any]] = (),
        hidden: Sequence[Mapping[str, Any]] = (),
        generated: Mapping[str, Any] | None = None,
        draws: int = 5,
    ) -> None:
        """Probe how the student's code goes about it, with a ready probe of `grader.course.conduct`.

        Args:
            ready: the probe. Without cases of yours it brings its own: one public example, the others drawn.
            points: as for `probe`; with 0 it gives a remark to the student, and never points.
            public, hidden, generated, draws: as for `probe`.
        """
        self._note.probes.append(ProbeNote(_line(), public, hidden, generated, points, draws, ready, ready=True))

    def mistake(self, belief: str) -> Callable[[Any], Any]:
        """Foresee a wrong implementation; `belief` says in one sentence what its author has in mind."""
        note = MistakeNote(_line(), belief)
        self._note.mistakes.append(note)
        return _noting(note)


class Assignment:
    """One assignment: `Assignment("hooked-gradients")` in `solutions/hooked-gradients.py`.

    Args:
        name: the file's name without `.py`: small letters, digits and single hyphens.
        show_keys: whether students see the right answers; without it, they do for programs (anyone can run those)
            and do not for `implement`.
        data: paths of files that the notebook reads, relative to this solutions file.
        limits: `cell_seconds`, `notebook_seconds`, `probe_seconds`, `memory_mb`, ...: see `grader.records.Limits`.
    """

    def __init__(self, name: str, *, show_keys: bool | None = None, data: Sequence[str] = (), **limits: float) -> None:
        self.name = name
        self.show_keys = show_keys
        self.data = data
        self.limits = limits
        self.line = _line()
        self.notes: list[ExerciseNote] = []

    def predict(
        self,
        *answers: str,
        points: Points = None,
        tolerance: float | None = None,
        show_key: bool | None = None,
        all_or_nothing: bool = False,
        blind_to: BlindTo = None,
        builds_on: Mapping[str, float] | None = None,
    ) -> Callable[[Any], Declared]:
        """Ask for numbers: the program returns one per answer name, several as a tuple in that order.

        Args:
            answers: the names that the student assigns.
            points: more than 0, in steps of 0.01; shared equally, or a dict with the points of each answer name.
            tolerance: relative; without it, it follows dtype and size of the right answer.
            show_key: whether students see the right answer once they are graded.
            all_or_nothing: whether the points are given only if every answer is right.
            blind_to: beliefs (ids of docs/misconceptions.md, of one or a family) that this question cannot see or tell
                apart, each with the reason why it is asked all the same. `grade audit` asks for it; all kinds take it.
            builds_on: earlier answer names, which the program has as parameters without defaults, each with the share
                (at most 1) of the credit for what is wrong, but right for the student's own earlier answer.
        """
        noted = self._note("predict", answers, points, tolerance, show_key, all_or_nothing, blind_to=blind_to)
        self.notes[-1].builds_on = builds_on
        return noted

    def order(
        self, name: str, *, points: Points = None, show_key: bool | None = None, blind_to: BlindTo = None
    ) -> Callable[[Any], Declared]:
        """Ask for a list of names in the right order: the program returns it."""
        return self._note("order", (name,), points, None, show_key, False, blind_to=blind_to)

    def raises(
        self, name: str, *, points: Points = None, show_key: bool | None = None, blind_to: BlindTo = None
    ) -> Callable[[Any], Declared]:
        """Ask for the name of the exception that the program raises; `None` if it raises nothing."""
        return self._note("raises", (name,), points, None, show_key, False, blind_to=blind_to)

    def choice(
        self,
        name: str,
        *,
        points: Points = None,
        options: Mapping[str, str] | None = None,
        show_key: bool | None = None,
        blind_to: BlindTo = None,
    ) -> Callable[[Any], Declared]:
        """Ask for one key of `options` (key -> its meaning as Markdown): the program returns the right key."""
        return self._note("choice", (name,), points, None, show_key, False, options, blind_to)

    def implement(
        self,
        *,
        points: Points = None,
        tolerance: float | None = None,
        show_key: bool | None = None,
        all_or_nothing: bool = False,
        blind_to: BlindTo = None,
    ) -> Callable[[Any], Declared]:
        """Ask for a function or class; the decorated one is the reference. Needs at least one `.probe`."""
        return self._note("implement", (), points, tolerance, show_key, all_or_nothing, blind_to=blind_to)

    def _note(
        self,
        kind: str,
        answers: Any,
        points: Any,
        tolerance: Any,
        show: Any,
        all_or_nothing: Any,
        options: Any = None,
        blind_to: Any = None,
    ) -> Callable[[Any], Declared]:
        note = ExerciseNote(kind, _line(), answers, points, tolerance, show, all_or_nothing, options, blind_to)
        self.notes.append(note)

        def decorate(thing: Any) -> Declared:
            target = note
            if note.thing is not None:
                # One decorator object applied twice makes two exercises; that they clash is for the checks to say.
                target = replace(note, probes=[], mistakes=[])
                self.notes.append(target)
            target.thing = thing
            return Declared(target)

        return decorate


def _noting(note: Any) -> Callable[[Any], Any]:
    def decorate(thing: Any) -> Any:
        note.thing = thing
        return thing

    return decorate


def _line() -> int:
    """The line of the solutions file that is being executed."""
    frame: Any = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return int(frame.f_lineno)
