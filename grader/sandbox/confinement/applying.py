"""What a notebook's process takes on before its first cell, in the one order in which it can be done."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping

from grader import processes
from grader.records import Limits
from grader.sandbox.confinement import bpf, identity, landlock
from grader.sandbox.confinement.level import Confinement
from grader.sandbox.confinement.policy import policy
from grader.sandbox.confinement.readable import PROGRAMS

# All that is left of the environment. Neither its names nor its values say anything of this machine.
KEPT = ("PATH", "LANG", "TERM", "MPLBACKEND", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def apply(confinement: Confinement, slot: int, scratch: str, limits: Limits, parent: int) -> None:
    """Bind this process, for ever. `parent` is with whom it dies. Raises: `OSError` where the kernel will not."""
    if confinement.level == "none":
        return
    machine = platform.machine()
    subprocesses = limits.processes > 0 and confinement.level == "namespaces"
    reading = landlock.RUN if subprocesses else landlock.READ
    rules = [(path, reading) for path in confinement.readable]
    if subprocesses:
        rules += [(path, landlock.RUN) for path in PROGRAMS]
    rules += [(os.devnull, landlock.READ_FILE | landlock.WRITE_FILE), (scratch, landlock.OWN)]
    identity.become(confinement.uid(slot), confinement.read_anywhere)
    # Lost with the change of user.
    processes.die_with_parent(parent)
    landlock.restrict(rules, landlock.version())
    bpf.install(bpf.assemble(policy(os.getpid(), subprocesses), machine), machine)


def environment(old: Mapping[str, str], scratch: str) -> dict[str, str]:
    """The environment of a notebook's process."""
    own = {"HOME": scratch, "TMPDIR": scratch, "PWD": scratch, "USER": "student", "LOGNAME": "student"}
    if "PYTHONHASHSEED" in old:
        own["PYTHONHASHSEED"] = old["PYTHONHASHSEED"]
    for name in ("MPLCONFIGDIR", "IPYTHONDIR", "TORCHINDUCTOR_CACHE_DIR"):
        own[name] = scratch
    return {name: old[name] for name in KEPT if name in old} | own
