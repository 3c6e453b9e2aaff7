"""The process that runs instructors' code: it imports torch, loads solutions files and runs reference programs.

Never imported by the grader itself. It talks through the pipes that were its standard input and output; what a program
prints goes nowhere. It ends itself if a request outlives its deadline by far, should the grader be gone by then.
"""

from __future__ import annotations

import os
import random
import signal
import warnings
from pathlib import Path

import msgspec
import numpy as np
import torch

from grader.errors import CourseError
from grader.judging.wire import (
    Believe,
    Believed,
    ChannelClosed,
    Draw,
    Drawn,
    Failed,
    Load,
    Loaded,
    Look,
    Looked,
    Problems,
    Ready,
    Reply,
    Request,
    Separate,
    Separated,
    Solved,
    receive,
    send,
)
from grader.program import define, run_probe, run_program
from grader.records import Assignment, Audit, Beliefs, Exercise, ExerciseKey, Outcome, Raised, Separation

GRACE_SECONDS = 30
MAX_WHAT = 500
OTHER_SEED = 20_011
# Larger than what a student may answer: a key that is too large is an author's business to see in `grade release`.
MAX_KEY_BYTES = 16_000_000


def main() -> None:
    """Serve requests until the grader closes the channel."""
    requests, replies = _private_channel()
    torch.set_num_threads(1)
    # What is slow only the first time is no program's fault.
    _reset()
    torch.autograd.backward([torch.ones(1, requires_grad=True)])
    send(replies, Ready())
    _silence(2)
    while True:
        try:
            request: Request = receive(requests, Request)  # type: ignore[arg-type]
            signal.alarm(int(request.seconds) + GRACE_SECONDS)
            reply = _answer(request)
            signal.alarm(0)
            send(replies, reply)
        except ChannelClosed:
            return


def _private_channel() -> tuple[int, int]:
    """Move the channel to descriptors that no print and no child process reaches."""
    requests, replies = os.dup(0), os.dup(1)
    _silence(0)
    _silence(1)
    return requests, replies


def _silence(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _answer(request: Request) -> Reply:
    try:
        _reset()
        if isinstance(request, Load):
            return Loaded(_load(request))
        if isinstance(request, Believe):
            return Believed(_believe(request))
        if isinstance(request, Draw):
            return _draw(request)
        if isinstance(request, Look):
            return Looked(_look(request))
        if isinstance(request, Separate):
            return Separated(_separate(request))
        return Solved(_solve(request.exercise))
    except CourseError as error:
        return Problems(error.problems)
    except BaseException as error:  # noqa: BLE001 - SystemExit in a reference must not end the worker unexplained
        return Failed(f"raised {type(error).__name__}: {error}"[:MAX_WHAT])


def _solve(exercise: Exercise) -> ExerciseKey:
    outcomes = solve(exercise)
    if exercise.mistakes:
        # Imported here: only mistakes need a time limit of their own.
        from grader.judging.mistaken import unseen_mistakes

        unseen = unseen_mistakes(exercise, outcomes)
        if unseen:
            raise CourseError(*unseen)
    return ExerciseKey(exercise.id, outcomes)


def _load(request: Load) -> Assignment:
    # Imported here: a worker that only solves need not pay for it.
    from grader.course import load

    return load(Path(request.path), request.key)


def _believe(request: Believe) -> Beliefs:
    # Imported here: a run in which everybody is right needs no worlds.
    from grader.judging.believing import believe

    return believe(request.exercise, request.key, request.pairs, request.ids)


def _draw(request: Draw) -> Drawn:
    # Imported here: only a release asks for draws.
    from grader.misconceptions.draws import find_draws

    return Drawn(*find_draws(request.exercise, request.candidates, worlds=request.worlds))


def _look(request: Look) -> Audit:
    from grader.judging.slips import is_slip
    from grader.misconceptions.audit import audit

    return audit(request.exercise, is_slip)


def _separate(request: Separate) -> Separation | None:
    from grader.misconceptions.audit import separation

    return separation(request.exercise, request.ids)


def solve(exercise: Exercise) -> tuple[Outcome, ...]:
    """Run an exercise's program, or its reference in every case of every probe, in stored order.

    Each run is seeded and starts from torch's default modes; a reference function is defined anew for each case, so
    that no case depends on the ones before it.

    Raises: `CourseError` if a second run with other seeds gives something else: no student could know that key.
    """
    outcomes = _outcomes(exercise, 0)
    for first, second in zip(outcomes, _outcomes(exercise, OTHER_SEED), strict=True):
        if _said(first) != _said(second):
            mend = "fix the numbers (torch.manual_seed inside the program, or literals)"
            raise CourseError(f"{exercise.id}: gives another result each time it is run; {mend}")
    return outcomes


def _outcomes(exercise: Exercise, seed: int) -> tuple[Outcome, ...]:
    if exercise.kind != "implement":
        if exercise.program is None:
            raise ValueError(f"exercise {exercise.id} has no program")
        _reset(seed)
        return (run_program(exercise.program, exercise.arguments, MAX_KEY_BYTES, seed),)
    outcomes = []
    for probe in exercise.probes:
        for case in probe.cases:
            _reset(seed)
            subject = define(exercise.reference, exercise.id)
            outcomes.append(run_probe(probe.program, subject, case.arguments, MAX_KEY_BYTES, seed))
    return tuple(outcomes)


def _said(outcome: Outcome) -> bytes:
    """What of an outcome must repeat, as bytes: NaN repeats, and a message may hold an address that does not."""
    return msgspec.msgpack.encode(outcome.exception if isinstance(outcome, Raised) else outcome)


def _reset(seed: int = 0) -> None:
    """Seeds and modes: what one program leaves switched on must not change the next one's result."""
    while torch._C._len_torch_function_stack() > 0:
        torch._C._pop_torch_function_stack()
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_flush_denormal(False)
    torch.autograd.set_detect_anomaly(False)
    # Not torch.use_deterministic_algorithms(False), which imports torch's compiler: 2 s of processor time.
    torch._C._set_deterministic_algorithms(False, warn_only=False)
    warnings.simplefilter("ignore")


if __name__ == "__main__":
    main()
