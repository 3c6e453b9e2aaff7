"""Strict readers, each written from what its platform does with a file, and not from how ours is made.

Whatever a platform would refuse is an `AssertionError` here. Sources: docs/exports.md.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import re
import zipfile
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def clean(text: str) -> str:
    """The text, which holds nothing that moves a cursor, hides or turns round."""
    assert not CONTROL.search(text), ascii(text)
    return text


def no_formula(text: str) -> str:
    assert not text.startswith(FORMULA) or re.fullmatch(r"[+-]?\d+([.,]\d+)?", text), text
    return clean(text)


def canvas(data: bytes, assignment: int) -> dict[str, str]:
    """Canvas user id -> what Canvas would set for an assignment; nothing for a blank, which changes nothing."""
    text = data.decode("utf-8-sig")
    lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    header = lines[0]
    assert "Student" in header[0]
    assert "ID" in header[1]
    section = header.index("Section")
    assert len(header) >= 4
    columns = [
        at
        for at, title in enumerate(header)
        if at > section
        and not re.search(r"(?:Current|Final) (?:Score|Points|Grade)|Override (?:Score|Grade|Status)", title)
        and (match := re.fullmatch(r"(.*)\s\((\d+)\)", title))
        and int(match[2]) == assignment
    ]
    assert len(columns) == 1
    found = {}
    for cells in lines[1:]:
        assert len(cells) == len(header)
        if "Points Possible" in cells[0]:
            assert "read only" not in cells[columns[0]]
            continue
        grade = cells[columns[0]].strip()
        if grade in ("", "-"):
            continue
        assert re.fullmatch(r"\d+(\.\d{1,2})?|(?i:ex)", grade), grade
        assert cells[1] not in found
        found[cells[1]] = grade
    return found


def moodle(data: bytes, word: str, grade: str, modified: str, feedback: str) -> dict[str, tuple[Decimal, str]]:
    """Participant -> the grade that Moodle would store, and the comment; the words are the site's."""
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    found = {}
    for row in rows:
        assert {"Identifikator", grade, modified} <= set(row)
        participant = row["Identifikator"][len(word) :]
        assert participant.isdigit()
        if row[grade] == "":
            continue
        assert re.fullmatch(r"\d+,\d{1,2}", row[grade]), row[grade]
        number = Decimal(row[grade].replace(",", "."))
        if 0 <= number <= Decimal(row["Bestwertung"].replace(",", ".")):
            assert not re.search(r"<(?!/?p>)", row[feedback]), row[feedback]
            found[participant] = (number, clean(row[feedback]))
    return found


def blackboard(data: bytes, column: int) -> dict[str, Decimal]:
    """Username -> what Blackboard would set in a column that exists."""
    assert data.startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    heading = [name for name in rows[0] if name.endswith(f" |{column}")]
    assert len(heading) == 1
    assert re.fullmatch(r".*? \[Total Pts: [\d.,]+ Score\] \|\d+", heading[0])
    for row in rows:
        assert row["Feedback Format"] in ("", "HTML", "PLAIN_TEXT", "SMART_TEXT")
        no_formula(row["Feedback to Learner"])
    return {row["Username"]: Decimal(row[heading[0]]) for row in rows if row[heading[0]]}


def brightspace(data: bytes, item: str) -> dict[str, Decimal]:
    """OrgDefinedId -> points of an item; each row ends with the indicator."""
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), strict=True))
    header = [re.sub(r"\s*<.*>$", "", each) for each in rows[0]]
    assert header[0] == "OrgDefinedId"
    assert header[-1] == "End-of-Line Indicator"
    at = header.index(f"{item} Points Grade")
    found = {}
    for cells in rows[1:]:
        assert cells[-1] == "#"
        assert cells[0].startswith("#")
        assert len(cells) == len(header)
        if cells[at]:
            found[cells[0].removeprefix("#")] = Decimal(cells[at])
    return found


def archive(data: bytes) -> dict[str, bytes]:
    """A zip's files, no two of one name and none outside."""
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        names = opened.namelist()
        assert len(set(names)) == len(names)
        for name in names:
            clean(name)
            assert not name.startswith("/")
            assert ".." not in name.split("/")
            assert "\\" not in name
        assert opened.testzip() is None
        return {name: opened.read(name) for name in names}


def canvas_feedback(data: bytes) -> dict[tuple[str, str], bytes]:
    """(user id, attachment id) -> page: Canvas takes the first two numbers between underscores."""
    found = {}
    for name, page in archive(data).items():
        assert not name.startswith("._")
        numbers = [each for each in name.split("_") if re.fullmatch(r"[0-9]+", each)][:2]
        found[numbers[0], numbers[1]] = page
    return found


def moodle_feedback(data: bytes) -> dict[str, bytes]:
    """Participant -> page."""
    found = {}
    for name, page in archive(data).items():
        folder, _, file = name.partition("/")
        match = re.fullmatch(r"[^_]*_(\d+)_assign(?:submission|feedback)_file", folder)
        assert match, name
        assert file
        assert not file.startswith((".", "~"))
        found[match[1]] = page
    return found


def _no_constant(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")


def strict_json(data: bytes | str) -> Any:
    return json.loads(data, parse_constant=_no_constant)


def gradescope(data: bytes) -> dict[str, Any]:
    """A results.json by Gradescope's field rules."""
    result = strict_json(data)
    assert set(result) <= {
        "score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
        "stdout_visibility", "extra_data", "tests", "leaderboard",
    }  # fmt: skip
    seen = ("visible", "hidden", "after_due_date", "after_published")
    forms = ("text", "html", "simple_format", "md", "ansi")
    assert isinstance(result["score"], int | float)
    assert math.isfinite(result["score"])
    assert result.get("visibility", "visible") in seen
    assert result.get("stdout_visibility", "hidden") in seen
    for name in ("output_format", "test_output_format", "test_name_format"):
        assert result.get(name, "text") in forms
    clean(result["output"])
    for test in result["tests"]:
        assert set(test) <= {
            "score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
            "visibility", "extra_data",
        }  # fmt: skip
        assert test["status"] in ("passed", "failed")
        assert test.get("visibility", "visible") != "hidden", "a hidden test hides the total"
        assert isinstance(test["number"], str)
        assert math.isfinite(test["score"])
        assert math.isfinite(test["max_score"])
        clean(test["name"])
        clean(test["output"])
    return result


# The rules of the schema that Jenkins checks JUnit files with: element -> (required, allowed) attributes.
JENKINS = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "disabled", "errors"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {
            "name",
            "tests",
            "failures",
            "errors",
            "time",
            "disabled",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
        },
    ),
    "properties": (set(), set()),
    "property": ({"name", "value"}, {"name", "value"}),
    "testcase": ({"name"}, {"name", "time", "classname", "group"}),
    "skipped": (set(), {"message", "type"}),
    "error": (set(), {"message", "type"}),
    "failure": (set(), {"message", "type"}),
    "system-out": (set(), set()),
    "system-err": (set(), set()),
}
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out", "system-err"],
    "properties": ["property"],
    "testcase": ["skipped", "error", "failure", "system-out", "system-err"],
}


def junit(data: bytes) -> ElementTree.Element:
    """A JUnit file by Jenkins' schema and GitLab's rules."""
    root = ElementTree.fromstring(data)
    assert root.tag == "testsuites"
    for element in root.iter():
        required, allowed = JENKINS[element.tag]
        assert required <= set(element.keys()) <= allowed, (element.tag, element.keys())
        order = [CHILDREN.get(element.tag, []).index(child.tag) for child in element]
        if element.tag == "testsuite":
            assert order == sorted(order), "properties come first, output last"
            assert len([child for child in element if child.tag == "properties"]) <= 1
        if element.tag == "testcase":
            assert len([child for child in element if child.tag in ("skipped", "error", "failure")]) <= 1
        for name in ("tests", "failures", "errors", "skipped"):
            assert re.fullmatch(r"\d+", element.get(name, "0"))
        assert re.fullmatch(r"\d+(\.\d+)?", element.get("time", "0"))
        for text in (element.text or "", *element.attrib.values()):
            clean(text)
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.attrib["tests"]) == len(cases)
        for total, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(total, "0")) == sum(case.find(kind) is not None for case in cases)
    for total in ("tests", "failures", "errors"):
        assert int(root.attrib[total]) == sum(int(suite.attrib[total]) for suite in root)
    # Of two cases with one name GitLab counts the first.
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(set(names)) == len(names)
    assert len(data) < 30_000_000
    return root


def commands(stdout: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """What GitHub's runner would take for commands, line by line: (command, properties, message)."""
    stopped = ""
    for raw in re.split(r"\r\n|\n|\r", stdout):
        text = raw.lstrip()
        match = re.fullmatch(r"::([\w-]+)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)", text)
        if stopped:
            stopped = "" if text == f"::{stopped}::" else stopped
        elif match and match[1] == "stop-commands":
            stopped = match[3]
        elif match:
            pairs = [each.partition("=") for each in (match[2] or "").split(",") if each]
            properties = {name.strip(): _unescaped(value, (":", ",")) for name, _, value in pairs}
            yield match[1], properties, _unescaped(match[3])
        else:
            assert not text.startswith("::"), text


def _unescaped(text: str, more: tuple[str, ...] = ()) -> str:
    for sign in ("\r", "\n", *more):
        text = text.replace(f"%{ord(sign):02X}", sign)
    return text.replace("%25", "%")


def annotations(stdout: str) -> list[tuple[str, dict[str, str], str]]:
    """GitHub's annotations, within what it shows of them."""
    found = list(commands(stdout))
    for level, properties, message in found:
        assert level in ("error", "warning", "notice")
        assert set(properties) <= {"file", "line", "endLine", "col", "endColumn", "title"}
        clean(message)
    for level in ("error", "warning", "notice"):
        assert sum(each[0] == level for each in found) <= 10
    return found


def classroom(data: bytes) -> tuple[dict[str, Any], Decimal | None]:
    """The result, and the points that GitHub Classroom would store: None where it counts no such runner."""
    result = strict_json(base64.b64decode(data, validate=False))
    assert result["version"] in (1, 3)
    assert result["status"] in ("pass", "fail", "error")
    assert len(result["tests"]) >= 1
    for test in result["tests"]:
        assert test["status"] in ("pass", "fail", "error")
        assert len(test["output"]) <= 500
        clean(test["name"])
        clean(test["output"])
    total = sum((Decimal(str(test["score"])) for test in result["tests"]), Decimal(0))
    return result, total if result["max_score"] else None


def ags(data: bytes) -> dict[str, dict[str, Any]]:
    """User -> the message, by the rules of the score service and of both platforms that check them."""
    found = {}
    for line in data.decode("ascii").splitlines():
        message = strict_json(line)
        assert {"userId", "timestamp", "activityProgress", "gradingProgress"} <= set(message)
        when = datetime.fromisoformat(message["timestamp"])
        assert when.tzinfo is not None
        assert re.search(r"\.\d+", message["timestamp"])
        assert message["activityProgress"] in ("Initialized", "Started", "InProgress", "Submitted", "Completed")
        assert message["gradingProgress"] in ("FullyGraded", "Pending", "PendingManual", "Failed", "NotReady")
        assert ("scoreGiven" in message) == ("scoreMaximum" in message)
        if "scoreGiven" in message:
            assert message["scoreGiven"] >= 0
            assert message["scoreMaximum"] > 0
        clean(message.get("comment", ""))
        assert message["userId"] not in found
        found[message["userId"]] = message
    return found
