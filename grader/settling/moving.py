"""What is different between two grades of one notebook, and between what they were graded by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from grader.records import Basis, Change, ExerciseGrade, Grade, show_points

Before = Mapping[str, Basis]


def moved(old: Grade, new: Grade, reasons: Mapping[str, str]) -> tuple[Change, ...]:
    """The exercises whose score is another one than before, in the assignment's order; those that are gone last.

    What the grader's own fault had held, and now is graded, is no change: it had no grade.

    Args:
        reasons: by exercise, what else it is graded by now.
    """
    before = {each.id: each for each in old.exercises}
    after = {each.id: each for each in new.exercises}
    found = []
    for name in dict.fromkeys([*after, *before]):
        one, other = before.get(name), after.get(name)
        if _has_moved(one, other):
            why = reasons.get(name, "")
            found.append(Change(name, one.score if one else None, other.score if other else None, why))
    return tuple(found)


def _has_moved(old: ExerciseGrade | None, new: ExerciseGrade | None) -> bool:
    if old is None or new is None:
        return old is not new
    if "grader_fault" in (old.verdict, new.verdict):
        return False
    return old.score != new.score


def basis_changes(old: Before, new: Before) -> dict[str, str]:
    """By exercise, in words, what it is graded by now and was not before; only of those that differ."""
    changed = {name: "; ".join(_differences(old.get(name), basis)) for name, basis in new.items()}
    changed |= {name: "it is no longer asked" for name in old if name not in new}
    return {name: why for name, why in changed.items() if why}


def _differences(old: Basis | None, new: Basis) -> Iterator[str]:
    if old is None:
        yield "it is new"
        return
    if old.points != new.points:
        yield f"it gives {show_points(new.points)} points and not {show_points(old.points)}"
    if old.tolerance != new.tolerance:
        yield f"its tolerance is {_tolerance(new)} and not {_tolerance(old)}"
    if old.key != new.key and new.key:
        yield f"its key is {new.key} and not {old.key or 'unknown'}"
    elif old.key != new.key or old.program != new.program:
        yield "its program has changed"
    if old.cases != new.cases:
        yield "its cases have changed"
    if old.torch != new.torch and old.key != new.key and old.program == new.program:
        yield f"torch is {new.torch} and not {old.torch}"


def moved_with_torch(old: Iterable[Basis], new: Mapping[str, Basis]) -> list[str]:
    """The exercises whose program is the same and whose key another torch has changed, a line each."""
    return [
        f"{basis.exercise}: torch {new[basis.exercise].torch} gives {new[basis.exercise].key}, where torch "
        f"{basis.torch} gave {basis.key}"
        for basis in old
        if basis.exercise in new and _by_torch(basis, new[basis.exercise])
    ]


def _by_torch(old: Basis, new: Basis) -> bool:
    return old.torch != new.torch and old.key != new.key and (old.program, old.cases) == (new.program, new.cases)


def _tolerance(basis: Basis) -> str:
    return "the rule for its dtype" if basis.tolerance is None else f"{basis.tolerance:g}"
