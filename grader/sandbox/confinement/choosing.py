"""How the children of this warm process will be confined: decided once, when all libraries are loaded."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

from grader.sandbox.confinement import identity, landlock
from grader.sandbox.confinement.level import Confinement, Level
from grader.sandbox.confinement.readable import readable
from grader.sandbox.confinement.syscalls import NUMBERS


def choose(confined: bool, inside: bool, root: Path) -> tuple[Confinement, str]:
    """The confinement, and why there is none where one was asked for.

    Args:
        confined: whether one is asked for.
        inside: whether this process is in namespaces of its own.
        root: the folder in which every child's own folder is made.
    """
    why_not = _missing()
    if not confined or why_not:
        return Confinement("none"), why_not
    paths = readable()
    level: Level = "namespaces" if inside else "kernel"
    if not identity.is_root():
        return Confinement(level, paths), ""
    # Names in it cannot be guessed, nor listed.
    root.chmod(0o711)
    uid = identity.slot_uid(0, os.getpid())
    return Confinement(level, paths, uid, not identity.can_reach(uid, (*paths, str(root / "home")))), ""


def _missing() -> str:
    """What this system lacks, as a clause; empty if nothing."""
    if sys.platform != "linux":
        return f"{platform.system() or sys.platform} has no Landlock"
    if platform.machine() not in NUMBERS:
        return f"there is no table of system calls for {platform.machine()} processors"
    if landlock.version() == 0:
        return "this kernel has no Landlock, or it is switched off or forbidden here"
    return ""
