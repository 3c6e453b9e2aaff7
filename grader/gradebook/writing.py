"""Records -> rows. Each function runs inside the caller's transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, TypeAlias

from grader.gradebook.documents import (
    Column,
    describe,
    outcome_without_tensors,
    to_column,
    to_document,
    without_tensors,
)
from grader.records import Execution, ExerciseGrade, Grade, Source

EXERCISE_COLUMNS = ("id", "kind", "verdict", "score", "max_score", "message")
WHOLE_NOTEBOOK = -1

Key: TypeAlias = tuple[Column, Column]
# SQL, and the rows to execute it with.
Statement: TypeAlias = tuple[str, list[tuple[Any, ...]]]


def rows(grade: Grade, execution: Execution | None, source: Source | None) -> list[Statement]:
    """What has to be written of a grade and what it was made from. Touches no file.

    Raises: whatever makes this one grade impossible to store; that says nothing about the gradebook.
    """
    key = (to_column(grade.student), to_column(grade.assignment))
    found: list[Statement] = [
        (
            "INSERT INTO grades VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, '[]', ?, ?)",
            [
                (
                    *key,
                    to_column(grade.path),
                    grade.sha256,
                    grade.status,
                    None if grade.score is None else str(grade.score),
                    str(grade.score_so_far),
                    str(grade.max_score),
                    to_document(grade.notes),
                    to_document(grade.versions),
                    to_document(grade.handin),
                    to_document(grade.changes),
                )
            ],
        ),
        (
            "INSERT INTO exercises VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(*key, position, *_exercise(exercise)) for position, exercise in enumerate(grade.exercises)],
        ),
    ]
    if source is not None:
        found.append(("INSERT INTO sources VALUES (?, ?, ?)", [(*key, to_document(source))]))
    if execution is not None:
        found += _execution(key, execution)
    return found


def replace(db: sqlite3.Connection, grade: Grade, statements: list[Statement]) -> None:
    """Remove what is known of this student and assignment, and write its `rows` instead."""
    # The foreign keys take all rows that belong to it along.
    where = (to_column(grade.student), to_column(grade.assignment))
    db.execute("DELETE FROM grades WHERE student = ? AND assignment = ?", where)
    for statement, values in statements:
        db.executemany(statement, values)


def _exercise(exercise: ExerciseGrade) -> tuple[Column, ...]:
    return (
        to_column(exercise.id),
        to_column(exercise.kind),
        exercise.verdict,
        None if exercise.score is None else str(exercise.score),
        str(exercise.max_score),
        to_column(exercise.message),
        to_document(exercise, *EXERCISE_COLUMNS),
    )


def _execution(key: Key, execution: Execution) -> Iterator[Statement]:
    rest = to_document(execution, "cells", "answers", "probes", "cpu_seconds")
    yield "INSERT INTO executions VALUES (?, ?, ?)", [(*key, rest)]
    yield (
        "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?)",
        [
            (*key, position, cell.index, cell.outcome, to_document(cell, "index", "outcome", "cpu_seconds"))
            for position, cell in enumerate(execution.cells)
        ],
    )
    yield (
        "INSERT INTO timings VALUES (?, ?, ?, ?)",
        [
            (*key, WHOLE_NOTEBOOK, execution.cpu_seconds),
            *((*key, position, cell.cpu_seconds) for position, cell in enumerate(execution.cells)),
        ],
    )
    for position, (name, value) in enumerate(execution.answers):
        bare, tensors = without_tensors(value)
        yield "INSERT INTO answers VALUES (?, ?, ?, ?, ?)", [(*key, position, to_column(name), to_document(bare))]
        yield _tensors((*key, "answer", position), tensors)
    for position, report in enumerate(execution.probes):
        outcome, tensors = outcome_without_tensors(report.outcome)
        yield (
            "INSERT INTO probes VALUES (?, ?, ?, ?, ?)",
            [(*key, position, to_column(report.id), to_document(outcome))],
        )
        yield _tensors((*key, "probe", position), tensors)


def _tensors(holder: tuple[Column, Column, str, int], tensors: tuple[bytes, ...]) -> Statement:
    return (
        "INSERT INTO tensors VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*holder, part, *describe(data), data) for part, data in enumerate(tensors)],
    )
