"""Rows -> records, exactly as they were written.

Every function raises `sqlite3.Error`, or `ValueError` where a row does not hold what we write.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from grader.gradebook.documents import (
    Column,
    from_column,
    from_document,
    outcome_with_tensors,
    to_column,
    to_document,
    with_tensors,
)
from grader.gradebook.writing import EXERCISE_COLUMNS, WHOLE_NOTEBOOK
from grader.records import (
    Adjustment,
    Basis,
    CellReport,
    Execution,
    ExerciseGrade,
    Grade,
    Outcome,
    ProbeReport,
    PublicAssignment,
    Source,
    Value,
)

Key = tuple[Column, Column]
OF_ONE = "WHERE student = ? AND assignment = ?"


def grade(db: sqlite3.Connection, student: str, assignment: str) -> Grade | None:
    """One grade, whether or not it was part of the latest run."""
    return next(_grades(db, OF_ONE, (to_column(student), to_column(assignment))), None)


def grades(db: sqlite3.Connection) -> Iterator[Grade]:
    """The grades of the latest run, in no particular order."""
    yield from _grades(db, "WHERE in_run = 1", ())


def _grades(db: sqlite3.Connection, where: str, values: tuple[Column, ...]) -> Iterator[Grade]:
    exercises: dict[Key, list[ExerciseGrade]] = defaultdict(list)
    chosen = f"SELECT e.* FROM exercises e JOIN grades g USING (student, assignment) {where} ORDER BY position"  # noqa: S608 - our own text
    for student, assignment, _, *columns, document in db.execute(chosen, values):
        fields = {name: from_column(column) for name, column in zip(EXERCISE_COLUMNS, columns, strict=True)}
        exercises[student, assignment].append(from_document(document, ExerciseGrade, **fields))
    for row in db.execute(f"SELECT * FROM grades {where}", values):  # noqa: S608 - our own text
        student, assignment, path, sha256, status, score, so_far, max_score, notes, versions, *_, handin, changes = row
        bare = from_document(
            "{}",
            Grade,
            student=from_column(student),
            assignment=from_column(assignment),
            path=from_column(path),
            sha256=sha256,
            status=status,
            score=score,
            score_so_far=so_far,
            max_score=max_score,
            notes=json.loads(notes),
            versions=json.loads(versions),
            handin=json.loads(handin),
            changes=json.loads(changes),
            exercises=(),
        )
        yield msgspec.structs.replace(bare, exercises=tuple(exercises[student, assignment]))


def assignments(db: sqlite3.Connection) -> Iterator[PublicAssignment]:
    """The current public halves, in no particular order."""
    for (document,) in db.execute("SELECT document FROM assignments WHERE current = 1"):
        yield from_document(document, PublicAssignment)


def execution(db: sqlite3.Connection, student: str, assignment: str) -> Execution | None:
    """What came back from one notebook."""
    key: Key = (to_column(student), to_column(assignment))
    row = db.execute(f"SELECT document FROM executions {OF_ONE}", key).fetchone()  # noqa: S608 - our own text
    if row is None:
        return None
    seconds: dict[int, float] = dict(_rows(db, "SELECT position, cpu_seconds FROM timings", key))
    tensors = _tensors(db, key)
    answers = [
        (from_column(name), with_tensors(from_document(document, Value), tensors["answer", position]))  # type: ignore[arg-type]
        for position, name, document in _rows(db, "SELECT position, name, document FROM answers", key)
    ]
    probes = [
        ProbeReport(
            from_column(probe) or "",
            outcome_with_tensors(from_document(document, Outcome), tensors["probe", position]),  # type: ignore[arg-type]
        )
        for position, probe, document in _rows(db, "SELECT position, probe, document FROM probes", key)
    ]
    cells = [
        from_document(document, CellReport, index=cell, outcome=outcome, cpu_seconds=seconds.get(position, 0.0))
        for position, cell, outcome, document in _rows(db, "SELECT position, cell, outcome, document FROM cells", key)
    ]
    return msgspec.structs.replace(
        from_document(row[0], Execution, cells=()),
        cells=tuple(cells),
        answers=tuple(answers),
        probes=tuple(probes),
        cpu_seconds=seconds.get(WHOLE_NOTEBOOK, 0.0),
    )


def source(db: sqlite3.Connection, student: str, assignment: str) -> Source | None:
    """What one grade was made from."""
    key: Key = (to_column(student), to_column(assignment))
    row = db.execute(f"SELECT document FROM sources {OF_ONE}", key).fetchone()  # noqa: S608 - our own text
    return None if row is None else from_document(row[0], Source)


def adjustments(db: sqlite3.Connection) -> dict[tuple[str, str], dict[str, Adjustment]]:
    """What people decided: by student and assignment, then by exercise."""
    found: dict[tuple[str, str], dict[str, Adjustment]] = defaultdict(dict)
    for student, name, exercise, document in db.execute("SELECT * FROM adjustments"):
        whose = (from_column(student) or "", from_column(name) or "")
        found[whose][from_column(exercise) or ""] = from_document(document, Adjustment)
    return dict(found)


def bases(db: sqlite3.Connection, assignment: str) -> dict[str, Basis]:
    """What each exercise of an assignment was last graded by."""
    chosen = db.execute("SELECT document FROM bases WHERE assignment = ?", (to_column(assignment),))
    return {basis.exercise: basis for basis in (from_document(document, Basis) for (document,) in chosen)}


def posted(db: sqlite3.Connection, target: str) -> dict[tuple[str, str], str]:
    """What was sent to a target: the digest of each student's and assignment's."""
    chosen = db.execute("SELECT student, assignment, digest FROM posts WHERE target = ?", (target,))
    return {(from_column(student) or "", from_column(name) or ""): digest for student, name, digest in chosen}


def _rows(db: sqlite3.Connection, select: str, key: Key) -> list[tuple[Any, ...]]:
    return db.execute(f"{select} {OF_ONE} ORDER BY position", key).fetchall()


def _tensors(db: sqlite3.Connection, key: Key) -> dict[tuple[str, int], list[bytes]]:
    found: dict[tuple[str, int], list[bytes]] = defaultdict(list)
    select = f"SELECT holder, position, bytes FROM tensors {OF_ONE} ORDER BY holder, position, part"  # noqa: S608 - our own text
    for holder, position, data in db.execute(select, key):
        found[holder, position].append(data)
    return found


def dump(db: sqlite3.Connection) -> str:
    """Every row of every table but `timings`, one a line, sorted."""
    lines = []
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name != 'timings'").fetchall():
        for row in db.execute(f"SELECT * FROM {table}"):  # noqa: S608 - a name out of our own schema
            shown = [value.hex() if isinstance(value, bytes) else value for value in row]
            lines.append(f"{table} {to_document(shown)}")
    return "".join(f"{line}\n" for line in sorted(lines))
