"""Judging the named answers of one exercise (all kinds but `implement`): one part per answer name."""

from __future__ import annotations

from decimal import Decimal

from grader.answers import Comparison, compare_answer
from grader.errors import ReferenceFault
from grader.records import (
    ZERO,
    Blank,
    Exercise,
    ExerciseKey,
    Items,
    Nothing,
    Outcome,
    Part,
    Raised,
    Returned,
    Text,
    Value,
    Verdict,
)


def answer_parts(
    exercise: Exercise, key: ExerciseKey, answers: dict[str, Value], broken: bool
) -> tuple[tuple[Part, str], ...]:
    """Judge each named answer.

    Args:
        answers: what was captured right after the exercise's own cell.
        broken: whether the child's channel broke: then what is absent is for a person, not "not answered".

    Returns: per answer name, in order, the part and a clause on it that fits a table.
    """
    keys = expected_answers(exercise, key)
    rows = zip(exercise.answers, exercise.credit, keys, strict=True)
    return tuple(_answer_part(exercise, name, credit, one, answers.get(name), broken) for name, credit, one in rows)


def expected_answers(exercise: Exercise, key: ExerciseKey) -> tuple[Outcome, ...]:
    """The key of each answer name, in order, taken apart where the program returns a tuple of several.

    Raises: `ReferenceFault` if the key does not fit the exercise.
    """
    if len(key.outcomes) != 1:
        raise ReferenceFault(f"exercise {exercise.id!r} has {len(key.outcomes)} keys instead of one")
    outcome = key.outcomes[0]
    if exercise.kind == "raises":
        if not isinstance(outcome, (Raised, Returned)):
            raise ReferenceFault(f"the reference of exercise {exercise.id!r} gave no result: {outcome.reason}")
        return (outcome,)
    if not isinstance(outcome, Returned):
        what = f"raised {outcome.exception}" if isinstance(outcome, Raised) else f"gave no result: {outcome.reason}"
        raise ReferenceFault(f"the reference of exercise {exercise.id!r} {what}")
    if len(exercise.answers) == 1:
        return (outcome,)
    value = outcome.value
    if not isinstance(value, Items) or len(value.items) != len(exercise.answers):
        raise ReferenceFault(f"the key of exercise {exercise.id!r} is not one value for each of its answers")
    return tuple(Returned(item) for item in value.items)


def _answer_part(
    exercise: Exercise, name: str, credit: Decimal, key: Outcome, given: Value | None, broken: bool
) -> tuple[Part, str]:
    shown = key if exercise.show_key else None

    def part(verdict: Verdict, message: str, brief: str) -> tuple[Part, str]:
        score = credit if verdict == "right" else ZERO
        return Part(name, verdict, score, credit, message, given, shown), brief

    if given is None and broken:
        return part("needs_person", "It did not arrive: the notebook's process broke the channel.", "it did not arrive")
    if given is None:
        return part("not_answered", f"Your cell never assigns `{name}`.", f"your cell never assigns `{name}`")
    if isinstance(given, Blank):
        return part("not_answered", f"`{name}` is still `...`.", f"`{name}` is still `...`")
    comparison = compare_part(exercise, given, key)
    return part("right" if comparison.right else "wrong", comparison.message, comparison.brief)


def compare_part(exercise: Exercise, given: Value, key: Outcome) -> Comparison:
    """Compare one named answer with its key, as taken apart by `expected_answers`.

    Raises: `ReferenceFault` if the key is not one of this kind.
    """
    if exercise.kind == "raises":
        expected: Value = Text(key.exception) if isinstance(key, Raised) else Nothing()
    else:
        assert isinstance(key, Returned), "expected_answers let nothing else through"
        expected = key.value
    options = tuple(option for option, _ in exercise.options)
    return compare_answer(exercise.kind, given, expected, options, exercise.tolerance)
