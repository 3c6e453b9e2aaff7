"""Records -> what people read: the student's page, the class page, the terminal. Pure; nothing is written here.

All text that may be a student's goes through the one door in `grader.reports.escape`.
"""

from grader.reports.classroom import class_page
from grader.reports.markdown import student_markdown
from grader.reports.naming import folder_names
from grader.reports.site import page_makers, pages
from grader.reports.student import student_page
from grader.reports.summary import plain_lines, show_student, summary_rows

__all__ = [
    "class_page",
    "folder_names",
    "page_makers",
    "pages",
    "plain_lines",
    "show_student",
    "student_markdown",
    "student_page",
    "summary_rows",
]
