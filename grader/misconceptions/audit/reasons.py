"""The reasons that an author wrote into `blind_to`, and what each of them excuses."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import Literal

from grader.misconceptions.audit import wording
from grader.misconceptions.catalogue import CATALOGUE, FAMILIES, family_of
from grader.records import Exercise, Finding


class Reasons:
    """Looks reasons up, and remembers which were needed."""

    def __init__(self, exercise: Exercise) -> None:
        self._written = dict(exercise.blind_to)
        self._mistakes = {mistake.id for mistake in exercise.mistakes}
        self._needed: set[str] = set()

    def excuse(
        self,
        kind: Literal["blind", "merged"],
        ids: Sequence[str],
        sides: Sequence[Sequence[str]],
        text: str,
        cure: str,
    ) -> Finding:
        """The finding, with the author's reason; open where there is none.

        Args:
            sides: the beliefs, by family, that share an answer: among themselves, or (`blind`) with the truth. Each
                needs a reason; of those that share a wrong answer one may do without.
        """
        found = [self._names(side) for side in sides]
        missing = sum(1 for names in found if not names)
        names = list(dict.fromkeys(name for each in found for name in each))
        self._needed.update(names)
        reason = " ".join(dict.fromkeys(self._written[name] for name in names))
        needed = missing > (1 if kind == "merged" else 0)
        return Finding(kind, tuple(ids), text, cure, reason, needed, tuple(map(wording.common_id, sides)))

    def left_over(self) -> Iterator[Finding]:
        """The ids that are none, and those that excuse nothing."""
        known = {*CATALOGUE, *FAMILIES, *self._mistakes}
        for name in self._written:
            if name not in known:
                near = difflib.get_close_matches(name, sorted(known), 2)
                yield Finding("unknown", (name,), wording.unknown_text(name, near), open=True)
            elif name not in self._needed:
                yield Finding("unneeded", (name,), wording.unneeded_text(name))

    def _names(self, side: Sequence[str]) -> list[str]:
        """The written ids that excuse all of one side; none where one of its members is not excused."""
        names = []
        for each in side:
            kin = family_of(each).id if each in CATALOGUE else each
            name = next((name for name in (each, kin) if name in self._written), None)
            if name is None:
                return []
            names.append(name)
        return list(dict.fromkeys(names))
