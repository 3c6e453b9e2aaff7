"""Which cell answers which question, and whether anything was filled in.

The rules, in order:

1. A cell has a question's identity by its released cell id, else by its metadata. The last such cell that is not
   empty counts; one that still is the released stub gives way to a filled-in one, and one that assigns none of the
   question's answers gives way to one that does.
2. A cell without identity counts only if no cell in rule 1 does: the last that assigns the question's answer names.
   One that assigns other questions' answers as well gives way; so does an untouched stub to a filled-in one.
3. A cell that holds another question's identity counts only if there is nothing else (two cells were merged).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from grader.intake.sources import Source, read_source, survey
from grader.intake.wording import cells as named
from grader.intake.wording import listed, sentence
from grader.records import Cell, Match, Notebook, PublicAssignment, Question, cell_id

How: TypeAlias = Literal["cell id", "metadata", "answer name", "none"]


@dataclass(frozen=True)
class _Read:
    """One code cell, what its text says, and the question whose identity it has."""

    cell: Cell
    source: Source
    claim: str | None
    how: How

    @property
    def index(self) -> int:
        return self.cell.index


def claimed_question(cell: Cell, public: PublicAssignment) -> tuple[str | None, How]:
    """The question of `public` whose identity `cell` has, and by what."""
    ids = {cell_id(question.id): question.id for question in public.questions}
    if cell.id in ids:
        return ids[cell.id], "cell id"
    return (cell.question, "metadata") if cell.question in ids.values() else (None, "none")


def match_cells(notebook: Notebook, public: PublicAssignment) -> tuple[Match, ...]:
    """Match the notebook's cells to the questions of `public`: one `Match` each, in the order of the questions."""
    sources = survey([cell.source for cell in notebook.cells])
    read = []
    for cell, source in zip(notebook.cells, sources, strict=True):
        claim, how = claimed_question(cell, public)
        read.append(_Read(cell, source, claim, how))
    holders = _holders(read, public)
    return tuple(_match(question, read, holders, notebook, public) for question in public.questions)


def _holders(read: Sequence[_Read], public: PublicAssignment) -> frozenset[int]:
    """Indexes of the cells that assign an answer of the very question whose identity they have."""
    own = {question.id: frozenset(question.answers) for question in public.questions}
    return frozenset(each.index for each in read if each.claim and own[each.claim] & each.source.names)


def _match(
    question: Question, read: Sequence[_Read], holders: frozenset[int], notebook: Notebook, public: PublicAssignment
) -> Match:
    own = frozenset(question.answers)
    claimed = [each for each in read if each.claim == question.id and not each.source.empty]
    holding = [each for each in claimed if each.index in holders]
    others = {name for other in public.questions if other is not question for name in other.answers}
    assigning = [each for each in read if own & each.source.names and each.claim != question.id]
    free = [each for each in assigning if each.index not in holders]
    if holding:
        chosen = [each for each in holding if not _untouched(each.source, question)] or holding
        pick: _Read | None = chosen[-1]
    elif free:
        pick = max(free, key=lambda each: _fitness(each, question, others))
    elif claimed:
        pick = claimed[-1]
    elif assigning:
        pick = max(assigning, key=lambda each: _fitness(each, question, others))
    else:
        pick = None
    changed = _changed(question, notebook)
    if pick is None:
        empty = [each.index for each in read if each.claim == question.id]
        why = f"Its {named(empty)} is empty." if empty else f"No cell has its identity or assigns {_either(own)}."
        return Match(question.id, "changed" if changed else "missing", note=changed or why)
    how: How = pick.how if pick.claim == question.id else "answer name"
    notes = [changed, _rivals(pick, claimed), _elsewhere(pick, assigning, own)]
    untouched = _untouched(pick.source, question)
    state: Literal["answered", "untouched", "changed"] = (
        "changed" if changed else "untouched" if untouched else "answered"
    )
    return Match(question.id, state, pick.index, how, " ".join(note for note in notes if note))


def _fitness(read: _Read, question: Question, others: set[str]) -> tuple[bool, bool, int, int]:
    """Order of cells that have no identity: only this question's, filled in, most of its answers, last."""
    own = frozenset(question.answers)
    return (
        not (others & read.source.names),
        not _untouched(read.source, question),
        len(own & read.source.names),
        read.index,
    )


def _untouched(source: Source, question: Question) -> bool:
    """Whether the cell is the released stub, or leaves every answer that it assigns at `...`."""
    stub = read_source(question.stub).shape
    if stub is not None and source.shape == stub:
        return True
    assigned = source.names.intersection(question.answers)
    return bool(assigned) and assigned <= source.placeholders


def _changed(question: Question, notebook: Notebook) -> str:
    """Why a person must look at this question: the notebook was released with another one, or without it."""
    known = dict(notebook.questions)
    if not known or known.get(question.id) == question.fingerprint:
        return ""
    if question.id in known:
        return "The question has changed since this notebook was released."
    return "The question was added after this notebook was released."


def _rivals(pick: _Read, claimed: Sequence[_Read]) -> str:
    rivals = [each.index for each in claimed if each is not pick]
    if not rivals:
        return ""
    if pick not in claimed:
        return (
            f"{sentence(named([pick.index]))} counts; {named(rivals)} has its identity but assigns none of its answers."
        )
    return f"{sentence(named([*rivals, pick.index]))} have its identity; {named([pick.index])} counts."


def _elsewhere(pick: _Read, assigning: Sequence[_Read], own: frozenset[str]) -> str:
    others = [each for each in assigning if each is not pick]
    if not others:
        return ""
    names = sorted(own & frozenset().union(*(each.source.names for each in others)))
    verb = "assign" if len(others) > 1 else "assigns"
    where = sentence(named(each.index for each in others))
    return f"{where} {verb} {listed(names)} too; what {named([pick.index])} gives counts."


def _either(names: frozenset[str]) -> str:
    return " or ".join(sorted(names))
