"""A small invented class, as records: what the tests of the gradebook, the exports and the pages share."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from safetensors.numpy import save

from grader.records import (
    Array,
    Blank,
    CaseShown,
    CellReport,
    Execution,
    ExerciseGrade,
    Grade,
    Items,
    Limits,
    Nothing,
    NotRun,
    Number,
    Output,
    Part,
    ProbeReport,
    Program,
    PublicAssignment,
    PublicCase,
    PublicProbe,
    Question,
    Raised,
    Returned,
    StudentError,
    Table,
    Text,
    Unreadable,
    Value,
    Versions,
)

NAME = "hooks-that-change-gradients"
VERSIONS = Versions(
    "0.1.0", "2.13.0+cpu", "5d41402abc4b2a76", "unconfined: students' code could read your files", "b2a"
)


def tensor(*numbers: float) -> Array:
    return Array("torch", save({"value": np.array(numbers, dtype=np.float32)}))


def numbers(*given: int) -> Items:
    return Items("list", tuple(Number("int", str(each)) for each in given))


SQUARING = Program(
    "squaring_hook",
    ("w",),
    "def squaring_hook(w):\n    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\n    y = x**2\n    z = x + y\n"
    "    y.register_hook(lambda grad: grad**2)\n    z.backward(torch.tensor(w))\n    return x.grad\n",
)
ORDER = Program(
    "three_tensors",
    (),
    "def three_tensors():\n    fired = []\n    x = torch.tensor(2.0, requires_grad=True)\n    y = 3 * x\n    z = y**2\n"
    '    for name, tensor in {"x": x, "y": y, "z": z}.items():\n'
    "        tensor.register_hook(lambda grad, name=name: fired.append(name))\n    z.backward()\n    return fired\n",
)
PROBE = Program(
    "on_the_square",
    ("hook", "x", "w"),
    "def on_the_square(hook, x, w):\n    x = torch.tensor(x, requires_grad=True)\n    y = x**2\n"
    '    y.register_hook(hook)\n    (x + y).backward(torch.tensor(w))\n    return {"x.grad": x.grad}\n',
)
CASE = '{"x": [1.0, 2.0, 3.0], "w": [1.0, 2.0, 1.0]}'


def question(name: str, kind: str, prompt: str, points: str, answers: tuple[str, ...], **more: object) -> Question:
    fields: dict[str, object] = {"stub": "", "fingerprint": f"f-{name}", "show_key": kind != "implement", **more}
    worth = Decimal(points)
    return Question(name, kind, prompt, worth, (worth,), answers, **fields)  # type: ignore[arg-type]


QUESTIONS = (
    question(
        "squaring_hook",
        "predict",
        "What does `x.grad` hold after the backward pass?\n\nMind that the hook **returns** something:\n\n"
        "- the hook gets the gradient of `y`\n- what it returns flows on\n",
        "2",
        ("x_grad",),
        program=SQUARING,
        arguments='{"w": [1.0, 2.0, 1.0]}',
    ),
    question("three_tensors", "order", "In which order do the hooks run?", "1", ("fired",), program=ORDER),
    question(
        "vector_without_weights",
        "raises",
        'Does this raise? Give the exception\'s name, such as `"ValueError"`, or `None`.',
        "1",
        ("error",),
    ),
    question(
        "intermediate",
        "choice",
        "What does `y.grad` hold after the backward pass?",
        "1",
        ("kept",),
        options=(("nothing", "`None`"), ("ones", "all ones"), ("twos", "`[2, 4]`")),
    ),
    question(
        "square",
        "implement",
        "Write a hook that squares the gradient which passes through it.",
        "3",
        ("square",),
        stub='def square(grad):\n    """Write a hook that squares the gradient."""\n    ...\n',
        probes=(PublicProbe(PROBE, Decimal(3), (PublicCase(CASE, Returned(Table((("x.grad", tensor(3, 18, 7)),)))),)),),
    ),
    question("clipping_factory", "implement", "Write a factory of clipping hooks.", "2", ("clipping_factory",)),
)
PUBLIC = PublicAssignment(NAME, "Hooks that change gradients", "fp-1", QUESTIONS, Limits())


def part(name: str, verdict: str, score: str, of: str, message: str = "", **more: object) -> Part:
    return Part(name, verdict, Decimal(score), Decimal(of), message, **more)  # type: ignore[arg-type]


def exercise(
    name: str, kind: str, verdict: str, score: str | None, of: str, message: str = "", **more: object
) -> ExerciseGrade:
    points = None if score is None else Decimal(score)
    return ExerciseGrade(name, kind, verdict, points, Decimal(of), message, **more)  # type: ignore[arg-type]


WRONG_ELEMENT = "1 of 3 elements is not right: you have 10 at [1]."
TRACEBACK = (
    "Traceback (most recent call last):\n  Cell 9, line 3\n    y.backwards()\n"
    "AttributeError: 'Tensor' object has no attribute 'backwards'"
)


def wrong_prediction() -> ExerciseGrade:
    return exercise(
        "squaring_hook",
        "predict",
        "wrong",
        "0",
        "2",
        "1 of 3 elements differs",
        parts=(
            part(
                "x_grad", "wrong", "0", "2", WRONG_ELEMENT, given=numbers(3, 10, 7), expected=Returned(tensor(3, 18, 7))
            ),
        ),
        source="x_grad = [3, 10, 7]",
        matched="found by its answer name; the cell has lost its id",
    )


def failing_case() -> ExerciseGrade:
    case = CaseShown(
        "on_the_square",
        CASE,
        Returned(Table((("x.grad", tensor(3, 10, 7)),))),
        Returned(Table((("x.grad", tensor(3, 18, 7)),))),
    )
    message = "1 of 2 cases is right. In the case shown: `x.grad`: 1 of 3 elements is not right: you have 10 at [1]."
    return exercise(
        "square",
        "implement",
        "partly_right",
        "1.5",
        "3",
        "1 of 2 cases right; `x.grad`: 1 of 3 elements differs",
        parts=(part("on_the_square", "partly_right", "1.5", "3", message, case=case),),
        source="def square(grad):\n    grad ** 2\n",
        output=Output("squaring tensor([1., 2., 1.])\n", 0),
    )


def could_not_run() -> ExerciseGrade:
    error = StudentError(
        "AttributeError", "'Tensor' object has no attribute 'backwards'", 3, "y.backwards()", TRACEBACK
    )
    message = "your cell 9 raised AttributeError in line 3: 'Tensor' object has no attribute 'backwards'"
    return exercise(
        "vector_without_weights",
        "raises",
        "could_not_run",
        "0",
        "1",
        message,
        parts=(part("error", "could_not_run", "0", "1"),),
        source="x = torch.ones(2, requires_grad=True)\ny = x.sum()\ny.backwards()\nerror = None",
        error=error,
        output=Output("about to go back\n", 4321),
    )


def grade_of(student: str, *exercises: ExerciseGrade, **more: object) -> Grade:
    scores = [each.score for each in exercises]
    decided = sum((score for score in scores if score is not None), Decimal(0))
    held = None in scores
    fields: dict[str, object] = {
        "assignment": NAME,
        "path": f"{student}/{NAME}.ipynb",
        "sha256": "9f" * 32,
        "status": "held" if held else "graded",
        "score": None if held else decided,
        "score_so_far": decided,
        "max_score": Decimal(10),
        "notes": (),
        "versions": VERSIONS,
        **more,
    }
    return Grade(student=student, exercises=exercises, **fields)  # type: ignore[arg-type]


def everything(student: str = "mira") -> Grade:
    """One exercise with each verdict but `needs_person`."""
    right = exercise(
        "intermediate",
        "choice",
        "right",
        "1",
        "1",
        "Right.",
        parts=(part("kept", "right", "1", "1", "Right.", given=Text("nothing"), expected=Returned(Text("nothing"))),),
    )
    blank = exercise("three_tensors", "order", "not_answered", "0", "1", "the cell is as it was released")
    held = exercise(
        "clipping_factory",
        "implement",
        "grader_fault",
        None,
        "2",
        "the grader's own fault, your grade is held: the reference gave no key to compare with",
    )
    return grade_of(
        student,
        wrong_prediction(),
        blank,
        could_not_run(),
        right,
        failing_case(),
        held,
        notes=("The file began with a byte-order mark, which was skipped.",),
    )


def perfect(student: str = "ada") -> Grade:
    done = [exercise(each.id, each.kind, "right", str(each.points), str(each.points), "Right.") for each in QUESTIONS]
    return grade_of(student, *done)


def untouched(message: str) -> list[ExerciseGrade]:
    return [exercise(each.id, each.kind, "not_answered", "0", str(each.points), message) for each in QUESTIONS]


def missing(student: str = "noor") -> Grade:
    return grade_of(
        student, *untouched("no notebook was handed in"), path=None, sha256=None, status="missing", score=None
    )


def refused(student: str = "theo") -> Grade:
    notes = ("The file ends in the middle (character 812).",)
    return grade_of(student, *untouched("the file could not be read"), status="refused", score=None, notes=notes)


def classroom() -> tuple[Grade, ...]:
    return perfect("ada"), everything("mira"), missing("noor"), refused("theo")


def values() -> tuple[Value, ...]:
    """One value of each sort, tensors inside containers and bytes that are no tensor included."""
    return (
        Blank(),
        Nothing(),
        Number("complex", "(1+2j)"),
        Text("a\x00b\ud800\u202e"),
        tensor(1, 2, 3),
        Array("numpy", save({"value": np.zeros((2, 0, 3), dtype=np.int64)})),
        Array("torch", b"no safetensors at all"),
        Array("torch", b""),
        Items("tuple", (tensor(1), Items("set", (Number("int", "1" * 300),)), tensor(2, 3))),
        Table((("x.grad", tensor(4)), ("none", Nothing()), ("deep", Table((("y", tensor(5)),))))),
        Unreadable("it is a function, not a value"),
    )


def execution() -> Execution:
    """Everything that can come back at once."""
    error = StudentError("ValueError", "no\ud800", 2, "raise ValueError", "Traceback ...")
    return Execution(
        cells=(
            CellReport(0, "ok", None, Output("hello\n", 0), 0.125),
            CellReport(3, "raised", error, Output("", 7), 0.0625),
            CellReport(4, "not_reached"),
        ),
        answers=tuple((f"answer_{number}", value) for number, value in enumerate(values())),
        probes=(
            ProbeReport("square/p/0", Returned(Table((("x.grad", tensor(1, 2)),)))),
            ProbeReport("square/p/1", Raised("RuntimeError", "shapes", ("RuntimeError", "Exception"))),
            ProbeReport("square/p/2", NotRun("timed_out", "it ran for more than 5 s")),
        ),
        attempts=2,
        cpu_seconds=0.25,
        notes=("Cell 4 ended the process; the rest ran again without it.",),
    )
