"""What instructors write, and what is made of it.

A solutions file needs `Assignment` and `vary` alone:

    from grader.course import Assignment, vary

    assignment = Assignment("hooked-gradients")

The other names are the grader's own: loading a solutions file (`load`), checking it against its computed key
(`verify`), and what is released of it (`publish`, `student_notebook`, `solution_notebook`, `public_bytes`). The
`Assignment` here is what authors write with; the record made of it is `grader.records.Assignment`.

Importing this imports no torch; executing a solutions file does.
"""

from grader.course.folder import course_key, solution_files
from grader.course.loading import load
from grader.course.notebooks import solution_notebook, student_notebook
from grader.course.publishing import public_bytes, publish, read_public
from grader.course.surface import Assignment
from grader.course.vary import vary
from grader.course.verifying import verify

__all__ = [
    "Assignment",
    "course_key",
    "load",
    "public_bytes",
    "publish",
    "read_public",
    "solution_files",
    "solution_notebook",
    "student_notebook",
    "vary",
    "verify",
]
