"""Which assignment a notebook is: fingerprint, name, cells, answer names; the file's name only settles ties."""

from __future__ import annotations

from intake_samples import (
    COURSE,
    HOOKS,
    RIGHT,
    WEIGHTS,
    Json,
    answer_cell,
    as_bytes,
    code,
    notebook_of,
    question,
    read_good,
    released,
    saved_by_colab,
    solved,
    stripped,
)

from grader.intake.recognising import Recognised, recognise, recognise_text
from grader.records import Notebook, PublicAssignment, cell_id


def told(document: Json | Notebook, *hints: str, course: tuple[PublicAssignment, ...] = COURSE) -> str | None:
    """The name of the assignment, None if it is none."""
    notebook = document if isinstance(document, Notebook) else read_good(as_bytes(document))
    found = recognise(notebook, course, hints)
    return found.assignment.name if isinstance(found, Recognised) else None


def why(document: Json) -> str:
    found = recognise(read_good(as_bytes(document)), COURSE)
    assert isinstance(found, str)
    return found


def test_fingerprint_beats_name_beats_cells() -> None:
    """The fingerprint in the metadata decides, then the name there, whatever the cells are."""
    document = solved(WEIGHTS)
    ours = document["metadata"]["autograd_grader"]
    assert told(document) == "vector-weights"
    ours["assignment"] = "hooks"
    assert told(document, "hooks") == "vector-weights"
    ours["fingerprint"] = "older"
    assert told(document) == "hooks"


def test_cells_decide_where_metadata_is_gone() -> None:
    """Without notebook metadata the cells' ids, or their own metadata, say which assignment it is."""
    document = released(WEIGHTS)
    document["metadata"] = {}
    assert told(document, "hooks") == "vector-weights"
    for cell in document["cells"]:
        cell.pop("id")
    assert told(document, "hooks") == "vector-weights"


def test_names_decide_where_ids_are_gone() -> None:
    """Without ids and metadata the answer names decide, and a note says so."""
    for public in COURSE:
        for save in (stripped, saved_by_colab):
            assert told(save(solved(public))) == public.name
    found = recognise(read_good(as_bytes(stripped(solved()))), COURSE)
    assert isinstance(found, Recognised)
    assert "by the answer names" in found.note


def test_half_of_the_questions_or_a_hint() -> None:
    """Names prove an assignment if they touch half of its questions; fewer need the file's name beside them."""
    two = notebook_of(code(RIGHT["squaring_hook"]), code(RIGHT["firing_order"]))
    one = notebook_of(code(RIGHT["squaring_hook"]))
    assert told(two) == "hooks"
    assert told(one) is None
    assert told(one, "hooks") == "hooks"
    assert told(one, "vector-weights") is None


def test_a_hint_settles_ties_and_nothing_else() -> None:
    """Two assignments that share their names are told apart by the file's name; a lone name proves nothing."""
    twin = PublicAssignment("twin", "", "print-of-twin", (question("other", "x_grad"),), HOOKS.limits)
    single = PublicAssignment("single", "", "print-of-single", (question("another", "x_grad"),), HOOKS.limits)
    notebook = notebook_of(code("x_grad = 1"))
    assert told(notebook, course=(twin, single)) is None
    assert told(notebook, "single", course=(twin, single)) == "single"
    assert told(notebook_of(code("import torch")), "hooks") is None


def test_an_unknown_assignment_is_not_taken_for_another() -> None:
    """A notebook that names an assignment which is not graded here is that one, though answer names coincide."""
    document = stripped(solved())
    document["metadata"] = {"autograd_grader": {"assignment": "hw9", "fingerprint": "f", "questions": {"square": "g"}}}
    assert told(document, "hooks") is None
    assert why(document).startswith("is the notebook of hw9, which is not among the assignments graded here")
    document["metadata"]["autograd_grader"]["questions"]["square"] = "print-of-square"
    assert told(document) == "hooks"


def test_none_of_the_course() -> None:
    """A notebook of something else is told so, with the names of the right ones."""
    reason = why(stripped(released(HOOKS, **dict.fromkeys(RIGHT, "print(1)"))))
    assert "none of the course's notebooks" in reason
    assert "hooks and vector-weights" in reason


def test_a_broken_file_is_recognised_by_its_text() -> None:
    """A file that breaks off is still told by the cell ids or the fingerprint in what is left of it."""
    whole = as_bytes(solved(WEIGHTS)).decode()
    assert recognise_text(whole[: len(whole) - 30], COURSE) == WEIGHTS
    assert recognise_text(f'{{"id": "{cell_id("square")}", <<<', COURSE) == HOOKS
    assert recognise_text('{"cells": [', COURSE) is None


def test_shared_question_ids() -> None:
    """An exercise id that two assignments share does not confuse them while another cell tells them apart."""
    other = PublicAssignment(
        "other", "", "print-of-other", (question("square", "sq"), question("own", "o")), HOOKS.limits
    )
    document = released()
    document["metadata"] = {}
    assert told(document, course=(other, HOOKS)) == "hooks"
    document["cells"] = [answer_cell(document, "square"), code("o = 1", cell_id("own"))]
    assert told(document, course=(other, HOOKS)) == "other"
