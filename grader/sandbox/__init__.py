"""Running one stranger's notebook: cells, answers and probes go in as text, plain values come back.

    forking     ForkingSandbox.run(Run) -> Execution          launching   the warm process, seen from the grader
    watching    one attempt under its limits                  replay      what the next attempt has to do (pure)
    wire        frames, strict decoding                       processes   /proc, and ending whole trees
    scratch     working directories                           cores       how many cores are really ours

In the warm process and its children only: warm, warming, student, shell, output, failures, restoring, budget.
"""

from grader.sandbox.cores import usable_cores
from grader.sandbox.forking import ForkingSandbox, Sandbox

__all__ = ["ForkingSandbox", "Sandbox", "usable_cores"]
