"""From one exercise as written to its record, or to problems."""

from __future__ import annotations

import ast
import builtins
import inspect
import keyword
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from grader.course.fingerprints import exercise_fingerprint
from grader.course.literals import arguments_text, is_literal
from grader.course.points import BadPoints, answer_credit, probe_credit
from grader.course.probing import ProbeReader
from grader.course.problems import Problems
from grader.course.returning import ASKED_FOR, NO_RETURN, returns_something
from grader.course.selfcontained import outside_names
from grader.course.source import Definition, SourceFile, Unusable, program_text, whole_text
from grader.course.stubs import answer_stub, implement_stub
from grader.course.surface import ExerciseNote
from grader.course.vary import Vary, problem_of
from grader.records import Exercise, Program, Varying


class ExerciseReader:
    """Reads one exercise of an assignment; what is wrong with it goes to `problems`."""

    def __init__(self, source: SourceFile, problems: Problems, note: ExerciseNote, key: bytes, place: str) -> None:
        self.source = source
        self.problems = problems
        self.note = note
        self.key = key
        self.place = place
        self.where = getattr(note.thing, "__name__", note.kind)
        self.line = note.line

    def read(self, show_keys: bool | None) -> Exercise | None:
        """The exercise; None if there is a problem.

        Args:
            show_keys: what the assignment says about showing keys.
        """
        count = len(self.problems.found)
        node = self._node()
        if node is None:
            return None
        self.where, self.line = node.name, node.lineno
        docstring = ast.get_docstring(node) or ""
        if not docstring.strip():
            self._add("has no docstring, so students would see no question; write one below its first line")
        elif len(node.body) == 1:
            self._add("has nothing below its docstring; write the program")
        elif self.note.kind in ASKED_FOR and isinstance(node, ast.FunctionDef) and not returns_something(node):
            self._add(NO_RETURN)
        self._check_options()
        exercise = self._implement(node) if self.note.kind == "implement" else self._program(node)
        if exercise is None or len(self.problems.found) > count:
            return None
        show = next(
            (each for each in (self.note.show_key, show_keys) if each is not None), self.note.kind != "implement"
        )
        exercise = msgspec.structs.replace(exercise, prompt=docstring.strip(), show_key=show)
        return msgspec.structs.replace(exercise, fingerprint=exercise_fingerprint(exercise))

    def _node(self) -> Definition | None:
        note = self.note
        if note.thing is None:
            mend = f"write @assignment.{note.kind}(..., points=1), with its parentheses, above a `def`"
            self._add(f"decorates nothing; {mend}")
            return None
        node = self.source.decorated(note.line)
        classes_too = note.kind == "implement"
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef) if classes_too else ast.FunctionDef):
            wanted = "a `def` or a `class`" if classes_too else "a `def`"
            self._add(f"is no {wanted[2:]}; put @assignment.{note.kind}(...) directly above {wanted}")
            return None
        assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
        self.where, self.line = node.name, node.lineno
        if node not in self.source.tree.body:
            self._add("is nested; move it to the top level of the file")
            return None
        if len(node.decorator_list) > 1:
            self._add("has another decorator, which would be lost; do its work inside, with a `with` block for example")
            return None
        return node

    def _check_options(self) -> None:
        note = self.note
        tolerance = note.tolerance
        if tolerance is not None and not (type(tolerance) in (int, float) and 0 < tolerance < 1):
            self._add(f"has tolerance={tolerance!r}; give a relative tolerance between 0 and 1, such as 1e-4, or none")
        for name, flag in {"show_key": note.show_key, "all_or_nothing": note.all_or_nothing}.items():
            if flag is not None and not isinstance(flag, bool):
                self._add(f"has {name}={flag!r}; give True or False")
        if note.blind_to is not None and not _reasons(note.blind_to):
            mend = 'give a dict of reasons: blind_to={"w-is-all-ones": "the tutorial has these weights"}'
            self._add(f"has blind_to={note.blind_to!r:.60}, which is no dict from a belief's id to a sentence; {mend}")
        self._check_builds_on(note.builds_on)
        if note.kind == "choice":
            self._check_choice(note.options)
        elif note.kind != "implement" and (note.probes or note.mistakes):
            self._add("has a probe or a mistake, which only an `implement` exercise can have; remove it")

    def _check_builds_on(self, builds_on: Any) -> None:
        if builds_on is None:
            return
        if not isinstance(builds_on, Mapping) or not all(isinstance(each, str) for each in builds_on):
            self._add(f'has builds_on={builds_on!r:.60}; give a dict: builds_on={{"y_grad": 0.5}}')
            return
        if self.note.all_or_nothing is True and builds_on:
            self._add("has builds_on and all_or_nothing, which exclude each other; remove one of them")
        parameters = inspect.signature(self.note.thing).parameters
        for name, fraction in builds_on.items():
            if type(fraction) not in (int, float) or not 0 < fraction <= 1:
                self._add(f"builds on `{name}` for {fraction!r:.60}; give a share of the credit above 0, at most 1")
            if name not in parameters or parameters[name].default is not inspect.Parameter.empty:
                self._add(f"builds on `{name}`, which is no parameter without a default; write def ...({name})")

    def _built_on(self) -> tuple[tuple[str, Decimal], ...]:
        """What `_check_builds_on` found fit."""
        given = self.note.builds_on
        if not isinstance(given, Mapping):
            return ()
        return tuple((name, Decimal(str(each))) for name, each in given.items() if type(each) in (int, float))

    def _check_choice(self, options: Any) -> None:
        texts = [each for pair in options.items() for each in pair] if isinstance(options, Mapping) else [None]
        if not all(isinstance(each, str) and each for each in texts):
            self._add('has no usable options; give a dict of strings: options={"ones": "all ones", "none": "`None`"}')
        elif len(options) < 2:
            self._add("has fewer than 2 options; give at least two")

    def _program(self, node: Definition) -> Exercise | None:
        assert isinstance(node, ast.FunctionDef)
        text = self._text(node)
        arguments = self._arguments(node)
        answers = self._answers()
        credit: tuple[Decimal, ...] = ()
        try:
            # Points are checked whatever else is wrong; a dict can only be checked against usable names.
            if answers or not isinstance(self.note.points, Mapping):
                credit = answer_credit(self.note.points, answers or ("an answer",))
        except BadPoints as error:
            self._add(str(error))
        if text is None or arguments is None or not answers or not credit:
            return None
        program = Program(node.name, tuple(inspect.signature(self.note.thing).parameters), text)
        options = tuple(self.note.options.items()) if isinstance(self.note.options, Mapping) else ()
        return msgspec.structs.replace(
            self._exercise(node, answers, credit, answer_stub(answers)),
            program=program,
            arguments=arguments_text(arguments),
            options=options,
            varying=self._varying(),
            builds_on=self._built_on(),
        )

    def _implement(self, node: Definition) -> Exercise | None:
        note = self.note
        text = whole_text(self.source, node)
        for line, what in outside_names(self.source, node, text):
            self.problems.add(line, self.where, what)
        if _hides(node.name):
            self._add("would hide Python's or torch's own name; choose another one")
        if not note.probes:
            self._add(f"has no probe, so nothing would check it; add @{node.name}.probe(public=[...]) above a `def`")
        try:
            credit = probe_credit(note.points, note.probes) if note.probes else ()
        except BadPoints as error:
            self._add(str(error))
            credit = ()
        reader = ProbeReader(self.source, self.problems, self.key, f"{self.place}/{node.name}", self.where)
        # Without credit there is a problem already, but the probes' own problems are to be found as well.
        shares = credit or (Decimal(1),) * len(note.probes)
        probes = [reader.probe(probe, share) for probe, share in zip(note.probes, shares, strict=True)]
        mistakes = [reader.mistake(mistake) for mistake in note.mistakes]
        self._check_names("probes", [probe.program.name for probe in probes if probe])
        self._check_names("mistakes", [mistake.id for mistake in mistakes if mistake])
        if not credit:
            return None
        return msgspec.structs.replace(
            self._exercise(node, (node.name,), credit, implement_stub(node)),
            reference=text,
            probes=tuple(each for each in probes if each),
            mistakes=tuple(each for each in mistakes if each),
        )

    def _check_names(self, kind: str, names: list[str]) -> None:
        for name in sorted({each for each in names if names.count(each) > 1}):
            self._add(f"has two {kind} called `{name}`; rename one of them")

    def _exercise(self, node: Definition, answers: tuple[str, ...], credit: tuple[Decimal, ...], stub: str) -> Exercise:
        return Exercise(
            id=node.name,
            kind=self.note.kind,  # type: ignore[arg-type]
            line=node.lineno,
            prompt="",
            points=sum(credit, Decimal("0.00")),
            credit=credit,
            answers=answers,
            stub=stub,
            fingerprint="",
            show_key=False,
            tolerance=None if self.note.tolerance is None else float(self.note.tolerance),
            all_or_nothing=bool(self.note.all_or_nothing),
            blind_to=tuple(self.note.blind_to.items()) if _reasons(self.note.blind_to) else (),
        )

    def _text(self, node: ast.FunctionDef) -> str | None:
        try:
            text = program_text(self.source, node)
        except Unusable as error:
            self._add(str(error))
            return None
        for line, what in outside_names(self.source, node, text):
            self.problems.add(line, self.where, what)
        return text

    def _arguments(self, node: ast.FunctionDef) -> dict[str, Any] | None:
        """What the program is called with: the defaults of its parameters, `vary`s at their own default."""
        arguments: dict[str, Any] = {}
        if node.args.posonlyargs or node.args.vararg or node.args.kwarg:
            self._add("takes *args, **kwargs or positional-only parameters; name each parameter plainly: w=[1.0, 2.0]")
            return None
        fine = True
        built_on = dict(self._built_on())
        for name, parameter in inspect.signature(self.note.thing).parameters.items():
            if name in built_on:
                continue
            value = parameter.default
            fault = problem_of(value) if isinstance(value, Vary) else None
            if isinstance(value, Vary):
                value = value.default
            if value is inspect.Parameter.empty:
                fault = f"has no default; write what the program is called with: {name}=[1.0, 2.0]"
            elif not fault and not is_literal(value):
                fault = "has a default that is no plain literal; give numbers or lists, and build tensors inside"
            if fault:
                self._add(f"parameter `{name}`: {fault}")
                fine = False
            arguments[name] = value
        return arguments if fine else None

    def _varying(self) -> tuple[Varying, ...]:
        """The parameters whose default is a `vary`, checked by `_arguments`."""
        parameters = inspect.signature(self.note.thing).parameters.items()
        return tuple(
            Varying(name, repr(each.default), each.low, each.high, each.step)
            for name, each in ((name, parameter.default) for name, parameter in parameters)
            if isinstance(each, Vary)
        )

    def _answers(self) -> tuple[str, ...]:
        """The answer names; () if one cannot be used."""
        if not self.note.answers:
            self._add(f'has no answer name; write @assignment.{self.note.kind}("x_grad", points=1)')
        fine = []
        for name in self.note.answers:
            if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
                self._add(f"has the answer name {name!r:.60}, which is no Python name; write one such as x_grad")
            elif _hides(name):
                self._add(f"has the answer name `{name}`, which would hide Python's or torch's own; choose another one")
            else:
                fine.append(name)
        return tuple(fine) if len(fine) == len(self.note.answers) else ()

    def _add(self, what: str) -> None:
        self.problems.add(self.line, self.where, what)


def _reasons(thing: object) -> bool:
    """Whether this is a dict from an id to a sentence. Which ids there are, only an audit knows."""
    if not isinstance(thing, Mapping):
        return False
    return all(isinstance(each, str) and each.strip() for pair in thing.items() for each in pair)


def _hides(name: str) -> bool:
    return name == "torch" or hasattr(builtins, name)
