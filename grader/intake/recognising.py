"""Which assignment a notebook is. Its own content says so; a file's name is a hint that settles ties alone.

In this order, the first that gives one answer:

1. the assignment's fingerprint in the metadata, then the assignment's name there. A notebook that names an assignment
   which the course does not have is only taken for another one if a question's fingerprint proves it.
2. the cells' identities (released cell ids, questions in cell metadata): the assignment with most of its questions.
3. the answer names that cells assign: the assignment with most questions touched, if that is at least half of its
   questions, or if a file or folder name hints at it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from grader.intake.matching import claimed_question
from grader.intake.sources import survey
from grader.intake.wording import listed, shown
from grader.records import Notebook, PublicAssignment, cell_id


@dataclass(frozen=True)
class Recognised:
    """The assignment that a notebook is, and how that was found out (a note; "" if its metadata says so)."""

    assignment: PublicAssignment
    note: str = ""


def recognise(
    notebook: Notebook, assignments: Sequence[PublicAssignment], hints: Sequence[str] = ()
) -> Recognised | str:
    """The assignment that `notebook` is, or why it is none, as the end of the sentence "hw1.ipynb ...".

    Args:
        hints: names of assignments that the file or its folders are called after.
    """
    for claim in (_by_fingerprint, _by_name, _by_question_fingerprint):
        found = claim(notebook, assignments)
        if found is not None:
            return Recognised(found)
    if notebook.assignment is not None:
        return (
            f"is the notebook of {shown(notebook.assignment)}, which is not among the assignments graded here "
            f"({_names(assignments)})."
        )
    held = {public.name: _identities(notebook, public) for public in assignments}
    found = _most(assignments, hints, lambda public: held[public.name])
    if found is not None:
        return Recognised(found, f"The file does not say its assignment; its cells are those of {found.name}.")
    equal = [public for public in assignments if held[public.name] == max(held.values())]
    touched = _touched(notebook, equal)
    enough = [public for public in equal if _enough(touched[public.name], public, hints)]
    found = _most(enough, hints, lambda public: touched[public.name])
    if found is not None:
        return Recognised(
            found, f"Its cells have lost their ids; it was recognised as {found.name} by the answer names it assigns."
        )
    return (
        "is none of the course's notebooks: no cell is one of theirs, and it assigns too few of their answer names. "
        f"Hand in the notebook that came with the assignment ({_names(assignments)})."
    )


def recognise_text(text: str, assignments: Sequence[PublicAssignment]) -> PublicAssignment | None:
    """The assignment whose fingerprint or cell ids stand in the text of a file that is no readable notebook."""
    marks = set(re.findall(r'"([^"\\\n]{1,200})"', text))
    for public in assignments:
        if public.fingerprint in marks:
            return public
    return _most(assignments, (), lambda public: len({cell_id(each.id) for each in public.questions} & marks))


def _by_fingerprint(notebook: Notebook, assignments: Sequence[PublicAssignment]) -> PublicAssignment | None:
    return next((each for each in assignments if each.fingerprint == notebook.fingerprint), None)


def _by_name(notebook: Notebook, assignments: Sequence[PublicAssignment]) -> PublicAssignment | None:
    return next((each for each in assignments if each.name == notebook.assignment), None)


def _by_question_fingerprint(notebook: Notebook, assignments: Sequence[PublicAssignment]) -> PublicAssignment | None:
    prints = set(notebook.questions)
    return _most(assignments, (), lambda public: len({(q.id, q.fingerprint) for q in public.questions} & prints))


def _identities(notebook: Notebook, public: PublicAssignment) -> int:
    claims = {claimed_question(cell, public)[0] for cell in notebook.cells}
    return len(claims - {None})


def _touched(notebook: Notebook, assignments: Sequence[PublicAssignment]) -> dict[str, int]:
    """For each assignment, how many of its questions have an answer that some cell assigns."""
    sources = survey([cell.source for cell in notebook.cells])
    assigned = frozenset().union(*(source.names for source in sources))
    return {
        public.name: sum(not assigned.isdisjoint(question.answers) for question in public.questions)
        for public in assignments
    }


def _enough(touched: int, public: PublicAssignment, hints: Sequence[str]) -> bool:
    return touched > 0 and (2 * touched >= len(public.questions) or public.name in hints)


def _most(
    assignments: Sequence[PublicAssignment], hints: Sequence[str], count: Callable[[PublicAssignment], int]
) -> PublicAssignment | None:
    """The assignment with the highest count above 0; of equal ones the one hinted at, if that is one."""
    highest = max((count(public) for public in assignments), default=0)
    best = [public for public in assignments if count(public) == highest > 0]
    hinted = [public for public in best if public.name in hints]
    return best[0] if len(best) == 1 else hinted[0] if len(hinted) == 1 else None


def _names(assignments: Sequence[PublicAssignment]) -> str:
    return listed([public.name for public in assignments])
