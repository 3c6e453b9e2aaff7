"""The prose of a released notebook: what a question looks like to the student."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.course.pasting import pasteable, pasteable_probe
from grader.records import (
    ZERO,
    PublicAssignment,
    PublicCase,
    PublicProbe,
    Question,
    Returned,
    Table,
    count_points,
    human_name,
    show,
    show_outcome,
)

HOW_TO_ANSWER = """## How to answer

- Each question has one cell below it. Replace every `...` there, and leave the names as they are.
- A gradient may be a tensor, a list or a NumPy array: `[1.0, 2.0]` and `torch.tensor([1.0, 2.0])` count the same.
  Write `None` where there is no gradient.
- Think first, then run: every program can be pasted into a cell of your own.
- A cell that fails costs its own question only. A question still at `...` counts as not answered.
- The last cell checks your answers before you hand in; it needs the package `autograd-grader`."""

SETUP = "import torch"
SHOWN = 400

SELF_CHECK = """# Remove the "# " from the next two lines, save the notebook, and run this cell.
# from grader.notebook import check
# check()"""


def title_text(public: PublicAssignment, intro: str) -> str:
    """The notebook's first cell: title, introduction, points, and the files that come with it."""
    total = sum((question.points for question in public.questions), ZERO)
    count = len(public.questions)
    parts = [f"# {public.title}", intro, f"{count} question{'' if count == 1 else 's'}, {count_points(total)}."]
    if public.files:
        names = ", ".join(f"`{each.name}`" for each in public.files)
        parts.append(f"Keep these files beside the notebook: {names}.")
    return "\n\n".join(part for part in parts if part)


def question_text(number: int, question: Question) -> str:
    """The Markdown above an answer cell: heading, prompt, and the program or the probes."""
    parts = [f"### {number}. {human_name(question.id)} · {count_points(question.points)}", question.prompt]
    if question.program is not None:
        parts.append(code_block(pasteable(question.program, question.arguments, question.builds_on)))
    if question.options:
        parts.append("\n".join(f'- `"{key}"`: {meaning}' for key, meaning in question.options))
    parts += _how_it_counts(question)
    for place, probe in enumerate(question.probes):
        parts += _probe_parts(probe, question.id, place)
    return "\n\n".join(parts)


def code_block(code: str) -> str:
    """A fenced Python block; the fence is longer than any run of backticks in the code."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}python\n{code.rstrip()}\n{fence}"


def _how_it_counts(question: Question) -> Iterator[str]:
    """What the answer cell asks for, where its names alone do not say it."""
    if question.kind == "choice":
        yield f"Assign one of the keys, in quotes, to `{question.answers[0]}`."
    elif question.kind == "raises":
        yield f"Assign the exception's name in quotes, or `None`, to `{question.answers[0]}`."
    elif question.kind == "order":
        yield f"Assign the list of names, each in quotes, to `{question.answers[0]}`."
    elif question.kind == "predict" and len(question.answers) > 1:
        names = ", ".join(
            f"`{name}` ({count_points(share)})" for name, share in zip(question.answers, question.credit, strict=True)
        )
        yield f"The last line gives your answers in this order: {names}."
    if question.all_or_nothing:
        yield "The points are given only if all of it is right."


def _probe_parts(probe: PublicProbe, subject: str, number: int) -> Iterator[str]:
    parameter = probe.program.parameters[0]
    meaning = "" if parameter == subject else f", where `{parameter}` is your `{subject}`"
    worth = count_points(probe.points) if probe.points else "for a remark, without points"
    yield f"It is {'also ' if number else ''}tried with this program{meaning} ({worth}):"
    first = probe.cases[0].arguments if probe.cases else None
    yield code_block(pasteable_probe(probe.program, subject, first))
    if probe.cases:
        yield "\n".join(f"- {_example(case)}" for case in probe.cases)


def _example(case: PublicCase) -> str:
    arguments = ast.literal_eval(case.arguments)
    given = _listed([_code(f"{name} = {value!r}") for name, value in arguments.items()])
    expected = case.expected
    if isinstance(expected, Returned) and isinstance(expected.value, Table) and expected.value.items:
        wanted = _listed([_code(f"{name} = {show(item, SHOWN)}") for name, item in expected.value.items])
    else:
        wanted = _code(show_outcome(expected, SHOWN))
    return f"With {given} it must give {wanted}." if given else f"It must give {wanted}."


def _listed(texts: list[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def _code(text: str) -> str:
    """Inline code, also where the text itself has backticks."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    if longest == 0:
        return f"`{text}`"
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"
