"""From `.probe(...)` and `.mistake(...)` as written to records."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from grader.course.conduct import ReadyProbe
from grader.course.drawing import draw_cases, smallest_first
from grader.course.literals import arguments_text, is_literal
from grader.course.problems import Problems
from grader.course.returning import NO_PROBE_RETURN, returns_something
from grader.course.selfcontained import outside_names
from grader.course.source import Definition, SourceFile, Unusable, program_text, whole_text
from grader.course.surface import MistakeNote, ProbeNote
from grader.course.vary import Vary, problem_of
from grader.records import Case, Mistake, Probe, Program

MAX_DRAWS = 100


class ProbeReader:
    """Reads the probes and mistakes of one exercise; what is wrong with them goes to `problems`."""

    def __init__(self, source: SourceFile, problems: Problems, key: bytes, place: str, where: str) -> None:
        self.source = source
        self.problems = problems
        self.key = key
        self.place = place
        self.where = where

    def probe(self, note: ProbeNote, points: Decimal) -> Probe | None:
        """The probe's program and its cases, smallest first; None if there is a problem."""
        if note.ready:
            return self._ready(note, points)
        node = self._node(note, "probe")
        if not isinstance(node, ast.FunctionDef):
            return None
        count = len(self.problems.found)
        arguments = node.args
        names = tuple(each.arg for each in arguments.args)
        if not names or arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
            what = "needs plain parameters: the student's function first, then one per argument of its cases"
            self._add(node.lineno, node.name, f"{what}, such as def {node.name}(hook, x)")
            return None
        if arguments.defaults:
            self._add(node.lineno, node.name, "has parameters with defaults; give every argument in each case instead")
        if not returns_something(node):
            self._add(node.lineno, node.name, NO_PROBE_RETURN)
        try:
            text = program_text(self.source, node)
        except Unusable as error:
            self._add(node.lineno, node.name, str(error))
            return None
        for line, what in outside_names(self.source, node, text):
            self._add(line, node.name, what)
        cases = self._cases(note, node.name, names[1:])
        if len(self.problems.found) > count:
            return None
        return Probe(Program(node.name, names, text), points, cases)

    def _ready(self, note: ProbeNote, points: Decimal) -> Probe | None:
        ready = note.thing
        if not isinstance(ready, ReadyProbe):
            what = f"has .conduct({ready!r:.60}), which is no ready probe"
            mend = "give one of `grader.course.conduct`, such as conduct.hooks.argument_untouched"
            self.problems.add(note.line, self.where, f"{what}; {mend}")
            return None
        if note.generated is None and not note.public and not note.hidden:
            note = replace(note, public=[ready.example], generated=ready.generated)
        count = len(self.problems.found)
        cases = self._cases(note, ready.name, ready.parameters[1:])
        if len(self.problems.found) > count:
            return None
        return Probe(Program(ready.name, ready.parameters, ready.source), points, cases)

    def mistake(self, note: MistakeNote) -> Mistake | None:
        """The mistaken implementation's text; None if there is a problem."""
        node = self._node(note, "mistake")
        if node is None:
            return None
        if not isinstance(note.belief, str) or not note.belief.strip():
            self._add(note.line, node.name, 'says nothing about the belief; write .mistake("The hook ...")')
            return None
        text = whole_text(self.source, node)
        outside = list(outside_names(self.source, node, text))
        for line, what in outside:
            self._add(line, node.name, what)
        return None if outside else Mistake(node.name, note.belief.strip(), text)

    def _node(self, note: ProbeNote | MistakeNote, kind: str) -> Definition | None:
        if note.thing is None:
            what = f"has a .{kind}(...) that decorates nothing; write @{self.where}.{kind}(...) above a `def`"
            self.problems.add(note.line, self.where, what)
            return None
        node = self.source.decorated(note.line)
        functions_only = kind == "probe"
        if not isinstance(node, ast.FunctionDef if functions_only else (ast.FunctionDef, ast.ClassDef)):
            wanted = "a `def`" if functions_only else "a `def` or `class`"
            what = f"has a .{kind}(...) that does not decorate {wanted}; put it above one"
            self.problems.add(note.line, self.where, what)
            return None
        assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
        if node not in self.source.tree.body:
            self._add(node.lineno, node.name, "is nested; move it to the top level of the file")
            return None
        if len(node.decorator_list) > 1:
            self._add(node.lineno, node.name, "has another decorator, which would be lost; do its work inside")
            return None
        return node

    def _cases(self, note: ProbeNote, name: str, parameters: Sequence[str]) -> tuple[Case, ...]:
        written: list[tuple[Case, Mapping[str, Any]]] = []
        for origin, given in (("public", note.public), ("hidden", note.hidden)):
            for arguments in self._written(note, name, parameters, origin, given):
                written.append((Case(origin, arguments_text(arguments)), arguments))  # type: ignore[arg-type]
        if note.generated is not None and self._generated_is_fine(note, name, parameters):
            ordered = {parameter: note.generated[parameter] for parameter in parameters}
            known = {case.arguments for case, _ in written}
            for case in draw_cases(self.key, f"{self.place}/{name}", ordered, note.draws, known):
                written.append((case, ast.literal_eval(case.arguments)))
        elif note.generated is None and not note.public and not note.hidden:
            self._add(note.line, name, "has no case; give it some: public=[dict(x=[1.0, 2.0])]")
        return smallest_first(written)

    def _written(
        self, note: ProbeNote, name: str, parameters: Sequence[str], origin: str, given: Any
    ) -> Iterator[Mapping[str, Any]]:
        if not isinstance(given, (list, tuple)):
            self._add(note.line, name, f"has {origin}={given!r:.60}; give a list of dicts: {origin}=[dict(...)]")
            return
        for number, arguments in enumerate(given, 1):
            label = f"a {origin} case (number {number})"
            if not self._names_fit(note, name, parameters, label, arguments):
                continue
            wrong = [parameter for parameter in parameters if not is_literal(arguments[parameter])]
            for parameter in wrong:
                mend = "give numbers, strings, lists or dicts; varied numbers belong in generated="
                self._add(note.line, name, f"has {label} whose `{parameter}` is no plain literal; {mend}")
            if not wrong:
                yield {parameter: arguments[parameter] for parameter in parameters}

    def _generated_is_fine(self, note: ProbeNote, name: str, parameters: Sequence[str]) -> bool:
        if not self._names_fit(note, name, parameters, "generated arguments", note.generated):
            return False
        if type(note.draws) is not int or not 1 <= note.draws <= MAX_DRAWS:
            self._add(note.line, name, f"has draws={note.draws!r}; give a whole number from 1 to {MAX_DRAWS}")
            return False
        fine = True
        for parameter in parameters:
            value = note.generated[parameter]
            fault = problem_of(value) if isinstance(value, Vary) else None
            if fault:
                self._add(note.line, name, f"`{parameter}`: {fault}")
            elif not isinstance(value, Vary) and not is_literal(value):
                what = f"has generated arguments whose `{parameter}` is neither a plain literal nor a vary"
                self._add(note.line, name, f"{what}; write {parameter}=vary([1.0, 2.0], low=-3, high=3)")
            else:
                continue
            fine = False
        return fine

    def _names_fit(self, note: ProbeNote, name: str, parameters: Sequence[str], label: str, given: Any) -> bool:
        if isinstance(given, Mapping) and set(given) == set(parameters):
            return True
        has = ", ".join(f"`{each}`" for each in given) if isinstance(given, Mapping) else repr(given)[:60]
        wants = ", ".join(f"{each}=..." for each in parameters)
        self._add(note.line, name, f"has {label} with {has or 'nothing'}; give exactly dict({wants})")
        return False

    def _add(self, line: int, name: str, what: str) -> None:
        self.problems.add(line, f"{self.where}.{name}", what)
