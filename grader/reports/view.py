"""What a student's page says, in plain strings and in the order in which it says it: the HTML and the Markdown page
are two ways to write this down. Nothing here is escaped yet, and nothing is here that a student may not see."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from grader.records import (
    HELD,
    CaseShown,
    Diagnosis,
    ExerciseGrade,
    Grade,
    NamedBelief,
    Outcome,
    Output,
    Part,
    Program,
    PublicAssignment,
    Question,
    Returned,
    StudentError,
    count_points,
    human_name,
    show_outcome,
    show_points,
)
from grader.reports.elements import Piece, pieces
from grader.reports.words import (
    REMARK,
    VERDICTS,
    VerdictWords,
    as_sentence,
    counted,
    looked_at,
    tally,
)


@dataclass(frozen=True)
class CaseView:
    """The failing case: the call that was made, what it gave, and what it should give if that may be shown."""

    call: str
    program: str
    given: str
    expected: str | None


@dataclass(frozen=True)
class PartView:
    """One answer name or probe."""

    name: str
    words: VerdictWords
    points: str
    message: str
    given: tuple[Piece, ...]
    expected: str | None
    case: CaseView | None


@dataclass(frozen=True)
class BeliefView:
    """One belief, in the student's voice, and what autograd does instead ("" for a mistake its author foresaw)."""

    belief: str
    truth: str
    reading: str
    example: str


@dataclass(frozen=True)
class DiagnosisView:
    """Which beliefs give exactly this answer, the question that tells them apart, or what is certain about it."""

    lead: str
    beliefs: tuple[BeliefView, ...]
    question: str
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Card:
    """One exercise."""

    number: int
    id: str
    title: str
    words: VerdictWords
    points: str
    prompt: str
    program: str
    call: str
    options: tuple[tuple[str, str], ...]
    message: str
    held: str
    parts: tuple[PartView, ...]
    diagnosis: DiagnosisView | None
    error: StudentError | None
    source: str
    output: Output
    matched: str


@dataclass(frozen=True)
class StudentView:
    """One student's page for one assignment."""

    title: str
    student: str
    score: str
    max_score: str
    standing: str
    tally: tuple[tuple[VerdictWords, int], ...]
    cards: tuple[Card, ...]
    notes: tuple[str, ...]
    footer: tuple[str, ...]


def student_view(grade: Grade, assignment: PublicAssignment | None) -> StudentView:
    """The page's content; without the assignment it lacks prompts and programs."""
    questions = {question.id: question for question in assignment.questions} if assignment else {}
    return StudentView(
        title=assignment.title if assignment else human_name(grade.assignment),
        student=grade.student,
        score="–" if grade.status in ("missing", "refused") else show_points(grade.score_so_far),
        max_score=show_points(grade.max_score),
        standing=_standing(grade),
        tally=tuple(tally(grade)),
        cards=tuple(_card(number, each, questions.get(each.id)) for number, each in enumerate(looked_at(grade), 1)),
        notes=grade.notes,
        footer=_footer(grade),
    )


def _standing(grade: Grade) -> str:
    if grade.status == "missing":
        return "No notebook was handed in for this assignment."
    if grade.status == "refused":
        return "The file could not be graded; the reason is below."
    held = sum(exercise.verdict in HELD for exercise in grade.exercises)
    if grade.score is None:
        return f"So far: {counted(held, 'exercise is', 'exercises are') if held else 'something'} not graded yet."
    return ""


def _footer(grade: Grade) -> tuple[str, ...]:
    versions = grade.versions
    lines = [f"Graded with autograd-grader {versions.grader} and PyTorch {versions.torch}."]
    if grade.path is not None:
        lines.append(f"Your file: {grade.path}" + (f" (SHA-256 {grade.sha256[:16]}…)" if grade.sha256 else "") + ".")
    if versions.confinement:
        lines.append(f"How notebooks were run: {versions.confinement.rstrip('.')}.")
    return tuple(lines)


def _card(number: int, exercise: ExerciseGrade, question: Question | None) -> Card:
    program = question.program if question else None
    held = _held(exercise)
    parts = () if held else tuple(_part(part, exercise, question) for part in exercise.parts if _worth(part))
    message = "" if held or exercise.verdict == "right" else as_sentence(exercise.message)
    if len(exercise.parts) == len(parts) == 1 and parts[0].message:
        # The one part says the same at greater length.
        message, parts = parts[0].message, (replace(parts[0], message=""),)
    return Card(
        number=number,
        id=exercise.id,
        title=human_name(exercise.id),
        words=VERDICTS[exercise.verdict],
        points=_points(exercise),
        prompt=question.prompt if question else "",
        program=program.source.rstrip() if program else "",
        call=_call(program, exercise, question),
        options=question.options if question else (),
        message=message,
        held=held,
        parts=parts,
        diagnosis=None if held or exercise.diagnosis is None else _diagnosis(exercise.diagnosis, exercise.kind),
        error=exercise.error,
        source=exercise.source.rstrip(),
        output=exercise.output,
        matched=exercise.matched,
    )


def _call(program: Program | None, exercise: ExerciseGrade, question: Question | None) -> str:
    """The call that the student's own notebook shows; "" where it has no arguments or nobody can tell which."""
    arguments = exercise.own.arguments if exercise.own else question.arguments if question else None
    built_on = ", ".join(f"{name}={name}" for name in question.builds_on) if question else ""
    if program is None or arguments is None or (arguments == "{}" and not built_on):
        return ""
    return call(program, arguments, built_on)


def _diagnosis(found: Diagnosis, kind: str) -> DiagnosisView | None:
    if found.kind == "none":
        return None
    what = {"predict": "your numbers", "implement": "what your code does"}.get(kind, "your answer")
    count = {2: "Two", 3: "Three", 4: "Four"}.get(len(found.beliefs), "Several")
    lead = {
        "one": f"One belief gives exactly {what}. Is it yours?",
        "several": f"{count} beliefs give exactly {what}, each by itself. Is one of them yours?",
        "pair": f"Two beliefs, held at once, give exactly {what}. Are they yours?",
        "fact": "",
    }[found.kind]
    return DiagnosisView(lead, tuple(map(_belief, found.beliefs)), found.question, found.facts)


def _belief(named: NamedBelief) -> BeliefView:
    reading = f"The PyTorch documentation has more under “{named.page}”." if named.page else ""
    return BeliefView(
        belief=named.belief,
        truth=named.truth,
        reading=" ".join(each for each in (named.before, reading) if each),
        example=f"{named.example}\n# prints {named.prints}" if named.example else "",
    )


def _points(exercise: ExerciseGrade) -> str:
    worth = count_points(exercise.max_score)
    return worth if exercise.score is None else f"{show_points(exercise.score)} of {worth}"


def _held(exercise: ExerciseGrade) -> str:
    if exercise.verdict not in HELD:
        return ""
    why = f": {exercise.message.rstrip('.')}" if exercise.message else ""
    if exercise.verdict == "grader_fault":
        return f"Not graded yet{why}. This is no fault of yours, and it will be graded again."
    return f"Not graded yet{why}. A person will decide; until then it costs you nothing."


def _worth(part: Part) -> bool:
    return bool(part.given is not None or part.case or part.expected or part.message)


def _part(part: Part, exercise: ExerciseGrade, question: Question | None) -> PartView:
    key = part.expected.value if isinstance(part.expected, Returned) else None
    return PartView(
        name=part.name,
        words=VERDICTS[part.verdict] if part.max_score else REMARK,
        points=f"{show_points(part.score)} of {count_points(part.max_score)}" if part.max_score else "without points",
        message="" if part.verdict == "right" else as_sentence(part.message),
        given=() if part.given is None else pieces(part.given, None if part.verdict == "right" else key),
        expected=None if part.expected is None or part.verdict == "right" else _key(part.expected, exercise.kind),
        case=_case(part.case, exercise.id, question) if part.case else None,
    )


def _key(expected: Outcome, kind: str) -> str:
    # Where an exception is asked for, what the program returns instead is beside the point.
    return "no exception" if kind == "raises" and isinstance(expected, Returned) else show_outcome(expected)


def _case(case: CaseShown, subject: str, question: Question | None) -> CaseView:
    probes = question.probes if question else ()
    program = next((probe.program for probe in probes if probe.program.name == case.probe), None)
    expected: Outcome | None = case.expected
    return CaseView(
        call=call(program or Program(case.probe, (), ""), case.arguments, subject),
        program=program.source.rstrip() if program else "",
        given=show_outcome(case.given),
        expected=None if expected is None else show_outcome(expected),
    )


def call(program: Program, arguments: str, subject: str = "") -> str:
    """`on_the_square(square, x=[1.0, 2.0], w=[1.0, 2.0])`: the call that was made, as one could paste it."""
    try:
        given = ast.literal_eval(arguments)
        words = [f"{name}={value!r}" for name, value in given.items()]
    except (ValueError, SyntaxError, AttributeError, MemoryError, RecursionError):
        words = [f"**{arguments}"]
    return f"{program.name}({', '.join([subject] * bool(subject) + words)})"
