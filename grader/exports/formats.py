"""All formats by name, as `grade export` knows them."""

from __future__ import annotations

from grader.exports import ags, github, github_classroom, gradescope, junit, options, pages, table
from grader.exports.blackboard import blackboard
from grader.exports.brightspace import brightspace
from grader.exports.canvas import canvas
from grader.exports.canvas_feedback import canvas_feedback
from grader.exports.moodle import moodle
from grader.exports.moodle_feedback import moodle_feedback
from grader.exports.seam import Format

_MOODLE = {
    **{name: what for name, what in options.FILLED_IN.items() if name != "assignment-column"},
    "grade-column": "HEADING: the column of the grades, if the site's language is not known here",
    "feedback-column": "HEADING: the column of the comments, likewise",
    "feedback": "replace: comments that are there are replaced; none: none are written",
}

_ALL = (
    Format("csv", "a table for a spreadsheet", table.csv, options=table.OPTIONS),
    Format(
        "canvas",
        "Canvas: the exported gradebook with this column filled in",
        canvas,
        into="the gradebook exported from Canvas",
        single=True,
        options=options.FILLED_IN,
    ),
    Format(
        "canvas-feedback",
        "Canvas: the pages, for Upload Submissions",
        canvas_feedback,
        single=True,
        pages=True,
        options=pages.HELD,
    ),
    Format(
        "moodle",
        "Moodle: the grading worksheet filled in",
        moodle,
        into="the grading worksheet downloaded from Moodle",
        single=True,
        options=_MOODLE,
    ),
    Format(
        "moodle-feedback",
        "Moodle: the pages, for Upload multiple feedback files",
        moodle_feedback,
        single=True,
        pages=True,
        options=pages.HELD,
    ),
    Format("gradescope", "Gradescope: results.json", gradescope.gradescope, single=True, options=gradescope.OPTIONS),
    Format(
        "blackboard",
        "Blackboard: the Grade Center download filled in",
        blackboard,
        into="the Grade Center download",
        single=True,
        options=options.FILLED_IN,
    ),
    Format(
        "brightspace",
        "Brightspace: the exported grades filled in",
        brightspace,
        into="the grades exported from Brightspace",
        single=True,
        options=options.FILLED_IN,
    ),
    Format("junit", "JUnit XML for Jenkins and GitLab", junit.junit, options=junit.OPTIONS),
    Format("github", "GitHub Actions: annotations and the job's summary", github.github, options=github.OPTIONS),
    Format(
        "github-classroom",
        "GitHub Classroom: the autograding result",
        github_classroom.github_classroom,
        single=True,
        options=github_classroom.OPTIONS,
    ),
    Format("ags", "LTI 1.3 Advantage: score messages", ags.ags, single=True, options=ags.OPTIONS),
)
FORMATS: dict[str, Format] = {each.name: each for each in _ALL}
