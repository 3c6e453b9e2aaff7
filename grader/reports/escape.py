"""The one door through which text of unknown origin gets into a page, a Markdown file or a terminal."""

from __future__ import annotations

import re
import unicodedata

from markupsafe import Markup
from markupsafe import escape as _escape_html

_STRINGS = (
    r"\x1b[\]PX^_][^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # OSC, DCS, SOS, PM, APC: up to their end or the line's
)
_CONTROL = r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI: colours, cursor movements
_ESCAPE = r"\x1b[ -/]*[0-~]?"
_SEQUENCES = re.compile(f"{_STRINGS}|{_CONTROL}|{_ESCAPE}")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_MARKDOWN = re.compile(
    r"[&<>]"  # HTML
    r"|[\\`*_\[\]|~$@]"  # emphasis, code, links, tables, mathematics, mentions
    r"|^[#+=-]|^\d+[.)](?=\s|$)"  # what begins a heading, a list or a rule
    r"|:(?=//)|(?<=\bwww)\.",  # what GitHub makes a link of
    re.IGNORECASE,
)


def plain(text: str) -> str:
    """Text that shows what it says: lines end with `\\n`, and no terminal sequence, control, direction-changing or
    invisible character is left; a lone surrogate becomes U+FFFD. Tabs stay."""
    ended = _LINE_ENDS.sub("\n", _SEQUENCES.sub("", text))
    if ended.isascii() and ended.replace("\n", "").replace("\t", "").isprintable():
        return ended
    return "".join(map(_visible, ended))


def line(text: str) -> str:
    """`plain` text on one line, without blanks around it. Fit for a terminal."""
    return plain(text).replace("\n", " ").replace("\t", " ").strip()


def html(text: str) -> Markup:
    """`plain` text in HTML, also inside an attribute in quotes."""
    return Markup(_escape_html(plain(text)))  # noqa: S704 - escaped right here


def md(text: str) -> str:
    """One line of text in Markdown: nothing in it is markup, a link, a mention or HTML."""
    return _escape_md(line(text))


def spans(text: str) -> list[tuple[str, bool]]:
    """The stretches of one of our own sentences, and whether each stood between backticks."""
    parts = line(text).split("`")
    if len(parts) % 2 == 0:
        return [(line(text), False)]
    return [(part, position % 2 == 1) for position, part in enumerate(parts) if part]


def sentence_html(text: str) -> Markup:
    """One of our own sentences in HTML: what stands between backticks is code."""
    return Markup("").join(Markup("<code>{}</code>").format(part) if is_code else part for part, is_code in spans(text))


def sentence_md(text: str) -> str:
    """One of our own sentences in Markdown: what stands between backticks is code."""
    return "".join(code(part) if is_code else _escape_md(part) for part, is_code in spans(text))


def code(text: str) -> str:
    """One line of text as a code span in Markdown; its fence is longer than any run of backticks inside."""
    inner = line(text)
    if not inner:
        return "(nothing)"
    ticks = "`" * (_longest_run(inner) + 1)
    pad = " " if inner[0] == "`" or inner[-1] == "`" else ""
    return f"{ticks}{pad}{inner}{pad}{ticks}"


def fence(text: str, language: str = "") -> str:
    """Lines of text as a code block in Markdown; its fence is longer than any run of backticks inside."""
    ticks = "`" * max(3, _longest_run(plain(text)) + 1)
    return f"{ticks}{language}\n{plain(text).rstrip()}\n{ticks}"


def _escape_md(one_line: str) -> str:
    return _MARKDOWN.sub(lambda found: _ENTITIES.get(found[0]) or f"{found[0][:-1]}\\{found[0][-1]}", one_line)


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def _visible(character: str) -> str:
    if character in "\n\t":
        return character
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    unassigned = 0xFDD0 <= ord(character) <= 0xFDEF or ord(character) & 0xFFFE == 0xFFFE
    return "" if category in ("Cc", "Cf") or unassigned else character
