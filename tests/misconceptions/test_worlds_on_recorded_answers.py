"""All worlds on all recorded programs and all shipped exercises: identity, wrong answers, nothing left behind."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from in_worlds import CASES, program
from torch.nn.modules import module as modules

from grader.course import load
from grader.misconceptions.running import run_in_worlds
from grader.misconceptions.worlds import WORLDS
from grader.misconceptions.worlds.identity import Identity, Transparent
from grader.misconceptions.worlds.reentry import active
from grader.misconceptions.worlds.restoring import TorchState
from grader.program import define, run_probe, run_program
from grader.records import Exercise, Items, Number, Outcome, Program, Raised, Returned, Table

SOLUTIONS = sorted((Path(__file__).parents[2] / "solutions").glob("*.py"))
RECORDED = [(case, wrong) for case in CASES for wrong in case["wrong_answers"] if wrong["made_by"] == "simulation"]


# Each a function body under a line "# --- name".
ODD = [
    (part.split("\n", 1)[0], part.split("\n", 1)[1])
    for part in (Path(__file__).parent / "odd-programs.txt").read_text().split("# --- ")[1:]
]


def kebab(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def as_program(case: dict[str, Any]) -> Program:
    return Program("program", (), case["program"])


def plainly(program: Program, arguments: str = "{}") -> Outcome:
    state = TorchState()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcome = run_program(program, arguments)
    state.restore()
    return outcome


def numbers(outcome: Outcome) -> dict[str, Any]:
    """An outcome as the file writes it."""
    if isinstance(outcome, Raised):
        return {"raises": outcome.exception}
    assert isinstance(outcome, Returned)
    assert isinstance(outcome.value, Table)
    return {name: flat(value) for name, value in outcome.value.items}


def flat(value: object) -> list[float]:
    if isinstance(value, Items):
        return [number for item in value.items for number in flat(item)]
    assert isinstance(value, Number), value
    return [float(value.text == "True") if value.kind == "bool" else float(value.text)]


def agree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    if "raises" in one or "raises" in other:
        return one == other
    return one.keys() == other.keys() and all(
        len(one[name]) == len(other[name])
        and all(math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-6) for a, b in zip(one[name], other[name], strict=True))
        for name in one
    )


@pytest.fixture(scope="module", autouse=True)
def identity() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(WORLDS, "identity", Identity)
        patch.setitem(WORLDS, "transparent", Transparent)
        yield


def shipped() -> Iterator[Exercise]:
    for path in SOLUTIONS:
        yield from load(path, b"k" * 32).exercises


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_interference_alone_changes_nothing(case: dict[str, Any]) -> None:
    """With every place bent back to torch's own rule, a program gives what it gives without us, to the last byte."""
    truth = plainly(as_program(case))
    for ids in (["identity"], ["transparent"], ["identity", "transparent"], ["transparent", "identity"]):
        assert run_in_worlds(ids, as_program(case), "{}") == truth, ids


@pytest.mark.parametrize(("name", "lines"), ODD, ids=[name for name, _ in ODD])
def test_interference_alone_changes_no_odd_program(name: str, lines: str) -> None:
    """Transforms, modules, optimizers, Functions, threads: what the program returns, and the words of its errors."""
    truth = plainly(program(lines))
    assert isinstance(truth, Returned), truth
    for ids in (["identity"], ["transparent"], ["identity", "transparent"]):
        assert run_in_worlds(ids, program(lines), "{}") == truth, ids


@pytest.mark.parametrize("path", SOLUTIONS, ids=[path.stem for path in SOLUTIONS])
def test_interference_changes_no_shipped_key(path: Path) -> None:
    """The keys of all shipped exercises, probes with the reference among them, are the same in the identity world."""
    for exercise in load(path, b"k" * 32).exercises:
        if exercise.program is not None:
            truth = plainly(exercise.program, exercise.arguments)
            assert run_in_worlds(["identity"], exercise.program, exercise.arguments) == truth, exercise.id
        subject = Program(exercise.id, (), exercise.reference)
        for probe in exercise.probes:
            for case in probe.cases:
                truth = run_probe(probe.program, define(subject.source, subject.name), case.arguments)
                assert isinstance(truth, Returned)
                assert run_in_worlds(["identity"], probe.program, case.arguments, subject) == truth, probe.program.name


@pytest.mark.parametrize(
    ("case", "wrong"), RECORDED, ids=[f"{case['id']}/{kebab(wrong['misconception'])}" for case, wrong in RECORDED]
)
def test_a_world_gives_its_recorded_answer(case: dict[str, Any], wrong: dict[str, Any]) -> None:
    """Each recorded simulation of a misconception is reproduced by its world."""
    got = numbers(run_in_worlds([kebab(wrong["misconception"])], as_program(case), "{}"))
    assert agree(got, wrong["answer"]), got
    assert not agree(got, case["truth"])


def test_there_are_sixty_worlds_and_more() -> None:
    """The catalogue of executable misconceptions is large, and its ids are kebab-case."""
    ids = set(WORLDS) - {"identity", "transparent"}
    assert len(ids) >= 60
    assert all(kebab(name) == name for name in ids)


def test_after_all_worlds_all_truths_stand_and_nothing_is_left() -> None:
    """Every world runs every program and exercise; then torch is as it was, and so is what the programs give."""
    before = state()
    tries = [(as_program(case), "{}") for case in CASES]
    tries += [(each.program, each.arguments) for each in shipped() if each.program is not None]
    truths = [plainly(*each) for each in tries]
    for name in WORLDS:
        for each in tries:
            run_in_worlds([name], *each)
    assert [plainly(*each) for each in tries] == truths
    assert state() == before


def state() -> dict[str, Any]:
    """What a world might leave behind."""
    owners = [
        torch.nn.Module,
        torch.optim.Optimizer,
        torch.utils.hooks.RemovableHandle,
        torch.autograd.graph,
        torch.autograd.graph.saved_tensors_hooks,
        torch.autograd.function.BackwardCFunction,
        torch.utils.checkpoint,
    ]
    hooks = {name: dict(found) for name, found in vars(modules).items() if name.startswith("_global") and found}
    return {
        "attributes": [{name: value for name, value in vars(owner).items() if callable(value)} for owner in owners],
        "module hooks": hooks,
        "grad": torch.is_grad_enabled(),
        "anomaly": torch.is_anomaly_enabled(),
        "dtype": torch.get_default_dtype(),
        "modes": torch._C._len_torch_function_stack(),
        "active": list(active),
    }
