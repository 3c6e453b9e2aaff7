"""The student's page as Markdown: for a terminal, a repository or a comment field."""

from __future__ import annotations

from collections.abc import Iterator

from grader.records import Grade, PublicAssignment
from grader.reports.escape import code, fence, md, plain, sentence_md
from grader.reports.view import Card, CaseView, DiagnosisView, PartView, StudentView, student_view


def student_markdown(grade: Grade, assignment: PublicAssignment | None) -> str:
    """The student's page in Markdown, with the same content as the HTML page."""
    view = student_view(grade, assignment)
    blocks = [*_head(view), *(block for card in view.cards for block in _card(card)), *_foot(view)]
    return "\n\n".join(blocks) + "\n"


def _head(view: StudentView) -> Iterator[str]:
    yield f"# {md(view.title)}"
    yield f"{md(view.student)}: **{md(view.score)} of {md(view.max_score)} points**"
    if view.standing:
        yield md(view.standing)
    if view.tally:
        yield ", ".join(f"{count} {words.badge.lower()}" for words, count in view.tally)
    if view.notes:
        yield "About your file:"
        yield "\n".join(f"- {sentence_md(note)}" for note in view.notes)


def _foot(view: StudentView) -> Iterator[str]:
    yield "---"
    yield "\n\n".join(md(sentence) for sentence in view.footer)


def _card(card: Card) -> Iterator[str]:
    yield f"## {card.number}. {md(card.title)}: {card.words.badge.lower()} ({card.points})"
    if card.prompt:
        # The author's own Markdown, quoted so that its headings cannot pass for ours.
        yield "\n".join(f"> {row}".rstrip() for row in plain(card.prompt).strip().split("\n"))
    if card.program:
        yield fence(card.program + (f"\n\n{card.call}" if card.call else ""), "python")
    if card.options:
        yield "\n".join(f"- {code(key)}: {plain(text)}" for key, text in card.options)
    if card.held:
        yield sentence_md(card.held)
    if card.message:
        yield f"**{sentence_md(card.message)}**"
    yield from _trouble(card)
    for part in card.parts:
        yield from _part(part, alone=len(card.parts) == 1)
    if card.diagnosis:
        yield from _diagnosis(card.diagnosis)
    if card.source and card.words.verdict != "right":
        yield "Your cell:"
        yield fence(card.source, "python")
    if card.output.text or card.output.dropped_bytes:
        left_out = f" ({card.output.dropped_bytes:,} bytes left out)" if card.output.dropped_bytes else ""
        yield f"It printed{left_out}:"
        yield fence(card.output.text)
    if card.matched:
        yield f"About your cell: {sentence_md(card.matched)}"


def _trouble(card: Card) -> Iterator[str]:
    if card.error is None:
        return
    if card.error.line is not None:
        yield fence(f"{card.error.line}  {card.error.source_line.strip()}", "python")
    if card.error.traceback:
        yield fence(card.error.traceback)


def _part(part: PartView, alone: bool) -> Iterator[str]:
    rows = [] if alone else [f"- {code(part.name)}: {part.words.badge.lower()} ({part.points})"]
    if part.message:
        rows.append(f"- {sentence_md(part.message)}")
    if part.given:
        rows.append(f"- You answered: {code(''.join(piece.text for piece in part.given))}")
    if part.expected is not None:
        rows.append(f"- PyTorch computes: {code(part.expected)}")
    if rows:
        yield "\n".join(rows)
    if part.case:
        yield from _case(part.case)


def _diagnosis(found: DiagnosisView) -> Iterator[str]:
    if found.lead:
        yield f"**{md(found.lead)}**"
    for each in found.beliefs:
        yield f"> {sentence_md(each.belief)}"
        if each.truth:
            yield f"{sentence_md(each.truth)} {md(each.reading)}".strip()
        if each.example:
            yield fence(each.example, "python")
    if found.question:
        yield f"**To see which is yours:** {sentence_md(found.question)}"
    for fact in found.facts:
        yield sentence_md(fact)


def _case(case: CaseView) -> Iterator[str]:
    yield "The smallest case that fails:"
    yield fence(f"{case.program}\n\n{case.call}".strip(), "python")
    rows = [f"- With your code: {code(case.given)}"]
    if case.expected is not None:
        rows.append(f"- It should be: {code(case.expected)}")
    yield "\n".join(rows)
