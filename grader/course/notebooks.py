"""The students' notebook and the model solution: nbformat 4.5, the same bytes from the same course."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from grader.course import wording
from grader.course.typed import typed
from grader.records import (
    Assignment,
    Exercise,
    ExerciseKey,
    Items,
    PublicAssignment,
    Raised,
    Returned,
    Value,
    cell_id,
)

KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def student_notebook(assignment: Assignment, public: PublicAssignment, tags: Mapping[str, str] | None = None) -> bytes:
    """The notebook that students get: every answer cell holds its stub.

    Args:
        public: what `publish` made of the same assignment; it goes into the metadata, and nothing but the tags does.
        tags: for whom its numbers were drawn, by question (`personal.own_tags`); None if they are everybody's.
    """
    return _notebook(assignment.intro, public, {question.id: question.stub for question in public.questions}, tags)


def solution_notebook(
    assignment: Assignment, public: PublicAssignment, keys: Sequence[ExerciseKey], tags: Mapping[str, str] | None = None
) -> bytes:
    """The same notebook filled in: answers as a student would type them, references as their author wrote them.

    Raises: `ValueError` if a key cannot be typed (`verify` reports those beforehand).
    """
    solved = {key.exercise: key for key in keys}
    answers = {exercise.id: model_answer(exercise, solved[exercise.id]) for exercise in assignment.exercises}
    return _notebook(assignment.intro, public, answers, tags)


def _notebook(
    intro: str, public: PublicAssignment, answers: Mapping[str, str], tags: Mapping[str, str] | None
) -> bytes:
    cells = [
        _markdown("title", wording.title_text(public, intro)),
        _markdown("how-to-answer", wording.HOW_TO_ANSWER),
        _code("setup", wording.SETUP),
    ]
    for number, question in enumerate(public.questions, 1):
        identity = cell_id(question.id)
        cells.append(_markdown(identity.replace("question-", "prompt-", 1), wording.question_text(number, question)))
        cells.append(_code(identity, answers[question.id], {"autograd_grader": {"question": question.id}}))
    cells.append(_markdown("before-handing-in", "## Check your answers"))
    cells.append(_code("self-check", wording.SELF_CHECK))
    notebook = {
        "cells": cells,
        "metadata": {
            "autograd_grader": {
                "assignment": public.name,
                "fingerprint": public.fingerprint,
                "public": msgspec.to_builtins(public),
                "questions": {question.id: question.fingerprint for question in public.questions},
                **({"tags": dict(tags)} if tags else {}),
            },
            "kernelspec": KERNEL,
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return (json.dumps(notebook, sort_keys=True, indent=1, ensure_ascii=False) + "\n").encode()


def _markdown(identity: str, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": identity, "metadata": {}, "source": _lines(text)}


def _code(identity: str, text: str, metadata: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": identity,
        "metadata": dict(metadata or {}),
        "outputs": [],
        "source": _lines(text),
    }


def _lines(text: str) -> list[str]:
    lines = text.rstrip("\n").split("\n")
    return [f"{line}\n" for line in lines[:-1]] + lines[-1:]


def model_answer(exercise: Exercise, key: ExerciseKey) -> str:
    """The source of a cell that answers an exercise rightly.

    Raises: `ValueError` if its key cannot be typed.
    """
    if exercise.kind == "implement":
        return exercise.reference
    (outcome,) = key.outcomes
    if exercise.kind == "raises":
        return f"{exercise.answers[0]} = " + (f'"{outcome.exception}"' if isinstance(outcome, Raised) else "None")
    if not isinstance(outcome, Returned):
        raise ValueError(f"{exercise.id}: there is no key to type")
    values: tuple[Value, ...] = (outcome.value,)
    if len(exercise.answers) > 1 and isinstance(outcome.value, Items):
        values = outcome.value.items
    return "\n".join(f"{name} = {typed(value)}" for name, value in zip(exercise.answers, values, strict=True))
