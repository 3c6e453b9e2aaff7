"""The tables, as numbered steps: step n takes a database from version n - 1 to n. A step, once released, never changes.

Texts that are no valid UTF-8 (a file name, say) are BLOBs; points are decimal text; `document` columns hold the rest
of a record as JSON. Times that were measured lie in `timings` alone, so that two runs over the same notebooks give
databases that are equal in all other tables.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from grader.errors import GradebookFault

APPLICATION_ID = 0x61677264  # "agrd": tells a gradebook from any other SQLite file

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE assignments (
        name TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        current INTEGER NOT NULL,           -- 1 for the version that was published last
        document TEXT NOT NULL,             -- the public half
        PRIMARY KEY (name, fingerprint)
    );
    CREATE TABLE grades (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        path TEXT,
        sha256 TEXT,                        -- of the notebook's bytes
        status TEXT NOT NULL,
        score TEXT,
        score_so_far TEXT NOT NULL,
        max_score TEXT NOT NULL,
        notes TEXT NOT NULL,
        versions TEXT NOT NULL,             -- what it was graded with
        in_run INTEGER NOT NULL,            -- 0: decided once, but no longer found where it was
        roots TEXT NOT NULL DEFAULT '[]',   -- the paths, as a JSON list, of the run that found it last
        PRIMARY KEY (student, assignment)
    );
    CREATE TABLE exercises (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        position INTEGER NOT NULL,
        exercise TEXT NOT NULL,
        kind TEXT NOT NULL,
        verdict TEXT NOT NULL,
        score TEXT,
        max_score TEXT NOT NULL,
        message TEXT NOT NULL,
        document TEXT NOT NULL,             -- parts, error, output, source, match, diagnosis
        PRIMARY KEY (student, assignment, position),
        FOREIGN KEY (student, assignment) REFERENCES grades ON DELETE CASCADE
    );
    CREATE TABLE executions (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        document TEXT NOT NULL,             -- attempts, notes, fault
        PRIMARY KEY (student, assignment),
        FOREIGN KEY (student, assignment) REFERENCES grades ON DELETE CASCADE
    );
    CREATE TABLE cells (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        position INTEGER NOT NULL,
        cell INTEGER NOT NULL,
        outcome TEXT NOT NULL,
        document TEXT NOT NULL,             -- error, output
        PRIMARY KEY (student, assignment, position),
        FOREIGN KEY (student, assignment) REFERENCES executions ON DELETE CASCADE
    );
    CREATE TABLE answers (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        position INTEGER NOT NULL,
        name TEXT NOT NULL,
        document TEXT NOT NULL,             -- the value; its tensors are in `tensors`
        PRIMARY KEY (student, assignment, position),
        FOREIGN KEY (student, assignment) REFERENCES executions ON DELETE CASCADE
    );
    CREATE TABLE probes (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        position INTEGER NOT NULL,
        probe TEXT NOT NULL,
        document TEXT NOT NULL,             -- the outcome; its tensors are in `tensors`
        PRIMARY KEY (student, assignment, position),
        FOREIGN KEY (student, assignment) REFERENCES executions ON DELETE CASCADE
    );
    CREATE TABLE tensors (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        holder TEXT NOT NULL CHECK (holder IN ('answer', 'probe')),
        position INTEGER NOT NULL,          -- of that answer or probe
        part INTEGER NOT NULL,              -- counts the tensors in one value, left to right
        dtype TEXT,                         -- as safetensors names it; NULL where the bytes are no tensor
        shape TEXT,
        bytes BLOB NOT NULL,                -- the safetensors document as it came
        PRIMARY KEY (student, assignment, holder, position, part),
        FOREIGN KEY (student, assignment) REFERENCES executions ON DELETE CASCADE
    );
    CREATE TABLE timings (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        position INTEGER NOT NULL,          -- of the cell; -1 for the whole notebook
        cpu_seconds REAL NOT NULL,
        PRIMARY KEY (student, assignment, position),
        FOREIGN KEY (student, assignment) REFERENCES executions ON DELETE CASCADE
    );
    """,
    """
    ALTER TABLE grades ADD COLUMN handin TEXT NOT NULL DEFAULT '{}';    -- what the download says of it
    ALTER TABLE grades ADD COLUMN changes TEXT NOT NULL DEFAULT '[]';   -- of the same notebook, since its first grade
    CREATE TABLE sources (
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        document TEXT NOT NULL,             -- cells and matches, and digests of what was asked of them
        PRIMARY KEY (student, assignment),
        FOREIGN KEY (student, assignment) REFERENCES grades ON DELETE CASCADE
    );
    CREATE TABLE adjustments (              -- what a person decided; no grade takes it along
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        exercise TEXT NOT NULL,
        document TEXT NOT NULL,
        PRIMARY KEY (student, assignment, exercise)
    );
    CREATE TABLE bases (                    -- what an exercise was last graded by
        assignment TEXT NOT NULL,
        exercise TEXT NOT NULL,
        document TEXT NOT NULL,
        PRIMARY KEY (assignment, exercise)
    );
    CREATE TABLE posts (                    -- what was sent where, so that nothing is sent twice
        target TEXT NOT NULL,
        student TEXT NOT NULL,
        assignment TEXT NOT NULL,
        digest TEXT NOT NULL,
        PRIMARY KEY (target, student, assignment)
    );
    """,
)


def version_of(connection: sqlite3.Connection) -> int:
    """The number of steps that this database has been through; 0 for a new one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def refuse_foreign(connection: sqlite3.Connection, path: Path) -> None:
    """Raises: `GradebookFault` for another program's database, or one of a grader newer than this."""
    version = version_of(connection)
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if mark != APPLICATION_ID and (tables or version or mark):
        raise GradebookFault(f"{path}: is another program's database, no gradebook; give another folder with --output")
    if version > len(STEPS):
        raise GradebookFault(
            f"{path}: was written by a newer grader (schema {version}; this one knows {len(STEPS)}); "
            "update autograd-grader, or give another folder with --output"
        )


def upgrade(connection: sqlite3.Connection) -> None:
    """Run the steps that are missing, each in a transaction of its own with its number."""
    for number in range(version_of(connection) + 1, len(STEPS) + 1):
        connection.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {APPLICATION_ID}; {STEPS[number - 1]}"
            f"PRAGMA user_version = {number}; COMMIT;"
        )
