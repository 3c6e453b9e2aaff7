"""A fingerprint changes with the question, and with nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.course import load

BODY = '''
@assignment.choice("a", points=1, options={"x": "ex", "y": "why"})
def first(w=[1.0]):
    """Prompt."""
    # comment
    return "x" if w else "y"


@assignment.implement(points=2)
def f(x, bias=0):
    """Write it."""
    return x + bias


@f.probe(public=[dict(x=1)], hidden=[dict(x=2)], generated=dict(x=vary(1, low=0, high=9)))
def one(f, x):
    return f(x)


@f.mistake("Nothing happens.")
def none(x):
    return None
'''

CHANGES = [
    ("Prompt.", "Prompt!", {"first"}),
    ("# comment", "# remark", {"first"}),
    ("w=[1.0]", "w=[2.0]", {"first"}),
    ('choice("a"', 'choice("b"', {"first"}),
    ('"ex"', '"ecks"', {"first"}),
    ("def first", "def other", {"first"}),
    ("bias=0", "bias=1", {"f"}),
    ("Write it.", "Write it!", {"f"}),
    ("dict(x=1)", "dict(x=3)", {"f"}),
    ("return f(x)", "return [f(x)]", {"f"}),
    ("points=1", "points=3", set()),
    ("points=2", "points=2, tolerance=1e-3, show_key=True, all_or_nothing=True", set()),
    ("return x + bias", "return bias + x", set()),
    ("hidden=[dict(x=2)]", "hidden=[dict(x=4)]", set()),
    ("high=9", "high=8", set()),
    ("Nothing happens.", "Nothing.", set()),
]


def fingerprints(path: Path, key: bytes = b"k") -> tuple[list[str], str]:
    assignment = load(path, key)
    return [exercise.fingerprint for exercise in assignment.exercises], assignment.fingerprint


@pytest.mark.parametrize(("old", "new", "changed"), CHANGES, ids=[f"{old} -> {new}" for old, new, _ in CHANGES])
def test_fingerprint_follows_the_question(write: Callable[[str], Path], old: str, new: str, changed: set[str]) -> None:
    """What a student sees and what decides the answer is in it; points, tolerance and hidden cases are not."""
    before, whole = fingerprints(write(BODY))
    assert BODY.count(old) == 1
    after, whole_after = fingerprints(write(BODY.replace(old, new)))
    assert {name for name, a, b in zip(("first", "f"), before, after, strict=True) if a != b} == changed
    assert (whole != whole_after) == bool(changed)


def test_fingerprint_does_not_depend_on_the_key(write: Callable[[str], Path]) -> None:
    """A clone of the course with another `course.key` recognises the notebooks that were released."""
    path = write(BODY)
    assert fingerprints(path, b"k") == fingerprints(path, b"another")


def test_fingerprint_is_stable(write: Callable[[str], Path]) -> None:
    """Pinned: a change of how fingerprints are made would send every released notebook to a person."""
    assert fingerprints(write(BODY)) == PINNED


PINNED = (["b9fa459dfce3edd1", "918a40fb38dde4b1"], "c00c3a90a7b42d4f")
