"""SQLite's and the file system's errors -> one `GradebookFault` that names the file and says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.errors import GradebookFault

_DAMAGED = "is damaged; move it aside and grade again, or put a copy of it back"
_NOT_WRITABLE = "cannot be opened or written; check its rights and its folder's, or give another folder with --output"
# What to say for each primary result code (the lowest byte of the extended code).
_ADVICE = {
    sqlite3.SQLITE_BUSY: "is in use by another program; close that one, then run again",
    sqlite3.SQLITE_LOCKED: "is in use by another program; close that one, then run again",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: "is no gradebook; move it aside, or give another folder with --output",
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: _NOT_WRITABLE,
    sqlite3.SQLITE_PERM: _NOT_WRITABLE,
    sqlite3.SQLITE_FULL: "cannot grow: the disk is full; free space, then run again: what is decided is kept",
    sqlite3.SQLITE_IOERR: "cannot be read or written (disk error, or a full disk); mend that, then run again",
}


# What to say for an extended code, where that tells more.
_PARTICULAR = {
    sqlite3.SQLITE_READONLY_ROLLBACK: "was being written when `grade` was stopped; run `grade` again, which mends it",
}


@contextmanager
def as_faults(path: Path) -> Iterator[None]:
    """Raises: `GradebookFault` in place of any error of SQLite, of the file system or of a stored document."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None)
        advice = (_PARTICULAR.get(code) or _ADVICE.get(code & 0xFF)) if code is not None else None
        raise GradebookFault(f"{path}: {advice or _DAMAGED} ({error})") from error
    except OSError as error:
        raise GradebookFault(f"{path}: {_NOT_WRITABLE} ({error.strerror or error})") from error
    except ValueError as error:
        # msgspec's and json's errors are ValueErrors: a row that does not hold what we write.
        raise GradebookFault(f"{path}: {_DAMAGED} ({error})") from error
