"""Tar archives, read block by block.

Not by Python's `tarfile`: in versions that we run on, a header of a few hundred kilobytes can hold it for hours
(CVE-2024-6232), and one with a negative size for ever (CVE-2025-8194).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

from grader.intake.archives.caps import Caps
from grader.intake.archives.member import Budget, Member, MemberKind
from grader.intake.naming import is_junk, label, parts_of
from grader.intake.reading import BadFile

BLOCK = 512
LONGEST_EXTENSION = 1 << 16
_KINDS: dict[bytes, MemberKind] = {
    b"0": "file",
    b"\0": "file",
    b"7": "file",
    b"1": "link",
    b"2": "link",
    b"3": "special",
    b"4": "special",
    b"5": "folder",
    b"6": "special",
}


class BadTarError(ValueError):
    """The bytes are no sound tar archive; the text completes "work.tar ..."."""


@dataclass(frozen=True)
class _Header:
    name: bytes
    kind: bytes
    size: int
    data: int


class Tar:
    """An opened tar archive.

    Raises: `BadTarError` if it is none, or breaks off: of half a class nobody would miss the other half.
    """

    def __init__(self, file: IO[bytes], caps: Caps) -> None:
        self._file = file
        self._size = file.seek(0, io.SEEK_END)
        self._budget = Budget(caps.unpacked_bytes)
        self.headers = 0
        found = []
        for member in self._members():
            self.headers += 1
            if self.headers > caps.headers:
                break
            if not any(map(is_junk, member.parts)):
                found.append(member)
        self.members = tuple(sorted(found, key=lambda each: each.parts))

    def read(self, member: Member, most: int) -> bytes | BadFile:
        """As `Archive.read`."""
        header = member.key
        if not isinstance(header, _Header):
            raise TypeError("no member of a tar archive")
        return self._budget.read(member, most, lambda: self._stream(header))

    def close(self) -> None:
        """As `Archive.close`."""
        self._file.close()

    def _stream(self, header: _Header) -> IO[bytes]:
        self._file.seek(header.data)
        return io.BytesIO(self._file.read(header.size))

    def _members(self) -> Iterator[Member]:
        """Yield the members; the headers that only lengthen the name or size of the next one are taken into it."""
        at, name, size = 0, None, None
        while at + BLOCK <= self._size:
            header = self._header(at)
            if header is None:
                return
            if header.kind in b"LKxg":
                text = self._extension(header)
                if header.kind == b"L":
                    name = text.split(b"\0", 1)[0]
                elif header.kind == b"x":
                    name, size = _extended(text, name, size)
                at = _after(header)
                continue
            header = _Header(name or header.name, header.kind, header.size if size is None else size, header.data)
            yield self._member(header)
            at, name, size = _after(header), None, None
        if at > self._size:
            raise BadTarError("breaks off in the middle: it was not saved or sent completely.")

    def _header(self, at: int) -> _Header | None:
        """The header at `at`; None for the block of zeros that ends an archive."""
        self._file.seek(at)
        block = self._file.read(BLOCK)
        if not block.strip(b"\0"):
            return None
        if len(block) < BLOCK or _number(block[148:156]) not in _sums(block):
            raise BadTarError("is no tar archive, or was damaged.")
        name = block[:100].split(b"\0", 1)[0]
        prefix = block[345:500].split(b"\0", 1)[0] if block[257:263] == b"ustar\0" else b""
        size = 0 if block[156:157] in (b"1", b"2", b"3", b"4", b"5", b"6") else _number(block[124:136])
        if size is None or size < 0:
            raise BadTarError("is a damaged tar archive (a file of impossible size).")
        return _Header(prefix + b"/" + name if prefix else name, block[156:157], size, at + BLOCK)

    def _extension(self, header: _Header) -> bytes:
        if header.size > LONGEST_EXTENSION:
            raise BadTarError(f"has a header of {header.size} bytes, as no program packs it.")
        self._file.seek(header.data)
        return self._file.read(header.size)

    def _member(self, header: _Header) -> Member:
        name = header.name.decode("utf-8", "surrogateescape")
        parts = parts_of(name)
        if isinstance(parts, str):
            return Member((label(name),), "refused", problem=parts, key=header)
        kind = "folder" if name.endswith("/") else _KINDS.get(header.kind, "special")
        return Member(parts, kind, header.size, key=header)


def looks_like_tar(head: bytes) -> bool:
    """Whether the first block of a file is a tar header."""
    return len(head) >= BLOCK and bool(head.strip(b"\0")) and _number(head[148:156]) in _sums(head[:BLOCK])


def _after(header: _Header) -> int:
    return header.data + -(-header.size // BLOCK) * BLOCK


def _sums(block: bytes) -> tuple[int, int]:
    """Both checksums that programs write: of unsigned and of signed bytes, the checksum's own as blanks."""
    counted = block[:148] + b" " * 8 + block[156:]
    return sum(counted), sum(byte - 256 if byte > 127 else byte for byte in counted)


def _number(field: bytes) -> int | None:
    """A number in octal digits, or in base 256 where its first bit is set; None if it is neither."""
    if field[0] & 0x80:
        return int.from_bytes(bytes([field[0] & 0x7F]) + field[1:], "big") if field[0] != 0xFF else -1
    digits = field.split(b"\0", 1)[0].strip()
    try:
        return int(digits or b"0", 8)
    except ValueError:
        return None


def _extended(text: bytes, name: bytes | None, size: int | None) -> tuple[bytes | None, int | None]:
    """The name and size among `length key=value` records; what stands in no such record is passed over."""
    at = 0
    while at < len(text):
        digits = text[at : at + 10].split(b" ", 1)[0]
        length = int(digits) if digits.isdigit() else 0
        record = text[at + len(digits) + 1 : at + length - 1]
        key, equals, value = record.partition(b"=")
        if length <= len(digits) or not equals:
            break
        if key == b"path":
            name = value
        elif key == b"size" and value.isdigit() and len(value) < 20:
            size = int(value)
        elif key.startswith(b"GNU.sparse."):
            raise BadTarError("holds a file with holes (a sparse file): pack it as a .zip.")
        at += length
    return name, size
