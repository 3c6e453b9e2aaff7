"""Running an unchanged program as if some beliefs about autograd were true."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from grader.misconceptions.worlds import ANSWER_WORLDS, WORLDS
from grader.misconceptions.worlds.restoring import TorchState
from grader.program import define, run_probe, run_program
from grader.records import Outcome, Program


def run_in_worlds(ids: Sequence[str], program: Program, arguments: str, subject: object = None) -> Outcome:
    """Run `program` in worlds nested in the order given, outermost first; with no ids, in torch as it is.

    The whole source is executed inside, so that what the program imports is bent as well. Nothing of it is left in
    torch's global state afterwards. A world may loop or crash: call this in a process that can be killed.

    Args:
        ids: keys of `WORLDS` or `ANSWER_WORLDS`.
        program: a program, or a probe where there is a `subject`.
        arguments: dict literal of the program's (other) parameters.
        subject: what the probe is given first: a function or class; or its source text as a `Program`.

    Raises: `KeyError` for an unknown id; whatever a `subject`'s source raises when it is executed.
    """
    with inside(ids):
        if subject is None:
            return run_program(program, arguments)
        if isinstance(subject, Program):
            subject = define(subject.source, subject.name)
        return run_probe(program, subject, arguments)


@contextmanager
def inside(ids: Sequence[str]) -> Iterator[None]:
    """Enter these worlds, outermost first. Torch's warnings are about the bent program and are dropped."""
    kinds = [ANSWER_WORLDS[name] if name in ANSWER_WORLDS else WORLDS[name] for name in ids]
    with warnings.catch_warnings(), ExitStack() as stack:
        warnings.simplefilter("ignore")
        stack.callback(TorchState().restore)
        for kind in kinds:
            stack.enter_context(kind())
        yield
