"""Two small assignments made by hand, and notebooks for them as students and their programs save them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from grader.intake import BadFile, read_notebook
from grader.records import Limits, Notebook, PublicAssignment, Question, cell_id

STUB_SQUARE = 'def square(grad):\n    """Square the gradient that passes through."""\n    ...'


def question(name: str, *answers: str, kind: Any = "predict", stub: str | None = None) -> Question:
    points = Decimal(1)
    stub = stub or "\n".join(f"{answer} = ..." for answer in answers)
    credit = (points,) * max(1, len(answers))
    return Question(name, kind, "What?", points, credit, answers, stub, f"print-of-{name}", True)


HOOKS = PublicAssignment(
    "hooks",
    "Hooks",
    "print-of-hooks",
    (
        question("squaring_hook", "x_grad"),
        question("two_leaves", "a_grad", "b_grad"),
        question("firing_order", "fired", kind="order"),
        question("square", "square", kind="implement", stub=STUB_SQUARE),
    ),
    Limits(),
)
WEIGHTS = PublicAssignment(
    "vector-weights",
    "Weights",
    "print-of-weights",
    (question("ones", "ones_grad"), question("int_weights", "int_grad"), question("raising", "error", kind="raises")),
    Limits(),
)
COURSE = (HOOKS, WEIGHTS)

RIGHT = {
    "squaring_hook": "x_grad = [3, 18, 7]",
    "two_leaves": "a_grad = [1, 1]\nb_grad = None",
    "firing_order": 'fired = ["z", "y", "x"]',
    "square": "def square(grad):\n    return grad**2",
    "ones": "ones_grad = [2, 4]",
    "int_weights": "int_grad = [2, 8]",
    "raising": 'error = "RuntimeError"',
}

Json = dict[str, Any]


def code(source: str, identity: str | None = None, of: str | None = None) -> Json:
    """A code cell; `of` is the question that its metadata names."""
    cell: Json = {"cell_type": "code", "execution_count": None, "outputs": [], "source": source}
    cell["metadata"] = {"autograd_grader": {"question": of}} if of else {}
    return {**cell, "id": identity} if identity else cell


def text(source: str, identity: str | None = None) -> Json:
    return {"cell_type": "markdown", "metadata": {}, "source": source, **({"id": identity} if identity else {})}


def released(public: PublicAssignment = HOOKS, **answers: str) -> Json:
    """The notebook as released, with the sources of some cells replaced by question."""
    cells = [text("# Title", "title"), code("import torch", "setup")]
    for each in public.questions:
        cells.append(text(each.prompt, f"prompt-{each.id}"))
        cells.append(code(answers.get(each.id, each.stub), cell_id(each.id), each.id))
    ours = {
        "assignment": public.name,
        "fingerprint": public.fingerprint,
        "questions": {each.id: each.fingerprint for each in public.questions},
    }
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {"autograd_grader": ours}, "cells": cells}


def solved(public: PublicAssignment = HOOKS, **answers: str) -> Json:
    return released(public, **{**{each.id: RIGHT[each.id] for each in public.questions}, **answers})


def answer_cell(document: Json, name: str) -> Json:
    found: Json = next(cell for cell in document["cells"] if cell.get("id") == cell_id(name))
    return found


def stripped(document: Json) -> Json:
    """As after a program that knows neither ids nor foreign metadata."""
    cells = [{**{key: cell[key] for key in cell if key != "id"}, "metadata": {}} for cell in document["cells"]]
    return {"nbformat": 4, "nbformat_minor": 0, "metadata": {}, "cells": cells}


def saved_by_colab(document: Json) -> Json:
    """As Colab saves it: format 4.0, ids in the cells' metadata, its own remarks in the notebook's."""
    cells = []
    for number, cell in enumerate(document["cells"]):
        bare = {key: cell[key] for key in cell if key not in {"id", "metadata"}}
        cells.append({**bare, "metadata": {"id": f"aB3dE{number}", "colab_type": "code"}})
    return {"nbformat": 4, "nbformat_minor": 0, "metadata": {"colab": {"provenance": []}}, "cells": cells}


def as_bytes(document: Any) -> bytes:
    return json.dumps(document).encode()


def notebook_of(*cells: Json, **metadata: Any) -> Notebook:
    """The cells as a notebook, read as a file would be."""
    return read_good(as_bytes({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": list(cells)}))


def read_good(data: bytes) -> Notebook:
    found = read_notebook(data)
    assert isinstance(found, Notebook), found
    return found


def read_bad(data: bytes) -> str:
    found = read_notebook(data)
    assert isinstance(found, BadFile), found
    return found.reason
