"""Zip archives. Python's `zipfile` reads the list of members; what may be read of them is decided here."""

from __future__ import annotations

import io
import lzma
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence
from typing import IO

from grader.intake.archives.caps import Caps
from grader.intake.archives.member import Budget, Member, MemberKind
from grader.intake.naming import is_junk, label, parts_of
from grader.intake.reading import BadFile

# All that `zipfile` raises for bytes that are no sound archive.
ERRORS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    ArithmeticError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
# Deflate makes at most 1,032 bytes of one: a member that claims more lies about its size.
MOST_OF_ONE_BYTE = 1040
_UTF8 = 0x800
_ENCRYPTED = 0x1 | 0x40
_UNICODE_PATH = 0x7075


class DirectoryTooLargeError(ValueError):
    """A zip's list of members is too large to be read."""


class Zip:
    """An opened zip archive.

    Raises: one of `ERRORS` if the list of members cannot be read, `DirectoryTooLargeError` if it is too long.
    """

    def __init__(self, file: IO[bytes], caps: Caps) -> None:
        self._file = file
        self._zip = zipfile.ZipFile(_Gauged(file, caps.directory_bytes))
        infos: list[zipfile.ZipInfo] = self._zip.infolist()
        self._budget = Budget(caps.unpacked_bytes)
        overlapping = _overlapping(infos)
        found = [_member(info, info.header_offset in overlapping) for info in infos[: caps.headers]]
        self.headers = len(infos)
        self.members = tuple(
            sorted((each for each in found if not any(map(is_junk, each.parts))), key=lambda each: each.parts)
        )

    def read(self, member: Member, most: int) -> bytes | BadFile:
        """As `Archive.read`."""
        info = member.key
        if not isinstance(info, zipfile.ZipInfo):
            raise TypeError("no member of a zip archive")
        try:
            return self._budget.read(member, most, lambda: self._zip.open(info))
        except (*ERRORS, MemoryError) as error:
            return BadFile(f"cannot be unpacked ({_why(error)}): pack it anew, or hand in the .ipynb file itself.")

    def close(self) -> None:
        """As `Archive.close`."""
        self._zip.close()
        self._file.close()


class _Gauged(io.BufferedIOBase):
    """A file that gives at most so many bytes at once: `zipfile` reads the whole list of members in one piece."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file = file
        self._most = most

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._most + 1 if size is None or size < 0 else size
        data = self._file.read(min(wanted, self._most + 1))
        if len(data) > self._most:
            raise DirectoryTooLargeError("more bytes at once than any sound archive has")
        return data

    def seek(self, offset: int, whence: int = 0, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


def _member(info: zipfile.ZipInfo, overlaps: bool) -> Member:
    parts = parts_of(_name(info))
    if isinstance(parts, str):
        return Member((label(info.orig_filename),), "refused", problem=parts)
    kind = _kind(info)
    return Member(parts, kind, info.file_size, _problem(info, overlaps) if kind == "file" else "", info)


def _name(info: zipfile.ZipInfo) -> str:
    """The stored name. One without the UTF-8 flag is read as UTF-8 all the same if it can be, as macOS writes it."""
    stored = info.orig_filename
    if info.flag_bits & _UTF8 or stored.isascii():
        return stored
    raw = stored.encode("cp437", "replace")
    named = _unicode_path(info.extra, raw)
    if named is not None:
        return named
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return stored


def _unicode_path(extra: bytes, raw: bytes) -> str | None:
    """The name in Info-ZIP's own field, if it belongs to the stored one."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<HH", extra)
        field, extra = extra[4 : 4 + length], extra[4 + length :]
        fits = kind == _UNICODE_PATH and len(field) > 5 and field[0] == 1
        if fits and struct.unpack_from("<I", field, 1)[0] == zlib.crc32(raw):
            return field[5:].decode("utf-8", "backslashreplace")
    return None


def _kind(info: zipfile.ZipInfo) -> MemberKind:
    mode = stat.S_IFMT(info.external_attr >> 16)
    if mode == stat.S_IFLNK:
        return "link"
    if info.orig_filename.endswith(("/", "\\")) or mode == stat.S_IFDIR:
        return "folder"
    return "file" if mode in (0, stat.S_IFREG) else "special"


def _problem(info: zipfile.ZipInfo, overlaps: bool) -> str:
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted: pack it without a password, or hand in the .ipynb file itself."
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is packed in an unusual way: pack it as an ordinary zip, or hand in the .ipynb file itself."
    if overlaps:
        return "shares its bytes with another file of the archive, as no program packs it: pack it anew."
    if info.file_size > MOST_OF_ONE_BYTE * (info.compress_size + 1):
        return "claims to unpack to more than it can: pack it anew, or hand in the .ipynb file itself."
    return ""


def _overlapping(infos: Sequence[zipfile.ZipInfo]) -> frozenset[int]:
    """Where members begin that share bytes with another, by the sizes that the list of members gives."""
    spans = sorted((info.header_offset, info.header_offset + 30 + max(0, info.compress_size)) for info in infos)
    found = set()
    reach, owner = -1, -1
    for begin, end in spans:
        if begin < reach:
            found |= {begin, owner}
        if end > reach:
            reach, owner = end, begin
    return frozenset(found)


def _why(error: BaseException) -> str:
    text = unicodedata.normalize("NFC", str(error)).split("\n")[0][:80]
    return "".join(c for c in text if c.isprintable()) or type(error).__name__
