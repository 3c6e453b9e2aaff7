"""Files found, notebooks read, cells matched to questions. Nothing here has been run."""

from __future__ import annotations

from typing import Literal, TypeAlias

from grader.records.values import Record

MatchState: TypeAlias = Literal["answered", "untouched", "missing", "changed"]


class Cell(Record, frozen=True):
    """One code cell. `index` counts all cells of the file from 0; `question` is what its metadata claims."""

    index: int
    source: str
    id: str | None = None
    question: str | None = None


class Notebook(Record, frozen=True):
    """A notebook as read: stored outputs dropped, odd spots mended and listed in `notes`.

    `assignment`, `fingerprint` and `questions` (id -> fingerprint) are what its metadata claims, if anything. `tags`
    (question -> tag) say for whom its numbers were drawn, to those who hold the course's key; None if there are none.
    """

    cells: tuple[Cell, ...]
    assignment: str | None = None
    fingerprint: str | None = None
    questions: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] | None = None


class Handin(Record, frozen=True):
    """What the download says of a hand-in: for late rules, and for exports to find the student again.

    Attributes:
        layout: the platform, or "plain".
        submitted_at: ISO 8601, with an offset where the download has one; "" if it does not say.
        late: what the platform says; None if it does not say.
        attempt: how the platform calls the attempt that counts; `earlier` are the others, newest first.
        name, email: of the student; never an id.
        group, members: of a group's hand-in, the members' ids where they are known.
        ids: (what it is, the id) for each id that the platform uses.
    """

    layout: str = "plain"
    submitted_at: str = ""
    late: bool | None = None
    attempt: str = ""
    earlier: tuple[str, ...] = ()
    name: str = ""
    email: str = ""
    group: str = ""
    members: tuple[str, ...] = ()
    ids: tuple[tuple[str, str], ...] = ()


class Match(Record, frozen=True):
    """Which cell answers a question, and how that was found out.

    `untouched`: the cell is the released stub. `missing`: no cell. `changed`: the question itself is not the one this
    notebook was released with, so a person decides. `note` completes the sentence for the page ("" if usual).
    """

    question: str
    state: MatchState
    cell: int | None = None
    how: Literal["cell id", "metadata", "answer name", "none"] = "none"
    note: str = ""


class Submission(Record, frozen=True):
    """One student's notebook for one assignment, ready to run. `path` is relative to the folder that was graded.

    `tags` as in `Notebook`; `described` is whether the notebook's metadata still says which assignment it is; `handin`
    is what the download says of it.
    """

    student: str
    assignment: str
    path: str
    sha256: str
    cells: tuple[Cell, ...]
    matches: tuple[Match, ...]
    notes: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] | None = None
    described: bool = True
    handin: Handin = Handin()


class Source(Record, frozen=True):
    """What a grade was made from besides what came back: enough to judge again, or to run again, without the file.

    `asked` has (what was asked of the notebook, a digest of how): while these are the same, what came back still holds.
    """

    submission: Submission
    asked: tuple[tuple[str, str], ...]


class Missing(Record, frozen=True):
    """A student without a notebook for an assignment that others handed in. `note` says what was found instead."""

    student: str
    assignment: str
    note: str = ""
    handin: Handin = Handin()


class Refused(Record, frozen=True):
    """A file that cannot be graded, with the reason in one line. `assignment` is None where it cannot be told."""

    path: str
    student: str
    assignment: str | None
    reason: str
    handin: Handin = Handin()


class Undecided(Record, frozen=True):
    """Two candidates for one student and assignment: a person decides which counts."""

    student: str
    assignment: str
    paths: tuple[str, ...]
    reason: str
    handin: Handin = Handin()


class FileRemark(Record, frozen=True):
    """Something about a file that changes no grade (another notebook lies beside the right one)."""

    path: str
    remark: str


class ClassWork(Record, frozen=True):
    """All that intake found, sorted by student and assignment; every student has a row for every assignment in it.

    `downloads` says what was recognised, one line each: "Canvas download, 143 students, 3 late".
    """

    submissions: tuple[Submission, ...] = ()
    missing: tuple[Missing, ...] = ()
    refused: tuple[Refused, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    remarks: tuple[FileRemark, ...] = ()
    downloads: tuple[str, ...] = ()

    @property
    def rows(self) -> tuple[Submission | Missing | Refused | Undecided, ...]:
        """All rows, of whatever kind."""
        return (*self.submissions, *self.missing, *self.refused, *self.undecided)

    @property
    def in_play(self) -> tuple[str, ...]:
        """The assignments of which somebody's work was found, sorted."""
        return tuple(sorted({row.assignment for row in self.rows if row.assignment is not None}))

    @property
    def students(self) -> tuple[str, ...]:
        """Whose work was found or is missing, sorted."""
        return tuple(sorted({row.student for row in self.rows}))
