"""Folder names are safe, unique and stable."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.reports.escape import line
from grader.reports.naming import MAX_BYTES, folder_names

ANY = st.text(st.characters(exclude_categories=()))


@given(st.sets(st.one_of(ANY, st.sampled_from(["ada", "Ada", "ADA", "a/b", "a\\b", "a_b", "..", ".", "", "con", "é"]))))
def test_names_are_safe_and_unique(students: set[str]) -> None:
    """One component that no file system objects to, unique even where case and form do not count."""
    folders = folder_names(students)
    assert set(folders) == students
    folded = {
        unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", each).casefold()) for each in folders.values()
    }
    assert len(folded) == len(students)
    for folder in folders.values():
        assert 0 < len(folder.encode()) <= MAX_BYTES
        assert len(PurePosixPath(folder).parts) == len(PureWindowsPath(folder).parts) == 1
        assert not set(folder) & set('/\\<>:"|?*\x00')
        assert not folder.startswith((".", " "))
        assert not folder.endswith((".", " "))
        assert line(folder) == folder


@pytest.mark.parametrize("name", ["ada", "Jürgen Müller", "李小龙", "s.lee@example.org", "_x", "42"])
def test_ordinary_names_stay(name: str) -> None:
    """A name that is safe is its own folder."""
    assert folder_names([name]) == {name: name}


@pytest.mark.parametrize(
    "name", ["CON", "nul.txt", "../../etc", "a/b", ".hidden", "x" * 300, "tail. ", "\x1b[31mred", ""]
)
def test_odd_names_get_a_digest(name: str) -> None:
    """What had to be changed is told apart from what looks like it, the same way in every run."""
    [folder] = folder_names([name]).values()
    assert folder != name
    assert folder == folder_names([name, "other"])[name]
    assert folder.split("-")[-1].isalnum()


def test_a_digest_cannot_be_imitated() -> None:
    """A student whose id is another's folder name still gets a folder alone."""
    taken = folder_names(["a/b"])["a/b"]
    folders = folder_names(["a/b", taken])
    assert len(set(folders.values())) == 2
