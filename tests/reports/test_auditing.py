"""The text of `grade audit`."""

from __future__ import annotations

from grader.records import Audit, Finding
from grader.reports.auditing import audit_lines, verdict_lines

BLIND = Finding(
    "blind", ("w-is-all-ones",), "Nobody can see it.", "w = [3, 1] can.", open=True, sides=("w-is-all-ones",)
)
EXCUSED = Finding("merged", ("a", "b"), "Nobody can tell.", "Impossible.", "The tutorial's numbers.", sides=("a", "b"))


def text(audit: Audit) -> str:
    return " ".join(" ".join(audit_lines(audit)).split())


def test_what_is_open_says_how_to_mend_it_and_how_to_excuse_it() -> None:
    """The finding, its cure, and the id that a reason can be written for."""
    assert text(Audit("asked", 7, 3, 2, (BLIND,))) == (
        "asked (line 7): NEEDS YOU, 1 finding without a reason; 3 known beliefs would show, 2 by an answer that no "
        "other gives Nobody can see it. w = [3, 1] can. To ask it all the same, write a reason in blind_to for "
        '"w-is-all-ones".'
    )


def test_what_is_excused_passes_with_the_reason() -> None:
    """An excused finding stands there with the author's reason, and the question passes."""
    found = text(Audit("asked", 7, 3, 2, (EXCUSED,)))
    assert found.startswith("asked (line 7): passes, with a written reason;")
    assert found.endswith("Nobody can tell. Impossible. Your reason: The tutorial's numbers.")


def test_of_two_one_and_of_three_two_need_a_reason() -> None:
    """How many of the beliefs that share an answer need a reason is said."""
    two, three = (
        text(Audit("asked", 1, 3, 0, (Finding("merged", names, "t", "c", open=True, sides=names),)))
        for names in (("a", "b"), ("a", "b", "c"))
    )
    assert 'for one of "a", "b".' in two
    assert 'for all but one of "a", "b", "c".' in three


def test_the_end_counts_the_questions() -> None:
    """How many pass, how many need somebody, and what to do."""
    lines = list(verdict_lines([Audit("one", 1, 0, 0, (BLIND,)), Audit("two", 2, 0, 0, (EXCUSED,))]))
    assert lines[0] == "1 question passes, 1 need you."
    assert "blind_to" in " ".join(lines)
    assert list(verdict_lines([Audit("two", 2, 0, 0)])) == ["1 question passes, 0 need you."]
