"""The page that is made from the catalogue."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from grader.misconceptions.catalogue import CATALOGUE, FAMILIES, TOPICS, catalogue_page

PAGE = Path(__file__).parents[2] / "docs" / "misconceptions.md"


def test_page_and_catalogue_agree() -> None:
    """docs/misconceptions.md is, byte for byte, what the catalogue says today."""
    command = "python -m grader.misconceptions.catalogue > docs/misconceptions.md"
    assert PAGE.read_bytes() == catalogue_page().encode(), f"make it anew: {command}"


def test_the_command_writes_the_page() -> None:
    """The command named on the page prints exactly that page."""
    command = [sys.executable, "-m", "grader.misconceptions.catalogue"]
    assert subprocess.run(command, capture_output=True, check=True).stdout == PAGE.read_bytes()


def test_every_id_has_its_anchor() -> None:
    """Each misconception, family and topic can be linked to by its id."""
    anchors = re.findall(r'<a id="([^"]+)"></a>', catalogue_page())
    assert sorted(anchors) == sorted([*CATALOGUE, *FAMILIES, *(topic.id for topic in TOPICS), "families"])


def test_links_within_the_page_lead_somewhere() -> None:
    """Every `#...` link of the page has an anchor."""
    page = catalogue_page()
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= set(re.findall(r'<a id="([^"]+)"></a>', page))


def test_every_page_referred_to_has_its_address() -> None:
    """Each documentation page that an entry names is defined as a link, once."""
    page = catalogue_page()
    for entry in CATALOGUE.values():
        assert f"See [{entry.page}].\n" in page
        assert page.count(f"\n[{entry.page}]: https://") == 1


def test_the_page_has_all_words() -> None:
    """Nothing that the catalogue says is left out of the page."""
    page = catalogue_page()
    for entry in CATALOGUE.values():
        for text in [entry.belief, entry.truth, entry.example, entry.prints, entry.believer_expects, entry.follow_up]:
            assert text in page
        assert entry.before in page
