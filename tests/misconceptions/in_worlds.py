"""Running a few lines in worlds, for the tests."""

from __future__ import annotations

import ast
import json
import textwrap
from pathlib import Path
from typing import Any

from grader.misconceptions.running import run_in_worlds
from grader.records import Outcome, Program, Raised, show_outcome

# Programs with their truth and wrong answers; bool and int results are written as floats, a lone number as a list.
CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "judging" / "hook-programs.jsonl").read_text().splitlines()
]

LEAF = "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)\n"
ONE = "x = torch.tensor(2.0, requires_grad=True)\n"


def program(lines: str) -> Program:
    return Program("program", (), "def program():\n" + textwrap.indent(textwrap.dedent(lines), "    "))


def outcome(ids: list[str], lines: str) -> Outcome:
    return run_in_worlds(ids, program(lines), "{}")


def gives(ids: str | list[str], lines: str) -> Any:
    """What `lines` return in these worlds, as Python lists and numbers; the exception's name where they raise."""
    result = outcome([ids] if isinstance(ids, str) else ids, lines)
    return result.exception if isinstance(result, Raised) else ast.literal_eval(show_outcome(result))


def torch_gives(lines: str) -> Any:
    return gives([], lines)
