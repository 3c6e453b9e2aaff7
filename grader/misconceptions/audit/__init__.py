"""The question looks back: which beliefs an exercise cannot see, and which it cannot tell apart.

    numbers      where a program's numbers are, and the program with others
    versions     which other numbers, and which other programs, are tried
    trials       running them in torch and in worlds
    cures        the search for the version that does what the question cannot
    finding      all findings on an exercise with a program;  foreseen: on one to implement
    reasons      what the author wrote into `blind_to`
    wording      the sentences
    separating   another version for a student's next question

For the worker process alone: it runs instructor code, in worlds.
"""

from grader.misconceptions.audit.finding import IsSlip, audit_program
from grader.misconceptions.audit.foreseen import audit_mistakes
from grader.misconceptions.audit.separating import separation
from grader.records import Audit, Exercise


def audit(exercise: Exercise, is_slip: IsSlip) -> Audit:
    """Audit one exercise: every belief that it is about, against the truth and each other.

    Args:
        is_slip: whether an answer is so near the right one that it is taken for a slip.
    """
    return audit_mistakes(exercise) if exercise.kind == "implement" else audit_program(exercise, is_slip)


__all__ = ["IsSlip", "audit", "separation"]
