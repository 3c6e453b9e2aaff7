"""What can be wrong with an exercise once its program has run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load, verify
from grader.records import Assignment, Exercise, ExerciseKey, NotRun

Solve = Callable[[Exercise], ExerciseKey]


def predict(returned: str, names: str = '"a"') -> str:
    return f'@assignment.predict({names}, points=1)\ndef first():\n    """Prompt."""\n    return {returned}\n'


def other(kind: str, body: str, more: str = "") -> str:
    return f'@assignment.{kind}("a", points=1{more})\ndef first():\n    """Prompt."""\n    {body}\n'


def implement(reference: str, probe: str = "f(x)") -> str:
    return (
        f'@assignment.implement(points=1)\ndef first(x):\n    """Prompt."""\n    {reference}\n\n\n'
        f"@first.probe(public=[dict(x=2), dict(x=1)])\ndef one(f, x):\n    return {probe}\n"
    )


OPTIONS = ', options={"x": "ex", "y": "why"}'
NUMBERS = "return numbers, or ask with `.choice`, `.order` or `.raises`"

WRONG = {
    "predict raises": (
        predict("1 / 0"),
        ["raised ZeroDivisionError: division by zero; mend the program, or ask for the exception with `.raises`"],
    ),
    "predict returns a string": (predict('"18"'), [f"returns the string '18' for `a`; {NUMBERS}"]),
    "predict returns a list with a string": (predict('[1, "2"]'), [f"returns the string '2' for `a`; {NUMBERS}"]),
    "predict returns a function": (
        predict("len"),
        ["returns something for `a` that cannot be read, it is a function, not a value; return a tensor or a number"],
    ),
    "predict returns a dict": (
        predict('{"x": 1}'),
        ["returns {'x': 1} for `a`; return a tensor, a number, a list of them, or None"],
    ),
    "predict returns the placeholder": (
        predict("..."),
        ["returns ... for `a`; return a tensor, a number, a list of them, or None"],
    ),
    "one value for two answers": (
        predict("[1, 2]", '"a", "b"'),
        ["returns [1, 2] for 2 answers; return a tuple of 2, in their order"],
    ),
    "three values for two answers": (
        predict("1, 2, 3", '"a", "b"'),
        ["returns a tuple of 3 for 2 answers (a, b); return one value for each"],
    ),
    "two values for one answer": (
        predict("1, 2"),
        ["returns a tuple of 2 for 1 answer (a); return one value for each"],
    ),
    "a tuple for one answer": (predict("(1,)"), ["returns a tuple for 1 answer; return the value itself, or a list"]),
    "two bad answers": (
        predict('"p", "q"', '"a", "b"'),
        [f"returns the string 'p' for `a`; {NUMBERS}", f"returns the string 'q' for `b`; {NUMBERS}"],
    ),
    "order returns numbers": (
        other("order", "return [1, 2]"),
        ["returns [1, 2]; an `order` program returns a list of names, which are strings"],
    ),
    "order returns a string": (
        other("order", 'return "xyz"'),
        ["returns 'xyz'; an `order` program returns a list of names, which are strings"],
    ),
    "order returns a set": (
        other("order", 'return {"x"}'),
        ["returns {'x'}; an `order` program returns a list of names, which are strings"],
    ),
    "choice returns no option": (
        other("choice", 'return "z"', OPTIONS),
        ["returns 'z', which is none of its options; return one of 'x', 'y'"],
    ),
    "choice raises": (
        other("choice", 'raise ValueError("no\\nway")', OPTIONS),
        ["raised ValueError: no way; mend the program, or ask for the exception with `.raises`"],
    ),
    "probe raises": (
        implement("return 1 / (x - 1)"),
        [
            "the probe `one` with {'x': 1}: raised ZeroDivisionError: division by zero; "
            "mend the probe, the case or the reference"
        ],
    ),
    "probe returns a function": (
        implement("return x", '[{"hook": f}]'),
        [
            f"the probe `one` with {{'x': {x}}}: returns something that cannot be compared, "
            "it is a function, not a value; return values"
            for x in (1, 2)
        ],
    ),
    "probe with nothing in every case": (
        implement("return None"),
        [
            "the probe `one` gives None or an empty dict in every case, as code that does nothing would; "
            "return what the student's code computes"
        ],
    ),
    "probe with nothing or an empty dict": (
        implement("return None if x == 1 else {}"),
        [
            "the probe `one` gives None or an empty dict in every case, as code that does nothing would; "
            "return what the student's code computes"
        ],
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_key_is_named_with_its_mend(lesson: Callable[[str], Assignment], solve: Solve, name: str) -> None:
    """The message names file, line, exercise, what the reference did and what to do."""
    body, expected = WRONG[name]
    (exercise,) = lesson(body).exercises
    found = verify(exercise, solve(exercise), "lesson.py")
    assert found == tuple(f"lesson.py:14: first: {text}" for text in expected)


@pytest.mark.parametrize(
    "body",
    [
        predict("torch.tensor([1.0])"),
        predict("None"),
        predict("float('nan')"),
        predict("torch.tensor([float('inf')])"),
        predict("[1, None, [2.0, True]]"),
        predict("1, None", '"a", "b"'),
        predict("torch.ones(2), [1, 2]", '"a", "b"'),
        other("order", 'return ["x", "x"]'),
        other("order", 'return ("x",)'),
        other("order", "return []"),
        other("raises", "raise ValueError"),
        other("raises", "return object()"),
        other("choice", 'return "x"', OPTIONS),
        implement("return None if x == 1 else x"),
        implement("return []"),
        implement("return 'text'"),
        implement("return x", '{"a": [f(x), "b"], "c": torch.ones(1)}'),
    ],
)
def test_fine_key_has_no_problem(lesson: Callable[[str], Assignment], solve: Solve, body: str) -> None:
    """Whatever can be compared is a key: tensors, None, NaN, infinity, lists; and `raises` is fine either way."""
    (exercise,) = lesson(body).exercises
    assert verify(exercise, solve(exercise), "lesson.py") == ()


@pytest.mark.parametrize("body", [predict("1"), other("raises", "pass"), other("order", "return []")])
def test_program_without_a_result_is_named(lesson: Callable[[str], Assignment], body: str) -> None:
    """A reference that was stopped is the author's to mend, `raises` included."""
    (exercise,) = lesson(body).exercises
    key = ExerciseKey("first", (NotRun("timed_out", "it ran for more than 5 s"),))
    assert verify(exercise, key, "lesson.py") == (
        "lesson.py:14: first: gave no result (it ran for more than 5 s); "
        "make it smaller, or raise the assignment's limits",
    )


def test_probe_without_a_result_is_named(lesson: Callable[[str], Assignment]) -> None:
    """A probe that was stopped is named with its case."""
    (exercise,) = lesson(implement("return x")).exercises
    key = ExerciseKey("first", (NotRun("died", "it crashed"),) * 2)
    assert verify(exercise, key, "lesson.py")[0] == (
        "lesson.py:14: first: the probe `one` with {'x': 1}: gave no result (it crashed); "
        "mend the probe, the case or the reference"
    )


def test_shipped_course_is_fine(solve: Solve) -> None:
    """Every exercise that we ship loads and has a key without a problem."""
    paths = sorted((Path(__file__).parents[2] / "solutions").glob("*.py"))
    assert len(paths) >= 4
    for path in paths:
        for exercise in load(path, b"k").exercises:
            assert verify(exercise, solve(exercise), path.name) == ()
