"""What an exception that a solutions file raised while it was executed says to its author."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable
from typing import Any

from grader.course.surface import Assignment, Declared
from grader.course.vary import vary

_UNEXPECTED = re.compile(r"([\w.]+)\(\) got an unexpected keyword argument '(\w+)'")
_WRITTEN_WITH: tuple[Callable[..., Any], ...] = (
    Assignment.predict,
    Assignment.order,
    Assignment.raises,
    Assignment.choice,
    Assignment.implement,
    Declared.probe,
    Declared.conduct,
    Declared.mistake,
    vary,
)
_IMPORTS = {
    "torch": "import torch",
    "Assignment": "from grader.course import Assignment",
    "vary": "from grader.course import vary",
    "conduct": "from grader.course import conduct",
}


def explain(error: BaseException) -> str:
    """One line: what was raised and how to mend it."""
    message = " ".join(str(error).split())
    said = f"{type(error).__name__}: {message}" if message else type(error).__name__
    mend = _keyword(message) if isinstance(error, TypeError) else None
    if mend:
        return mend
    mend = "mend this line"
    if isinstance(error, NameError) and error.name in _IMPORTS:
        mend = f"write `{_IMPORTS[error.name]}` at the top of the file"
    elif isinstance(error, ModuleNotFoundError):
        mend = "install that package or remove the import"
    return f"cannot be imported, it raised {said}; {mend}"


def _keyword(message: str) -> str | None:
    """An option that the authoring surface does not have; None if the message is about something else."""
    match = _UNEXPECTED.fullmatch(message)
    called = next((each for each in _WRITTEN_WITH if match and each.__qualname__ == match[1]), None)
    if match is None or called is None:
        return None
    parameters = inspect.signature(called).parameters.values()
    options = [each.name for each in parameters if each.name != "self" and each.kind != each.VAR_POSITIONAL]
    close = difflib.get_close_matches(match[2], options, n=1, cutoff=0.7)
    mend = f"did you mean `{close[0]}`?" if close else f"it may have {', '.join(options)}"
    return f"gives `{called.__name__}` an unknown option `{match[2]}`; {mend}"
