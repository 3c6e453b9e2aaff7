"""Reading: each odd file is read right or refused in one clear line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from intake_samples import (
    HOOKS,
    as_bytes,
    code,
    notebook_of,
    read_bad,
    read_good,
    released,
    saved_by_colab,
    solved,
    text,
)

from grader.intake import BadFile, read_notebook
from grader.intake.reading import MOST_BYTES
from grader.records import Notebook, cell_id

ODD = Path(__file__).with_name("odd")
E_ACUTE = 'print("é 作业")'

READ_RIGHT = {
    "bad_id": ["1"],
    "bom": [E_ACUTE],
    "cell_no_execcount": ["print(1)"],
    "cell_no_source": [""],
    "comment_only": ["# just a comment", "   ", "pass"],
    "crlf_file": [E_ACUTE],
    "crlf_source": ["a=1\nprint(a)\n%time a"],
    "dup_ids": ["a=1", "print(a)"],
    "id_in_44": ["1"],
    "kernel_conda": [E_ACUTE],
    "minor_99": [E_ACUTE],
    "nan_output": ["1"],
    "nbformat5": [E_ACUTE],
    "no_metadata": [E_ACUTE],
    "plain": [E_ACUTE],
    "raises_tag": ["1/0", "print(1)"],
    "tab_mix": ["if 1:\n\tx=1\n        y=2"],
    "top_await": ["import asyncio\nawait asyncio.sleep(0)\nprint(1)"],
    "u2028": ['a="x\u2028y"\nprint(a)'],
    "utf16": [E_ACUTE],
}
REFUSED = {
    "cells_missing": "no `cells`",
    "conflict": "unfinished merge",
    "empty": "is empty",
    "html": "web page",
    "list": "holds a list",
    "null": "holds null",
    "truncated": "breaks off",
}


def test_every_odd_file_is_accounted_for() -> None:
    """No odd notebook lies there without a test that says what becomes of it."""
    assert {path.stem for path in ODD.iterdir()} == {*READ_RIGHT, *REFUSED}


@pytest.mark.parametrize("name", READ_RIGHT)
def test_odd_file_is_read_right(name: str) -> None:
    """An odd file whose cells are all there gives exactly those cells."""
    assert [cell.source for cell in read_good((ODD / f"{name}.notebook").read_bytes()).cells] == READ_RIGHT[name]


@pytest.mark.parametrize("name", REFUSED)
def test_odd_file_is_refused_in_one_line(name: str) -> None:
    """A file that is no notebook is refused in one line that says what is wrong and what to do."""
    reason = read_bad((ODD / f"{name}.notebook").read_bytes())
    assert REFUSED[name] in reason
    assert "hand " in reason
    assert "\n" not in reason


NOTED = {
    "bad_id": "id that is not allowed",
    "cell_no_source": "Cell 1 had no source",
    "dup_ids": "Cells 1 and 2 have the same id (a1).",
    "minor_99": "newer than 4.5",
    "nbformat5": "newer than 4.5",
}


@pytest.mark.parametrize("name", READ_RIGHT)
def test_what_was_mended_is_noted_and_nothing_else(name: str) -> None:
    """A repair is a note; a file that needed none has none."""
    notes = read_good((ODD / f"{name}.notebook").read_bytes()).notes
    if name in NOTED:
        assert len(notes) == 1
        assert NOTED[name] in notes[0]
    else:
        assert notes == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_encodings(encoding: str) -> None:
    """Every Unicode encoding that an editor may save in gives the same notebook."""
    document = json.dumps(solved(two_leaves="a_grad = 'é 作业'"), ensure_ascii=False)
    assert read_good(document.encode(encoding)) == read_good(document.encode())


def test_other_encodings_are_refused() -> None:
    """Latin-1 is not guessed at: the place of the first wrong byte is named."""
    assert read_bad('{"cells": ["é"]}'.encode("latin-1")).startswith("is not text (byte 13 is not UTF-8)")


def test_too_large() -> None:
    """A file above the cap is refused before it is parsed, with what to do."""
    reason = read_bad(b" " * (MOST_BYTES + 1))
    assert "too large" in reason
    assert "clear all outputs" in reason


def test_no_nbformat_does_not_mean_no_cells() -> None:
    """A file without `nbformat` keeps its answers, which nbformat itself would silently drop."""
    document = solved()
    expected = read_good(as_bytes(document)).cells
    del document["nbformat"], document["nbformat_minor"]
    found = read_good(as_bytes(document))
    assert found.cells == expected
    assert "does not say its notebook format" in found.notes[0]


@pytest.mark.parametrize("wrong", [{}, {"0": {}}, None, "text", 7])
def test_cells_that_are_no_list(wrong: object) -> None:
    """`cells` of a wrong type are refused, never read as an empty notebook."""
    assert "`cells`" in read_bad(as_bytes({"nbformat": 4, "cells": wrong}))


def test_a_list_of_anything_but_cells_is_refused() -> None:
    """Cells that are none at all are refused; a single one is left out with a note."""
    assert "no readable cell" in read_bad(as_bytes({"nbformat": 4, "cells": [1, "x"]}))
    found = notebook_of(code("a = 1"), 5, code("b = 2"))  # type: ignore[arg-type]
    assert [(cell.index, cell.source) for cell in found.cells] == [(0, "a = 1"), (2, "b = 2")]
    assert found.notes == ("Cell 2 could not be read as a cell and was left out.",)


def test_old_format_with_worksheets() -> None:
    """nbformat 3 is read: code lies in worksheets and is called `input`."""
    cells = [{"cell_type": "heading", "source": ["T"]}, {"cell_type": "code", "input": ["a = 1\n", "b = 2"]}]
    found = read_good(as_bytes({"nbformat": 3, "worksheets": [{"cells": cells}, {"cells": cells}]}))
    assert [(cell.index, cell.source) for cell in found.cells] == [(1, "a = 1\nb = 2"), (3, "a = 1\nb = 2")]
    assert "old notebook format" in found.notes[0]


@pytest.mark.parametrize(
    ("source", "expected", "noted"),
    [
        (["a = 1\n", "b = 2"], "a = 1\nb = 2", False),
        ([], "", False),
        ("a\r\nb\rc", "a\nb\nc", False),
        (7, "", True),
        (["a = 1\n", 7], "a = 1\n", True),
        ({"a": 1}, "", True),
        ("x = '\ud800'", "x = '\ufffd'", True),
    ],
)
def test_sources(source: object, expected: str, noted: bool) -> None:
    """A source may be text or a list of lines; whatever else is in it is left out with a note."""
    found = notebook_of({**code(""), "source": source})
    assert found.cells[0].source == expected
    assert bool(found.notes) == noted


def test_deep_json_and_giant_numbers() -> None:
    """Nesting without end is refused, and a number without end does no harm."""
    assert "nested too deeply" in read_bad(b'{"cells":' + b"[" * 200_000)
    giant = as_bytes(solved()).replace(b'"execution_count": null', b'"execution_count": ' + b"9" * 9000)
    assert len(read_good(giant).cells) == 5


def test_duplicate_keys() -> None:
    """A key that stands twice is noted; the last one counts, as every JSON reader has it."""
    found = read_good(b'{"nbformat": 4, "cells": [], "cells": [{"cell_type": "code", "source": "a = 1"}]}')
    assert [cell.source for cell in found.cells] == ["a = 1"]
    assert "cells twice" in found.notes[0]


def test_stored_outputs_play_no_part() -> None:
    """What a student left in the outputs, however odd, changes nothing that is read."""
    document = solved()
    expected = read_good(as_bytes(document))
    for cell in document["cells"]:
        cell["outputs"] = {"id": "question-square", "source": "x_grad = 1", "text": [None, {"cells": []}]}
    assert read_good(as_bytes(document)) == expected


def test_text_cells_count_for_the_index_alone() -> None:
    """`index` counts all cells of the file; only code cells are kept."""
    found = notebook_of(text("# T"), code("a = 1"), {"cell_type": "raw", "source": "x"}, code("b = 2"))
    assert [cell.index for cell in found.cells] == [1, 3]


def test_an_answer_in_a_text_cell_is_named() -> None:
    """An answer cell that became Markdown is not silently lost: a note says what to do."""
    found = notebook_of(text("x_grad = 1", cell_id("squaring_hook")))
    assert found.cells == ()
    assert "Cell 1 should hold an answer but is a text cell" in found.notes[0]


def test_colab_ids() -> None:
    """Colab keeps the id in the cell's metadata; one of ours there wins over one that Jupyter added later."""
    both = {**code("x_grad = 1", "8f3a"), "metadata": {"id": cell_id("squaring_hook")}}
    only = {**code("x_grad = 1"), "metadata": {"id": "aB3dE1"}}
    assert [cell.id for cell in notebook_of(both, only).cells] == ["question-squaring_hook", "aB3dE1"]
    assert all(cell.question is None for cell in read_good(as_bytes(saved_by_colab(released()))).cells)


def test_our_metadata() -> None:
    """What release wrote into the metadata is read back."""
    found = read_good(as_bytes(released()))
    assert (found.assignment, found.fingerprint) == (HOOKS.name, HOOKS.fingerprint)
    assert dict(found.questions) == {each.id: each.fingerprint for each in HOOKS.questions}
    assert [cell.question for cell in found.cells][1:] == [each.id for each in HOOKS.questions]


@pytest.mark.parametrize(
    "ours", [None, 5, [], {"assignment": 1, "fingerprint": [], "questions": ["x"], "question": {}}]
)
def test_ill_typed_metadata_says_nothing(ours: object) -> None:
    """Metadata of a wrong type is as good as none."""
    found = notebook_of({**code("a = 1"), "metadata": {"autograd_grader": ours}}, autograd_grader=ours)
    assert (found.assignment, found.fingerprint, found.questions, found.cells[0].question) == (None, None, (), None)


@pytest.mark.parametrize("beginning", [b"PK\x03\x04rest", b"%PDF-1.7", b"\0" * 500, b"  \n", b"<html>", b"x = 1"])
def test_other_kinds_of_file(beginning: bytes) -> None:
    """Another kind of file under a notebook's name is refused with what it is or what to do."""
    assert "hand " in read_bad(beginning) or "hand in" in read_bad(beginning)


SEED = as_bytes(solved())


@st.composite
def mangled(draw: st.DrawFn) -> bytes:
    """A good notebook with bytes cut out, put in, replaced or doubled, in places of hypothesis' choice."""
    data = bytearray(SEED)
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(data)))
        stop = min(len(data), start + draw(st.integers(0, 40)))
        piece = draw(
            st.binary(max_size=8) | st.sampled_from([b"null", b"[", b"{", b'"', b"1e999", b"NaN", b'\\ud800"'])
        )
        data[start:stop] = draw(st.sampled_from([piece, bytes(data[start:stop]) * 2, b""]))
    return bytes(data)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "id", "source", "cells"]), inner),
    max_leaves=6,
)
KEYS = ["cell_type", "source", "metadata", "outputs", "id", "execution_count", "input"]


@st.composite
def misshapen(draw: st.DrawFn) -> bytes:
    """Valid JSON in which anything may stand where a notebook has something else."""
    cell = st.dictionaries(st.sampled_from(KEYS), VALUES | st.sampled_from(["code", "markdown"])) | VALUES
    document = {"nbformat": draw(VALUES), "metadata": draw(VALUES), "cells": draw(st.lists(cell, max_size=4) | VALUES)}
    for key in draw(st.sets(st.sampled_from(list(document)))):
        del document[key]
    return json.dumps(document | draw(st.just({}) | st.fixed_dictionaries({"worksheets": VALUES}))).encode()


def check_never_raises(data: bytes) -> None:
    found = read_notebook(data)
    if isinstance(found, BadFile):
        assert found.reason
        assert found.reason.isprintable()
    else:
        assert isinstance(found, Notebook)
        assert all(isinstance(cell.source, str) for cell in found.cells)
        json.dumps([cell.source for cell in found.cells], ensure_ascii=False).encode()


ANY_BYTES = mangled() | misshapen() | st.binary(max_size=200)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(ANY_BYTES)
@example(b"")
@example(b"\xff\xfe")
def test_reading_never_raises(data: bytes) -> None:
    """Whatever the bytes, reading gives a notebook that can be sent on or a reason in one line."""
    check_never_raises(data)


@pytest.mark.campaign
@settings(max_examples=5000, deadline=None)
@given(ANY_BYTES)
def test_reading_never_raises_campaign(data: bytes) -> None:
    """The same promise, for many more files."""
    check_never_raises(data)


def test_intake_needs_no_torch() -> None:
    """Intake is importable, and reads, without torch and without IPython."""
    program = "import sys, grader.intake; print({'torch', 'IPython', 'nbformat'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "set()\n"
