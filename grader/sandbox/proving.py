"""The trial of a warm process, from the grader's side: what is named as enforced has been seen to be enforced."""

from __future__ import annotations

import os
import select
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from grader.errors import ConfinementError
from grader.records import Limits
from grader.sandbox import scratch, wire
from grader.sandbox.confinement.level import REMEDY, Level, Trial, Tried
from grader.sandbox.confinement.readable import exposed
from grader.sandbox.launching import Warm

TRIAL_SECONDS = 60.0


def prove(warm: Warm, secrets: Sequence[Path]) -> Level:
    """Make a throw-away child of `warm` try to reach `secrets` and more; the level that it showed.

    Args:
        secrets: files and folders that no notebook may read; those that do not exist are left out.

    Raises: `ConfinementError` if there is no confinement here, if a secret lies where notebooks may read, or if the
    child could do anything that it must not.
    """
    booted = warm.wait_until_ready()
    confinement = booted.confinement
    if confinement.level == "none":
        raise ConfinementError(f"notebooks cannot be confined here: {booted.why_not}; {REMEDY}")
    paths = [os.path.realpath(secret) for secret in secrets if os.path.exists(secret)]
    for secret, readable in exposed(paths, confinement.readable):
        raise ConfinementError(
            f"{secret} lies in {readable}, which every notebook may read since Python's libraries are there; "
            "move the course (or the virtual environment) somewhere else"
        )
    hidden = confinement.level == "namespaces"
    with tempfile.TemporaryDirectory(prefix="grader-trial-") as folder:
        bait, readable_bait, covered = (Path(folder) / name for name in ("bait", "readable", "covered/bait"))
        covered.parent.mkdir()
        for file in (bait, readable_bait, covered):
            file.write_text("bait")
            file.chmod(0o666)
        # Only what confines the child is to keep it out.
        Path(folder).chmod(0o777)
        if hidden:
            warm.cover([*paths, str(covered.parent)])
        needed = msgspec.__file__
        trial = Trial(tuple(paths), str(bait), str(readable_bait), str(covered) if hidden else None, needed)
        _judge(_try(warm, trial))
    return confinement.level


def _try(warm: Warm, trial: Trial) -> Tried | None:
    own = scratch.make(warm.root)
    child = warm.fork(own, Limits(), trial=trial)
    try:
        if not select.select([child.channel], [], [], TRIAL_SECONDS)[0]:
            return None
        return wire.receive(child.channel, Tried)
    except (EOFError, OSError, msgspec.MsgspecError):
        return None
    finally:
        child.end()
        child.close()
        scratch.remove(own)


def _judge(tried: Tried | None) -> None:
    if tried is None:
        raise ConfinementError(f"the trial of the confinement ended without an answer; {REMEDY}")
    if tried.could:
        raise ConfinementError(f"a confined process could {_listed(tried.could)}: not safe here; {REMEDY}")
    if tried.could_not:
        raise ConfinementError(
            f"a confined process could not {_listed(tried.could_not)}, so no notebook runs; {REMEDY}"
        )


def _listed(clauses: Sequence[str]) -> str:
    return "; ".join(clauses[:3]) + (f" (and {len(clauses) - 3} more)" if len(clauses) > 3 else "")
