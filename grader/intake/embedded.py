"""The public half of an assignment as it lies in a notebook's own metadata: enough for a student's self-check."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from grader.intake.reading import OURS, BadFile, parse_notebook
from grader.intake.walking import read_file
from grader.records import PublicAssignment


def embedded_public(notebook: Path) -> list[PublicAssignment]:
    """The public half inside the file `notebook`, in a list; an empty list if there is none that can be read."""
    data = read_file(notebook.resolve())
    document = data if isinstance(data, BadFile) else parse_notebook(data)
    metadata = document.get("metadata") if isinstance(document, dict) else None
    ours = metadata.get(OURS) if isinstance(metadata, dict) else None
    public = ours.get("public") if isinstance(ours, dict) else None
    if not isinstance(public, dict):
        return []
    try:
        return [msgspec.json.decode(json.dumps(public), type=PublicAssignment)]
    except (msgspec.DecodeError, msgspec.ValidationError, ValueError, RecursionError):
        return []
