"""Running an unchanged program as if some beliefs about autograd were true."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import msgspec

from grader.misconceptions.worlds import ANSWER_WORLDS, READINGS, WORLDS, World
from grader.misconceptions.worlds.restoring import TORCH_FUNCTIONS, TorchState
from grader.program import define, run_probe, run_program
from grader.records import Outcome, Program


def run_in_worlds(ids: Sequence[str], program: Program, arguments: str, subject: object = None) -> Outcome:
    """Run `program` in worlds nested in the order given, outermost first; with no ids, in torch as it is.

    The whole source is executed inside, so that what the program imports is bent as well. Nothing of it is left in
    torch's global state afterwards. A world may loop or crash: call this in a process that can be killed.

    Args:
        ids: keys of `WORLDS`, `READINGS` or `ANSWER_WORLDS`.
        program: a program, or a probe where there is a `subject`.
        arguments: dict literal of the program's (other) parameters.
        subject: what the probe is given first: a function or class; or its source text as a `Program`.

    Raises: `KeyError` for an unknown id; whatever a `subject`'s source raises when it is executed.
    """
    with inside(ids):
        if subject is None:
            return run_program(_read(program, ids), arguments)
        if isinstance(subject, Program):
            subject = define(_read(subject, ids).source, subject.name)
        return run_probe(_read(program, ids), subject, arguments)


def _read(program: Program, ids: Sequence[str]) -> Program:
    source = program.source
    for name in ids:
        source = _world(name).rewrite(source)
    return program if source == program.source else msgspec.structs.replace(program, source=source)


def _world(name: str) -> type[World]:
    return (READINGS if "/" in name else ANSWER_WORLDS if name in ANSWER_WORLDS else WORLDS)[name]


@contextmanager
def inside(ids: Sequence[str]) -> Iterator[None]:
    """Enter these worlds, outermost first. Torch's warnings are about the bent program and are dropped."""
    kinds = [_world(name) for name in ids]
    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore")
        stack.callback(TORCH_FUNCTIONS.restore)
        stack.callback(TorchState().restore)
        for kind in kinds:
            stack.enter_context(kind())
        yield
