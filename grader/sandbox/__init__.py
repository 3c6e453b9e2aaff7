"""Running one stranger's notebook: cells, answers and probes go in as text, plain values come back.

    forking     ForkingSandbox.run(Run) -> Execution          launching   the warm process, seen from the grader
    watching    one attempt under its limits                  replay      what the next attempt has to do (pure)
    wire        messages, strict decoding                     channel     the grader's end of a student's channel
    cores       how many cores are really ours                processes   /proc, and ending whole trees
    scratch     working directories

In the warm process and its children only: warm, warming, student, shell, output, failures, restoring, budget.
"""

from grader.sandbox.cores import usable_cores
from grader.sandbox.forking import ForkingSandbox, Sandbox

__all__ = ["ForkingSandbox", "Sandbox", "usable_cores"]
