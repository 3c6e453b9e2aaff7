"""Several candidates for one student and assignment: which one counts, or that a person must say so."""

from __future__ import annotations

from collections.abc import Sequence

from grader.intake.candidates import Candidate, submission
from grader.intake.reading import BadFile
from grader.intake.wording import listed, shown
from grader.records import FileRemark, Refused, Submission, Undecided


def settle(
    student: str, name: str, candidates: Sequence[Candidate]
) -> tuple[Submission | Undecided | Refused, list[FileRemark]]:
    """Decide which candidate counts: the released file name wins; identical files are one; else a person decides.

    A file that cannot be read never stands in the way of one that can. Returns the row, and a remark per file that
    was set aside because it is unreadable.
    """
    released = f"{name}.ipynb"
    ordered = sorted(candidates, key=lambda each: (each.entry.name != released, each.path))
    good = [each for each in ordered if each.is_gradable]
    bad = [each for each in ordered if not each.is_gradable]
    if not good:
        first, *rest = bad
        return Refused(first.path, student, name, first.reason, first.handin), [
            FileRemark(each.path, each.reason) for each in rest
        ]
    remarks = [FileRemark(each.path, each.reason) for each in bad]
    unreadable = [each for each in bad if isinstance(each.content, BadFile)]
    notes = [f"{shown(each.path)} {each.reason}" for each in unreadable[:1]]
    wearing = [each for each in good if each.entry.name == released]
    strongest = wearing or good
    if len({each.sha256 for each in strongest}) > 1:
        paths = tuple(each.path for each in good)
        why = (
            f"{len(paths)} different notebooks for {name} were found, and no rule says which counts: keep one of them."
        )
        return Undecided(student, name, paths, why, strongest[0].handin), remarks
    chosen = strongest[0]
    return submission(chosen, student, [*_set_aside(chosen, good), *notes]), remarks


def _set_aside(chosen: Candidate, good: Sequence[Candidate]) -> list[str]:
    same = [each for each in good if each is not chosen and each.sha256 == chosen.sha256]
    different = [each for each in good if each.sha256 != chosen.sha256]
    notes = []
    if different:
        paths = listed([shown(each.path) for each in different])
        verb = "do" if len(different) > 1 else "does"
        notes.append(f"{shown(chosen.path)} counts, because it has the released name; {paths} {verb} not.")
    if same:
        paths = listed([shown(each.path) for each in same])
        notes.append(f"{shown(chosen.path)} was taken; the same file lies at {paths}.")
    return notes
