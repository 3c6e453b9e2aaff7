"""Records -> rows. Each function runs inside the caller's transaction."""

from __future__ import annotations

import sqlite3

from grader.gradebook.documents import (
    Column,
    describe,
    outcome_without_tensors,
    to_column,
    to_document,
    without_tensors,
)
from grader.records import Execution, ExerciseGrade, Grade

EXERCISE_COLUMNS = ("id", "kind", "verdict", "score", "max_score", "message")
WHOLE_NOTEBOOK = -1


def replace(db: sqlite3.Connection, grade: Grade, execution: Execution | None) -> None:
    """Remove what is known of this student and assignment, and write this instead."""
    key = (to_column(grade.student), to_column(grade.assignment))
    # The foreign keys take all rows that belong to it along.
    db.execute("DELETE FROM grades WHERE student = ? AND assignment = ?", key)
    db.execute(
        "INSERT INTO grades VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, '[]')",
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
        ),
    )
    db.executemany(
        "INSERT INTO exercises VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*key, position, *_exercise(exercise)) for position, exercise in enumerate(grade.exercises)],
    )
    if execution is not None:
        _write_execution(db, key, execution)


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


def _write_execution(db: sqlite3.Connection, key: tuple[Column, Column], execution: Execution) -> None:
    rest = to_document(execution, "cells", "answers", "probes", "cpu_seconds")
    db.execute("INSERT INTO executions VALUES (?, ?, ?)", (*key, rest))
    db.executemany(
        "INSERT INTO cells VALUES (?, ?, ?, ?, ?, ?)",
        [
            (*key, position, cell.index, cell.outcome, to_document(cell, "index", "outcome", "cpu_seconds"))
            for position, cell in enumerate(execution.cells)
        ],
    )
    db.executemany(
        "INSERT INTO timings VALUES (?, ?, ?, ?)",
        [
            (*key, WHOLE_NOTEBOOK, execution.cpu_seconds),
            *((*key, position, cell.cpu_seconds) for position, cell in enumerate(execution.cells)),
        ],
    )
    for position, (name, value) in enumerate(execution.answers):
        bare, tensors = without_tensors(value)
        row = (*key, position, to_column(name), to_document(bare))
        db.execute("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", row)
        _write_tensors(db, (*key, "answer", position), tensors)
    for position, report in enumerate(execution.probes):
        outcome, tensors = outcome_without_tensors(report.outcome)
        row = (*key, position, to_column(report.id), to_document(outcome))
        db.execute("INSERT INTO probes VALUES (?, ?, ?, ?, ?)", row)
        _write_tensors(db, (*key, "probe", position), tensors)


def _write_tensors(db: sqlite3.Connection, holder: tuple[Column, Column, str, int], tensors: tuple[bytes, ...]) -> None:
    db.executemany(
        "INSERT INTO tensors VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [(*holder, part, *describe(data), data) for part, data in enumerate(tensors)],
    )
