"""How much of an archive is looked at before it is refused; the reasons for the figures are in docs/decisions.md."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True)
class Caps:
    """Limits of one archive.

    Attributes:
        file_bytes: of the archive itself.
        directory_bytes: of a zip's list of members, which is parsed whole; also of one long name in a tar.
        members: how many, junk (checkpoints, `.git`, `__MACOSX`) not counted.
        headers: how many, junk counted.
        unpacked_bytes: of all members that are read, together; of a .tar.gz, as it is unpacked.
    """

    file_bytes: int
    directory_bytes: int
    members: int
    headers: int
    unpacked_bytes: int


CLASS = Caps(
    file_bytes=16 * 1024 * MIB,
    directory_bytes=32 * MIB,
    members=50_000,
    headers=200_000,
    unpacked_bytes=4 * 1024 * MIB,
)
"""A download of a class: 1,000 students with 50 files each."""

OWN = Caps(file_bytes=32 * MIB, directory_bytes=MIB, members=200, headers=10_000, unpacked_bytes=100 * MIB)
"""What one student packed."""
