"""Which cell answers which question: by id, then metadata, then answer names; and whether it was filled in."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from intake_samples import (
    HOOKS,
    RIGHT,
    STUB_SQUARE,
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
    text,
)

from grader.intake import match_cells
from grader.records import Match, Notebook, cell_id

NAMES = [each.id for each in HOOKS.questions]


def matches(document: Json | Notebook) -> dict[str, Match]:
    notebook = document if isinstance(document, Notebook) else read_good(as_bytes(document))
    found = match_cells(notebook, HOOKS)
    assert [match.question for match in found] == NAMES
    return {match.question: match for match in found}


def states(document: Json) -> dict[str, str]:
    return {name: match.state for name, match in matches(document).items()}


def squaring(*cells: Json, **metadata: Any) -> Match:
    """The match of the first question in a notebook of just these cells."""
    return matches(notebook_of(*cells, **metadata))["squaring_hook"]


IDENTITY = cell_id("squaring_hook")


def test_cell_ids_are_legal_and_distinct() -> None:
    """A released id is the question's, unless nbformat forbids it; then it is cut, and still nobody else's."""
    assert cell_id("squaring_hook") == "question-squaring_hook"
    long = [cell_id("a" * 60 + end) for end in "bc"]
    assert [len(each) for each in long] == [64, 64]
    assert len({*long, cell_id("é"), cell_id("è")}) == 4
    assert [cell.id for cell in notebook_of(code("", cell_id("é"))).cells] == [cell_id("é")]


def test_solved_notebook_is_matched_by_id_without_a_word() -> None:
    """The usual notebook: every question answered, found by its cell id, nothing to note."""
    for number, match in enumerate(matches(solved()).values()):
        assert (match.state, match.how, match.note, match.cell) == ("answered", "cell id", "", 3 + 2 * number)


def test_id_first_then_metadata_then_names() -> None:
    """The cell id says which question a cell answers, else its metadata, else the names it assigns."""
    assert squaring(code("x_grad = 1", IDENTITY)).how == "cell id"
    assert squaring(code("x_grad = 1", "8f3a", of="squaring_hook")).how == "metadata"
    assert squaring(code("x_grad = 1", "8f3a")).how == "answer name"
    both = matches(notebook_of(code("x_grad = 1\nfired = []", IDENTITY, of="firing_order")))
    assert both["squaring_hook"].how == "cell id"


@pytest.mark.parametrize("save", [stripped, saved_by_colab])
def test_without_ids_and_metadata(save: Any) -> None:
    """After Colab or VS Code every answer is still found, by the names it assigns."""
    for match in matches(save(solved())).values():
        assert (match.state, match.how) == ("answered", "answer name")


def test_last_cell_with_identity_counts() -> None:
    """A copied cell keeps the metadata; the last one counts, and both are named."""
    match = squaring(code("x_grad = 1", IDENTITY), text("between"), code("x_grad = 2", "8f3a", of="squaring_hook"))
    assert (match.cell, match.how) == (2, "metadata")
    assert match.note == "Cells 1 and 3 have its identity; cell 3 counts."


@pytest.mark.parametrize("last", ["", "  \n", "# x_grad = 2", "x_grad = ...", "print(x_grad)"])
def test_a_copy_without_an_answer_gives_way(last: str) -> None:
    """An emptied copy, an untouched one and one that answers nothing do not hide the answer."""
    match = squaring(code("x_grad = 1", IDENTITY), code(last, of="squaring_hook"))
    assert (match.state, match.cell) == ("answered", 0)


def test_a_cell_without_identity_counts_only_if_none_has_it() -> None:
    """An answer in another cell never replaces the question's own cell; the note says so."""
    match = squaring(code("x_grad = ...", IDENTITY), code("x_grad = [3, 18, 7]"))
    assert (match.state, match.cell) == ("untouched", 0)
    assert match.note == "Cell 2 assigns x_grad too; what cell 1 gives counts."


def test_a_later_reuse_of_the_name_changes_nothing() -> None:
    """The question's own cell counts although a later cell assigns the name again; that is said."""
    match = squaring(code("x_grad = [3, 18, 7]", IDENTITY), code("x_grad = 0"))
    assert (match.state, match.cell) == ("answered", 0)
    assert "Cell 2 assigns x_grad too" in match.note


def test_a_deleted_cell_is_missing_and_spoils_nothing() -> None:
    """A deleted cell costs its own question alone."""
    document = solved()
    document["cells"].remove(answer_cell(document, "two_leaves"))
    found = matches(document)
    assert found["two_leaves"] == Match("two_leaves", "missing", note=found["two_leaves"].note)
    assert found["two_leaves"].note == "No cell has its identity or assigns a_grad or b_grad."
    assert {name for name, match in found.items() if match.state == "answered"} == {*NAMES} - {"two_leaves"}


def test_an_emptied_cell_is_missing_unless_the_answer_stands_elsewhere() -> None:
    """An empty cell has no identity worth keeping: a retyped answer counts, and without one it is named."""
    assert squaring(code("", IDENTITY)).note == "Its cell 1 is empty."
    assert squaring(code("", IDENTITY)).state == "missing"
    match = squaring(code("", IDENTITY), code("x_grad = 1"))
    assert (match.state, match.cell, match.how) == ("answered", 1, "answer name")


def test_a_copied_cell_that_answers_another_question() -> None:
    """A copy of A's cell, edited to answer B, is not A's; it is B's if B has no cell of its own."""
    found = matches(notebook_of(code("x_grad = 1", IDENTITY), code("fired = []", of="squaring_hook")))
    assert found["squaring_hook"].cell == 0
    assert (found["firing_order"].cell, found["firing_order"].how) == (1, "answer name")


def test_identity_without_an_answer_gives_way_to_an_answer() -> None:
    """A cell that has the identity but assigns none of the answers counts only if no other cell assigns one."""
    prints, answers = code("print(3)", IDENTITY), code("x_grad = 1")
    match = squaring(prints, answers)
    assert (match.cell, match.how) == (1, "answer name")
    assert match.note == "Cell 2 counts; cell 1 has its identity but assigns none of its answers."
    assert (squaring(prints).cell, squaring(prints).state) == (0, "answered")


def test_merged_cells() -> None:
    """All answers in one cell: every question finds it, even if the cell kept another question's identity."""
    everything = "\n".join(RIGHT[name] for name in NAMES)
    for cell in (code(everything), code(everything, IDENTITY)):
        assert {(match.state, match.cell) for match in matches(notebook_of(cell)).values()} == {("answered", 0)}


def test_another_questions_cell_comes_last() -> None:
    """A cell that holds another question's identity counts only if no free cell assigns the name."""
    scratch, held = code("x_grad = 1\na_grad = 1"), code("fired = []\nx_grad = 2", cell_id("firing_order"))
    assert squaring(scratch, held).cell == 0
    assert squaring(held).cell == 0


def test_names_prefer_the_cell_that_answers_this_question_alone() -> None:
    """Without ids, a cell that answers another question and reuses the name gives way to the question's own."""
    match = squaring(code("x_grad = 1"), code("fired = []\nx_grad = 2"))
    assert match.cell == 0
    assert squaring(code("x_grad = 1"), code("x_grad = 2")).cell == 1
    assert squaring(code("x_grad = 1"), code("x_grad = ...")).cell == 0
    pair = matches(notebook_of(code("a_grad, b_grad = 1, 2"), code("a_grad = 3")))["two_leaves"]
    assert pair.cell == 0


def test_a_broken_cell_is_found_by_what_it_seems_to_assign() -> None:
    """A syntax error does not hide which question a cell answers."""
    assert squaring(code("x_grad = [3, 18, 7")).state == "answered"
    assert matches(notebook_of(code("def square(grad)\n    return grad")))["square"].state == "answered"


UNTOUCHED = {
    "squaring_hook": ["x_grad=...   # later", "\nx_grad = ...\n", "x_grad = ...\nprint('hi')", "%time\nx_grad = ..."],
    "two_leaves": ["a_grad, b_grad = ..., ...", "b_grad = ...\na_grad = ...", "a_grad = ..."],
    "square": [
        'def square(grad):\n    # think\n    """Square the gradient that passes through."""\n    ...',
        "def square(grad):\n    ...",
        "def square(g): ...",
        "def square(grad):\n    ...\nsquare(1)",
        'def square(grad):\n    """I deleted the dots."""',
    ],
}
TOUCHED = {
    "squaring_hook": ["x_grad = None", "x_grad = ..., 1", "x_grad = ...\nx_grad = 3"],
    "two_leaves": ["a_grad = ...\nb_grad = None"],
    "square": ["def square(grad):\n    pass", "def square(grad):\n    return ...", "square = abs", "def square(:"],
}


@pytest.mark.parametrize(("name", "source"), [(name, source) for name, all_ in UNTOUCHED.items() for source in all_])
def test_untouched(name: str, source: str) -> None:
    """A cell in which only layout, comments or docstrings changed, or all answers still are `...`, is untouched."""
    assert matches(released(**{name: source}))[name].state == "untouched"


@pytest.mark.parametrize(("name", "source"), [(name, source) for name, all_ in TOUCHED.items() for source in all_])
def test_touched(name: str, source: str) -> None:
    """Whatever was filled in is an answer, were it `None` or `pass`."""
    assert matches(released(**{name: source}))[name].state == "answered"


def test_untouched_stub_with_real_code_in_it() -> None:
    """A stub whose class has more than `...` is untouched as long as its syntax tree is the released one."""
    stub = "class square(Base):\n    def __init__(self):\n        super().__init__()\n        ...\n"
    public = type(HOOKS)("hooks", "", "f", (question("square", "square", kind="implement", stub=stub),), HOOKS.limits)
    for source, state in ((stub + "# mine", "untouched"), (stub + "        self.a = 1\n", "answered")):
        assert match_cells(notebook_of(code(source)), public)[0].state == state


def test_untouched_starter() -> None:
    """The notebook as released is untouched in every question, with and without ids."""
    assert set(states(released()).values()) == {"untouched"}
    assert set(states(stripped(released())).values()) == {"untouched"}


def test_changed_question_needs_a_person() -> None:
    """A question whose fingerprint is not the notebook's is `changed`; the others are matched as ever."""
    document = solved()
    document["metadata"]["autograd_grader"]["questions"]["square"] = "older"
    found = matches(document)
    assert (found["square"].state, found["square"].cell) == ("changed", 9)
    assert "has changed since this notebook was released" in found["square"].note
    assert [found[name].state for name in NAMES[:3]] == ["answered"] * 3


def test_question_added_later_needs_a_person() -> None:
    """A question that the notebook's metadata does not know was added later; nobody gets a zero for it."""
    document = solved()
    del document["metadata"]["autograd_grader"]["questions"]["square"]
    document["cells"].remove(answer_cell(document, "square"))
    match = matches(document)["square"]
    assert (match.state, match.cell) == ("changed", None)
    assert "was added after this notebook was released" in match.note


def test_ids_of_other_notebooks_mean_nothing() -> None:
    """An unknown id or a question of another assignment gives a cell no identity."""
    match = squaring(code("x_grad = 1", "question-elsewhere", of="elsewhere"))
    assert (match.state, match.how) == ("answered", "answer name")


FILLINGS = {name: [RIGHT[name], stub] for name, stub in ((each.id, each.stub) for each in HOOKS.questions)}


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.fixed_dictionaries({name: st.sampled_from(each) for name, each in FILLINGS.items()}), st.randoms(), st.data())
def test_states_do_not_depend_on_order_ids_or_metadata(
    answers: dict[str, str], shuffler: random.Random, data: st.DataObject
) -> None:
    """Shuffling cells, and losing ids or metadata of any of them, leaves every state as it was."""
    document = released(**answers)
    expected = states(document)
    assert expected == {name: "untouched" if answers[name] == FILLINGS[name][1] else "answered" for name in NAMES}
    for cell in document["cells"]:
        if data.draw(st.booleans()):
            cell.pop("id")
        if data.draw(st.booleans()):
            cell["metadata"] = {}
    if data.draw(st.booleans()):
        document["metadata"] = {}
    shuffler.shuffle(document["cells"])
    assert states(document) == expected


def test_stub_of_implement_is_never_an_answer() -> None:
    """The stub of a hook returns None and would pass for an observer; it is told by its text, wherever it lies."""
    assert matches(notebook_of(code(STUB_SQUARE)))["square"].state == "untouched"
