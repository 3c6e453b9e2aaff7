"""How many cores this process may really use: the machine's count, cut by affinity and by its control group."""

from __future__ import annotations

import math
import os
from pathlib import Path

PROC = Path("/proc/self/cgroup")
MOUNT = Path("/sys/fs/cgroup")


def usable_cores(proc: Path = PROC, mount: Path = MOUNT) -> int:
    """At least 1; a quota of 1.5 cores counts as 2.

    Args:
        proc: the process's list of control groups.
        mount: where control groups are mounted.
    """
    # macOS and Windows have no affinity, nor control groups.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quotas = [quota for folder in _folders(proc, mount) if (quota := _quota(folder)) is not None]
    return max(1, min([cores, *(math.ceil(quota) for quota in quotas)]))


def _folders(proc: Path, mount: Path) -> list[Path]:
    """Every folder whose quota binds this process: its own group's and all above it, in version 1 and 2."""
    folders = [mount, mount / "cpu", mount / "unified"]
    try:
        lines = proc.read_text().splitlines()
    except OSError:
        return folders
    for line in lines:
        _, controllers, path = line.split(":", 2)
        roots = [mount, mount / "unified"] if controllers == "" else [mount / controllers, mount / "cpu"]
        if controllers == "" or "cpu" in controllers.split(","):
            relative = Path(path.lstrip("/"))
            folders += [root / part for root in roots for part in (relative, *relative.parents)]
    return folders


def _quota(folder: Path) -> float | None:
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text().split()
        else:
            quota = (folder / "cpu.cfs_quota_us").read_text().strip()
            period = (folder / "cpu.cfs_period_us").read_text().strip()
        return None if quota in ("max", "-1") else int(quota) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None
