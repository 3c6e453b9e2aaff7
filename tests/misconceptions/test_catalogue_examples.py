"""Every example of the catalogue is run."""

from __future__ import annotations

import contextlib
import io
import warnings

import pytest
import torch

from grader.misconceptions.catalogue import CATALOGUE, Misconception

ENTRIES = list(CATALOGUE.values())
MEASURED_WITH = (2, 13)


def printed(example: str) -> tuple[str, bool]:
    """Run an example as if pasted: what it printed, or `Exception: message` and True."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(example, "<example>", "exec"), {"__name__": "__main__"})
        except Exception as error:  # noqa: BLE001 - whatever torch raises is what the example shows
            return f"{type(error).__name__}: {error}", True
    return out.getvalue().removesuffix("\n"), False


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_example_prints_what_the_catalogue_says(entry: Misconception) -> None:
    """Pasted into Python, the example prints `prints`, or raises what is named there."""
    found, raised = printed(entry.example)
    if not raised:
        assert found == entry.prints
    elif torch.__version__.startswith("{}.{}.".format(*MEASURED_WITH)):
        assert found.startswith(entry.prints)
    else:
        assert found.split(":")[0] == entry.prints.split(":")[0]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_example_shows_the_difference(entry: Misconception) -> None:
    """What a believer expects is neither what the example prints nor the exception that it raises."""
    assert entry.believer_expects != entry.prints
    assert not entry.prints.startswith(f"{entry.believer_expects}:")


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.id)
def test_the_example_is_tiny(entry: Misconception) -> None:
    """After `import torch` come a few short lines, and the last one prints."""
    first, *lines = entry.example.splitlines()
    assert first == "import torch"
    assert 2 <= len(lines) <= 7
    assert all(len(line) <= 105 for line in lines)
    assert lines[-1].startswith("print(")


def test_most_examples_have_five_lines_at_most() -> None:
    """Only where one line less would hide the point, an example has six or seven lines."""
    longer = [entry.id for entry in ENTRIES if len(entry.example.splitlines()) > 6]
    assert len(longer) <= len(ENTRIES) // 4


def test_two_runs_agree() -> None:
    """No example leaves anything behind that changes another one: the second round prints what the first did."""
    first = [printed(entry.example) for entry in ENTRIES]
    assert [printed(entry.example) for entry in reversed(ENTRIES)] == first[::-1]
