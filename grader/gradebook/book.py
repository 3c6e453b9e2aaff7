"""The gradebook file: written grade by grade, read as a whole."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from grader.errors import GradebookFault
from grader.gradebook import reading, schema, writing
from grader.gradebook.documents import from_column, to_column, to_document
from grader.gradebook.faults import as_faults
from grader.gradebook.lock import WriterLock
from grader.records import Adjustment, Basis, Execution, Grade, PublicAssignment, Source, Versions

# How long another program may hold the file (somebody looks into it while a class is graded) before we give up.
BUSY_SECONDS = 10.0


class Gradebook:
    """One SQLite file with every grade and everything that came back from every notebook. A context manager.

    A writer is alone: a second one is refused at once. Each `record` is one transaction: after a kill or a full disk
    the file holds every grade that was decided before. Used from the thread that opened it.

    Args:
        path: the file; it is made (mode 0600) in a folder that must be there.
        readonly: only look; needs no lock, so it works while a class is being graded.

    Raises: `GradebookFault`, on opening or later, naming the file and what to do: in use, damaged, another program's,
        newer than this grader, not writable, disk full.
    """

    def __init__(self, path: Path | str, *, readonly: bool = False) -> None:
        self._path = Path(path)
        self._readonly = readonly
        self._lock = WriterLock(self._path)
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Gradebook:
        try:
            with as_faults(self._path):
                self._open()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def publish(self, public: PublicAssignment) -> None:
        """Keep the public half of an assignment; it is the current version of that name from now on."""
        with self._transaction() as db:
            name = to_column(public.name)
            db.execute("UPDATE assignments SET current = 0 WHERE name = ?", (name,))
            db.execute(
                "INSERT OR REPLACE INTO assignments VALUES (?, ?, 1, ?)",
                (name, to_column(public.fingerprint), to_document(public)),
            )

    def record(self, grade: Grade, execution: Execution | None, source: Source | None = None) -> None:
        """Keep a grade and what it was made from, in place of an earlier one; all of it or, on a fault, nothing.

        What people decided about it (`adjust`) stays.

        Raises: `GradebookFault` if the file takes nothing; something else if this grade is one that none could take.
        """
        statements = writing.rows(grade, execution, source)
        with self._transaction() as db:
            writing.replace(db, grade, statements)

    def adjust(self, student: str, assignment: str, exercise: str, adjustment: Adjustment | None) -> None:
        """Keep a person's decision on an exercise in place of an earlier one; None takes it back."""
        key = (to_column(student), to_column(assignment), to_column(exercise))
        with self._transaction() as db:
            db.execute("DELETE FROM adjustments WHERE student = ? AND assignment = ? AND exercise = ?", key)
            if adjustment is not None:
                db.execute("INSERT INTO adjustments VALUES (?, ?, ?, ?)", (*key, to_document(adjustment)))

    def keep_bases(self, assignment: str, bases: Iterable[Basis]) -> None:
        """Keep what the exercises of an assignment are graded by from now on."""
        name = to_column(assignment)
        with self._transaction() as db:
            db.execute("DELETE FROM bases WHERE assignment = ?", (name,))
            rows = [(name, to_column(basis.exercise), to_document(basis)) for basis in bases]
            db.executemany("INSERT INTO bases VALUES (?, ?, ?)", rows)

    def post(self, target: str, student: str, assignment: str, digest: str) -> None:
        """Keep that a grade of this digest has arrived at `target` (a place in an LMS)."""
        row = (target, to_column(student), to_column(assignment), digest)
        with self._transaction() as db:
            db.execute("INSERT OR REPLACE INTO posts VALUES (?, ?, ?, ?)", row)

    def close_run(
        self, decided: Iterable[tuple[str, str]], roots: Sequence[str], assignment: str | None = None
    ) -> None:
        """Say what a run over the paths `roots` found, when it has ended.

        What an earlier run found at or below these paths and this one did not is out of `grades()` from now on; what
        was found elsewhere, or belongs to another assignment where only one was asked for, stays. Nothing is deleted:
        a grade returns when its notebook does.

        Args:
            decided: (student, assignment) of every row of the run.
            roots: absolute paths.
        """
        with self._transaction() as db:
            for student, name, document in db.execute("SELECT student, assignment, roots FROM grades").fetchall():
                if assignment in (None, from_column(name)) and _within(json.loads(document), roots):
                    where = (student, name)
                    db.execute("UPDATE grades SET in_run = 0 WHERE student = ? AND assignment = ?", where)
            document = json.dumps(sorted(roots))
            db.executemany(
                "UPDATE grades SET in_run = 1, roots = ? WHERE student = ? AND assignment = ?",
                [(document, to_column(student), to_column(name)) for student, name in sorted(decided)],
            )

    def find(self, student: str, assignment: str, sha256: str | None, versions: Versions) -> Grade | None:
        """The grade that may be used again: of the same bytes and versions, and not held by a fault of the grader."""
        if sha256 is None:
            return None
        with as_faults(self._path):
            grade = reading.grade(self._db, student, assignment)
        if grade is None or grade.sha256 != sha256 or grade.versions != versions or _held_by_fault(grade):
            return None
        return grade

    def grades(self) -> tuple[Grade, ...]:
        """All grades whose notebooks were there when last looked for, sorted by student and assignment."""
        with as_faults(self._path):
            return tuple(sorted(reading.grades(self._db), key=lambda each: (each.student, each.assignment)))

    def assignments(self) -> dict[str, PublicAssignment]:
        """The current public halves by name, sorted."""
        with as_faults(self._path):
            return {public.name: public for public in sorted(reading.assignments(self._db), key=lambda each: each.name)}

    def execution(self, student: str, assignment: str) -> Execution | None:
        """What came back from that notebook, exactly as recorded; None if nothing was run."""
        with as_faults(self._path):
            return reading.execution(self._db, student, assignment)

    def source(self, student: str, assignment: str) -> Source | None:
        """The notebook's cells as they were graded; None for what was not judged, or by an older grader."""
        with as_faults(self._path):
            return reading.source(self._db, student, assignment)

    def grade(self, student: str, assignment: str) -> Grade | None:
        """One grade as it was recorded, whether or not its notebook was there when last looked for."""
        with as_faults(self._path):
            return reading.grade(self._db, student, assignment)

    def adjustments(self) -> dict[tuple[str, str], dict[str, Adjustment]]:
        """What people decided: by (student, assignment), then by exercise."""
        with as_faults(self._path):
            return reading.adjustments(self._db)

    def bases(self, assignment: str) -> dict[str, Basis]:
        """What each exercise of an assignment was last graded by."""
        with as_faults(self._path):
            return reading.bases(self._db, assignment)

    def posted(self, target: str) -> dict[tuple[str, str], str]:
        """The digests of what has arrived at `target`, by (student, assignment)."""
        with as_faults(self._path):
            return reading.posted(self._db, target)

    def dump(self) -> str:
        """Every row but the measured times, sorted: equal for two runs over the same notebooks."""
        with as_faults(self._path):
            return reading.dump(self._db)

    @property
    def _db(self) -> sqlite3.Connection:
        if self._connection is None:
            raise GradebookFault(f"{self._path}: is not open; use it as `with Gradebook(path) as book:`")
        return self._connection

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        db = self._db
        with as_faults(self._path):
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                # SQLite has already rolled back after some errors, a full disk among them.
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _open(self) -> None:
        if self._readonly:
            if not self._path.is_file():
                raise GradebookFault(f"{self._path}: there is no gradebook; grade something first")
        else:
            self._lock.acquire()
            # Made by us before SQLite sees it: SQLite would give it the rights of the umask.
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            with suppress(PermissionError):
                self._path.chmod(0o600)
        address = f"file:{quote(os.fsencode(self._path.absolute()))}?mode={'ro' if self._readonly else 'rw'}"
        self._connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
        schema.refuse_foreign(self._connection, self._path)
        if self._readonly:
            if schema.version_of(self._connection) < len(schema.STEPS):
                raise GradebookFault(f"{self._path}: is of an older grader; grade again to bring it up to date")
            return
        self._connection.execute("PRAGMA foreign_keys = ON")
        schema.upgrade(self._connection)

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._lock.release()


def _within(paths: Sequence[str], roots: Sequence[str]) -> bool:
    return all(any(Path(path).is_relative_to(root) for root in roots) for path in paths)


def _held_by_fault(grade: Grade) -> bool:
    # A fault of ours leaves this verdict on every exercise that it touched; the others do not depend on the run.
    return any(exercise.verdict == "grader_fault" for exercise in grade.exercises)
