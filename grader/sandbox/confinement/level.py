"""How much a notebook is kept from: in one word, in one line for people, and as the records that travel."""

from __future__ import annotations

from typing import Literal, TypeAlias

from grader.records.values import Record

Level: TypeAlias = Literal["none", "kernel", "namespaces"]

WORDS: dict[Level, str] = {
    "none": "NOT CONFINED: the code in notebooks could read and change every file of the user who ran this",
    "kernel": "confined by Landlock and seccomp, as a trial at the start of the run showed",
    "namespaces": "confined by Landlock, seccomp and namespaces, as a trial at the start of the run showed",
}
REMEDY = (
    "grade on Linux 5.13 or newer, or in a container (docs/confinement.md has the line); "
    "for code that is all your own there is --no-sandbox"
)
# Files and folders that may lie in a notebook's own folder.
MAX_INODES = 2000

OWN = "not confined, since this system cannot; it is your own code"


class Confinement(Record, frozen=True):
    """How the children of a warm process are confined: the same for all of them, but for their user.

    Args:
        level: "none" leaves them what the grader's user has.
        readable: real paths that they may read.
        first_uid: with it, children run as that user id and those behind it, one for each slot; without, as the grader.
        read_anywhere: see `identity.become`.
    """

    level: Level
    readable: tuple[str, ...] = ()
    first_uid: int | None = None
    read_anywhere: bool = False

    def uid(self, slot: int) -> int | None:
        """The user id of the child in this slot."""
        return None if self.first_uid is None else self.first_uid + slot


class Trial(Record, frozen=True):
    """What to try.

    Args:
        secrets: paths that exist and must not be opened.
        bait: a file that is closed to it, and that everybody could read and write but for the confinement.
        readable_bait: another such file, but one that this process may read.
        covered_bait: a file below a folder that is covered; None where nothing can be.
        needed: a file that it must be able to read, or no notebook could run.
    """

    secrets: tuple[str, ...]
    bait: str
    readable_bait: str
    covered_bait: str | None
    needed: str


class Tried(Record, frozen=True):
    """What it could do and must not, and what it could not do and must: one clause each, "read ..."."""

    could: tuple[str, ...]
    could_not: tuple[str, ...]
