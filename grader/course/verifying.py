"""What is wrong with an exercise and can be seen only once torch has computed its key."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from grader.course.problems import problem
from grader.course.publishing import probe_outcomes
from grader.records import (
    Array,
    Exercise,
    ExerciseKey,
    Items,
    Nothing,
    NotRun,
    Number,
    Outcome,
    Raised,
    Returned,
    Table,
    Text,
    Unreadable,
    Value,
    plain,
    show,
)


def verify(exercise: Exercise, key: ExerciseKey, file: str) -> tuple[str, ...]:
    """Check that the reference gives something that can be a key.

    Args:
        key: what the reference worker computed for this exercise.
        file: the solutions file's name, for messages.

    Returns: problems, each "file:line: exercise: what is wrong; what to do". NaN and infinity are no problem.
    """
    if exercise.kind == "implement":
        found = list(_implement(exercise, key))
    else:
        (outcome,) = key.outcomes
        check = {"predict": _predict, "order": _order, "raises": _raises, "choice": _choice}[exercise.kind]
        found = list(check(exercise, outcome))
    return tuple(problem(file, exercise.line, exercise.id, what) for what in found)


def _predict(exercise: Exercise, outcome: Outcome) -> Iterator[str]:
    value = yield from _returned(outcome)
    if value is None:
        return
    count = len(exercise.answers)
    pair = isinstance(value, Items) and value.kind == "tuple"
    if count == 1 and not pair:
        yield from _numeric(exercise.answers[0], value)
    elif not isinstance(value, Items) or value.kind != "tuple":
        yield f"returns {show(value, 80)} for {count} answers; return a tuple of {count}, in their order"
    elif len(value.items) != count:
        names = ", ".join(exercise.answers)
        yield f"returns a tuple of {len(value.items)} for {_answers(count)} ({names}); return one value for each"
    elif count == 1:
        yield "returns a tuple for 1 answer; return the value itself, or a list"
    else:
        for name, item in zip(exercise.answers, value.items, strict=True):
            yield from _numeric(name, item)


def _order(exercise: Exercise, outcome: Outcome) -> Iterator[str]:
    value = yield from _returned(outcome)
    if value is None:
        return
    ordered = isinstance(value, Items) and value.kind != "set"
    if not ordered or not all(isinstance(item, Text) for item in value.items):  # type: ignore[union-attr]
        yield f"returns {show(value, 80)}; an `order` program returns a list of names, which are strings"


def _raises(exercise: Exercise, outcome: Outcome) -> Iterator[str]:
    if isinstance(outcome, NotRun):
        yield from _returned(outcome)


def _choice(exercise: Exercise, outcome: Outcome) -> Iterator[str]:
    value = yield from _returned(outcome)
    keys = [key for key, _ in exercise.options]
    if value is not None and not (isinstance(value, Text) and value.text in keys):
        yield f"returns {show(value, 80)}, which is none of its options; return one of {', '.join(map(repr, keys))}"


def _implement(exercise: Exercise, key: ExerciseKey) -> Iterator[str]:
    for probe, outcomes in probe_outcomes(exercise, key):
        if outcomes and all(_says_nothing(outcome) for outcome in outcomes):
            what = f"the probe `{probe.program.name}` gives None or an empty dict in every case"
            yield f"{what}, as code that does nothing would; return what the student's code computes"
        for case, outcome in zip(probe.cases, outcomes, strict=True):
            where = f"the probe `{probe.program.name}` with {case.arguments}"
            if isinstance(outcome, Raised):
                yield f"{where}: {_raised(outcome)}; mend the probe, the case or the reference"
            elif isinstance(outcome, NotRun):
                yield f"{where}: gave no result ({plain(outcome.reason)}); mend the probe, the case or the reference"
            else:
                for reason in _unreadable(outcome.value):
                    yield f"{where}: returns something that cannot be compared, {plain(reason)}; return values"


def _says_nothing(outcome: Outcome) -> bool:
    value = outcome.value if isinstance(outcome, Returned) else None
    return isinstance(value, Nothing) or (isinstance(value, Table) and not value.items)


def _returned(outcome: Outcome) -> Generator[str, None, Value | None]:
    """Yield the problem if there is no value; return the value (for `yield from`)."""
    if isinstance(outcome, Returned):
        return outcome.value
    if isinstance(outcome, Raised):
        yield f"{_raised(outcome)}; mend the program, or ask for the exception with `.raises`"
    else:
        yield f"gave no result ({plain(outcome.reason)}); make it smaller, or raise the assignment's limits"
    return None


def _numeric(name: str, value: Value) -> Iterator[str]:
    """The answer must be numbers: a tensor, a number, `None`, or lists of those."""
    if isinstance(value, (Array, Number, Nothing)):
        return
    if isinstance(value, Items) and value.kind != "set":
        for item in value.items:
            yield from _numeric(name, item)
    elif isinstance(value, Text):
        mend = "return numbers, or ask with `.choice`, `.order` or `.raises`"
        yield f"returns the string {show(value, 60)} for `{name}`; {mend}"
    elif isinstance(value, Unreadable):
        yield f"returns something for `{name}` that cannot be read, {plain(value.reason)}; return a tensor or a number"
    else:
        yield f"returns {show(value, 60)} for `{name}`; return a tensor, a number, a list of them, or None"


def _unreadable(value: Value) -> Iterator[str]:
    if isinstance(value, Unreadable):
        yield value.reason
    elif isinstance(value, Items):
        for item in value.items:
            yield from _unreadable(item)
    elif isinstance(value, Table):
        for _, item in value.items:
            yield from _unreadable(item)


def _raised(outcome: Raised) -> str:
    message = plain(outcome.message)
    return f"raised {plain(outcome.exception)}: {message[:200]}" if message else f"raised {plain(outcome.exception)}"


def _answers(count: int) -> str:
    return "1 answer" if count == 1 else f"{count} answers"
