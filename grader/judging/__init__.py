"""The trusted side's judgement: the key from torch (in a killable worker), comparison with it, verdicts and scores."""

from grader.judging.checking import check_plan, self_check
from grader.judging.diagnosis import explain
from grader.judging.judge import judge
from grader.judging.reference import Reference
from grader.judging.remembering import RememberedBeliefs
from grader.judging.unrun import grade_missing, grade_refused, grade_undecided, grade_unrun

__all__ = [
    "Reference",
    "RememberedBeliefs",
    "check_plan",
    "explain",
    "grade_missing",
    "grade_refused",
    "grade_undecided",
    "grade_unrun",
    "judge",
    "self_check",
]
