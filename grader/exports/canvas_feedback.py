"""Canvas, "Upload Submissions": each page under the downloaded file's name up to the attachment's number."""

from __future__ import annotations

import re
import unicodedata
from pathlib import PurePosixPath

from grader.exports.pages import NoPlace, pages_zip
from grader.exports.seam import Exported, Roll
from grader.exports.standing import the_assignment
from grader.records import Grade
from grader.reports.escape import line

_ATTACHMENT = "canvas attachment "
# What Canvas itself never leaves in a name.
_FORBIDDEN = re.compile(r'[\0/\\:*?"<>|]+')


def canvas_feedback(roll: Roll) -> Exported:
    """`canvas-feedback.zip`. It sets no grade; uploaded twice it comments twice."""
    the_assignment(roll)
    return pages_zip(roll, "canvas-feedback.zip", _entry)


def _entry(grade: Grade) -> str:
    facts = grade.handin
    ids = dict(facts.ids)
    attachment = _attachment(grade)
    late = "LATE_" if facts.late else ""
    if anonymous := ids.get("canvas anonymous id"):
        return f"{late}anon_{anonymous}_{attachment}_feedback.html"
    user = ids.get("canvas user")
    if not user:
        raise NoPlace("was not in a download of Canvas, so no name leads back; grade the zip as downloaded")
    ending = f"{late}{user}_{attachment}_feedback.html"
    name = _FORBIDDEN.sub("_", line(facts.name))
    whole = f"{name}_{ending}" if name else ending
    # Canvas takes the first two numbers between underscores; a name that holds one would lead to somebody else.
    return whole if _read_by_canvas(whole) == [user, attachment] else ending


def _attachment(grade: Grade) -> str:
    """The number of the file that was graded, else of the only one."""
    own = {what.removeprefix(_ATTACHMENT): number for what, number in grade.handin.ids if what.startswith(_ATTACHMENT)}
    graded = unicodedata.normalize("NFC", PurePosixPath(grade.path or "").name)
    fitting = [number for file, number in own.items() if graded.endswith(f"_{number}_{file}")]
    # What a student packed was graded by a name of its own.
    fitting = fitting or [number for file, number in own.items() if file in (grade.path or "")]
    if len(own) == 1 or len(fitting) == 1:
        return (fitting or list(own.values()))[0]
    if not own:
        raise NoPlace("has no file in the download of Canvas, so there is nothing to attach a page to")
    return min(own.values(), key=int)


def _read_by_canvas(name: str) -> list[str]:
    return [each for each in name.split("_") if each.isascii() and each.isdigit()][:2]
