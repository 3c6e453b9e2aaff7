"""Writing files so that a reader sees the old bytes or the new ones, never half."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from grader.errors import GradebookFault, UsageError

# How the name of a file ends that is not yet whole.
_BESIDE = ".part"


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
    beside = _write_beside(path, text, private)
    if beside is None:
        return False
    try:
        _rename(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    return True


def write_together(folder: Path, texts: Mapping[str, str | bytes]) -> None:
    """Write several private files: all of them beside themselves first, then all renamed, in the order of `texts`.

    What can fail (a full disk, a folder's rights) fails before the first rename, so that a reader finds the old files
    or the new ones; only a kill within the milliseconds of renaming leaves some of each, the last ones old.

    Args:
        texts: by path relative to `folder`.

    Raises: `GradebookFault` naming the file and the reason; then no file has changed.
    """
    staged: list[tuple[Path, Path]] = []
    try:
        for name, text in texts.items():
            path = folder / name
            if (beside := _write_beside(path, text, private=True)) is not None:
                staged.append((beside, path))
        while staged:
            _rename(*staged[0])
            staged.pop(0)
    finally:
        for beside, _ in staged:
            with suppress(OSError):
                beside.unlink(missing_ok=True)


def append(path: Path, data: bytes) -> None:
    """Append to a file that another program reads.

    Raises: `GradebookFault` naming the file and the reason.
    """
    try:
        with path.open("ab") as file:
            file.write(data)
    except OSError as error:
        raise _not_written(path, error) from error


def sweep(folder: Path) -> None:
    """Remove what a killed writer has left beside the files under `folder`. For whoever holds its writer's lock."""
    for left in folder.rglob(f".*{_BESIDE}"):
        with suppress(OSError):
            left.unlink()


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


def _write_beside(path: Path, text: str | bytes, private: bool) -> Path | None:
    """The new file, whole and on the disk, under another name; None where `path` holds just that already."""
    data = text.encode() if isinstance(text, str) else text
    try:
        if path.is_file() and path.read_bytes() == data:
            return None
        path.parent.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", suffix=_BESIDE, dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if not private:
                    os.fchmod(file.fileno(), 0o666 & ~_umask())
                os.fsync(file.fileno())
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _not_written(path, error) from error
    return Path(name)


def _rename(beside: Path, path: Path) -> None:
    try:
        beside.replace(path)
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> GradebookFault:
    reason = f"cannot be written ({error.strerror}); free space or fix its rights, then run again"
    return GradebookFault(f"{path}: {reason}")


def _umask() -> int:
    # The umask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
