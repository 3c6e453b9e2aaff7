"""Released notebooks: valid, deterministic, complete, and without a word that a student must not see."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import nbformat
import pytest
import torch

from grader.answers import compare
from grader.course import load, public_bytes, publish, read_public, solution_notebook, student_notebook
from grader.errors import UsageError
from grader.program import capture, run_probe
from grader.records import Assignment, Exercise, ExerciseKey, Items, PublicAssignment, Raised, Returned, cell_id

Solve = Callable[[Exercise], ExerciseKey]
COURSE = Path(__file__).parents[2] / "solutions"

CANARY = '''
@assignment.implement(points=2)
class Layer(torch.autograd.Function):
    """Write the layer."""

    CANARY_ATTRIBUTE = 1

    @staticmethod
    def forward(ctx, x, scale=2):  # CANARY_head
        """Forward."""
        CANARY_local = x * scale  # CANARY_comment
        return CANARY_local

    @staticmethod
    def backward(ctx, grad):
        def CANARY_inner():
            """CANARY_docstring"""

        return -grad, None

    def _CANARY_private(self):
        return 1


@Layer.probe(
    public=[dict(x=[1.5])],
    hidden=[dict(x=[77.125, 2.0])],
    generated=dict(x=vary([5000.0, 5000.0, 5000.0], low=1000, high=9999)),
    points=1.5,
)
def shown(Layer, x):
    return {"y": Layer.apply(torch.tensor(x)), "twice": 2 * x[0]}


@Layer.probe(hidden=[dict(x=[88.125])])
def nothing_public(Layer, x):
    return Layer.apply(torch.tensor(x))


@Layer.mistake("CANARY_belief")
class CANARY_mistake(torch.autograd.Function):
    pass
'''


@pytest.fixture
def released(solve: Solve) -> Callable[[Assignment], tuple[PublicAssignment, list[ExerciseKey], bytes, bytes]]:
    """(public half, keys, students' notebook, model solution) of an assignment."""

    def release(assignment: Assignment) -> tuple[PublicAssignment, list[ExerciseKey], bytes, bytes]:
        keys = [solve(exercise) for exercise in assignment.exercises]
        public = publish(assignment, keys)
        return public, keys, student_notebook(assignment, public), solution_notebook(assignment, public, keys)

    return release


def cells_of(data: bytes) -> dict[str, str]:
    """Validate a notebook; cell id -> source."""
    notebook = nbformat.reads(data.decode(), as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    cells = {cell.id: cell.source for cell in notebook.cells}
    assert len(cells) == len(notebook.cells)
    return cells


def test_example_notebook_is_valid_and_deterministic(example: Assignment, released: Any) -> None:
    """nbformat 4.5, one cell per question with its stub, and the same bytes every time."""
    _, _, student, solution = released(example)
    assert released(example)[2:] == (student, solution)
    cells = cells_of(student)
    assert cells["question-squaring_hook"] == "x_grad = ..."
    assert cells["question-square"] == (
        'def square(grad):\n    """Write a hook that squares the gradient which passes through it."""\n    ...'
    )
    assert list(cells) == [
        "title",
        "how-to-answer",
        "setup",
        *(
            f"{kind}-{name}"
            for name in ("squaring_hook", "three_tensors", "vector_without_weights", "intermediate", "square")
            for kind in ("prompt", "question")
        ),
        "before-handing-in",
        "self-check",
    ]
    assert student.endswith(b"}\n")
    assert student.decode() == json.dumps(json.loads(student), sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def test_prompt_shows_heading_question_and_program(example: Assignment, released: Any) -> None:
    """Above each answer cell stands all that a student needs."""
    cells = cells_of(released(example)[2])
    assert cells["prompt-squaring_hook"].startswith(
        "### 1. Squaring hook · 2 points\n\nWhat does `x.grad` hold after the backward pass?\n\n```python\nimport "
    )
    assert '- `"twos"`: `[2, 4]`' in cells["prompt-intermediate"]
    assert (
        "- With `x = [1.0, 2.0, 3.0]` and `w = [1.0, 2.0, 1.0]` it must give `x.grad = tensor([3., 18., 7.])`."
    ) in cells["prompt-square"]


def test_metadata_is_the_public_half(example: Assignment, released: Any) -> None:
    """The metadata names assignment, fingerprints and the public half, which reads back as the record."""
    public, _, student, _ = released(example)
    notebook = json.loads(student)
    ours = notebook["metadata"]["autograd_grader"]
    assert sorted(ours) == ["assignment", "fingerprint", "public", "questions"]
    assert msgspec.convert(ours["public"], PublicAssignment) == public
    assert ours["questions"] == {exercise.id: exercise.fingerprint for exercise in example.exercises}
    questions = [cell["metadata"]["autograd_grader"]["question"] for cell in notebook["cells"] if cell["metadata"]]
    assert questions == [exercise.id for exercise in example.exercises]
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert notebook["metadata"]["language_info"] == {"name": "python"}


def test_public_half_reads_back(example: Assignment, released: Any) -> None:
    """The file beside the notebook gives the same record, and other bytes are refused in a sentence."""
    public = released(example)[0]
    data = public_bytes(public)
    assert read_public(data) == public
    assert public_bytes(read_public(data)) == data
    for other in (b"", b"null", b"{}", b"\xff\xfe", data[:-10], b"[" * 100_000):
        with pytest.raises(UsageError, match=r"an assignment's \.public\.json cannot be read .*; get it again"):
            read_public(other)


def test_nothing_private_is_released(lesson: Callable[[str], Assignment], released: Any) -> None:
    """No body, comment, private name, mistake, hidden or drawn case of ours is in what students get."""
    assignment = lesson(CANARY)
    (exercise,) = assignment.exercises
    public, _, student, _ = released(assignment)
    for data in (student, public_bytes(public)):
        assert b"CANARY" not in data
        assert b"77.125" not in data
        assert b"88.125" not in data
        for probe in exercise.probes:
            for case in probe.cases:
                shown = case.arguments.encode() in data
                assert shown == (case.origin == "public"), case
    assert cells_of(student)["question-Layer"] == (
        "class Layer(torch.autograd.Function):\n"
        '    """Write the layer."""\n'
        "\n"
        "    @staticmethod\n"
        "    def forward(ctx, x, scale=2):\n"
        '        """Forward."""\n'
        "        ...\n"
        "\n"
        "    @staticmethod\n"
        "    def backward(ctx, grad):\n"
        "        ..."
    )
    assert [len(probe.cases) for probe in public.questions[0].probes] == [1, 0]
    assert "(0.5 points)" in cells_of(student)["prompt-Layer"]


def test_keys_of_programs_are_not_released(example: Assignment, released: Any) -> None:
    """Of a program, students get the text and not the result."""
    public, _, student, _ = released(example)
    assert b"18" not in student.replace(b"tensor([3., 18., 7.])", b"").split(b'"metadata": {\n  "autograd_grader"')[0]
    assert all(not question.probes for question in public.questions[:4])


def test_expected_outcomes_of_public_cases_are_the_references(example: Assignment, released: Any) -> None:
    """A public case carries what the reference gives for exactly its arguments, whatever cases lie around it."""
    public, _, _, _ = released(example)
    (probe,) = public.questions[4].probes
    (case,) = probe.cases
    assert case.arguments == "{'x': [1.0, 2.0, 3.0], 'w': [1.0, 2.0, 1.0]}"
    assert case.expected == run_probe(probe.program, lambda grad: grad**2, case.arguments)


def test_publish_refuses_keys_that_do_not_fit(example: Assignment, released: Any) -> None:
    """A key of another exercise, or with other cases, is a broken grader and never published."""
    keys = released(example)[1]
    with pytest.raises(ValueError, match="the key of three_tensors was given for squaring_hook"):
        publish(example, [keys[1], keys[0], *keys[2:]])
    short = ExerciseKey("square", keys[4].outcomes[:-1])
    with pytest.raises(ValueError, match="square: the key has 6 outcomes, the exercise 7 cases"):
        publish(example, [*keys[:4], short])


@pytest.mark.parametrize("path", sorted(COURSE.glob("*.py")), ids=lambda path: path.stem)
def test_model_solution_equals_the_key(path: Path, solve: Solve, released: Any) -> None:
    """Each answer of the model solution, run as a cell, compares equal with the key that it was typed from."""
    assignment = load(path, b"k")
    _, keys, student, solution = released(assignment)
    cells = cells_of(solution)
    assert list(cells) == list(cells_of(student))
    namespace: dict[str, Any] = {}
    exec(cells["setup"], namespace)
    for exercise, key in zip(assignment.exercises, keys, strict=True):
        exec(cells[cell_id(exercise.id)], namespace)
        if exercise.kind == "implement":
            cases = [(probe.program, case.arguments) for probe in exercise.probes for case in probe.cases]
            again = tuple(run_probe(program, namespace[exercise.id], arguments) for program, arguments in cases)
            assert again == key.outcomes
            continue
        (outcome,) = key.outcomes
        if isinstance(outcome, Raised):
            assert namespace[exercise.answers[0]] == (outcome.exception if exercise.kind == "raises" else None)
            continue
        assert isinstance(outcome, Returned)
        if exercise.kind == "raises":
            assert namespace[exercise.answers[0]] is None
            continue
        several = len(exercise.answers) > 1 and isinstance(outcome.value, Items)
        values = outcome.value.items if several else (outcome.value,)  # type: ignore[union-attr]
        for name, value in zip(exercise.answers, values, strict=True):
            assert compare(capture(namespace[name]), value).right, (exercise.id, name)


@pytest.mark.parametrize(
    ("returned", "text"),
    [
        ("torch.tensor([0.1, 1e-10, -3.0])", "[0.1, 1e-10, -3.0]"),
        ("torch.tensor([[1, 2], [3, 4]])", "[[1, 2], [3, 4]]"),
        ("torch.tensor(2.5)", "2.5"),
        ("torch.tensor([float('nan'), float('inf'), -float('inf')])", '[float("nan"), float("inf"), float("-inf")]'),
        ("torch.tensor([True, False])", "[True, False]"),
        ("torch.tensor([1 + 2j])", "[(1+2j)]"),
        ("torch.zeros(0, 3)", "torch.zeros((0, 3))"),
        ("torch.zeros(0)", "[]"),
        ("torch.tensor([1 / 3], dtype=torch.float64)", "[0.3333333333333333]"),
        ("torch.tensor([0.1], dtype=torch.float16)", "[0.099975586]"),
        ("torch.tensor([0.1], dtype=torch.bfloat16)", "[0.100097656]"),
        ("None", "None"),
        ("[None, 1, [2.0]]", "[None, 1, [2.0]]"),
        ("float('nan')", 'float("nan")'),
        ("10**30", "1000000000000000000000000000000"),
        ("True", "True"),
    ],
)
def test_answers_are_typed_as_a_student_would(
    lesson: Callable[[str], Assignment], solve: Solve, released: Any, returned: str, text: str
) -> None:
    """Numbers keep their digits, NaN and infinity their names, shapes their brackets: and all compare equal."""
    assignment = lesson(f'@assignment.predict("a", points=1)\ndef first():\n    """Prompt."""\n    return {returned}\n')
    _, keys, _, solution = released(assignment)
    source = cells_of(solution)["question-first"]
    assert source == f"a = {text}"
    outcome = keys[0].outcomes[0]
    assert isinstance(outcome, Returned)
    value = eval(compile(ast.parse(source.removeprefix("a = "), mode="eval"), "<a>", "eval"), {"torch": torch})
    assert compare(capture(value), outcome.value).right


def test_names_and_strings_are_typed(lesson: Callable[[str], Assignment], released: Any) -> None:
    """Lists of names, choices, exceptions and several answers are typed under their own names."""
    assignment = lesson('''
        @assignment.predict("a", "b", points={"a": 1, "b": 0.5})
        def several():
            """Prompt."""
            return torch.tensor([1.0]), None

        @assignment.order("c", points=1)
        def ordered():
            """Prompt."""
            return ["x", 'say "y"']

        @assignment.raises("d", points=1)
        def raising():
            """Prompt."""
            raise TypeError("no")

        @assignment.raises("e", points=1)
        def quiet():
            """Prompt."""
            return 3

        @assignment.choice("g", points=1, options={"k": "kay", "l": "ell"})
        def chosen():
            """Prompt."""
            return "l"
    ''')
    _, _, student, solution = released(assignment)
    cells = cells_of(solution)
    assert cells["question-several"] == "a = [1.0]\nb = None"
    assert cells["question-ordered"] == 'c = ["x", \'say "y"\']'
    assert cells["question-raising"] == 'd = "TypeError"'
    assert cells["question-quiet"] == "e = None"
    assert cells["question-chosen"] == 'g = "l"'
    assert cells_of(student)["question-several"] == "a = ...\nb = ..."
    assert "in this order: `a` (1 point), `b` (0.5 points)." in cells["prompt-several"]


def test_odd_docstrings_survive_in_a_stub(lesson: Callable[[str], Assignment], released: Any) -> None:
    """Backslashes, quotes and blank lines of a docstring reach the stub, which stays valid Python."""
    texts = ["One \\\\ two.", 'Ends in a quote "', "First.\n\n    Second \\\\n third.", "Has ''' in it."]
    for text in texts:
        assignment = lesson(_implemented(text))
        stub = cells_of(released(assignment)[2])["question-f"]
        (node,) = ast.parse(stub).body
        assert isinstance(node, ast.FunctionDef)
        assert ast.get_docstring(node) == assignment.exercises[0].prompt


def _implemented(text: str) -> str:
    quoted = repr(text.replace("\\\\", "\\")) if text.endswith('"') else f'"""{text}"""'
    return (
        f"@assignment.implement(points=1)\ndef f(x):\n    {quoted}\n    return x\n\n\n"
        "@f.probe(public=[dict(x=1)])\ndef one(f, x):\n    return f(x)\n"
    )


def test_long_names_get_valid_cell_ids(lesson: Callable[[str], Assignment], released: Any) -> None:
    """Ids that nbformat would refuse are cut; each question keeps a cell of its own."""
    names = ["a" * 80, "a" * 81, "größe"]
    assignment = lesson(
        "\n\n".join(
            f'@assignment.predict("x{number}", points=1)\ndef {name}():\n    """Prompt."""\n    return 1\n'
            for number, name in enumerate(names)
        )
    )
    cells = cells_of(released(assignment)[2])
    assert [cells[cell_id(name)] for name in names] == ["x0 = ...", "x1 = ...", "x2 = ..."]


def test_files_are_named_and_travel(write: Callable[[str], Path], released: Any) -> None:
    """Data files are named in the first cell and are in the public half."""
    path = write('@assignment.predict("a", points=1)\ndef first():\n    """Prompt."""\n    return 1\n')
    path.write_text(path.read_text().replace('Assignment("lesson")', 'Assignment("lesson", data=["w.csv"])'))
    (path.parent / "w.csv").write_bytes(b"\x00\xff")
    public, _, student, _ = released(load(path, b"k"))
    assert "Keep these files beside the notebook: `w.csv`." in cells_of(student)["title"]
    assert read_public(public_bytes(public)).files[0].data == b"\x00\xff"


def test_self_check_is_harmless(example: Assignment, released: Any) -> None:
    """The last cell is a comment until the student wants it: it runs where the package is missing."""
    source = cells_of(released(example)[2])["self-check"]
    assert ast.parse(source).body == []
    assert "# from grader.notebook import check\n# check()" in source
