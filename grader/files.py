"""Writing files so that a reader sees the old bytes or the new ones, never half."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from grader.errors import GradebookFault, UsageError


def private_folder(path: Path) -> Path:
    """Create `path`, or take it as it is, and make it readable by its owner alone (mode 0700).

    Raises: `UsageError` if something else has that name, `GradebookFault` if it cannot be created.
    """
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path}: is a file, but the results need a folder of that name; move it or give --output")
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
    except OSError as error:
        reason = f"cannot create the folder ({error.strerror}); give another one with --output"
        raise GradebookFault(f"{path}: {reason}") from error
    return path


def write(path: Path, text: str | bytes, private: bool = True) -> bool:
    """Write `path` beside itself, then rename it into place; leave it alone if it already holds just that.

    Args:
        private: readable by its owner alone; otherwise as the user's umask has it.

    Returns: whether anything changed.
    Raises: `GradebookFault` naming the file and the reason (a full disk, a read-only folder).
    """
    data = text.encode() if isinstance(text, str) else text
    try:
        if path.is_file() and path.read_bytes() == data:
            return False
        path.parent.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if not private:
                    os.fchmod(file.fileno(), 0o666 & ~_umask())
                os.fsync(file.fileno())
            Path(beside).replace(path)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = f"cannot be written ({error.strerror}); free space or fix its rights, then run again"
        raise GradebookFault(f"{path}: {reason}") from error
    return True


def remove(paths: Iterable[Path]) -> None:
    """Remove files, and the folders that this leaves empty.

    Raises: `GradebookFault` naming the file and the reason.
    """
    for path in paths:
        try:
            path.unlink(missing_ok=True)
            if not any(path.parent.iterdir()):
                path.parent.rmdir()
        except OSError as error:
            raise GradebookFault(
                f"{path}: cannot be removed ({error.strerror}); fix its rights, then run again"
            ) from error


def _umask() -> int:
    # The umask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
