"""The trusted side's judgement: the key from torch (in a killable worker), comparison with it, verdicts and scores."""

from grader.judging.asking import asked, came_back, still_answers, unanswered
from grader.judging.canaries import Canary, canaries
from grader.judging.checking import self_check
from grader.judging.diagnosis import BeliefsOf, explain
from grader.judging.following import follow_through
from grader.judging.judge import judge
from grader.judging.personal import PersonalNumbers, Standard
from grader.judging.planning import check_run, graded_run
from grader.judging.reference import Reference
from grader.judging.remembering import RememberedBeliefs
from grader.judging.unrun import grade_unrun, hold

__all__ = [
    "BeliefsOf",
    "Canary",
    "PersonalNumbers",
    "Reference",
    "RememberedBeliefs",
    "Standard",
    "asked",
    "came_back",
    "canaries",
    "check_run",
    "explain",
    "follow_through",
    "grade_unrun",
    "graded_run",
    "hold",
    "judge",
    "self_check",
    "still_answers",
    "unanswered",
]
