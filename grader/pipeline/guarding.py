"""Notebooks whose grades are known, graded before anybody's: if one comes out otherwise, no grade can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from grader import judging
from grader.pipeline.lessons import Lesson
from grader.records import Execution, Grade, Submission

Start = Callable[[Submission, Lesson], Future[tuple[Grade, Execution | None]]]


def moved_canaries(lessons: Sequence[Lesson], start: Start) -> list[str]:
    """Grade the canaries of `lessons`; returns a line for each that was not graded as it must be.

    Args:
        start: begins to run and judge one notebook, as every student's is.
    """
    begun = [
        (lesson, canary, start(canary.submission, lesson))
        for lesson in lessons
        for canary in judging.canaries(lesson.assignment, lesson.keys)
    ]
    moved = []
    for lesson, canary, future in begun:
        try:
            grade, _ = future.result()
            what = canary.moved(grade)
        except Exception as error:  # noqa: BLE001 - whatever it is, it would befall students' notebooks too
            what = f"the known {canary.name} notebook could not be graded: {type(error).__name__}: {error}"
        if what:
            moved.append(f"{lesson.assignment.name}: {what}; so no grade of this run is released")
    return moved
