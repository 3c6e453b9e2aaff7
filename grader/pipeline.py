"""The whole road on one page: the only module that composes stages.

grade    solutions -> lessons;  folders -> submissions;  each: plan -> run -> judge -> record;  then render
check    one notebook and the public half of its assignment -> what passes, what is unchecked
release  solutions -> the students' notebooks
audit    solutions -> which beliefs each question cannot see or tell apart
show     one student's grades, from the gradebook
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import version as installed
from pathlib import Path
from typing import Protocol

import msgspec

import grader
from grader import course, exports, files, intake, judging, reports
from grader.errors import CourseError, ExitCode, ReferenceFault, UsageError
from grader.gradebook import Gradebook
from grader.records import (
    Assignment,
    Audit,
    Beliefs,
    ClassWork,
    Execution,
    Exercise,
    ExerciseKey,
    Grade,
    Missing,
    NotRun,
    PublicAssignment,
    Refused,
    Roster,
    SelfCheck,
    Submission,
    Undecided,
    Versions,
)
from grader.sandbox import ForkingSandbox, Sandbox

# How many students one line of an error names.
MAX_NAMED = 20


class ReferenceRunner(Protocol):
    """The trusted side's runner of instructor code; `judging.Reference` is the one that lives in a worker."""

    def load(self, path: Path, key: bytes) -> Assignment: ...

    def solve(self, exercise: Exercise) -> ExerciseKey: ...

    def believe(self, exercise: Exercise, key: ExerciseKey, pairs: bool = False) -> Beliefs: ...

    def draw(self, exercise: Exercise, candidates: Sequence[str]) -> tuple[tuple[str, ...], int]: ...


class Auditor(ReferenceRunner, Protocol):
    """A runner that can hold a question against every belief; `judging.Reference` is one."""

    def audit(self, exercise: Exercise) -> Audit: ...


@dataclass(frozen=True)
class Lesson:
    """An assignment with its key: all that judging needs. A key that is text says why there is none.

    `roster` is that of a release per student, None if everybody got the same notebook.
    """

    assignment: Assignment
    keys: dict[str, ExerciseKey | str]
    public: PublicAssignment
    roster: Roster | None
    numbers: judging.PersonalNumbers


@dataclass(frozen=True)
class Order:
    """What the command line asks for: where and how many, never how to judge."""

    paths: tuple[Path, ...]
    course: Path
    output: Path
    assignment: str | None = None
    jobs: int = 1


@dataclass(frozen=True)
class Graded:
    """The end of the road: the grades of this run, what intake remarked, and where the results lie.

    `faults` are for the instructor's eyes alone: they may quote a reference, so no grade holds them.
    """

    grades: tuple[Grade, ...]
    assignments: dict[str, PublicAssignment]
    work: ClassWork
    output: Path
    reused: int
    confinement: str
    faults: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """What this run ends with; grades of an earlier run over other paths have no say."""
        verdicts = {exercise.verdict for grade in self.grades for exercise in grade.exercises}
        if "grader_fault" in verdicts:
            return ExitCode.GRADER_FAULT
        held = "needs_person" in verdicts or any(grade.status == "held" for grade in self.grades)
        return ExitCode.NEEDS_PERSON if held else ExitCode.DONE


Progress = Callable[[Grade, int, int], None]


def grade(
    order: Order,
    progress: Progress = lambda grade, done, total: None,
    reference: ReferenceRunner | None = None,
    sandbox: Sandbox | None = None,
) -> Graded:
    """Grade every notebook under `order.paths`; each grade is committed as it is decided.

    Args:
        progress: called in this thread after each grade with it, the count of decided ones and the count of all.
        reference, sandbox: other runners than the real ones, for tests.

    Raises: `UsageError`, `CourseError`, and a `GraderFault` where nothing can go on (no sandbox, no gradebook).
    """
    asked = course.solution_files(order.course, (order.assignment,) if order.assignment else ())
    others = [path for path in course.solution_files(order.course) if path not in asked]
    key = course.course_key(order.course)
    with ExitStack() as stack:
        runner = reference or stack.enter_context(judging.Reference())
        box = sandbox or stack.enter_context(ForkingSandbox(order.jobs))
        lessons = {lesson.assignment.name: lesson for lesson in prepare(asked, key, runner)}
        # A notebook is recognised among all assignments, also where one alone is graded.
        known = [*(lesson.public for lesson in lessons.values()), *_publics(others, key, runner)]
        work = intake.collect(order.paths, known, order.assignment, order.output)
        if not (work.submissions or work.missing or work.refused or work.undecided):
            where = ", ".join(map(str, order.paths))
            raise UsageError(f"{where}: there is no notebook (.ipynb) of this course's in it; is it the right folder?")
        # Made only now: an order that comes to nothing leaves nothing behind.
        output = files.private_folder(order.output)
        book = stack.enter_context(Gradebook(output / "gradebook.db"))
        for lesson in lessons.values():
            book.publish(lesson.public)
        reused = 0
        decided: set[tuple[str, str]] = set()
        faults = [key for lesson in lessons.values() for key in lesson.keys.values() if isinstance(key, str)]
        placed = [each for each in work.refused if each.assignment is not None]
        total = len(work.submissions) + len(work.missing) + len(placed) + len(work.undecided)
        for result, execution, old in _decide(work, lessons, box, book, order.jobs, faults):
            if not old:
                book.record(result, execution)
            reused += old
            decided.add((result.student, result.assignment))
            progress(result, len(decided), total)
        book.close_run(decided, [str(path.absolute()) for path in order.paths], order.assignment)
        grades, assignments = book.grades(), book.assignments()
    _render(output, grades, assignments)
    own = tuple(each for each in grades if (each.student, each.assignment) in decided)
    return Graded(own, assignments, work, output, reused, box.confinement, tuple(faults))


def _publics(sources: Sequence[Path], key: bytes, reference: ReferenceRunner) -> Iterator[PublicAssignment]:
    """The public halves of assignments that are not graded now; one that cannot be loaded is nobody's concern here."""
    for source in sources:
        with suppress(CourseError):
            yield from (lesson.public for lesson in prepare([source], key, reference))


def prepare(sources: Sequence[Path], key: bytes, reference: ReferenceRunner) -> Iterator[Lesson]:
    """Load each solutions file and let torch compute its key.

    Raises: `CourseError` with the problems of all files together. A reference that hangs or crashes is no course
    error here: its exercise gets a text instead of a key, and everybody's grade for it is held.
    """
    problems: list[str] = []
    lessons = []
    for source in sources:
        try:
            assignment = reference.load(source, key)
        except CourseError as error:
            problems += error.problems
            continue
        keys: dict[str, ExerciseKey | str] = {}
        for exercise in assignment.exercises:
            try:
                keys[exercise.id] = solved = reference.solve(exercise)
                problems += course.verify(exercise, solved, course.shown(source))
            except CourseError as error:
                problems += (f"{course.shown(source)}:{exercise.line}: {each}" for each in error.problems)
            except ReferenceFault as fault:
                keys[exercise.id] = str(fault)
        if not problems:
            public = course.publish(assignment, [_public_key(each, keys[each.id]) for each in assignment.exercises])
            roster = course.kept_roster(source.parent.parent, assignment.name)
            numbers = judging.PersonalNumbers(reference, key, assignment, keys, roster)
            lessons.append(Lesson(assignment, keys, public, roster, numbers))
    if problems:
        raise CourseError(*problems)
    yield from lessons


def _decide(
    work: ClassWork, lessons: dict[str, Lesson], sandbox: Sandbox, book: Gradebook, jobs: int, faults: list[str]
) -> Iterator[tuple[Grade, Execution | None, bool]]:
    """Yield (grade, execution, reused) for every row of the class, as each is decided.

    A fault of ours in one notebook is noted in `faults`, holds that notebook's grade and costs nobody else anything.
    """
    stamps = {name: _versions(lesson.assignment, sandbox) for name, lesson in lessons.items()}
    unrun: list[Missing | Refused | Undecided] = [*work.missing, *work.refused, *work.undecided]
    for row in unrun:
        if row.assignment is not None:
            yield judging.grade_unrun(row, lessons[row.assignment].assignment, stamps[row.assignment]), None, False

    def run(standard: judging.Standard, versions: Versions) -> tuple[Grade, Execution | None]:
        submission = standard.submission
        try:
            return _graded(standard, lessons[submission.assignment], sandbox, versions)
        except Exception as error:  # noqa: BLE001 - whatever it is, the rest of the class is graded
            faults.append(f"{submission.path}: {type(error).__name__}: {error}")
            broken = Execution(cells=(), fault="grading it failed")
            return judging.judge(submission, broken, standard.assignment, standard.keys, versions), broken

    pool = ThreadPoolExecutor(jobs)
    try:
        running: set[Future[tuple[Grade, Execution | None]]] = set()
        for submission in work.submissions:
            numbers = lessons[submission.assignment].numbers
            standard = numbers.standard(submission)
            versions = msgspec.structs.replace(
                stamps[submission.assignment],
                assignment=_digest(standard.assignment, *numbers.stock),
                submission=_digest(standard.submission),
            )
            known = book.find(submission.student, submission.assignment, submission.sha256, versions)
            if known:
                yield known, None, True
            else:
                running.add(pool.submit(run, standard, versions))
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            # What is decided comes first: one that was interrupted ends this loop.
            for future in sorted(done, key=lambda each: each.exception() is not None):
                yield *future.result(), False
    finally:
        # Not waited for: after Ctrl-C the sandbox is closed next, and that ends what still runs.
        pool.shutdown(wait=False, cancel_futures=True)


def _graded(
    standard: judging.Standard, lesson: Lesson, sandbox: Sandbox, versions: Versions
) -> tuple[Grade, Execution | None]:
    """One notebook: run what was answered, judge it, and name the beliefs behind what is wrong."""
    submission, assignment, keys = standard.submission, standard.assignment, standard.keys
    execution = None
    if any(match.state == "answered" for match in submission.matches):
        execution = sandbox.run(judging.graded_run(submission, assignment))
    result = judging.judge(submission, execution, assignment, keys, versions)
    if execution is not None:
        result = judging.follow_through(result, execution, assignment, keys, lesson.numbers.key_with)
        result = judging.explain(result, execution, assignment, keys, standard.beliefs)
    return lesson.numbers.noted(result, standard, execution), execution


def _render(output: Path, grades: tuple[Grade, ...], assignments: dict[str, PublicAssignment]) -> None:
    """Write everything that is a rendering of the gradebook, and take away what no longer is."""
    texts = {
        **reports.pages(grades, assignments),
        **exports.gradebook_csv(grades, assignments),
        "grades.jsonl": exports.grades_jsonl(grades),
    }
    for name, text in texts.items():
        files.write(output / name, text)
    written = {output / name for name in texts}
    files.remove(
        path
        for pattern in ("feedback/*/*.html", "feedback/*/*.md", "gradebook-*.csv")
        for path in sorted(output.glob(pattern))
        if path not in written
    )


def check(notebook: Path, course_folder: Path, sandbox: Sandbox | None = None) -> SelfCheck:
    """A student's own check of one notebook: the same engine, from the public half of the assignment alone.

    Raises: `UsageError` if the file cannot be read or no assignment fits it.
    """
    publics = _public_halves(notebook, course_folder)
    submission = intake.read_one(notebook, publics)
    if not isinstance(submission, Submission):
        raise UsageError(f"{notebook}: {submission.reason}")
    public = next(each for each in publics if each.name == submission.assignment)
    with ExitStack() as stack:
        box = sandbox or stack.enter_context(ForkingSandbox(1, notebooks=1))
        execution = box.run(judging.check_run(submission, public))
    checked = judging.self_check(submission, execution, public)
    return msgspec.structs.replace(checked, notes=(*checked.notes, f"How your notebook was run: {box.confinement}."))


def release(
    course_folder: Path,
    names: Sequence[str] = (),
    solution: bool = False,
    reference: ReferenceRunner | None = None,
    roster: Path | None = None,
    remark: Callable[[str], None] = lambda text: None,
) -> list[tuple[Path, bool]]:
    """Write the students' notebooks (and, if asked, the model solutions); returns (file, whether it changed).

    Args:
        roster: a CSV file; everybody in it gets a notebook with numbers of their own, wherever an exercise varies any.
            What was released that way once stays so, also without it.
        remark: called with a line for each exercise that varies: how many sets of numbers its students may get.

    Raises: `CourseError` with every problem of every file, before anything is written; `UsageError` for the roster.
    """
    sources = course.solution_files(course_folder, tuple(names))
    students = course.read_roster(roster) if roster else None
    key = course.course_key(course_folder)
    products: dict[Path, bytes] = {}
    with ExitStack() as stack:
        runner = reference or stack.enter_context(judging.Reference())
        lessons = list(prepare(sources, key, runner))
        faults = [
            f"{course_folder / 'solutions' / lesson.assignment.name}.py: {text}; mend the program, then release again"
            for lesson in lessons
            for text in lesson.keys.values()
            if isinstance(text, str)
        ]
        if faults:
            raise CourseError(*faults)
        for lesson in lessons:
            enrolled = course.enrol(lesson.assignment, lesson.roster, students, key, runner.draw)
            products |= _products(course_folder, lesson, enrolled, key, solution)
            for draws in enrolled.draws if enrolled else ():
                remark(course.stock_line(lesson.assignment.name, draws))
    return [(path, files.write(path, data, path.parent.name == "solutions")) for path, data in products.items()]


def _products(folder: Path, lesson: Lesson, roster: Roster | None, key: bytes, solution: bool) -> dict[Path, bytes]:
    """All files that a lesson is released as."""
    assignment, public = lesson.assignment, lesson.public
    keys = [each for each in lesson.keys.values() if isinstance(each, ExerciseKey)]
    products = course.common(folder, assignment, public)
    if roster is not None:
        folders = reports.folder_names(student.id for student in roster.students)
        products |= course.per_student(folder, assignment, keys, roster, key, folders)
    if solution:
        products |= course.model(folder, assignment, public, keys, roster, key)
    return products


@dataclass(frozen=True)
class Audited:
    """What `grade audit` found, and which exercises could not be audited."""

    audits: tuple[Audit, ...]
    faults: tuple[str, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        if self.faults:
            return ExitCode.GRADER_FAULT
        undecided = any(finding.open for audit in self.audits for finding in audit.findings)
        return ExitCode.NEEDS_PERSON if undecided else ExitCode.DONE


def audit(
    course_folder: Path,
    names: Sequence[str] = (),
    tell: Callable[[str, Sequence[Audit]], None] = lambda assignment, audits: None,
    reference: Auditor | None = None,
) -> Audited:
    """Hold every question of these assignments (without names, of all) against every belief that it is about.

    Args:
        tell: called with each assignment's name and audits as soon as they are there.

    Raises: `CourseError` with every problem of every file.
    """
    sources = course.solution_files(course_folder, tuple(names))
    key = course.course_key(course_folder)
    audits: list[Audit] = []
    faults: list[str] = []
    with ExitStack() as stack:
        runner = reference or stack.enter_context(judging.Reference())
        for lesson in prepare(sources, key, runner):
            found = []
            for exercise in lesson.assignment.exercises:
                try:
                    found.append(runner.audit(exercise))
                except ReferenceFault as fault:
                    faults.append(str(fault))
            tell(lesson.assignment.name, found)
            audits += found
    return Audited(tuple(audits), tuple(faults))


def show(output: Path, student: str) -> tuple[tuple[Grade, ...], dict[str, PublicAssignment]]:
    """One student's grades from the gradebook under `output`.

    Raises: `UsageError` if there is no gradebook or no such student (naming those called most like it).
    """
    path = output / "gradebook.db"
    if not path.is_file():
        raise UsageError(f"{path}: there is no gradebook; grade something first, or say where with --output")
    with Gradebook(path, readonly=True) as book:
        grades, assignments = book.grades(), book.assignments()
    own = tuple(each for each in grades if each.student == student)
    if not own:
        known = sorted({each.student for each in grades})
        raise UsageError(f"{student}: no such student in {path}; {_who_is_there(student, known)}")
    return own, assignments


def _who_is_there(student: str, known: Sequence[str]) -> str:
    near = get_close_matches(student, known)
    if near:
        return f"did you mean {' or '.join(near)}?"
    more = f" and {len(known) - MAX_NAMED} more" if len(known) > MAX_NAMED else ""
    return f"there are: {', '.join(known[:MAX_NAMED]) or 'none'}{more}"


def _public_halves(notebook: Path, course_folder: Path) -> list[PublicAssignment]:
    """Public halves that may fit `notebook`: inside it, beside it, in the course; the first of each name counts."""
    found: dict[str, PublicAssignment] = {}
    beside = sorted(notebook.parent.glob("*.public.json")) + sorted(course_folder.glob("assignments/*/*.public.json"))
    unusable = ""
    for public in intake.embedded_public(notebook):
        found.setdefault(public.name, public)
    for path in (each for each in beside if each.is_file()):
        try:
            public = course.read_public(path.read_bytes())
            found.setdefault(public.name, public)
        except (OSError, UsageError) as error:
            unusable = f" ({path.name} there cannot be used: {error})"
    if not found:
        raise UsageError(
            f"{notebook}: the assignment's description is not in the notebook (Colab and VS Code can lose it); "
            f"put the file NAME.public.json that came with the assignment beside it{unusable}"
        )
    return list(found.values())


def _public_key(exercise: Exercise, key: ExerciseKey | str) -> ExerciseKey:
    if isinstance(key, ExerciseKey):
        return key
    cases = sum(len(probe.cases) for probe in exercise.probes) or 1
    return ExerciseKey(exercise.id, (NotRun("died", key),) * cases)


def _versions(assignment: Assignment, sandbox: Sandbox) -> Versions:
    return Versions(grader.__version__, installed("torch"), _digest(assignment), sandbox.confinement)


def _digest(*records: msgspec.Struct) -> str:
    return hashlib.sha256(msgspec.json.encode(records)).hexdigest()[:16]
