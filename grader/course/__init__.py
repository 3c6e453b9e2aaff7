"""What instructors write, and what is made of it.

A solutions file needs `Assignment`, `vary` and, for ready probes, `conduct`:

    from grader.course import Assignment, conduct, vary

    assignment = Assignment("hooked-gradients")

The other names are the grader's own: loading a solutions file (`load`), checking it against its computed key
(`verify`), and what is released of it (`publish`, `student_notebook`, `solution_notebook`, `public_bytes`). The
`Assignment` here is what authors write with; the record made of it is `grader.records.Assignment`.

What a release writes is given by `common`, `per_student` and `model`; a release per student has a roster
(`read_roster`, `kept_roster`, `enrol`), and its numbers follow from the course's key (`own_arguments`, `tag`).
Importing this imports no torch; executing a solutions file does.
"""

from grader.course import conduct
from grader.course.calendar import check_extensions, read_calendar
from grader.course.folder import course_key, solution_files
from grader.course.following import NotPlain, plain_numbers
from grader.course.loading import load
from grader.course.notebooks import solution_notebook, student_notebook
from grader.course.personal import (
    NOBODY,
    own_arguments,
    tag,
    usable_draws,
    with_arguments,
)
from grader.course.problems import shown
from grader.course.publishing import public_bytes, publish, read_public
from grader.course.releasing import common, enrol, left_line, model, per_student, stock_line
from grader.course.rosters import class_roster, kept_roster, known_students, read_roster
from grader.course.surface import Assignment
from grader.course.vary import vary
from grader.course.verifying import verify

__all__ = [
    "NOBODY",
    "Assignment",
    "NotPlain",
    "check_extensions",
    "class_roster",
    "common",
    "conduct",
    "course_key",
    "enrol",
    "kept_roster",
    "known_students",
    "left_line",
    "load",
    "model",
    "own_arguments",
    "per_student",
    "plain_numbers",
    "public_bytes",
    "publish",
    "read_calendar",
    "read_public",
    "read_roster",
    "shown",
    "solution_files",
    "solution_notebook",
    "stock_line",
    "student_notebook",
    "tag",
    "usable_draws",
    "vary",
    "verify",
    "with_arguments",
]
