"""The seam between the grader and students' code, and which implementation of it is for whom on which system."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from grader.errors import ConfinementError
from grader.records import Execution, Limits, Run
from grader.sandbox.confinement.level import REMEDY
from grader.sandbox.plain import PlainSandbox

_NAMES = {"darwin": "macOS", "win32": "Windows"}


class Sandbox(Protocol):
    """The one seam between the grader and students' code."""

    @property
    def confinement(self) -> str:
        """How notebooks are run, in one line for people."""
        ...

    def admit(self, limits: Limits) -> None:
        """Raises: `ConfinementError` if what these limits allow cannot be allowed here."""
        ...

    def run(self, run: Run) -> Execution:
        """Run one notebook. Whatever it does comes back as a value."""
        ...


class OpenedSandbox(Sandbox, AbstractContextManager["OpenedSandbox"], Protocol):
    """A sandbox that is entered before it is used."""


def for_strangers(
    jobs: int, secrets: Sequence[Path], confined: bool = True, platform: str = sys.platform
) -> OpenedSandbox:
    """The sandbox of a class.

    Args:
        jobs: how many notebooks run at once.
        secrets: what no notebook may read.
        confined: False for code that is all one's own.

    Raises: `ConfinementError` on a system that has nothing to confine with.
    """
    if platform == "linux":
        from grader.sandbox.forking import ForkingSandbox

        return ForkingSandbox(jobs, confine="required" if confined else "off", secrets=secrets)
    if confined:
        raise ConfinementError(f"notebooks cannot be confined on {_NAMES.get(platform, platform)}; {REMEDY}")
    return PlainSandbox()


def for_own_code(confined: bool = True, platform: str = sys.platform) -> OpenedSandbox:
    """The sandbox of a student's own check: confined where that can be had, and at work everywhere."""
    if platform == "linux":
        from grader.sandbox.forking import ForkingSandbox

        return ForkingSandbox(1, notebooks=1, confine="possible" if confined else "off")
    return PlainSandbox()
