"""One submission, what came back of running it, and the key -> its grade. Pure; no torch.

Marks come from one place alone: a comparison that found an answer right. Everything else is a reason for none, or for
holding the grade: the grader's own fault and what only a person can decide never count as zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import msgspec

from grader.errors import ReferenceFault
from grader.judging.parts import answer_parts
from grader.judging.probes import probe_parts
from grader.judging.scoring import from_parts, graded, undivided
from grader.judging.wording import cell_trouble, how_matched, person_cell
from grader.records import (
    Assignment,
    CellReport,
    Execution,
    Exercise,
    ExerciseGrade,
    ExerciseKey,
    Grade,
    Match,
    Output,
    Submission,
    Versions,
    plain,
)

# Why there is none may quote the reference or a hidden case: that is for the author's eyes, not for this record.
NO_KEY = "the grader's own fault, your grade is held: the reference gave no key to compare with"


def judge(
    submission: Submission,
    execution: Execution | None,
    assignment: Assignment,
    keys: Mapping[str, ExerciseKey | str],
    versions: Versions,
) -> Grade:
    """Decide every exercise of one submission.

    Args:
        execution: what the sandbox sent back; None if nothing was run, because nothing was answered.
        keys: by exercise id; a text says why there is no key, and holds that exercise for everybody. It is not
            passed on: it may quote the reference.
    """
    evidence = _Evidence(submission, execution, assignment)
    return graded(
        submission.student,
        assignment.name,
        [evidence.decide(each, keys.get(each.id, "it has no key")) for each in assignment.exercises],
        versions,
        path=submission.path,
        sha256=submission.sha256,
        notes=(*submission.notes, *(execution.notes if execution else ())),
        handin=submission.handin,
    )


@dataclass(frozen=True)
class _Evidence:
    """What is known of one submission."""

    submission: Submission
    execution: Execution | None
    assignment: Assignment

    def decide(self, exercise: Exercise, key: ExerciseKey | str) -> ExerciseGrade:
        match = self._matches.get(exercise.id) or Match(exercise.id, "missing")
        grade = self._verdict(exercise, key, match)
        report = self._reports.get(match.cell) if match.cell is not None else None
        source = self._sources.get(match.cell, "") if match.cell is not None else ""
        return msgspec.structs.replace(
            grade,
            source=source,
            matched=how_matched(match),
            error=report.error if report else None,
            output=report.output if report else Output(),
        )

    def _verdict(self, exercise: Exercise, key: ExerciseKey | str, match: Match) -> ExerciseGrade:
        if isinstance(key, str):
            return undivided(exercise, "grader_fault", NO_KEY)
        if match.state == "changed":
            note = match.note or "the question has changed since this notebook was released"
            return undivided(exercise, "needs_person", note)
        if match.state == "missing":
            return undivided(exercise, "not_answered", "no cell for this question was found")
        if match.state == "untouched":
            return undivided(exercise, "not_answered", "the cell is as it was released")
        if self.execution is None:
            return undivided(exercise, "grader_fault", _ours("the notebook was not run"))
        if self.execution.fault is not None:
            return undivided(exercise, "grader_fault", _ours(self.execution.fault))
        return self._of_run(exercise, key, match, self.execution)

    def _of_run(self, exercise: Exercise, key: ExerciseKey, match: Match, execution: Execution) -> ExerciseGrade:
        report = self._reports.get(match.cell) if match.cell is not None else None
        if report is None or (execution.broken and report.outcome == "not_reached"):
            if execution.broken:
                return undivided(exercise, "needs_person", "the notebook's process broke the channel to the grader")
            where = "" if match.cell is None else f" on {person_cell(match.cell)}"
            return undivided(exercise, "grader_fault", _ours(f"there is no report{where}"))
        if report.outcome == "not_reached":
            # Held and not zero: whatever ended the run, it was not this cell.
            return undivided(exercise, "needs_person", cell_trouble(report, execution, self.assignment.limits))
        if report.outcome != "ok":
            return undivided(exercise, "could_not_run", cell_trouble(report, execution, self.assignment.limits))
        answers, broken = dict(execution.answers), execution.broken
        try:
            if exercise.kind == "implement":
                outcomes = {each.id: each.outcome for each in execution.probes}
                rated = probe_parts(exercise, key, answers.get(exercise.id), outcomes, broken)
            else:
                rated = answer_parts(exercise, key, answers, broken)
        except ReferenceFault:
            return undivided(exercise, "grader_fault", NO_KEY)
        return from_parts(exercise, rated)

    @cached_property
    def _matches(self) -> dict[str, Match]:
        return {match.question: match for match in self.submission.matches}

    @cached_property
    def _reports(self) -> dict[int, CellReport]:
        return {report.index: report for report in self.execution.cells} if self.execution else {}

    @cached_property
    def _sources(self) -> dict[int, str]:
        return {cell.index: cell.source for cell in self.submission.cells}


def _ours(what: str) -> str:
    return f"the grader's own fault, your grade is held: {plain(what)}"
