"""The self-check, called in a cell of the notebook itself.

    from grader.notebook import check
    check()

A function and not a magic, so that it takes a path where the notebook's own cannot be told. Works in Jupyter, VS Code
and Colab; when the notebook is graded, the call does nothing.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from grader.errors import GraderError, UsageError
from grader.records import SelfCheck


def check(path: str | Path | None = None, course: str | Path = ".") -> None:
    """Check the *saved* notebook and print what is unanswered, what raises and what passes the public cases.

    Args:
        path: the notebook's file; found by itself in Jupyter, VS Code and Colab.
        course: the folder with `NAME.public.json`, needed only where the notebook has lost its metadata.
    """
    from grader import pipeline
    from grader.reports import terminal

    try:
        with tempfile.TemporaryDirectory() as folder:
            result = pipeline.check(Path(path) if path else _this_notebook(Path(folder)), Path(course))
    except GraderError as error:
        print(error)  # noqa: T201 - a cell's output is where its reader looks
        return
    terminal.print_check(msgspec.structs.replace(result, notes=(*result.notes, *_unsaved(result))))


def _this_notebook(folder: Path) -> Path:
    """The file of the notebook that this runs in; Colab's is fetched and written into `folder`."""
    colab = _colab_document()
    if colab is not None:
        fetched = folder / "notebook.ipynb"
        fetched.write_text(json.dumps(colab))
        return fetched
    named = _user_namespace().get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    if isinstance(named, str):
        for candidate in (Path(named), Path(Path(named).name)):
            if candidate.is_file():
                return candidate
    here = sorted(Path().glob("*.ipynb"))
    if len(here) == 1:
        return here[0]
    raise UsageError('Which notebook? Its file could not be told; call check("NAME.ipynb").')


def _colab_document() -> Any:
    try:
        from google.colab import _message  # type: ignore[import-not-found]
    except ImportError:
        return None
    return _message.blocking_request("get_ipynb")["ipynb"]


def _user_namespace() -> dict[str, Any]:
    try:
        from IPython import get_ipython
    except ImportError:
        return {}
    shell = get_ipython()
    return shell.user_ns if shell is not None else {}


def _unsaved(result: SelfCheck) -> list[str]:
    """Answers that the running notebook holds and the file does not: the work that is lost if handed in now."""
    from grader.program import capture

    names = _user_namespace()
    moved = [name for name, value in result.answers if name in names and capture(names[name]) != value]
    if not moved:
        return []
    return [f"{', '.join(moved)} in this running notebook differs from the saved file: save it, then check again."]
