"""A tiny class, the result that it has undisturbed, and a way to break one thing in the grader.

`effect` names what a fault may cost, and nothing more:

    one        bob's grade is held; the others' are as ever
    row        bob has no row; the others' are as ever
    everybody  every notebook that was run is held
    exercise   one exercise is held for everybody
    explained  no points: what explains bob's wrong answer
    page       no points: one file, which is taken away
    nothing    nobody notices
    ends       the run; what had been decided is kept
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from classroom import Classroom

from grader.errors import ExitCode, GraderError
from grader.records import Grade

RIGHT = {"x_grad": "[3, 18, 7]", "fired": '["y", "x"]', "error": '"RuntimeError"', "kept": '"nothing"'}
SQUARE = {"square": "def square(grad):\n    return grad * grad"}
MARK = "bob was here"


def always(*_: Any) -> bool:
    return True


def about_bob(*arguments: Any) -> bool:
    """Whether anything of bob's is among the arguments."""
    return any(MARK in repr(each) or "'bob'" in repr(each) for each in arguments)


@dataclass(frozen=True)
class Fault:
    """What breaks: `where` is "module:Class.name", `raises` what it raises when `when` its arguments say so."""

    name: str
    where: str
    raises: Exception
    effect: str
    when: Callable[..., bool] = always
    exercise: str = ""
    file: str = ""
    code: ExitCode = ExitCode.GRADER_FAULT
    returns: Callable[..., Any] | None = None

    def inject(self, monkeypatch: pytest.MonkeyPatch) -> None:
        module, _, path = self.where.partition(":")
        holder: Any = __import__(module, fromlist=["_"])
        *classes, name = path.split(".")
        for each in classes:
            holder = getattr(holder, each)
        original = getattr(holder, name)

        def broken(*arguments: Any, **named: Any) -> Any:
            if not self.when(*arguments, *named.values()):
                return original(*arguments, **named)
            if self.returns is not None:
                return self.returns(*arguments)
            raise self.raises

        monkeypatch.setattr(holder, name, broken)


def room_of_three(folder: Path) -> Classroom:
    """ada is right, bob believes that the hook has no effect, cy handed in what was handed out."""
    room = Classroom(folder)
    room.student("ada", cells=SQUARE, **RIGHT)
    room.student("bob", cells=SQUARE, **{**RIGHT, "x_grad": f"[3, 10, 7]  # {MARK}"})
    return room.student("cy")


def files_of(output: Path) -> dict[str, bytes]:
    """Everything in the folder of results but the database, by relative path."""
    return {
        str(path.relative_to(output)): path.read_bytes()
        for path in sorted(output.rglob("*"))
        if path.is_file() and path.name != "gradebook.db"
    }


def outcome(room: Classroom) -> tuple[dict[str, Grade], ExitCode, tuple[str, ...]]:
    """Grade; (grades by student, the exit code that the command has, what the instructor is told)."""
    try:
        marks = room.grade()
    except GraderError as error:
        return {}, error.exit_code, (str(error),)
    except Exception as error:  # noqa: BLE001 - the command says of these that they are the grader's own fault
        return {}, ExitCode.GRADER_FAULT, (f"{type(error).__name__}: {error}",)
    assert room.graded
    return {name: each.grade for name, each in marks.items()}, room.graded.exit_code, room.graded.faults


def held(grade: Grade) -> bool:
    """Whether no point of it is decided, and it is said to be our own fault."""
    verdicts = {each.verdict for each in grade.exercises}
    return grade.score is None and grade.status == "held" and verdicts == {"grader_fault"}
