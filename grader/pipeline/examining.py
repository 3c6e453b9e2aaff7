"""What came back of one notebook -> its grade: compared with the key, followed through, explained."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from grader import judging
from grader.pipeline.explaining import TellingBeliefs
from grader.pipeline.lessons import Lesson
from grader.records import Execution, ExerciseKey, Grade, Versions

# The digest of no submission: a grade that has it is made again by the next run.
NOT_AGAIN = ""

Note = Callable[[str], None]


def tell(note: Note, where: str, error: Exception) -> None:
    """Note a fault of ours in one line."""
    what = " ".join(str(error).split())
    note(f"{where}: {type(error).__name__}{': ' if what else ''}{what}")


def examine(
    standard: judging.Standard, execution: Execution | None, lesson: Lesson, versions: Versions, note: Note
) -> Grade:
    """The grade of one notebook.

    Args:
        execution: what came back of running it; None if nothing was run, because nothing was answered.
        note: called with a line, for the instructor's eyes alone, for each fault of ours.
    """
    grade = judging.judge(standard.submission, execution, standard.assignment, standard.keys, versions)
    if execution is not None:
        grade = judging.follow_through(grade, execution, standard.assignment, standard.keys, lesson.numbers.key_with)
        grade = _explained(grade, execution, standard, lesson, note)
    for each in grade.exercises:
        # Why there is no key has been told.
        if each.verdict == "grader_fault" and isinstance(standard.keys.get(each.id), ExerciseKey):
            note(f"{grade.path}: {each.id}: {each.message}")
    return grade


def _explained(grade: Grade, execution: Execution, standard: judging.Standard, lesson: Lesson, note: Note) -> Grade:
    """Name the beliefs behind what is wrong. Points stand without: a fault costs this run's explanation alone."""
    beliefs = TellingBeliefs(standard.beliefs, partial(_tell_undiagnosed, note, grade.assignment))
    try:
        explained = judging.explain(grade, execution, standard.assignment, standard.keys, beliefs)
        explained = lesson.numbers.noted(explained, standard, execution)
    except Exception as error:  # noqa: BLE001 - see above
        tell(note, f"{grade.path}: graded, but not explained", error)
        return _not_again(grade)
    return _not_again(explained) if beliefs.failed else explained


def _not_again(grade: Grade) -> Grade:
    return msgspec.structs.replace(grade, versions=msgspec.structs.replace(grade.versions, submission=NOT_AGAIN))


def _tell_undiagnosed(note: Note, assignment: str, exercise: str, error: Exception) -> None:
    tell(note, f"{assignment}: {exercise} is graded, but wrong answers to it are not explained", error)
