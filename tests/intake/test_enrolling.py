"""A class under the ids of its roster: everybody on it has one row, and nobody is taken for somebody else."""

from __future__ import annotations

import pytest

from grader.intake import enrol
from grader.records import ClassWork, Handin, Missing, Refused, Student, Submission

ADA = Student("ada", "Ada L.", "ada@example.org", ids=(("canvas", "1234"), ("github", "AdaCodes")))
BEN = Student("ben", "Ben B.", "ben@example.org", ids=(("canvas", "77"),), group="Team 7")
CY = Student("77", "Cy", group="team 7")
CLASS = (ADA, BEN, CY)


def handed_in(student: str, **facts: object) -> Submission:
    return Submission(student, "hooks", f"{student}.ipynb", "0" * 64, (), (), handin=Handin(**facts))  # type: ignore[arg-type]


def students(work: ClassWork) -> list[str]:
    return [row.student for row in work.submissions]


@pytest.mark.parametrize(
    ("called", "facts", "student"),
    [
        ("ada", {}, "ada"),
        ("1234", {"layout": "canvas"}, "ada"),
        ("adacodes", {"layout": "github"}, "ada"),
        ("ada@example.org", {"layout": "gradescope"}, "ada"),
        ("x9", {"layout": "gradescope", "email": "ADA@example.org"}, "ada"),
        # 77 is ben's number in Canvas, and what cy is called here.
        ("77", {"layout": "canvas"}, "ben"),
        ("77", {"layout": "plain"}, "77"),
    ],
)
def test_who_it_is(called: str, facts: dict[str, str], student: str) -> None:
    """The roster's own id, the platform's where the download is that platform's, an e-mail address; never a name."""
    assert students(enrol(ClassWork((handed_in(called, **facts),)), CLASS, ())) == [student]


def test_a_name_is_no_id() -> None:
    """Who is called like somebody on the roster is not taken for them."""
    work = enrol(ClassWork((handed_in("z", name="Ada L."),)), CLASS, ())
    assert students(work) == ["z"]
    assert [remark.path for remark in work.remarks] == ["z"]


def test_an_address_of_two_tells_nobody() -> None:
    """An e-mail address that two students have stands for neither."""
    twins = (Student("a", email="both@example.org"), Student("b", email="both@example.org"))
    assert students(enrol(ClassWork((handed_in("both@example.org"),)), twins, ())) == ["both@example.org"]


def test_everybody_on_the_roster_has_one_row_for_each_assignment() -> None:
    """Who handed in nothing is missing, once; who handed in what cannot be placed is not said to be missing."""
    found = ClassWork(
        (handed_in("ada"),), missing=(Missing("ada", "more"),), refused=(Refused("x", "77", None, "is broken"),)
    )
    work = enrol(found, CLASS, ("hooks", "more"))
    rows = [(row.student, row.assignment) for row in (*work.submissions, *work.missing)]
    assert sorted(rows) == [("ada", "hooks"), ("ada", "more"), ("ben", "hooks"), ("ben", "more")]


@pytest.mark.parametrize("facts", [{"group": "Team 7"}, {"group": "team7"}, {"members": ("ben", "77")}])
def test_a_group_gives_each_member_its_row(facts: dict[str, object]) -> None:
    """By the members that the download names, else by the group's name in the roster, whatever its spaces."""
    work = enrol(ClassWork((handed_in("team7", **facts),)), CLASS, ("hooks",))
    assert students(work) == ["77", "ben"]
    assert [row.student for row in work.missing] == ["ada"]
    assert not work.remarks
