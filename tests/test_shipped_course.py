"""The four shipped assignments keep what they promise to a student and to their author."""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from typing import Any, TypeGuard

import pytest
from shipped import (
    ASKED,
    COURSE,
    LOADED,
    PROGRAMS,
    Asked,
    answers_of,
    each,
    key_of,
    outcomes_of,
    plain,
)

from grader.answers import compare_answer, read_numbers
from grader.course import verify
from grader.program import capture, define, run_program
from grader.records import (
    Assignment,
    Blank,
    Exercise,
    ExerciseKey,
    Program,
    Returned,
)

# Every statement of the tutorial that the course is built on: where it is asked, and what torch says.
STATEMENTS: dict[str, tuple[str, str, Any]] = {
    "an output with several elements needs w": ("vectors-and-weights", "vector_without_weights", "RuntimeError"),
    "w may be a tensor of integers": ("vectors-and-weights", "weighted_square", [12, -10, 4]),
    "backward(w) is the gradient of sum(o * w)": ("vectors-and-weights", "mixed_outputs", [[14, 8], [8, 6]]),
    "w is a tensor of the output's shape": (
        "vectors-and-weights",
        "which_weights",
        ["fine", "RuntimeError", "TypeError", "fine"],
    ),
    "gradients accumulate; a scalar needs no w": ("vectors-and-weights", "three_backwards", [[10, -12], [15, -10]]),
    "requires_grad may be switched on after creation": ("vectors-and-weights", "switched_on_late", [12, 36]),
    "requires_grad may not be switched everywhere": (
        "vectors-and-weights",
        "refused_switches",
        ["counts on", "squares off"],
    ),
    "a hook on y sees [1, 1, 1] for ones and w for w": ("observing-hooks", "what_a_hook_sees", [[1, 1, 1], [1, 2, 1]]),
    "with o = f(y), w weighs y's gradient": ("observing-hooks", "through_a_square", [[12, -10], [24, -20]]),
    "intermediate gradients are not kept, and a warning says so": (
        "observing-hooks",
        "an_intermediate_gradient",
        "warned",
    ),
    "a hook that returns None changes nothing": ("observing-hooks", "observing_hook", [3, 10, 7]),
    "a hook must be a callable": ("observing-hooks", "not_a_hook", "backward"),
    "retain_grad keeps an intermediate gradient": ("observing-hooks", "second_backward", [[2, -20], [8, -24], [4, 6]]),
    "what a hook returns flows on to the leaf": ("hooks-that-change-gradients", "squaring_hook", [3, 18, 7]),
    "x.grad is (w dz/dy)^2 dy/dx + w": ("hooks-that-change-gradients", "which_formula", "hook_first"),
}


def test_there_are_enough_exercises_of_every_kind() -> None:
    """Twenty exercises or more, every kind among them, and every assignment has several."""
    assert len(ASKED) >= 20
    assert {asked.exercise.kind for asked in ASKED} == {"predict", "order", "raises", "choice", "implement"}
    assert all(len(assignment.exercises) >= 5 for assignment in LOADED)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_of_the_tutorial_is_asked(statement: str) -> None:
    """Each statement of the tutorial has a question, whose key is what torch computes and not what was copied."""
    name, exercise_id, key = STATEMENTS[statement]
    (exercise,) = [it.exercise for it in ASKED if (it.assignment, it.exercise.id) == (name, exercise_id)]
    assert plain(key_of(exercise)) == key


@pytest.mark.parametrize("assignment", LOADED, ids=COURSE)
def test_the_author_is_told_of_no_problem(assignment: Assignment) -> None:
    """The checks that `grade release` makes once the keys are computed find nothing."""
    for exercise in assignment.exercises:
        assert verify(exercise, ExerciseKey(exercise.id, outcomes_of(exercise)), assignment.name) == ()


@each(PROGRAMS)
def test_keys_are_the_same_each_time(exercise: Exercise) -> None:
    """A program has one key: a second run gives it again, byte for byte, and neither run prints."""
    assert key_of(exercise) == key_of(exercise)


@each(PROGRAMS)
def test_programs_are_silent(exercise: Exercise, capsys: pytest.CaptureFixture[str]) -> None:
    """No program prints, so that nothing in the notebook gives its key away."""
    key_of(exercise)
    assert capsys.readouterr() == ("", "")


@each([asked for asked in PROGRAMS if asked.exercise.kind == "predict"])
def test_predictions_can_be_worked_out_by_hand(exercise: Exercise) -> None:
    """All numbers to predict are integers below 130."""
    for answer in answers_of(exercise):
        numbers = read_numbers(answer).array  # type: ignore[union-attr]
        assert (numbers == numbers.round()).all()
        assert abs(numbers).max() < 130


@pytest.mark.parametrize(("before", "after"), list(pairwise(PROGRAMS)))
def test_no_key_is_the_key_of_the_question_before(before: Asked, after: Asked) -> None:
    """Copying the answer of the previous question is never right, nor copying one name's answer to the next name."""
    keys = [plain(answer) for answer in answers_of(before.exercise) + answers_of(after.exercise)]
    assert all(keys.index(key) == place for place, key in enumerate(keys))


@each(ASKED)
def test_prompts_are_short_sentences(exercise: Exercise) -> None:
    """Every prompt is one to four sentences, and the last one is ended properly."""
    sentences = re.findall(r"[.?](?=\s|$)", re.sub(r"`[^`]*`", "code", exercise.prompt))
    assert 1 <= len(sentences) <= 4
    assert exercise.prompt.rstrip()[-1] in ".?"


@each(PROGRAMS)
def test_prompts_do_not_tell_the_key(exercise: Exercise) -> None:
    """Neither prompt nor stub holds the key, as text or as numbers, nor the text of the right option."""
    shown = exercise.prompt + exercise.stub
    for key in map(plain, answers_of(exercise)):
        texts = [key, *(text for name, text in exercise.options if name == key)] if isinstance(key, str) else []
        if isinstance(key, list):
            texts = [", ".join(map(str, key)), ", ".join(str(part).removesuffix(".0") for part in key)]
        assert texts
        assert not [text for text in texts if text in shown]


BELIEFS = {
    "the hook changes nothing": [("y.register_hook(", "id(")],
    "w is multiplied in at the end": [
        ("z.backward(torch.tensor(w))", "z.backward(torch.ones(len(w)))"),
        ("return x.grad", "return x.grad * torch.tensor(w)"),
    ],
}


def believed(exercise: Exercise, belief: str) -> list[float]:
    """The answer of a student who holds `belief`: that of the program with its text changed accordingly."""
    assert exercise.program is not None
    source = exercise.program.source
    for written, meant in BELIEFS[belief]:
        assert written in source
        source = source.replace(written, meant)
    outcome = run_program(Program(exercise.program.name, exercise.program.parameters, source), exercise.arguments)
    assert isinstance(outcome, Returned), outcome
    return plain(outcome.value)  # type: ignore[no-any-return]


def test_the_follow_up_tells_the_two_beliefs_behind_the_copied_answer_apart() -> None:
    """[3, 10, 7] fits two beliefs about the squaring hook; with g**2 + 1 each has an answer of its own."""
    asked = {it.exercise.id: it.exercise for it in PROGRAMS}
    seed, follow_up = asked["squaring_hook"], asked["square_plus_one"]
    assert [believed(seed, belief) for belief in BELIEFS] == [[3, 10, 7], [3, 10, 7]]
    answers = [plain(key_of(follow_up)), *(believed(follow_up, belief) for belief in BELIEFS)]
    assert answers == [[23, -3], [9, -1], [15, -3]]


@each(PROGRAMS)
def test_an_untouched_program_stub_gives_no_credit(exercise: Exercise) -> None:
    """The starter's `...` agrees with no key."""
    options = [name for name, _ in exercise.options]
    for name, key in zip(exercise.answers, answers_of(exercise), strict=True):
        given = capture(define(exercise.stub, name))
        assert given == Blank()
        assert not compare_answer(exercise.kind, given, key, options).right


@each(PROGRAMS)
def test_the_key_itself_is_right(exercise: Exercise) -> None:
    """A student who answers what torch computes gets full marks."""
    options = [name for name, _ in exercise.options]
    for key in answers_of(exercise):
        assert compare_answer(exercise.kind, key, key, options).right


@each(ASKED)
def test_points_are_small_and_whole(exercise: Exercise) -> None:
    """Each exercise is worth one to four points, and those of its probes make up the whole."""
    assert exercise.points in (1, 2, 3, 4)
    if exercise.kind == "implement":
        assert sum(probe.points for probe in exercise.probes) == exercise.points


def test_ids_and_answer_names_are_unique_in_the_course() -> None:
    """No id and no answer name is used twice in the course, so that a re-typed cell is told by its names alone."""
    names = [name for asked in ASKED for name in {asked.exercise.id, *asked.exercise.answers}]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("assignment", LOADED, ids=COURSE)
def test_programs_pasted_into_a_cell_answer_nothing(assignment: Assignment) -> None:
    """No program binds an answer's name, so that a pasted program is never taken for an answer."""
    answers = {name for exercise in assignment.exercises for name in exercise.answers}
    programs = [it.program for it in assignment.exercises if it.program]
    programs += [probe.program for it in assignment.exercises for probe in it.probes]
    for program in programs:
        bound = {node.id for node in ast.walk(ast.parse(program.source)) if _is_bound(node)}
        assert not bound & answers, program.name


def _is_bound(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
