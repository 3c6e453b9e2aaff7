"""Executing a solutions file: trusted code, in a module of its own that nothing else can import."""

from __future__ import annotations

import sys
import traceback
import types
from pathlib import Path

from grader.course.explaining import explain
from grader.course.problems import problem
from grader.course.source import SourceFile
from grader.course.surface import Assignment
from grader.errors import CourseError


def execute(path: Path, shown: str, source: SourceFile) -> Assignment:
    """Execute the file and return the one assignment that it makes.

    Raises: `CourseError` if it raises (with the line), or makes no or several assignments.
    """
    module = types.ModuleType(f"_solutions_{path.stem.replace('-', '_')}")
    module.__file__ = str(path)
    code = compile("\n".join(source.lines), str(path), "exec", dont_inherit=True)
    # Classes look their module up while they are made (dataclasses do); afterwards nobody may find it.
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        exec(code, module.__dict__)  # noqa: S102 - a course's own file
    except (Exception, SystemExit) as error:
        line = _line(error, path)
        where = getattr(source.decorated(line), "name", "assignment")
        raise CourseError(problem(shown, line, where, explain(error))) from error
    finally:
        if before is None:
            sys.modules.pop(module.__name__, None)
        else:
            sys.modules[module.__name__] = before
    found = {id(each): each for each in vars(module).values() if isinstance(each, Assignment)}
    if not found:
        what = f'makes no assignment; write assignment = Assignment("{path.stem}") below the imports'
        raise CourseError(problem(shown, 1, "assignment", what))
    if len(found) > 1:
        *_, last = sorted(found.values(), key=lambda each: each.line)
        what = "is a second assignment in one file; give each assignment a file of its own"
        raise CourseError(problem(shown, last.line, "assignment", what))
    return next(iter(found.values()))


def _line(error: BaseException, path: Path) -> int:
    """The last line of the file itself that was being executed."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == str(path)]
    return lines[-1] if lines else 1
