"""Which kind of archive a file is, opened; or why it is none, in a line that says what to do."""

from __future__ import annotations

import gzip
import io
import tempfile
import zlib
from contextlib import ExitStack
from typing import IO

from grader.errors import GraderFault
from grader.intake.archives.caps import MIB, Caps
from grader.intake.archives.member import Archive
from grader.intake.archives.tars import BLOCK, BadTarError, Tar, looks_like_tar
from grader.intake.archives.zips import ERRORS, DirectoryTooLargeError, Zip
from grader.intake.reading import BadFile

# The longest first: an ending is cut off whole.
ARCHIVE_ENDINGS = (
    ".tar.bz2",
    ".tar.gz",
    ".tar.xz",
    ".tbz2",
    ".bz2",
    ".rar",
    ".tar",
    ".tgz",
    ".txz",
    ".zip",
    ".7z",
    ".gz",
    ".xz",
)

_REPACK = "unpack it and pack it as a .zip, or hand in the .ipynb file itself."
_OTHERS = {
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ\0": "packed by xz",
}
_PIECE = 1 << 20
_IN_MEMORY = 8 * MIB


def stem(name: str) -> str:
    """A file's name without the ending of an archive; the name itself if it has none."""
    folded = name.casefold()
    ending = next((each for each in ARCHIVE_ENDINGS if folded.endswith(each) and len(folded) > len(each)), "")
    return name[: len(name) - len(ending)]


def open_archive(file: IO[bytes], caps: Caps) -> Archive | BadFile:
    """The archive in a seekable file, told by its bytes and not by its name.

    The file is closed with the archive, or here if there is none. A `.tar.gz` is unpacked into a file without a name,
    which is gone once it is closed or the grader dies.

    Raises: `GraderFault` if there is no room for that.
    """
    with ExitStack() as refusing:
        refusing.callback(file.close)
        opened = _open(file, caps)
        if not isinstance(opened, BadFile):
            refusing.pop_all()
        return opened


def _open(file: IO[bytes], caps: Caps) -> Archive | BadFile:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    head = file.read(BLOCK)
    if size > caps.file_bytes:
        return BadFile(f"is too large ({size / MIB:.0f} MB; at most {caps.file_bytes // MIB} MB are opened): {_REPACK}")
    other = next((words for magic, words in _OTHERS.items() if head.startswith(magic)), None)
    if other:
        return BadFile(f"is {other}, and those are not opened: {_REPACK}")
    opened = _parsed(file, head, caps)
    if not isinstance(opened, BadFile) and (opened.headers > caps.headers or len(opened.members) > caps.members):
        opened.close()
        most = f"{caps.members:,}"
        return BadFile(f"holds more than {most} files: pack only what is handed in, or hand in the .ipynb file itself.")
    return opened


def _parsed(file: IO[bytes], head: bytes, caps: Caps) -> Zip | Tar | BadFile:
    try:
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
            return Zip(file, caps)
        if head.startswith(b"\x1f\x8b"):
            return _packed_tar(file, caps)
        if looks_like_tar(head):
            return Tar(file, caps)
    except DirectoryTooLargeError:
        return BadFile(f"has a list of files that is too long, as no program packs it: {_REPACK}")
    except BadTarError as error:
        return BadFile(f"{str(error).rstrip('.')}: send it again, or hand in the .ipynb file itself.")
    except ERRORS:
        return BadFile("is a damaged zip archive, or breaks off: send it again, or hand in the .ipynb file itself.")
    except MemoryError:
        return BadFile(f"cannot be opened (it needs too much memory): {_REPACK}")
    return BadFile(f"is no archive, whatever its name says{_instead(head)}: send it again, or hand in the .ipynb file.")


def _packed_tar(file: IO[bytes], caps: Caps) -> Tar | BadFile:
    file.seek(0)
    with ExitStack() as refusing:
        spill: IO[bytes] = refusing.enter_context(tempfile.SpooledTemporaryFile(_IN_MEMORY))
        broken = _unpack(file, spill, caps.unpacked_bytes)
        if broken is not None:
            return broken
        spill.seek(0)
        if not looks_like_tar(spill.read(BLOCK)):
            return BadFile(f"is one packed file and no archive: {_REPACK}")
        packed = Tar(spill, caps)
        file.close()
        refusing.pop_all()
        return packed


def _unpack(file: IO[bytes], spill: IO[bytes], most: int) -> BadFile | None:
    got = 0
    with gzip.GzipFile(fileobj=file) as stream:
        while True:
            try:
                piece = stream.read(_PIECE)
            except (OSError, EOFError, zlib.error):
                return BadFile("is damaged, or breaks off: send it again, or hand in the .ipynb file itself.")
            if not piece:
                return None
            got += len(piece)
            if got > most:
                return BadFile(f"unpacks to more than {most // MIB} MB: pack only what is handed in.")
            try:
                spill.write(piece)
            except OSError as error:
                where = tempfile.gettempdir()
                raise GraderFault(f"{where}: no room to unpack an archive ({error.strerror}); free some") from error


def _instead(head: bytes) -> str:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not text.strip(b"\0"):
        return " (it is empty)"
    if text.startswith(b"<"):
        return " (it is a web page)"
    return " (it is a notebook or other JSON)" if text.startswith(b"{") else ""
