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
            sides: what is confused; a reason for all of one side is enough.
        """
        found = [names for side in sides if (names := self._names(side))]
        self._needed.update(name for names in found for name in names)
        reason = " ".join(dict.fromkeys(self._written[name] for name in found[0])) if found else ""
        return Finding(kind, tuple(ids), text, cure, reason, open=not found)

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
