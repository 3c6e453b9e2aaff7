"""An instructor's own table, in which cells are filled in and every other byte stays as it is."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.exports.seam import NotExportable

MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
DELIMITERS = ",;\t"
LARGEST = 64 * 2**20
_QUOTED = re.compile(r'"((?:[^"]|"")*)"(.*)', re.DOTALL)


@dataclass(frozen=True)
class Sheet:
    """A table as it lies on the disk. `rows` has each cell with its quotes, `ends` what ends each row."""

    rows: tuple[tuple[str, ...], ...]
    ends: tuple[str, ...]
    delimiter: str
    encoding: str
    mark: bytes

    def text(self, row: int, column: int) -> str:
        """What a cell says; "" where the row is too short for it."""
        cells = self.rows[row]
        return _unquoted(cells[column]) if column < len(cells) else ""

    def texts(self, row: int) -> list[str]:
        """What the cells of a row say."""
        return [_unquoted(each) for each in self.rows[row]]

    def filled(self, cells: Mapping[tuple[int, int], str]) -> bytes:
        """The file with these (row, column) -> text in it; a cell that was in quotes stays so."""
        by_row: dict[int, dict[int, str]] = {}
        for (row, column), text in cells.items():
            by_row.setdefault(row, {})[column] = text
        lines = []
        for row, (raw, end) in enumerate(zip(self.rows, self.ends, strict=True)):
            own = by_row.get(row, {})
            wide = [*raw, *[""] * (max(own, default=-1) + 1 - len(raw))]
            written = [self._quoted(own[at], old) if at in own else old for at, old in enumerate(wide)]
            lines.append(self.delimiter.join(written) + end)
        return self.mark + "".join(lines).encode(self.encoding)

    def _quoted(self, text: str, old: str) -> str:
        special = any(each in text for each in (self.delimiter, '"', "\n", "\r")) or text != text.strip()
        if not special and not old.startswith('"'):
            return text
        doubled = text.replace('"', '""')
        return f'"{doubled}"'


def read_sheet(data: bytes | None, encoding: str = "") -> Sheet:
    """Read a table whose cells are parted by commas, semicolons or tabs: what its first line has most of.

    Raises: `NotExportable` if it is none.
    """
    if not data:
        raise NotExportable("the file to fill in is empty; export it again")
    if data.startswith(b"PK\x03\x04"):
        raise NotExportable("the file to fill in is an Excel workbook or a zip; export it as CSV")
    if len(data) > LARGEST:
        raise NotExportable(f"the file to fill in has more than {LARGEST // 2**20} MiB; is it the right one?")
    mark, text, used = _decoded(data, encoding)
    first = re.sub(r'"[^"]*"', "", re.split(r"\r\n|\r|\n", text, maxsplit=1)[0])
    delimiter = max(DELIMITERS, key=first.count)
    rows, ends = zip(*_records(text, delimiter), strict=True)
    return Sheet(rows, ends, delimiter, used, mark)


def _decoded(data: bytes, encoding: str) -> tuple[bytes, str, str]:
    mark, used = next(((mark, name) for mark, name in MARKS if data.startswith(mark)), (b"", encoding or "utf-8"))
    if not mark and not encoding and data[1:200:2].count(0) > len(data[1:200:2]) // 2:
        used = "utf-16-le"
    try:
        text = data[len(mark) :].decode(used)
        if text.encode(used) != data[len(mark) :]:
            raise NotExportable(
                f"the file to fill in cannot be written again in {used} byte for byte; save it as UTF-8"
            )
    except UnicodeError as error:
        mend = "save it as CSV in UTF-8, or say which it is with --set encoding=cp1252"
        raise NotExportable(f"the file to fill in is no text in {used} ({error}); {mend}") from error
    except LookupError as error:
        raise NotExportable(f"encoding={encoding}: there is no such encoding; utf-8 and cp1252 are usual") from error
    return mark, text, used


def _records(text: str, delimiter: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(raw cells, line end) of each line, blank ones too."""
    part = re.compile(
        rf'("(?:[^"]|"")*"[^{delimiter}\r\n]*|[^"{delimiter}\r\n][^{delimiter}\r\n]*|)({delimiter}|\r\n|\r|\n|\Z)'
    )
    cells: list[str] = []
    at = 0
    while True:
        found = part.match(text, at)
        if found is None:
            line = text.count("\n", 0, at) + 1
            raise NotExportable(
                f"the file to fill in is no CSV: the quote in line {line} does not end; export it again"
            )
        raw, end = found.groups()
        cells.append(raw)
        at = found.end()
        if end == delimiter:
            continue
        yield tuple(cells), end
        cells = []
        if at == len(text):
            return


def _unquoted(raw: str) -> str:
    found = _QUOTED.fullmatch(raw)
    return found[1].replace('""', '"') + found[2] if found else raw
