"""What a member of an archive is, and the reading of its bytes under a budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Literal, Protocol, TypeAlias

from grader.intake.reading import BadFile

MemberKind: TypeAlias = Literal["file", "folder", "link", "special", "refused"]
READ_BYTES = 1 << 16


@dataclass(frozen=True)
class Member:
    """One member: its name in components, NFC, as stored twice if it is stored twice.

    Attributes:
        size: its unpacked bytes, as the archive claims.
        problem: why it cannot be read, as the end of "work.zip/hooks.ipynb ..."; "" if nothing speaks against it.
        key: what its archive finds it by.
    """

    parts: tuple[str, ...]
    kind: MemberKind
    size: int = 0
    problem: str = ""
    key: object = field(default=None, compare=False)


class Archive(Protocol):
    """An opened archive, its members sorted by name (equal names in the archive's order)."""

    members: tuple[Member, ...]

    def read(self, member: Member, most: int) -> bytes | BadFile:
        """The bytes of a member, or why they cannot be had; more than `most` are refused, read or not."""

    def close(self) -> None:
        """Let go of the file."""


@dataclass
class Budget:
    """How many unpacked bytes may still be read of one archive."""

    left: int

    def read(self, member: Member, most: int, open_member: Callable[[], IO[bytes]]) -> bytes | BadFile:
        """Read a member in pieces and stop at the first byte too many, whatever size it claims."""
        if member.problem:
            return BadFile(member.problem)
        if member.size > most:
            return too_large(member.size, most)
        if member.size > self.left:
            return spent()
        pieces = []
        got = 0
        with open_member() as stream:
            while piece := stream.read(READ_BYTES):
                got += len(piece)
                self.left -= len(piece)
                if got > most:
                    return too_large(got, most)
                if self.left < 0:
                    return spent()
                pieces.append(piece)
        return b"".join(pieces)


def too_large(size: int, most: int) -> BadFile:
    """A member with more bytes than may be read."""
    shown = f"{size / 2**20:.0f} MB" if size < 2**40 else "many MB"
    return BadFile(
        f"is too large ({shown}; at most {most // 2**20} MB): clear outputs, leave data out, and hand it in again."
    )


def spent() -> BadFile:
    """A member of an archive of which too much has been read already."""
    return BadFile("was left out, since its archive unpacks to too much: grade its .ipynb file by itself.")
