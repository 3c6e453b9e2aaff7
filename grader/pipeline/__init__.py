"""What the commands do, each a road through the stages that fits on one page. The only part that composes stages.

grade    solutions -> lessons;  folders -> submissions;  each: plan -> run -> judge -> record;  then render
check    one notebook and the public half of its assignment -> what passes, what is unchecked
release  solutions -> the students' notebooks
audit    solutions -> which beliefs each question cannot see or tell apart
show     one student's grades, from the gradebook
export   gradebook -> the files that an LMS or a CI reads
"""

from grader.exports import Exported, Format
from grader.pipeline.auditing import Audited, Auditor, audit
from grader.pipeline.checking import check
from grader.pipeline.exporting import ExportOrder, append_for_ci, as_lines, check_order, export, formats
from grader.pipeline.grading import Graded, Order, Progress, grade
from grader.pipeline.lessons import Lesson, ReferenceRunner, prepare
from grader.pipeline.releasing import release
from grader.pipeline.showing import show

__all__ = [
    "Audited",
    "Auditor",
    "ExportOrder",
    "Exported",
    "Format",
    "Graded",
    "Lesson",
    "Order",
    "Progress",
    "ReferenceRunner",
    "append_for_ci",
    "as_lines",
    "audit",
    "check",
    "check_order",
    "export",
    "formats",
    "grade",
    "prepare",
    "release",
    "show",
]
