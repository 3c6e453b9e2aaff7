"""Running one stranger's notebook: cells, answers and probes go in as text, plain values come back.

    seam        Sandbox.run(Run) -> Execution: the one seam, and which sandbox is for whom
    forking     ForkingSandbox: children of a warm process    launching   the warm process, seen from the grader
    proving     the trial of the confinement                  plain       PlainSandbox: one's own code, any system
    watching    one attempt under its limits                  replay      what the next attempt has to do (pure)
    wire        messages, strict decoding                     channel     the grader's end of a student's channel
    cores       how many cores are really ours                disk        how much lies in a student's folder
    scratch     working directories                           leftovers   what a killed run has left

In the warm process and its children only: entering, warm, warming, student, serving, shell, output, failures,
restoring, budget and all of confinement but its words; plain_child runs in PlainSandbox's processes.
"""

from __future__ import annotations

from grader.sandbox.cores import usable_cores
from grader.sandbox.seam import Sandbox, for_own_code, for_strangers

__all__ = ["Sandbox", "for_own_code", "for_strangers", "usable_cores"]
