"""What the terminal says after a run, as lines. Every one of them has been through the door of `escape`."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from grader.records import HELD, ClassWork, ExerciseGrade, Grade, PublicAssignment, Status, show_points
from grader.reports.escape import line
from grader.reports.odd_files import odd_lines
from grader.reports.sharing import shared_answers
from grader.reports.view import Card, DiagnosisView, student_view
from grader.reports.words import REMARK, VERDICTS, count_verdicts, counted, looked_at, score_text

WIDTH = 80
# What comes first where the table has no room for all.
_URGENCY = ("needs_person", "grader_fault", "wrong", "could_not_run", "not_answered", "partly_right")


class Row(NamedTuple):
    """One line of the table."""

    student: str
    assignment: str
    score: str
    words: str


def summary_rows(grades: Sequence[Grade]) -> tuple[Row, ...]:
    """The table of a run, sorted by student and assignment: what was handed in, and who handed in nothing at all."""
    rows = []
    for student, own in groupby(sorted(grades, key=lambda each: (each.student, each.assignment)), _student):
        mine = list(own)
        handed_in = [each for each in mine if each.status != "missing"]
        if not handed_in:
            noted = next((each for each in mine if each.notes), mine[0])
            rows.append(Row(line(student), "", score_text(noted), in_five_words(noted)))
        rows += [Row(line(student), line(each.assignment), score_text(each), in_five_words(each)) for each in handed_in]
    return tuple(rows)


def _student(grade: Grade) -> str:
    return grade.student


def in_five_words(grade: Grade) -> str:
    """What went wrong: `all right`, `squaring_hook wrong`, `2 wrong, 1 unanswered`, or why there is no grade."""
    if grade.status in ("missing", "refused"):
        return line(grade.notes[0]) if grade.notes else {"missing": "handed in nothing"}.get(grade.status, "refused")
    trouble = [exercise for exercise in grade.exercises if exercise.verdict != "right"]
    if not trouble:
        return "all right" if grade.exercises else ""
    if len(trouble) == len(grade.exercises) > 1 and len({each.verdict for each in trouble}) == 1:
        return f"all {VERDICTS[trouble[0].verdict].short}"
    if len(trouble) == 1:
        return f"{line(trouble[0].id)} {VERDICTS[trouble[0].verdict].short}"
    counts = sorted(count_verdicts(each.verdict for each in trouble), key=lambda each: _URGENCY.index(each[0].verdict))
    return ", ".join(f"{count} {words.short}" for words, count in counts)


def closing_lines(grades: Sequence[Grade], output: str, confinement: str, reused: int) -> list[str]:
    """How it ended, where the results lie, what needs somebody, and what could not be enforced."""
    counts = Counter(grade.status for grade in grades)
    students = len({grade.student for grade in grades})
    words: dict[Status, str] = {"graded": "graded", "held": "held", "refused": "refused", "missing": "not handed in"}
    said = [f"{counts[status]} {words[status]}" for status in words if counts[status]]
    again = f" ({counted(reused, 'notebook')} unchanged since the last run)" if reused else ""
    lines = [f"{counted(students, 'student')}; of their notebooks {', '.join(said) or 'none to grade'}{again}."]
    held = Counter(exercise.verdict for grade in grades for exercise in looked_at(grade) if exercise.verdict in HELD)
    if held["needs_person"]:
        lines.append(f"{counted(held['needs_person'], 'exercise waits', 'exercises wait')} for your decision.")
    if held["grader_fault"]:
        exercises = counted(held["grader_fault"], "exercise is", "exercises are")
        lines.append(f"{exercises} held by a fault of the grader, not of students; run it again.")
    shared = len(shared_answers(grades))
    if shared:
        one, many = "wrong answer is right for", "wrong answers are right for"
        lines.append(f"{counted(shared, one, many)} somebody else's numbers; class.html lists them.")
    folder = line(output).rstrip("/")
    lines.append(f"Start with {folder}/class.html; each student's page is in {folder}/feedback/.")
    if confinement:
        lines.append(f"How notebooks were run: {line(confinement).rstrip('.')}.")
    return lines


def styled_lines(
    grades: Sequence[Grade], work: ClassWork, output: str, confinement: str, reused: int = 0, width: int = WIDTH
) -> Iterator[tuple[str, str]]:
    """The whole summary, line by line with a style for rich: table, odd files, how it ended."""
    rows = summary_rows(grades)
    styles = {"all right": "green", "handed in nothing": "dim"}
    yield from zip(_table(rows, width), (styles.get(row.words, "") for row in rows), strict=True)
    odd = odd_lines(grades, work)
    if odd:
        yield "", ""
        yield "Odd files:", "bold"
        yield from ((part, "") for each in odd for part in wrapped(each, "  ", width))
    yield "", ""
    for position, each in enumerate(closing_lines(grades, output, confinement, reused)):
        yield from ((part, "" if position else "bold") for part in wrapped(each, "", width, hang=""))


def plain_lines(grades: Sequence[Grade], work: ClassWork, output: str, confinement: str, reused: int = 0) -> list[str]:
    """The whole summary where stdout is no terminal, in 80 columns."""
    return [text for text, _ in styled_lines(grades, work, output, confinement, reused)]


def show_student(grades: Sequence[Grade], assignments: Mapping[str, PublicAssignment]) -> list[str]:
    """One student's grades and what was wrong, as lines."""
    lines: list[str] = []
    for grade in sorted(grades, key=lambda each: (each.student, each.assignment)):
        view = student_view(grade, assignments.get(grade.assignment))
        lines += [*([""] if lines else []), *wrapped(f"{view.student}, {view.title}: {score_text(grade)}")]
        lines += [row for note in grade.notes for row in wrapped(note, "  ")]
        for card, exercise in zip(view.cards, looked_at(grade), strict=True):
            lines += _exercise(card, exercise)
    return lines


def wrapped(text: str, indent: str = "", width: int = WIDTH, hang: str = "    ") -> list[str]:
    """One line of text on as many lines as it needs; those after the first are set in."""
    return textwrap.wrap(
        line(text), width, initial_indent=indent, subsequent_indent=indent + hang, break_on_hyphens=False
    )


def fitted(text: str, width: int) -> str:
    """Text in just `width` columns: cut, with an ellipsis, or filled up with blanks."""
    return set_cell_size(text, width) if cell_len(text) <= width else f"{set_cell_size(text, width - 1)}…"


def _exercise(card: Card, exercise: ExerciseGrade) -> Iterator[str]:
    score = "held" if exercise.score is None else show_points(exercise.score)
    yield from wrapped(
        f"{card.number}. {exercise.id}: {card.words.badge.lower()} ({score} of {show_points(exercise.max_score)})", "  "
    )
    for sentence in (card.held, card.message):
        yield from wrapped(sentence, "     ")
    right = exercise.verdict == "right"
    # Of what is right only what a probe without points remarks is told.
    parts = [part for part in card.parts if part.words is REMARK] if right else card.parts
    under = "       " if len(card.parts) > 1 else "     "
    for part in parts:
        if part.words is REMARK:
            yield from wrapped(f"{part.name}, a remark without points:", "     ")
        if part.given:
            yield from wrapped(f"answered {part.name} = {''.join(piece.text for piece in part.given)}", "     ")
        yield from wrapped(part.message, under)
        if part.expected is not None:
            yield from wrapped(f"PyTorch computes {part.expected}", under)
        if part.case:
            yield from wrapped(f"{part.case.call} gives {part.case.given}", "     ")
            if part.case.expected is not None:
                yield from wrapped(f"and should give {part.case.expected}", "     ")
    if card.diagnosis:
        yield from _diagnosis(card.diagnosis)


def _diagnosis(found: DiagnosisView) -> Iterator[str]:
    if found.lead:
        yield from wrapped(found.lead, "     ")
    for each in found.beliefs:
        yield from wrapped(f"“{each.belief}”", "       ")
        if each.truth:
            yield from wrapped(each.truth, "         ", hang="")
    if found.question:
        yield from wrapped(f"To see which is yours: {found.question}", "     ")
    for fact in found.facts:
        yield from wrapped(fact, "     ")


def _table(rows: Sequence[Row], width: int) -> list[str]:
    if not rows:
        return []
    one = len({row.assignment for row in rows}) == 1
    student, assignment, score = (
        min(most, max(cell_len(row[at]) for row in rows)) for at, most in ((0, 16), (1, 28), (2, 16))
    )
    lines = []
    for row in rows:
        columns = [fitted(row.student, student), *([] if one else [fitted(row.assignment, assignment)])]
        start = "  ".join([*columns, fitted(row.score, score), ""])
        lines.append(start + fitted(row.words, width - cell_len(start)).rstrip())
    return lines
