"""The bytes of an `.ipynb` file -> a `Notebook`, or the reason why there is none. Runs nothing, trusts nothing.

The file is read here and not by nbformat: that reader raises a different exception for each oddity, silently gives
*empty* cells where `nbformat` is missing, and refuses files whose answers are all there.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

from grader.intake.wording import cells as named
from grader.intake.wording import listed, sentence, shown
from grader.records import CELL_ID_PREFIX, Cell, Notebook
from grader.records.values import Record

MOST_BYTES = 16 * 2**20
OURS = "autograd_grader"
NEWEST = (4, 5)
LONGEST_CLAIM = 200

Json: TypeAlias = dict[str, Any]
Spots: TypeAlias = dict[str, list[int]]

_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: |$)", re.MULTILINE)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_TAG = re.compile(r"[0-9a-f]{64}")
_CELL_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")

# What is odd about single cells, and what was done; {} is "cell 3" or "cells 3 and 7".
_ODD_CELLS = {
    "no cell": "{} could not be read as a cell and was left out.",
    "no type": "{} had no cell type and was read as code where it had been run, as text otherwise.",
    "no source": "{} had no source and was read as empty.",
    "bad source": "{} held something else than text and was read without it.",
    "surrogate": "{} held characters that do not exist; they were replaced.",
    "bad id": "{} had an id that is not allowed; it was ignored.",
    "text": "{} should hold an answer but is a text cell, which is not run: change its type to Code.",
}


class BadFile(Record, frozen=True):
    """A file that cannot be read as a notebook.

    `reason` completes "hw1.ipynb ..." in one line: what is wrong and what its author should do. `text` is what was
    decoded, so that a broken file can still be recognised; "" if nothing was.
    """

    reason: str
    text: str = ""


def read_notebook(data: bytes) -> Notebook | BadFile:
    """Read one notebook, whatever program saved it.

    Read right: UTF-8, UTF-16, UTF-32 with or without a byte order mark, CRLF, NaN in outputs, nbformat 2 to 4 and
    newer ones whose cells look familiar, notebooks of Colab and VS Code, missing keys. Everything odd is in `notes`.

    Args:
        data: the whole file; more than 16 MiB is refused before anything is parsed.
    """
    repeated: list[str] = []
    document = parse_notebook(data, repeated)
    if isinstance(document, BadFile):
        return document
    raw = _raw_cells(document)
    if isinstance(raw, BadFile):
        return raw
    for cell in raw:  # stored outputs are dropped first: nothing after this line can be misled by them
        if isinstance(cell, dict):
            cell.pop("outputs", None)
    spots: Spots = {}
    cells = tuple(cell for index, each in enumerate(raw) if (cell := _cell(index, each, spots)))
    if raw and len(spots.get("no cell", ())) == len(raw):
        return BadFile("holds no readable cell: save the notebook again in Jupyter and hand in that file.")
    notes = [*_format_notes(document)]
    if repeated:
        notes.append(f"The file has {listed(repeated)} twice in one place, as after a merge; the last one was read.")
    notes += [sentence(words.format(named(spots[odd]))) for odd, words in _ODD_CELLS.items() if odd in spots]
    notes += _duplicate_ids(cells)
    assignment, fingerprint, questions = _claims(document)
    return Notebook(cells, assignment, fingerprint, questions, tuple(notes), _tags(document))


def parse_notebook(data: bytes, repeated: list[str] | None = None) -> Json | BadFile:
    """The JSON object in the file, nothing in it looked at yet.

    Args:
        repeated: gets the keys (each once) that stand twice in one object; the last counts.
    """
    text = _decode(data)
    document = text if isinstance(text, BadFile) else _parse(text, [] if repeated is None else repeated)
    if isinstance(document, BadFile | dict):
        return document
    kind = "null" if document is None else "a list" if isinstance(document, list) else "a single value"
    return BadFile(f"holds {kind} and not a notebook: save the notebook again in Jupyter and hand in that file.")


def _decode(data: bytes) -> str | BadFile:
    if len(data) > MOST_BYTES:
        size = len(data) / 2**20
        return BadFile(f"is too large ({size:.0f} MB; at most 16 MB): clear all outputs, save it and hand it in again.")
    if not data.strip(b"\0 \t\r\n"):
        return BadFile("is empty: save the notebook and hand in the saved file.")
    for beginning, kind in ((b"PK\x03\x04", "a zip archive"), (b"%PDF", "a PDF")):
        if data.startswith(beginning):
            return BadFile(f"is {kind} and not a notebook: hand in the .ipynb file itself.")
    try:
        return data.decode(json.detect_encoding(data))
    except UnicodeDecodeError as error:
        return BadFile(
            f"is not text (byte {error.start + 1} is not {error.encoding.upper()}): "
            "open the notebook in Jupyter, save it and hand in that file.",
            data.decode("utf-8", "replace"),
        )


def _parse(text: str, repeated: list[str]) -> Any | BadFile:
    def whole(digits: str) -> int | float:
        return int(digits) if len(digits) < 20 else float(digits)

    def unique(pairs: list[tuple[str, Any]]) -> Json:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = Counter(key for key, _ in pairs)
            repeated.extend(shown(key) for key in keys if keys[key] > 1 and shown(key) not in repeated)
        return found

    try:
        return json.loads(text, parse_int=whole, object_pairs_hook=unique, strict=False)
    except RecursionError:
        return BadFile("is nested too deeply to be a notebook: clear all outputs, save it and hand it in again.", text)
    except json.JSONDecodeError as error:
        return BadFile(_why_no_json(text, error), text)


def _why_no_json(text: str, error: json.JSONDecodeError) -> str:
    start = text.lstrip("\ufeff \t\r\n")
    if start.startswith("<") and not start.startswith("<<<<<<<"):
        return "is a web page and not a notebook: download the .ipynb file itself and hand that in."
    if _CONFLICT.search(text):
        return "holds the marks of an unfinished merge (<<<<<<<): resolve it, look at it in Jupyter, hand it in again."
    end = text.rstrip("\0 \t\r\n")
    unfinished = not end.endswith("}") or error.pos >= len(end) or error.msg.startswith("Unterminated string")
    if start.startswith("{") and unfinished:
        return "breaks off in the middle: the file was not saved or sent completely; save it and hand it in again."
    return (
        f"is not a notebook (no JSON: line {error.lineno}, column {error.colno}): "
        "open the notebook in Jupyter, save it and hand in that file."
    )


def _raw_cells(document: Json) -> list[Any] | BadFile:
    """The cells as they lie in the file; those of nbformat 2 and 3 lie in worksheets and call code `input`."""
    found = document.get("cells")
    sheets = document.get("worksheets")
    if "cells" not in document and isinstance(sheets, list):
        inner = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        found = [cell for cells in inner if isinstance(cells, list) for cell in cells]
        for cell in found:
            if isinstance(cell, dict) and "source" not in cell and "input" in cell:
                cell["source"] = cell["input"]
    if isinstance(found, list):
        return found
    what = "no `cells`" if found is None else "`cells` that are no list"
    return BadFile(f"has {what}: it is no notebook, or was damaged; save it again in Jupyter and hand in that file.")


def _format_notes(document: Json) -> list[str]:
    major, minor = document.get("nbformat"), document.get("nbformat_minor")
    if "cells" not in document:
        return ["The file is in an old notebook format (3 or older); its cells were read all the same."]
    if not isinstance(major, int) or isinstance(major, bool):
        return ["The file does not say its notebook format; its cells were read as in format 4."]
    if major > NEWEST[0] or (major == NEWEST[0] and isinstance(minor, int) and minor > NEWEST[1]):
        return ["The file is in a notebook format newer than 4.5; its cells were read as in 4.5."]
    return []


def _cell(index: int, raw: object, spots: Spots) -> Cell | None:
    def odd(what: str) -> None:
        spots.setdefault(what, []).append(index)

    if not isinstance(raw, dict):
        odd("no cell")
        return None
    kind = raw.get("cell_type")
    if not isinstance(kind, str):
        odd("no type")
        kind = "code" if "execution_count" in raw or "prompt_number" in raw else "text"
    metadata = raw.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    name, refused = _id(raw.get("id"), metadata.get("id"))
    if kind != "code":
        if name is not None and name.startswith(CELL_ID_PREFIX):
            odd("text")
        return None
    if refused:
        odd("bad id")
    return Cell(index, _source(raw, odd), name, _claim(metadata, "question"))


def _id(own: object, colab: object) -> tuple[str | None, bool]:
    """The cell's id, and whether one had to be refused. Colab keeps it in the metadata; Jupyter may add its own."""
    given = [each for each in (own, colab) if each is not None]
    fit = [each for each in given if isinstance(each, str) and _CELL_ID.fullmatch(each)]
    released = [each for each in fit if each.startswith(CELL_ID_PREFIX)]
    best = released or fit
    return best[0] if best else None, bool(given) and not fit


def _source(raw: Json, odd: Callable[[str], None]) -> str:
    source = raw.get("source")
    if source is None:
        odd("no source")
        return ""
    lines = source if isinstance(source, list) else [source]
    good = [line for line in lines if isinstance(line, str)]
    if len(good) < len(lines):
        odd("bad source")
    text = "".join(good).replace("\r\n", "\n").replace("\r", "\n")
    if _LONE_SURROGATE.search(text):
        odd("surrogate")
        text = _LONE_SURROGATE.sub("\ufffd", text)
    return text


def _duplicate_ids(cells: tuple[Cell, ...]) -> list[str]:
    counts = Counter(cell.id for cell in cells if cell.id)
    return [
        f"{sentence(named(cell.index for cell in cells if cell.id == name))} have the same id ({shown(name)})."
        for name, count in counts.items()
        if count > 1
    ][:5]


def _claims(document: Json) -> tuple[str | None, str | None, tuple[tuple[str, str], ...]]:
    """What the notebook's metadata says about itself; anything of a wrong type says nothing."""
    metadata = document.get("metadata")
    if not isinstance(metadata, dict):
        return None, None, ()
    ours = metadata.get(OURS)
    listed = ours.get("questions") if isinstance(ours, dict) else None
    questions = listed.items() if isinstance(listed, dict) else ()
    pairs = tuple((_LONE_SURROGATE.sub("\ufffd", key), each) for key, each in questions if isinstance(each, str))
    return _claim(metadata, "assignment"), _claim(metadata, "fingerprint"), pairs


def _tags(document: Json) -> tuple[tuple[str, str], ...] | None:
    """Tags as they stand there, garbled ones left out; None only where the notebook was made without."""
    metadata = document.get("metadata")
    ours = metadata.get(OURS) if isinstance(metadata, dict) else None
    if not isinstance(ours, dict) or "tags" not in ours:
        return None
    listed = ours["tags"].items() if isinstance(ours["tags"], dict) else ()
    fit = [(name, tag) for name, tag in listed if isinstance(tag, str) and _TAG.fullmatch(tag)]
    return tuple((_LONE_SURROGATE.sub("\ufffd", name), tag) for name, tag in fit)


def _claim(metadata: Json, key: str) -> str | None:
    ours = metadata.get(OURS)
    value = ours.get(key) if isinstance(ours, dict) else None
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_CLAIM:
        return None
    return _LONE_SURROGATE.sub("\ufffd", value)
