"""One writer at a time: a lock file beside the database, held by an open descriptor, so that a killed run frees it."""

from __future__ import annotations

import os
from pathlib import Path

from grader.errors import GradebookFault

ATTEMPTS = 100


class WriterLock:
    """The right to write one gradebook, from `acquire` to `release` or the end of the process."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._path = database.with_name(database.name + ".lock")
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock, without waiting.

        Raises: `GradebookFault` if another process has it (naming that process); `OSError` if no file can be made.
        """
        # Not on Windows, where no gradebook is written; but there, too, a student's own check imports this module.
        import fcntl

        for _ in range(ATTEMPTS):
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                owner = os.read(descriptor, 20).decode("ascii", "replace").strip()
                os.close(descriptor)
                raise GradebookFault(self._taken(owner)) from error
            except OSError:
                os.close(descriptor)
                raise
            if self._still_there(descriptor):
                os.ftruncate(descriptor, 0)
                os.write(descriptor, f"{os.getpid()}\n".encode())
                self._descriptor = descriptor
                return
            # Its owner removed the file between our open and our lock: what we locked is nobody's any more.
            os.close(descriptor)
        raise GradebookFault(self._taken(""))

    def release(self) -> None:
        """Give the lock back and remove its file; nothing happens if it is not held."""
        if self._descriptor is None:
            return
        # Removed while still locked: whoever waits on this file sees that it is gone and makes a new one.
        self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None

    def _still_there(self, descriptor: int) -> bool:
        try:
            return os.path.samestat(os.fstat(descriptor), os.stat(self._path))
        except FileNotFoundError:
            return False

    def _taken(self, owner: str) -> str:
        who = f"another `grade` (process {owner})" if owner.isdigit() else "another `grade`"
        return (
            f"{self._database}: {who} is writing this gradebook; "
            "wait until it has ended, or give another folder with --output"
        )
