"""All pages of a run, each under the relative path at which it is to be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from urllib.parse import quote

from grader.records import Grade, PublicAssignment
from grader.reports.classroom import class_page
from grader.reports.markdown import student_markdown
from grader.reports.naming import folder_names, safe_name
from grader.reports.student import student_page

CLASS_PAGE = "class.html"


def pages(grades: Sequence[Grade], assignments: Mapping[str, PublicAssignment]) -> dict[str, str]:
    """Relative path -> text, of everything that `page_makers` can make."""
    return {name: make() for name, make in page_makers(grades, assignments).items()}


def page_makers(grades: Sequence[Grade], assignments: Mapping[str, PublicAssignment]) -> dict[str, Callable[[], str]]:
    """Relative path -> what makes the page: one that cannot be made costs no other.

    `feedback/<student>/<assignment>.html` and `.md`, and `class.html`, sorted. Folder names are safe and unique,
    whatever the students are called. The texts are valid UTF-8.
    """
    folders = folder_names(grade.student for grade in grades)
    makers: dict[str, Callable[[], str]] = {}
    addresses: dict[tuple[str, str], str] = {}
    for grade in grades:
        stem = f"feedback/{folders[grade.student]}/{safe_name(grade.assignment)}"
        public = assignments.get(grade.assignment)
        makers[f"{stem}.html"] = partial(student_page, grade, public)
        makers[f"{stem}.md"] = partial(student_markdown, grade, public)
        addresses[grade.student, grade.assignment] = quote(f"{stem}.html")
    makers[CLASS_PAGE] = partial(class_page, grades, assignments, addresses)
    return dict(sorted(makers.items()))
