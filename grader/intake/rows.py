"""Piles -> rows: one per student and assignment in play, whatever lies there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from grader.intake.candidates import Candidate
from grader.intake.looking import why_closed
from grader.intake.piling import Pile
from grader.intake.settling import settle
from grader.intake.wording import listed, shown
from grader.records import ClassWork, FileRemark, Missing, Refused, Submission, Undecided


def rows_of(piles: dict[str, Pile], only: str | None) -> ClassWork:
    """Settle every student's candidates, then say for each assignment in play who is missing."""
    settled: dict[tuple[str, str], Submission | Undecided | Refused] = {}
    remarks: list[FileRemark] = []
    nameless: list[tuple[str, Candidate]] = []
    for student in sorted(piles):
        groups: dict[str, list[Candidate]] = defaultdict(list)
        for candidate in piles[student].candidates:
            if candidate.assignment is not None:
                groups[candidate.assignment.name].append(candidate)
            elif not candidate.is_unrelated:
                nameless.append((student, candidate))
        for name in sorted(groups):
            if only in (None, name):
                settled[student, name], more = settle(student, name, groups[name])
                remarks += more
    in_play = sorted({name for _, name in settled}) if only is None else [only]
    refused = _place_nameless(nameless, settled, in_play)
    missing = [
        Missing(student, name, _what_lies_there(piles[student], name, only), piles[student].handin)
        for student in sorted(piles)
        for name in in_play
        if (student, name) not in settled
    ]
    rows = [settled[key] for key in sorted(settled)]
    refused += [row for row in rows if isinstance(row, Refused)]
    return ClassWork(
        submissions=tuple(row for row in rows if isinstance(row, Submission)),
        missing=tuple(missing),
        refused=tuple(sorted(refused, key=lambda row: (row.student, row.assignment or "", row.path))),
        undecided=tuple(row for row in rows if isinstance(row, Undecided)),
        remarks=tuple(remarks),
    )


def _place_nameless(
    nameless: Sequence[tuple[str, Candidate]],
    settled: dict[tuple[str, str], Submission | Undecided | Refused],
    in_play: Sequence[str],
) -> list[Refused]:
    """Refusals of files whose assignment cannot be told; while just one is in play, they are a student's row for it."""
    apart = []
    for student, candidate in nameless:
        row = Refused(candidate.path, student, None, candidate.reason, candidate.handin)
        if len(in_play) == 1 and (student, in_play[0]) not in settled:
            settled[student, in_play[0]] = Refused(row.path, student, in_play[0], row.reason, row.handin)
        else:
            apart.append(row)
    return apart


def _what_lies_there(pile: Pile, name: str, only: str | None) -> str:
    """Why a student has no notebook for an assignment, as complete sentences; "" if there is nothing to say."""
    notes = [note for each in pile.handed_in for note in each.notes]
    for candidate in pile.candidates:
        told = candidate.assignment.name if candidate.assignment else None
        if told is None and (name in candidate.hints or not (only and candidate.is_another_assignments)):
            notes.append(f"{shown(candidate.path)} {candidate.reason}")
        elif told not in (None, name) and name in candidate.hints:
            notes.append(f"{shown(candidate.path)} was handed in for it but is the notebook of {told}.")
    closed = [each for each in pile.others if why_closed(each)]
    notes += [f"{shown(each.shown)} {why_closed(each)}" for each in closed]
    others = [shown(each.shown) for each in pile.others if not why_closed(each)]
    if not pile.candidates and others:
        notes.append(f"There is no notebook but {listed(others)}: hand in the .ipynb file itself.")
    elif not pile.candidates and not closed and not pile.handed_in:
        notes.append("The folder is empty.")
    return " ".join(notes[:3])
