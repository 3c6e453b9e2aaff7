"""One file that may be somebody's notebook: read it, and see which assignment it is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from grader.intake.archives import ARCHIVE_ENDINGS
from grader.intake.layout import Layout
from grader.intake.matching import match_cells
from grader.intake.reading import BadFile, read_notebook
from grader.intake.recognising import recognise, recognise_text
from grader.intake.walking import Entry
from grader.intake.wording import cells as named
from grader.intake.wording import listed, shown
from grader.records import Handin, Match, Notebook, PublicAssignment, Submission


@dataclass(frozen=True)
class Candidate:
    """A file that was looked into.

    Attributes:
        content: the notebook, or why there is none.
        assignment: what it is; for an unreadable file what its text or its name says. None if that cannot be told.
        reason: why it counts for nothing, as the end of the sentence "hw1.ipynb ..."; "" for one that can be graded.
        notes: on what is odd about the file as a whole.
    """

    entry: Entry
    content: Notebook | BadFile
    sha256: str = ""
    assignment: PublicAssignment | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @property
    def is_gradable(self) -> bool:
        return not self.reason

    @property
    def is_unrelated(self) -> bool:
        """Whether it is a sound notebook of something else."""
        return isinstance(self.content, Notebook) and self.assignment is None

    @property
    def is_another_assignments(self) -> bool:
        """Whether it says that it is the notebook of an assignment which is not graded here."""
        return isinstance(self.content, Notebook) and self.is_unrelated and self.content.assignment is not None

    @property
    def path(self) -> str:
        return self.entry.shown

    @property
    def handin(self) -> Handin:
        """What the download says of it."""
        return self.entry.handed_in.facts if self.entry.handed_in else Handin()


def examine(entry: Entry, layout: Layout, assignments: Sequence[PublicAssignment]) -> Candidate:
    """Read the file at `entry` and recognise it."""
    hints = layout.hints(entry)
    data = _data(entry)
    content = data if isinstance(data, BadFile) else read_notebook(data)
    sha256 = "" if isinstance(data, BadFile) else hashlib.sha256(data).hexdigest()
    if isinstance(content, BadFile):
        told = recognise_text(content.text, assignments) or _called(hints, assignments)
        return Candidate(entry, BadFile(content.reason), sha256, told, content.reason, hints=hints)
    found = recognise(content, assignments, hints)
    if isinstance(found, str):
        # Named as if it were handed in for an assignment, yet nothing of it is inside: that is its row.
        called = None if content.assignment else layout.called(entry)
        hinted = _called([called] if called else [], assignments)
        return Candidate(entry, content, sha256, hinted, found, hints=hints)
    name = found.assignment.name
    notes = [found.note]
    if not entry.name.casefold().endswith(".ipynb"):
        notes.append(f"The file is called {shown(entry.name)}; it was read as a notebook all the same.")
    wrong = [hint for hint in hints if hint != name]
    if wrong:
        notes.append(f"It was handed in as {listed(wrong)} but is the notebook of {name}, and counts for that.")
    return Candidate(entry, content, sha256, found.assignment, "", tuple(filter(None, notes)), hints)


def unopened(entry: Entry, layout: Layout, reason: str) -> Candidate:
    """What a student packed, if it cannot be opened: a file like any other that cannot be read."""
    return Candidate(entry, BadFile(reason), reason=reason, hints=layout.hints(entry))


def submission(candidate: Candidate, student: str, notes: Sequence[str] = ()) -> Submission:
    """The candidate as `student`'s work, its cells matched to the questions."""
    notebook, public = candidate.content, candidate.assignment
    if not isinstance(notebook, Notebook) or public is None:
        raise ValueError(f"{candidate.path} is no notebook of the course")
    matches = match_cells(notebook, public)
    return Submission(
        student=student,
        assignment=public.name,
        path=candidate.path,
        sha256=candidate.sha256,
        cells=notebook.cells,
        matches=matches,
        notes=(
            *(candidate.entry.handed_in.notes if candidate.entry.handed_in else ()),
            *notes,
            *candidate.notes,
            *notebook.notes,
            *_release_notes(notebook, public, matches),
            *_how(matches),
        ),
        tags=notebook.tags,
        described=notebook.assignment is not None,
        handin=candidate.handin,
    )


def _data(entry: Entry) -> bytes | BadFile:
    if entry.kind == "link":
        return BadFile("is a symbolic link, and links are not followed: put the file itself there.")
    if entry.kind != "file":
        return BadFile("is no plain file (a device or pipe): hand in the .ipynb file itself.")
    if entry.ends_with(ARCHIVE_ENDINGS):
        return BadFile("is an archive and not a notebook: unpack it, and name the .ipynb file in it.")
    return entry.read()


def _called(hints: Sequence[str], assignments: Sequence[PublicAssignment]) -> PublicAssignment | None:
    return next((public for hint in hints for public in assignments if public.name == hint), None)


def _release_notes(notebook: Notebook, public: PublicAssignment, matches: Sequence[Match]) -> list[str]:
    if notebook.fingerprint in (None, public.fingerprint):
        return []
    changed = [match.question for match in matches if match.state == "changed"]
    if not changed:
        return [f"The notebook is of an earlier release of {public.name}; its questions have not changed since."]
    rest = "the others are graded" if len(changed) < len(matches) else "none can be graded"
    return [f"The notebook is of an earlier release of {public.name}; {listed(changed)} changed since; {rest}."]


def _how(matches: Sequence[Match]) -> list[str]:
    """One note where cells had to be found by other means than their ids, as after Colab or VS Code."""
    notes = []
    for how, lost in (("metadata", "cell ids"), ("answer name", "cell ids and metadata")):
        found = [match for match in matches if match.how == how]
        if found:
            count = "1 question was" if len(found) == 1 else f"{len(found)} questions were"
            where = named(match.cell for match in found if match.cell is not None)
            by = "the metadata of cells" if how == "metadata" else "the answer names that cells assign"
            notes.append(f"{count} matched by {by} ({where}), for want of {lost}.")
    return notes
