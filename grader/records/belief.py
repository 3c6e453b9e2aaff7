"""What mistaken beliefs would answer, and what a wrong answer says of its author's."""

from __future__ import annotations

from typing import Literal

from grader.records.execution import Outcome
from grader.records.values import Record, Value


class Alternative(Record, frozen=True):
    """What an exercise would give if some beliefs were true.

    `ids` are misconceptions (outermost world first) or one mistake that the author foresaw. `outcomes` are laid out as
    in `ExerciseKey`: one for a program, one per case for implement.
    """

    ids: tuple[str, ...]
    outcomes: tuple[Outcome, ...]


class Beliefs(Record, frozen=True):
    """All alternatives to one exercise's key; none of them equals it.

    `singles` are beliefs held alone, `pairs` two at once (None until they were asked for). `values` are what the
    program's own variables held and what its hooks saw and returned, by name, for facts about an answer.
    """

    exercise: str
    singles: tuple[Alternative, ...]
    pairs: tuple[Alternative, ...] | None = None
    values: tuple[tuple[str, Value], ...] = ()


class Separation(Record, frozen=True):
    """An exercise asked otherwise, so that each of some beliefs, and the truth, has an answer of its own.

    `source` and `arguments` are its program's; `changes` says in words what is other than in the exercise:
    "w = [3.0, 1.0]", "`grad ** 2 + 1` in place of `grad**2`".
    """

    source: str
    arguments: str
    changes: tuple[str, ...]


class NamedBelief(Record, frozen=True):
    """One belief as a student reads it: sentences, with code in backquotes.

    `id` is a family, a misconception or a mistake; `members` the misconceptions of the family that fit. `truth`, `page`
    (a documentation page's title), `example`, `prints` and `before` are empty for a mistake that only its author knows.
    """

    id: str
    members: tuple[str, ...]
    belief: str
    truth: str = ""
    page: str = ""
    example: str = ""
    prints: str = ""
    before: str = ""


class Diagnosis(Record, frozen=True):
    """What exactly reproduces a wrong answer.

    `one`: one family of beliefs. `several`: more than one; `question` splits them. `pair`: two beliefs held at once.
    `fact`: no belief, but something certain about the numbers. `none`: nothing that could be said honestly.
    """

    kind: Literal["one", "several", "pair", "fact", "none"]
    misconceptions: tuple[str, ...] = ()
    beliefs: tuple[NamedBelief, ...] = ()
    question: str = ""
    facts: tuple[str, ...] = ()
