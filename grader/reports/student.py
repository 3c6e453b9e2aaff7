"""The student's page as HTML."""

from __future__ import annotations

from grader.records import Grade, PublicAssignment
from grader.reports.rendering import render
from grader.reports.view import student_view


def student_page(grade: Grade, assignment: PublicAssignment | None) -> str:
    """A whole HTML page: what was asked, what was answered, what is wrong with it. No script, nothing loaded.

    `assignment` may be None where it is not known any more; then prompts and programs are left out.
    """
    return render("student.html.j2", view=student_view(grade, assignment))
