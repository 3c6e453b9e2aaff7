"""Every load error names file, line, exercise and the mend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load
from grader.errors import CourseError

GOOD = '''
    """Prompt."""
    return 1
'''
PROBE = """
@f.probe(public=[dict(x=1)])
def one(f, x):
    return f(x)
"""

# (name, the file from line 13 on, the problems behind "lesson.py:")
EXERCISES: list[tuple[str, str, list[str]]] = [
    (
        "duplicate exercise",
        f'@assignment.predict("a", points=1)\ndef first():{GOOD}\n'
        f'@assignment.predict("b", points=1)\ndef first():{GOOD}',
        ["19: first: has the same name as the exercise in line 14; rename one of them"],
    ),
    (
        "duplicate answer",
        f'@assignment.predict("a", points=1)\ndef first():{GOOD}\n'
        f'@assignment.predict("a", points=1)\ndef second():{GOOD}',
        ["19: second: has the answer name `a`, as `first` has; rename one of them"],
    ),
    (
        "duplicate answer in one exercise",
        f'@assignment.predict("a", "a", points=1)\ndef first():{GOOD}',
        ["14: first: has the answer name `a` twice; rename one of them"],
    ),
    (
        "an answer called as a function to write",
        f'@assignment.predict("f", points=1)\ndef first():{GOOD}\n'
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}",
        ["19: f: has the answer name `f`, as `first` has; rename one of them"],
    ),
    (
        "name from the module",
        'LIMIT = 3\n\n@assignment.predict("a", points=1)\ndef first():\n    """Prompt."""\n    return LIMIT\n',
        [
            "18: first: uses `LIMIT`, which is defined outside of it; move it into the function "
            "(only its parameters, torch and builtins go with it)"
        ],
    ),
    (
        "import of the module",
        'import math\n\n@assignment.predict("a", points=1)\ndef first():\n    """Prompt."""\n    return math.pi\n',
        [
            "18: first: uses `math`, which is imported outside of it; write `import math` inside the function "
            "(only its parameters, torch and builtins go with it)"
        ],
    ),
    (
        "name from nowhere, in a lambda in a comprehension",
        '@assignment.predict("a", points=1)\n'
        'def first():\n    """Prompt."""\n    return [(lambda: i + j)() for i in range(2)]\n',
        [
            "16: first: uses `j`, which is defined nowhere; define it inside the function "
            "(only its parameters, torch and builtins go with it)"
        ],
    ),
    (
        "annotation from the module",
        'Tensor = torch.Tensor\n@assignment.implement(points=1)\ndef f(x: Tensor):\n    """Prompt."""\n    return x\n'
        + PROBE,
        [
            "15: f: uses `Tensor`, which is defined outside of it; move it into the function "
            "(only its parameters, torch and builtins go with it)"
        ],
    ),
    (
        "class that needs the module",
        "from torch import nn\n\n@assignment.implement(points=1)\nclass f(nn.Module):\n"
        '    """Prompt."""\n    def forward(self, x):\n        return LOST\n' + PROBE,
        [
            "16: f: uses `nn`, which is imported outside of it; write `from torch import nn` "
            "inside the method that uses it "
            "(only its parameters, torch and builtins go with it)",
            "19: f: uses `LOST`, which is defined nowhere; define it inside the method that uses it "
            "(only its parameters, torch and builtins go with it)",
        ],
    ),
    (
        "parameter without a default",
        '@assignment.predict("a", points=1)\ndef first(w):\n    """Prompt."""\n    return w\n',
        ["14: first: parameter `w`: has no default; write what the program is called with: w=[1.0, 2.0]"],
    ),
    (
        "default that is no literal",
        '@assignment.predict("a", points=1)\n'
        'def first(w=torch.ones(2), v=float("nan")):\n    """Prompt."""\n    return w\n',
        [
            "14: first: parameter `v`: has a default that is no plain literal; "
            "give numbers or lists, and build tensors inside",
            "14: first: parameter `w`: has a default that is no plain literal; "
            "give numbers or lists, and build tensors inside",
        ],
    ),
    (
        "star parameters",
        '@assignment.predict("a", points=1)\ndef first(*w):\n    """Prompt."""\n    return w\n',
        ["14: first: takes *args, **kwargs or positional-only parameters; name each parameter plainly: w=[1.0, 2.0]"],
    ),
    (
        "vary with low above high",
        '@assignment.predict("a", points=1)\n'
        'def first(w=vary([1], low=3, high=-3)):\n    """Prompt."""\n    return w\n',
        ["14: first: parameter `w`: vary has low=3 above high=-3; swap them"],
    ),
    (
        "vary with a default outside",
        '@assignment.predict("a", points=1)\n'
        'def first(w=vary([1, 7], low=-3, high=3)):\n    """Prompt."""\n    return w\n',
        ["14: first: parameter `w`: vary has a default of 7 outside low=-3 and high=3; widen the bounds"],
    ),
    ("no points", f'@assignment.predict("a")\ndef first():{GOOD}', ["14: first: has no points; add points=1"]),
    (
        "points 0",
        f'@assignment.predict("a", points=0)\ndef first():{GOOD}',
        ["14: first: has points=0; give a number more than 0, such as points=1.5"],
    ),
    (
        "points below 0",
        f'@assignment.order("a", points=-1.5)\ndef first():{GOOD}',
        ["14: first: has points=-1.5; give a number more than 0, such as points=1.5"],
    ),
    (
        "points that are none",
        f'@assignment.order("a", points=True)\ndef first():{GOOD}',
        ["14: first: has points=True; give a number more than 0, such as points=1.5"],
    ),
    (
        "points that are not a number",
        f'@assignment.order("a", points=float("nan"))\ndef first():{GOOD}',
        ["14: first: has points=nan; give a number more than 0, such as points=1.5"],
    ),
    (
        "points too fine",
        f'@assignment.predict("a", points=0.125)\ndef first():{GOOD}',
        ["14: first: has points=0.125; give at most 2 decimals, such as points=0.12"],
    ),
    (
        "points too few to share",
        f'@assignment.predict("a", "b", points=0.01)\ndef first():{GOOD}',
        ["14: first: has 0.01 points for 2 parts; give at least 0.02"],
    ),
    (
        "credit for other names",
        f'@assignment.predict("a", "b", points={{"a": 1, "c": 1}})\ndef first():{GOOD}',
        ['14: first: has points for `a`, `c`, but its answers are `a`, `b`; write points={"a": 1, "b": 1}'],
    ),
    (
        "answer name that is none",
        f'@assignment.predict("x.grad", points=1)\ndef first():{GOOD}',
        ["14: first: has the answer name 'x.grad', which is no Python name; write one such as x_grad"],
    ),
    (
        "answer name that is a keyword",
        f'@assignment.raises("lambda", points=1)\ndef first():{GOOD}',
        ["14: first: has the answer name 'lambda', which is no Python name; write one such as x_grad"],
    ),
    (
        "answer name of a builtin",
        f'@assignment.predict("sum", "torch", points=1)\ndef first():{GOOD}',
        [
            "14: first: has the answer name `sum`, which would hide Python's or torch's own; choose another one",
            "14: first: has the answer name `torch`, which would hide Python's or torch's own; choose another one",
        ],
    ),
    (
        "no answer name",
        f"@assignment.predict(points=1)\ndef first():{GOOD}",
        ['14: first: has no answer name; write @assignment.predict("x_grad", points=1)'],
    ),
    (
        "function to write with a builtin's name",
        f"@assignment.implement(points=1)\ndef abs(x):{GOOD}{PROBE}".replace("@f.", "@abs."),
        ["14: abs: would hide Python's or torch's own name; choose another one"],
    ),
    (
        "no docstring",
        '@assignment.predict("a", points=1)\ndef first():\n    return 1\n',
        ["14: first: has no docstring, so students would see no question; write one below its first line"],
    ),
    (
        "nothing but a docstring",
        '@assignment.predict("a", points=1)\ndef first():\n    """Prompt."""\n',
        ["14: first: has nothing below its docstring; write the program"],
    ),
    (
        "docstring beside code",
        '@assignment.predict("a", points=1)\ndef first():\n    """Prompt."""; return 1\n',
        ["14: first: shares a line with its docstring; put the docstring on lines of its own"],
    ),
    (
        "one option",
        f'@assignment.choice("a", points=1, options={{"x": "ex"}})\ndef first():{GOOD}',
        ["14: first: has fewer than 2 options; give at least two"],
    ),
    (
        "no options",
        f'@assignment.choice("a", points=1)\ndef first():{GOOD}',
        ['14: first: has no usable options; give a dict of strings: options={"ones": "all ones", "none": "`None`"}'],
    ),
    (
        "implement without a probe",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}",
        ["14: f: has no probe, so nothing would check it; add @f.probe(public=[...]) above a `def`"],
    ),
    (
        "implement with a dict of points",
        f'@assignment.implement(points={{"one": 1}})\ndef f(x):{GOOD}{PROBE}',
        ["14: f: has a dict of points; give points to its probes instead: .probe(..., points=1)"],
    ),
    (
        "probe points that do not add up",
        f"@assignment.implement(points=3)\ndef f(x):{GOOD}{PROBE}".replace("x=1)]", "x=1)], points=2"),
        ["14: f: has 3.00 points, but its probes add up to 2.00; make the two agree"],
    ),
    (
        "case with other parameters",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace("dict(x=1)", "dict(x=1), dict(y=1), 3"),
        [
            "18: f.one: has a public case (number 2) with `y`; give exactly dict(x=...)",
            "18: f.one: has a public case (number 3) with 3; give exactly dict(x=...)",
        ],
    ),
    (
        "case that is no literal",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace(
            "x=1)]", "x=1)], hidden=[dict(x=vary(1, 0, 2))]"
        ),
        [
            "18: f.one: has a hidden case (number 1) whose `x` is no plain literal; "
            "give numbers, strings, lists or dicts; varied numbers belong in generated="
        ],
    ),
    (
        "cases that are no list",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace("[dict(x=1)]", "dict(x=1)"),
        ["18: f.one: has public={'x': 1}; give a list of dicts: public=[dict(...)]"],
    ),
    (
        "no case",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace("public=[dict(x=1)]", ""),
        ["18: f.one: has no case; give it some: public=[dict(x=[1.0, 2.0])]"],
    ),
    (
        "generated without the parameter",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace("public=[dict(x=1)]", "generated=dict()"),
        ["18: f.one: has generated arguments with nothing; give exactly dict(x=...)"],
    ),
    (
        "generated from a tensor",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace(
            "public=[dict(x=1)]", "generated=dict(x=torch.ones(1))"
        ),
        [
            "18: f.one: has generated arguments whose `x` is neither a plain literal nor a vary; "
            "write x=vary([1.0, 2.0], low=-3, high=3)"
        ],
    ),
    (
        "generated with a bad step",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace(
            "public=[dict(x=1)]", "generated=dict(x=vary(1, 0, 2, step=0))"
        ),
        ["18: f.one: `x`: vary has step=0; give a positive one"],
    ),
    (
        "draws",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace(
            "public=[dict(x=1)]", "generated=dict(x=vary(1, 0, 2)), draws=0"
        ),
        ["18: f.one: has draws=0; give a whole number from 1 to 100"],
    ),
    (
        "probe that takes no function",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace("one(f, x)", "one()"),
        [
            "19: f.one: needs plain parameters: the student's function first, then one per argument of its cases, "
            "such as def one(hook, x)"
        ],
    ),
    (
        "probe with a default",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace("one(f, x)", "one(f, x=1)"),
        ["19: f.one: has parameters with defaults; give every argument in each case instead"],
    ),
    (
        "probe that needs the module",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}".replace("f(x)\n", "assignment\n"),
        [
            "20: f.one: uses `assignment`, which is defined outside of it; move it into the function "
            "(only its parameters, torch and builtins go with it)"
        ],
    ),
    (
        "two probes with one name",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}{PROBE}",
        ["14: f: has two probes called `one`; rename one of them"],
    ),
    (
        "probe of nothing",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}\nf.probe(public=[dict(x=1)])\n",
        ["18: f: has a .probe(...) that decorates nothing; write @f.probe(...) above a `def`"],
    ),
    (
        "probe that is a lambda",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}\nf.probe(public=[dict(x=1)])(lambda f, x: f(x))\n",
        ["18: f: has a .probe(...) that does not decorate a `def`; put it above one"],
    ),
    (
        "mistake without a belief",
        f'@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE}\n@f.mistake(" ")\ndef wrong(x):\n    return 2\n',
        ['22: f.wrong: says nothing about the belief; write .mistake("The hook ...")'],
    ),
    (
        "probe of a question that is none to implement",
        f'@assignment.predict("a", points=1)\ndef f():{GOOD}{PROBE}',
        ["14: f: has a probe or a mistake, which only an `implement` exercise can have; remove it"],
    ),
    (
        "lambda",
        'assignment.predict("a", points=1)(lambda: 1)\n',
        ["13: <lambda>: is no `def`; put @assignment.predict(...) directly above a `def`"],
    ),
    (
        "class where a function is asked",
        '@assignment.predict("a", points=1)\nclass First:\n    """Prompt."""\n    x = 1\n',
        ["13: First: is no `def`; put @assignment.predict(...) directly above a `def`"],
    ),
    (
        "async function",
        '@assignment.predict("a", points=1)\nasync def first():\n    """Prompt."""\n    return 1\n',
        ["13: first: is no `def`; put @assignment.predict(...) directly above a `def`"],
    ),
    (
        "decorator without parentheses",
        f"@assignment.predict\ndef first():{GOOD}",
        [
            "13: predict: decorates nothing; "
            "write @assignment.predict(..., points=1), with its parentheses, above a `def`"
        ],
    ),
    (
        "second decorator",
        f'@assignment.predict("a", points=1)\n@torch.no_grad()\ndef first():{GOOD}',
        ["15: first: has another decorator, which would be lost; do its work inside, with a `with` block for example"],
    ),
    (
        "nested",
        'if True:\n    @assignment.predict("a", points=1)\n    def first():\n        """Prompt."""\n        return 1\n',
        ["15: first: is nested; move it to the top level of the file"],
    ),
    (
        "tolerance",
        f'@assignment.predict("a", points=1, tolerance=0, show_key=1)\ndef first():{GOOD}',
        [
            "14: first: has show_key=1; give True or False",
            "14: first: has tolerance=0; give a relative tolerance between 0 and 1, such as 1e-4, or none",
        ],
    ),
    (
        "program without a return, several answers, the only return in a hook, a choice and an order",
        '@assignment.predict("a", points=1)\ndef first():\n    """Prompt."""\n    x = 1\n'
        '@assignment.predict("b", "c", points=1)\ndef second():\n    """Prompt."""\n'
        "    def hook(g):\n        return g\n"
        '@assignment.choice("d", points=1, options={"x": "ex", "y": "why"})\n'
        'def third():\n    """Prompt."""\n    return\n'
        '@assignment.order("e", points=1)\ndef fourth():\n    """Prompt."""\n    [(lambda: "x")()]\n'
        '@assignment.predict("f", points=1)\ndef meant():\n    """Prompt."""\n    return None\n'
        '@assignment.raises("g", points=1)\ndef raising():\n    """Prompt."""\n    pass\n',
        [
            f"{where}: has no `return`; write `return x.grad`, or `return None` if you mean it"
            for where in ("14: first", "18: second", "23: third", "27: fourth")
        ],
    ),
    (
        "probe without a return",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE.replace('return f', 'f')}",
        ["19: f.one: has no `return`; return what is to be compared, such as `return f(x)`"],
    ),
    ("no exercise", "", ["10: assignment: has no exercise; write one: @assignment.predict(...) above a `def`"]),
    (
        "unknown option",
        f'@assignment.predict("a", points=1, hint="x")\ndef first():{GOOD}',
        [
            "13: first: gives `predict` an unknown option `hint`; it may have points, tolerance, show_key, "
            "all_or_nothing, blind_to, builds_on"
        ],
    ),
    (
        "misspelt option",
        f'@assignment.predict("a", point=4)\ndef first():{GOOD}',
        ["13: first: gives `predict` an unknown option `point`; did you mean `points`?"],
    ),
    (
        "misspelt option of a probe",
        f"@assignment.implement(points=1)\ndef f(x):{GOOD}{PROBE.replace('public', 'pubic')}",
        ["18: one: gives `probe` an unknown option `pubic`; did you mean `public`?"],
    ),
    (
        "torch that is not imported",
        'del torch\n@assignment.predict("a", points=1)\ndef first(w=torch.ones(2)):\n    """Prompt."""\n    return w\n',
        [
            "15: assignment: cannot be imported, it raised NameError: name 'torch' is not defined; "
            "write `import torch` at the top of the file"
        ],
    ),
    (
        "module that is imported nowhere",
        '@assignment.predict("a", points=1)\ndef first():\n    """Prompt."""\n    return math.pi + np.pi\n',
        [
            "16: first: uses `math`, which is a module; write `import math` inside the function "
            "(only its parameters, torch and builtins go with it)",
            "16: first: uses `np`, which is a module; write `import numpy as np` inside the function "
            "(only its parameters, torch and builtins go with it)",
        ],
    ),
    (
        "error on import",
        "def broken():\n    raise ValueError('no\\nway')\n\nbroken()\n",
        ["14: assignment: cannot be imported, it raised ValueError: no way; mend this line"],
    ),
    (
        "exit on import",
        "raise SystemExit(3)\n",
        ["13: assignment: cannot be imported, it raised SystemExit: 3; mend this line"],
    ),
    (
        "module that is not installed",
        "import no_such_module_anywhere\n",
        [
            "13: assignment: cannot be imported, it raised ModuleNotFoundError: No module named "
            "'no_such_module_anywhere'; install that package or remove the import"
        ],
    ),
    (
        "syntax error",
        "x = = 1\n",
        ["13: assignment: syntax error: invalid syntax; mend this line or the one before it"],
    ),
    (
        "two assignments",
        'other = Assignment("other")\n',
        ["13: assignment: is a second assignment in one file; give each assignment a file of its own"],
    ),
]


def problems_of(path: Path) -> list[str]:
    with pytest.raises(CourseError) as caught:
        load(path, b"k" * 32)
    assert all(text.startswith(str(path)) for text in caught.value.problems), "named with the path that was given"
    return [text.removeprefix(f"{path.parent}/") for text in caught.value.problems]


@pytest.mark.parametrize(("body", "expected"), [pytest.param(body, text, id=name) for name, body, text in EXERCISES])
def test_problem_is_named_with_its_mend(write: Callable[..., Path], body: str, expected: list[str]) -> None:
    """The message names file, line, exercise, what is wrong and what to do, and nothing else is reported."""
    assert sorted(problems_of(write(body))) == [f"lesson.py:{text}" for text in expected]


HEADS = {
    "other name": (
        'Assignment("other")',
        'is called "other" but lies in lesson.py; rename the file to other.py or write Assignment("lesson")',
    ),
    "no slug": (
        'Assignment("My Lesson")',
        "is called 'My Lesson'; use small letters, digits and single hyphens, such as hooked-gradients",
    ),
    "show_keys": ('Assignment("lesson", show_keys="no")', "has show_keys='no'; give True or False"),
    "limit of 0": ('Assignment("lesson", cell_seconds=0)', "has cell_seconds=0; give a number more than 0"),
    "whole limit": ('Assignment("lesson", memory_mb=1.5)', "has memory_mb=1.5; give a whole number more than 0"),
    "unknown limit": (
        'Assignment("lesson", seconds=1)',
        "has an unknown option `seconds`; it may have show_keys, data, cell_seconds, notebook_seconds, "
        "probe_seconds, wall_factor, memory_mb, output_bytes, answer_bytes, file_mb, processes, replays",
    ),
    "missing data": (
        'Assignment("lesson", data=["no.csv"])',
        "ships the data file no.csv, which cannot be read (No such file or directory); its path counts from lesson.py",
    ),
    "data as text": (
        'Assignment("lesson", data="no.csv")',
        'has data that is no list of paths; write data=["weights.csv"]',
    ),
    "large data": (
        'Assignment("lesson", data=["big.bin"])',
        "ships 2,000,001 bytes of data, more than 2,000,000; ship less, they travel in the notebook",
    ),
    "two data files with one name": (
        'Assignment("lesson", data=["a.csv", "sub/a.csv"])',
        "ships two data files called a.csv; rename one of them",
    ),
}


@pytest.mark.parametrize("name", HEADS)
def test_problem_of_the_assignment_is_named(write: Callable[..., Path], name: str) -> None:
    """What is wrong with `Assignment(...)` is said at its line."""
    made, expected = HEADS[name]
    path = write(f'@assignment.predict("a", points=1)\ndef first():{GOOD}')
    path.write_text(path.read_text().replace('Assignment("lesson")', made))
    (path.parent / "sub").mkdir()
    (path.parent / "a.csv").write_text("1")
    (path.parent / "sub" / "a.csv").write_text("1")
    (path.parent / "big.bin").write_bytes(bytes(2_000_001))
    assert problems_of(path) == [f"lesson.py:10: assignment: {expected}"]


def test_file_without_an_assignment(write: Callable[..., Path]) -> None:
    """A file that makes no assignment is told how to make one."""
    path = write("x = 1\n", head="")
    assert problems_of(path) == [
        'lesson.py:1: assignment: makes no assignment; write assignment = Assignment("lesson") below the imports'
    ]


def test_file_without_a_title(write: Callable[..., Path]) -> None:
    """The title is the heading in the file's docstring, and it must be there."""
    path = write(f'@assignment.predict("a", points=1)\ndef first():{GOOD}')
    path.write_text(path.read_text().replace("# Title", "Title"))
    assert problems_of(path) == [
        "lesson.py:1: assignment: has no title; begin the file with a docstring whose first line is a heading: "
        '"""# Hooked gradients'
    ]


@pytest.mark.parametrize("data", [b"x = '\xff'\n", b"# coding: nonsense\n"])
def test_file_that_is_no_text(tmp_path: Path, data: bytes) -> None:
    """A file that is not UTF-8 is refused in a sentence, not with a traceback."""
    path = tmp_path / "lesson.py"
    path.write_bytes(data)
    assert problems_of(path) == ["lesson.py:1: assignment: is not UTF-8 text; save the file as UTF-8"]


def test_file_that_is_not_there(tmp_path: Path) -> None:
    """A path that leads nowhere is named with the reason."""
    assert problems_of(tmp_path / "lesson.py") == [
        "lesson.py: cannot be read (No such file or directory); check its path and its rights"
    ]


def test_all_problems_come_at_once_in_the_order_of_the_file(write: Callable[..., Path]) -> None:
    """An author mends a file in one go: every exercise's problems are collected."""
    path = write(f"""
@assignment.predict("a", points=0)
def first(w):
    return LOST


@assignment.choice("sum", points=1, options={{}})
def second():{GOOD}

@assignment.implement(points=1)
def third(x):{GOOD}
""")
    assert [text.split(";")[0] for text in problems_of(path)] == [
        "lesson.py:14: first: has no docstring, so students would see no question",
        "lesson.py:14: first: parameter `w`: has no default",
        "lesson.py:14: first: has points=0",
        "lesson.py:15: first: uses `LOST`, which is defined nowhere",
        "lesson.py:19: second: has fewer than 2 options",
        "lesson.py:19: second: has the answer name `sum`, which would hide Python's or torch's own",
        "lesson.py:25: third: has no probe, so nothing would check it",
    ]
