"""An exception in a student's cell -> `StudentError`: the student's own line, without the frames of our machinery."""

from __future__ import annotations

import re
import sys
import traceback
from pathlib import Path
from types import TracebackType

from grader.program.describing import class_name, encodable, message_of
from grader.records import StudentError

MAX_MESSAGE = 2_000
MAX_TRACEBACK = 8_000
MAX_FRAMES = 12
CELL_FILE = re.compile(r"<cell (\d+)>")
ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
TIMED = ("<timed exec>", "<timed eval>")
_HIDDEN = ("IPython", "torch", "traitlets", "matplotlib_inline")
_OURS = str(Path(__file__).resolve().parents[1])


def cell_file(index: int) -> str:
    """The file name under which the cell `index` (counted from 0) is compiled."""
    return f"<cell {index + 1}>"


def student_error(error: BaseException, index: int, sources: dict[int, str]) -> StudentError:
    """Describe `error`, which the cell `index` raised.

    Args:
        error: the exception; its class may be foreign.
        index: the cell's index.
        sources: the source of every cell that has run, by index.
    """
    name = printable(class_name(type(error)))
    if isinstance(error, SyntaxError) and CELL_FILE.fullmatch(error.filename or ""):
        return _syntax_error(error, name, index, sources[index])
    frames = _frames(error.__traceback__, index, sources)
    own = [number for file, number, _, _ in frames if file == cell_file(index)]
    line = own[-1] if own else None
    message = printable(message_of(error, MAX_MESSAGE))
    return StudentError(
        type=name,
        message=message,
        line=line,
        source_line=_line(sources[index], line),
        traceback=_text(frames, index, name, message),
    )


def out_of_memory(error: BaseException) -> bool:
    """Whether `error` says that an allocation failed."""
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and no_memory_message(message_of(error, MAX_MESSAGE))
    )


def no_memory_message(message: str) -> bool:
    """Whether this is what torch says when an allocation failed."""
    return "can't allocate memory" in message or "DefaultCPUAllocator: not enough memory" in message


def printable(text: str) -> str:
    """`text` without terminal escape codes, and such that it can be written as UTF-8."""
    return ANSI.sub("", encodable(text))


_Frame = tuple[str, int, str, str]


def _frames(trace: TracebackType | None, index: int, sources: dict[int, str]) -> list[_Frame]:
    """(file, line, function, source line) of each frame that a student knows, outermost first."""
    frames = []
    while trace is not None:
        code = trace.tb_frame.f_code
        file, number = code.co_filename, trace.tb_lineno
        if file in TIMED and sources[index].lstrip().startswith("%%"):
            # The body of `%%time`, numbered from the line below it.
            file, number = cell_file(index), number + 1
        cell = CELL_FILE.fullmatch(file)
        if cell:
            source = sources.get(int(cell[1]) - 1, "")
            number += leading_blank_lines(source)
            frames.append((file, number, code.co_name, _line(source, number)))
        elif not _hidden(file):
            frames.append((file, number, code.co_name, ""))
        trace = trace.tb_next
    return frames


def _hidden(file: str) -> bool:
    parts = Path(file).parts
    return file.startswith((_OURS, "<frozen", "<timed")) or any(name in parts for name in _HIDDEN)


def _text(frames: list[_Frame], index: int, name: str, message: str) -> str:
    shown = frames
    if len(frames) > MAX_FRAMES:
        shown = frames[: MAX_FRAMES // 2] + frames[-MAX_FRAMES // 2 :]
    lines = []
    for position, (file, number, function, source) in enumerate(shown):
        if len(frames) > MAX_FRAMES and position == MAX_FRAMES // 2:
            lines.append(f"... {len(frames) - MAX_FRAMES} more calls ...")
        within = "" if function.startswith("<") else f", in {function}"
        lines.append(f"{_place(file, index)}, line {number}{within}")
        if source.strip():
            lines.append("    " + source.strip())
    lines.append(f"{name}: {message}" if message else name)
    return printable("\n".join(lines))[:MAX_TRACEBACK]


def _place(file: str, index: int) -> str:
    if file == cell_file(index):
        return "this cell"
    cell = CELL_FILE.fullmatch(file)
    return f"cell {cell[1]}" if cell else Path(file).name


def _syntax_error(error: SyntaxError, name: str, index: int, source: str) -> StudentError:
    line = (error.lineno or 1) + leading_blank_lines(source)
    text = _line(source, line) or (error.text or "").rstrip()
    message = error.msg if isinstance(error.msg, str) else message_of(error, MAX_MESSAGE)
    lines = [f"{_place(error.filename or '', index)}, line {line}", "    " + text.strip()]
    if error.offset and text.strip():
        lines.append("    " + " " * max(error.offset - 1 - (len(text) - len(text.lstrip())), 0) + "^")
    lines.append(f"{name}: {message}")
    return StudentError(
        name, printable(message)[:MAX_MESSAGE], line, text[:MAX_MESSAGE], printable("\n".join(lines))[:MAX_TRACEBACK]
    )


def leading_blank_lines(source: str) -> int:
    """How many lines IPython removes from the top of a cell before it numbers them."""
    lines = source.split("\n")
    return next((number for number, line in enumerate(lines) if line and not line.isspace()), 0)


def _line(source: str, number: int | None) -> str:
    lines = source.split("\n")
    if number is None or not 0 < number <= len(lines):
        return ""
    return printable(lines[number - 1].rstrip()[:MAX_MESSAGE])


def warm_up() -> None:
    """Format one error, so that what formatting needs is loaded."""
    try:
        raise ValueError("warm")
    except ValueError as error:
        student_error(error, 0, {0: ""})
        traceback.format_exception(*sys.exc_info())
