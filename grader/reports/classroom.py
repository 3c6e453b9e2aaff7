"""The class at a glance, for the instructor: scores, verdicts per question, difficulty, what went wrong most often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from grader.records import (
    ExerciseGrade,
    Grade,
    Program,
    PublicAssignment,
    count_points,
    human_name,
    show,
    show_outcome,
    show_points,
)
from grader.reports.rendering import render
from grader.reports.sharing import shared_answers, strayed_notebooks
from grader.reports.view import call
from grader.reports.words import VerdictWords, count_verdicts, counted, looked_at, score_text

COMMONEST = 4


@dataclass(frozen=True)
class Slip:
    """A wrong answer that `count` students gave to one part of a question."""

    part: str
    shown: str
    count: int


@dataclass(frozen=True)
class QuestionView:
    """One question over the whole class. `mean` is the mean share of its points, in percent; None if all are held."""

    title: str
    verdicts: tuple[tuple[VerdictWords, int], ...]
    said: str
    mean: int | None
    slips: tuple[Slip, ...]


@dataclass(frozen=True)
class AssignmentView:
    """One assignment over the whole class."""

    name: str
    title: str
    said: str
    questions: tuple[QuestionView, ...]


@dataclass(frozen=True)
class ScoreCell:
    """One student's score for one assignment; `page` is the address of the feedback."""

    text: str
    status: str
    page: str


def class_page(
    grades: Sequence[Grade],
    assignments: Mapping[str, PublicAssignment],
    addresses: Mapping[tuple[str, str], str] | None = None,
) -> str:
    """A whole HTML page about the class; for the instructor alone.

    Args:
        addresses: (student, assignment) -> relative address of the feedback page, for links.
    """
    names = sorted({grade.assignment for grade in grades})
    cells = {(grade.student, grade.assignment): _cell(grade, addresses or {}) for grade in grades}
    students = sorted({grade.student for grade in grades})
    return render(
        "class.html.j2",
        columns=[_title(name, assignments) for name in names],
        rows=[(student, [cells.get((student, name)) for name in names]) for student in students],
        summary=f"{counted(len(students), 'student')}, {counted(len(names), 'assignment')}",
        assignments=[_assignment(name, grades, assignments) for name in names],
        shared=shared_answers(grades),
        strayed=strayed_notebooks(grades),
        odd=odd_files(grades),
        confinement=sorted({grade.versions.confinement for grade in grades if grade.versions.confinement}),
    )


def odd_files(grades: Sequence[Grade]) -> list[tuple[str, str]]:
    """(file or student, what was odd about it), sorted; each once."""
    found = {(grade.path or f"{grade.student}, {grade.assignment}", note) for grade in grades for note in grade.notes}
    return sorted(found)


def _title(name: str, assignments: Mapping[str, PublicAssignment]) -> str:
    return assignments[name].title if name in assignments else human_name(name)


def _cell(grade: Grade, addresses: Mapping[tuple[str, str], str]) -> ScoreCell:
    return ScoreCell(score_text(grade), grade.status, addresses.get((grade.student, grade.assignment), ""))


def _assignment(name: str, grades: Sequence[Grade], assignments: Mapping[str, PublicAssignment]) -> AssignmentView:
    own = [grade for grade in grades if grade.assignment == name]
    scores = [grade.score for grade in own if grade.score is not None]
    counts = Counter(grade.status for grade in own)
    said = [f"{counts[status]} {status}" for status in ("graded", "held", "missing", "refused") if counts[status]]
    if scores:
        said.append(f"mean {show_points(sum(scores, Decimal(0)) / len(scores))} of {count_points(own[0].max_score)}")
    questions = assignments[name].questions if name in assignments else ()
    order = [question.id for question in questions] + [exercise.id for grade in own for exercise in looked_at(grade)]
    by_question: dict[str, list[ExerciseGrade]] = {each: [] for each in dict.fromkeys(order)}
    for grade in own:
        for exercise in looked_at(grade):
            by_question[exercise.id].append(exercise)
    views = tuple(_question(each, found) for each, found in by_question.items() if found)
    return AssignmentView(name, _title(name, assignments), ", ".join(said), views)


def _question(name: str, found: Sequence[ExerciseGrade]) -> QuestionView:
    verdicts = tuple(count_verdicts(exercise.verdict for exercise in found))
    shares = [
        exercise.score / exercise.max_score for exercise in found if exercise.score is not None and exercise.max_score
    ]
    return QuestionView(
        title=human_name(name),
        verdicts=verdicts,
        said=", ".join(f"{count} {words.short}" for words, count in verdicts),
        mean=round(100 * sum(shares, Decimal(0)) / len(shares)) if shares else None,
        slips=_slips(found),
    )


def _slips(found: Sequence[ExerciseGrade]) -> tuple[Slip, ...]:
    shown: Counter[tuple[str, str]] = Counter()
    for exercise in found:
        for part in exercise.parts:
            if part.verdict not in ("wrong", "partly_right"):
                continue
            if part.case is not None:
                made = call(Program(part.case.probe, (), ""), part.case.arguments, exercise.id)
                shown[part.name, f"{made} → {show_outcome(part.case.given)}"] += 1
            elif part.given is not None:
                shown[part.name, show(part.given)] += 1
    commonest = sorted(shown.items(), key=lambda item: (-item[1], item[0]))[:COMMONEST]
    return tuple(Slip(part, text, count) for (part, text), count in commonest)
