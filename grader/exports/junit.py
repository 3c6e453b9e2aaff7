"""JUnit XML that Jenkins' schema allows and GitLab reads: a suite for each student, a case for each exercise."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from xml.etree import ElementTree

from grader.exports.door import Names, block, short
from grader.exports.options import MISSING
from grader.exports.seam import Exported, Given, Roll
from grader.exports.standing import WHY, feedback, points, standing
from grader.records import ExerciseGrade, Grade, show_points

OPTIONS = MISSING
# Verdict -> the element in the case; none is a pass.
_ELEMENTS = {
    "partly_right": "failure",
    "wrong": "failure",
    "could_not_run": "error",
    "grader_fault": "error",
    "not_answered": "skipped",
    "needs_person": "skipped",
}


@dataclass(frozen=True)
class _Case:
    """One case; `element` is "" for a pass."""

    name: str
    element: str = ""
    kind: str = ""
    text: str = ""


def junit(roll: Roll) -> Exported:
    """`junit.xml`. Points are properties of the suite: JUnit knows no partial credit.

    Who handed in nothing has no suite.
    """
    root = ElementTree.Element("testsuites")
    names = Names()
    given = []
    for grade in roll.grades:
        number, state = points(roll, grade), standing(grade)
        if state == "missing" and number is None:
            given.append(Given(grade.student, grade.assignment, None, f"no suite; {WHY['missing']}"))
            continue
        name = names.once(f"{short(grade.assignment, 100)}.{short(grade.student, 200)}")
        _suite(root, name, grade, number)
        why = f"; {WHY[state]}" if state != "decided" else ""
        given.append(Given(grade.student, grade.assignment, number, f"suite {name}{why}"))
    for total in ("tests", "failures", "errors"):
        root.set(total, str(sum(int(suite.get(total, "0")) for suite in root)))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return Exported({"junit.xml": f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()}, tuple(given))


def _suite(root: ElementTree.Element, name: str, grade: Grade, number: Decimal | None) -> None:
    cases = _cases(grade)
    suite = ElementTree.SubElement(root, "testsuite", name=name, tests=str(len(cases)))
    for total, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(total, str(sum(case.element == kind for case in cases)))
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in _properties(grade, number):
        ElementTree.SubElement(properties, "property", name=key, value=value)
    once = Names()
    for case in cases:
        element = ElementTree.SubElement(suite, "testcase", classname=name, name=once.once(case.name))
        if case.element == "skipped":
            ElementTree.SubElement(element, "skipped", message=case.text)
        elif case.element:
            ElementTree.SubElement(element, case.element, type=case.kind, message=case.text).text = case.text
    ElementTree.SubElement(suite, "system-out").text = block(feedback(grade), 10_000)


def _properties(grade: Grade, number: Decimal | None) -> list[tuple[str, str]]:
    """The sum only where all is decided, and the points of each exercise that is."""
    found = [] if number is None else [("score", f"{show_points(number)}/{show_points(grade.max_score)}")]
    if grade.status not in ("missing", "refused"):
        decided = [each for each in grade.exercises if each.score is not None]
        found += [(f"score.{short(each.id, 200)}", _of(each)) for each in decided]
    return [*found, ("status", standing(grade))]


def _of(exercise: ExerciseGrade) -> str:
    return f"{show_points(exercise.score or Decimal(0))}/{show_points(exercise.max_score)}"


def _cases(grade: Grade) -> list[_Case]:
    state = standing(grade)
    if state == "refused":
        return [_Case("the file", "error", "refused", short(" ".join(grade.notes) or WHY[state]))]
    return [
        _Case(short(each.id, 200), _ELEMENTS.get(each.verdict, ""), each.verdict, short(each.message or each.verdict))
        for each in grade.exercises
    ]
