"""Moodle, "Upload multiple feedback files in a zip": each page in the folder that the student has in a download."""

from __future__ import annotations

import re

from grader.exports.pages import NoPlace, pages_zip
from grader.exports.seam import Exported, Roll
from grader.exports.standing import the_assignment
from grader.records import Grade
from grader.reports.escape import line

_UNSAFE = re.compile(r'[_\0/\\:*?"<>|]+')


def moodle_feedback(roll: Roll) -> Exported:
    """`moodle-feedback.zip`. Moodle reads the number; the name before it is for people."""
    the_assignment(roll)
    return pages_zip(roll, "moodle-feedback.zip", _entry)


def _entry(grade: Grade) -> str:
    number = dict(grade.handin.ids).get("moodle participant")
    if not number:
        raise NoPlace("has no participant number of a Moodle download, so no name leads back")
    # A leading dot or tilde would make Moodle pass it over.
    name = _UNSAFE.sub(" ", line(grade.handin.name)).strip(" .~") or "Participant"
    return f"{name}_{number}_assignsubmission_file/feedback.html"
