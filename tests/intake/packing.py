"""Archives for tests: sound ones, and such as no program packs, made by changing single bytes."""

from __future__ import annotations

import io
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

Files = Mapping[str, bytes] | Iterable[tuple[str, bytes]]


def pairs(files: Files) -> list[tuple[str, bytes]]:
    return list(files.items()) if isinstance(files, Mapping) else list(files)


def info(name: str, **fields: Any) -> zipfile.ZipInfo:
    """A member with a fixed date; `fields` are attributes such as `external_attr`."""
    made = zipfile.ZipInfo("placeholder", (2026, 1, 1, 0, 0, 0))
    made.compress_type = zipfile.ZIP_DEFLATED
    made.filename = made.orig_filename = name
    for field, value in fields.items():
        setattr(made, field, value)
    return made


def zipped(files: Files, **fields: Any) -> bytes:
    """A zip; names that end in `/` are folders, and a name may stand twice."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in pairs(files):
            with archive.open(info(name, **fields), "w") as member:
                member.write(data)
    return buffer.getvalue()


def zipped_raw(names: Mapping[bytes, bytes], flags: int = 0, extra: bytes = b"") -> bytes:
    """A zip of stored members whose names are these bytes, written field by field."""
    body, directory = b"", b""
    for name, data in names.items():
        fields = (20, flags, 0, 0, 0x5C21, zlib.crc32(data), len(data), len(data), len(name), len(extra))
        at = len(body)
        body += b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", *fields) + name + extra + data
        directory += b"PK\x01\x02" + struct.pack("<H", 20) + struct.pack("<HHHHHIIIHH", *fields)
        directory += struct.pack("<HHHII", 0, 0, 0, 0, at) + name + extra
    end = struct.pack("<HHHHIIH", 0, 0, len(names), len(names), len(directory), len(body), 0)
    return body + directory + b"PK\x05\x06" + end


def in_directory(data: bytes, field: int, kind: str, value: int, number: int = 0) -> bytes:
    """The zip with one field of its list of members changed: at `field` of the entry's header, a struct `kind`."""
    changed = bytearray(data)
    at = changed.index(b"PK\x01\x02")
    for _ in range(number):
        at = changed.index(b"PK\x01\x02", at + 1)
    struct.pack_into(f"<{kind}", changed, at + field, value)
    return bytes(changed)


def link(name: str = "hooks.ipynb", target: bytes = b"/etc/passwd") -> bytes:
    return zipped({name: target}, external_attr=(stat.S_IFLNK | 0o777) << 16, create_system=3)


def tarred(files: Files, mode: str = "w", **fields: Any) -> bytes:
    """A tar, or by `mode="w:gz"` a packed one; `fields` are attributes of every member."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in pairs(files):
            member = tarfile.TarInfo(name.rstrip("/"))
            member.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            member.size = len(data)
            for field, value in fields.items():
                setattr(member, field, value)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


def header(name: bytes, size: bytes, kind: bytes = b"0") -> bytes:
    """One tar header by hand, its checksum right."""
    block = name.ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + size.ljust(12, b"\0") + b"0" * 11 + b"\0"
    block += b" " * 8 + kind + b"\0" * 100 + b"ustar\0" + b"00"
    block = block.ljust(512, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]
