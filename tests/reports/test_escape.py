"""Nothing gets past the door: not into HTML, Markdown or a terminal."""

from __future__ import annotations

import html as stdlib_html
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader.reports.escape import code, fence, html, line, md, plain, sentence_html, sentence_md

HOSTILE = st.text(
    st.one_of(
        st.characters(exclude_categories=()),
        st.sampled_from(list("`*_[]()<>&#|~!\\$@:/.\"'\n\r\t \x1b\x9b\x9d\x07\u202e\u200b\ud800-+=0123456789")),
    ),
    max_size=40,
)
# Tables and strike-through as on GitHub; no HTML, so that what looks like a tag must have been escaped.
GITHUB = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def words_of(rendered: str) -> str:
    return stdlib_html.unescape(re.sub(r"<[^>]*>", "", rendered))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;never ended\nnext line", "\nnext line"),
        ("\x1bPq\x1b\\x", "x"),
        ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
        ("user\u202egnp.exe", "usergnp.exe"),
        ("zero\u200b\u2060\ufeffwidth", "zerowidth"),
        ("nul\x00bell\x07back\x08", "nulbellback"),
        ("half \ud83d", "half \ufffd"),
        ("tab\tstays, as does é and 李 and 😀", "tab\tstays, as does é and 李 and 😀"),
    ],
)
def test_plain_shows_what_it_says(text: str, left: str) -> None:
    """Sequences, controls, direction and invisible characters go; line ends become one kind; letters stay."""
    assert plain(text) == left


@given(HOSTILE)
def test_plain_text_is_printable_and_stays_so(text: str) -> None:
    """No control, format or surrogate character is left but newline and tab; a second pass changes nothing."""
    once = plain(text)
    assert plain(once) == once
    assert {unicodedata.category(c) for c in once if c not in "\n\t"}.isdisjoint({"Cc", "Cf", "Cs"})
    once.encode()
    assert "\n" not in line(text)


@given(HOSTILE)
def test_html_says_the_same_and_has_no_markup(text: str) -> None:
    """Escaped text has no tag, quote or open entity, and reads back as the plain text."""
    escaped = str(html(text))
    assert not re.search(r"[<>\"']|&(?!(lt|gt|amp|#34|#39);)", escaped)
    assert stdlib_html.unescape(escaped) == plain(text)


@given(HOSTILE)
def test_markdown_text_is_one_paragraph_of_that_text(text: str) -> None:
    """Rendered, with HTML on, escaped text is one paragraph without any element that reads as the text does."""
    rendered = GITHUB.render(f"{md(text)}\n")
    said = " ".join(line(text).split())
    assert re.sub(r"</?p>", "", rendered).count("<") == 0
    assert " ".join(words_of(rendered).split()) == said


@given(HOSTILE)
def test_markdown_text_is_harmless_in_a_list(text: str) -> None:
    """The same behind a bullet: one list with one item, no element in it."""
    rendered = GITHUB.render(f"- {md(text) or 'x'}\n")
    assert re.sub(r"\s", "", re.sub(r"<(?!/?(ul|li)>)", "!", rendered)).count("<") == 4


@given(HOSTILE)
def test_a_code_span_holds_all_of_its_text(text: str) -> None:
    """No run of backticks inside ends the span."""
    rendered = GITHUB.render(f"- {code(text)}\n")
    assert rendered.count("<code>") == (1 if line(text) else 0)
    if line(text):
        inner = stdlib_html.unescape(re.search(r"<code>(.*)</code>", rendered, re.S)[1])  # type: ignore[index]
        assert inner.split() == line(text).split()


@given(HOSTILE)
def test_a_code_block_holds_all_of_its_text(text: str) -> None:
    """No line inside ends the block."""
    tokens = GITHUB.parse(f"{fence(text)}\n\nafter\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content.rstrip() == plain(text).rstrip()


@given(HOSTILE)
def test_sentences_keep_their_words(text: str) -> None:
    """Backticks become code, and only that: no other element, no word lost."""
    assert re.sub(r"</?code>", "", str(sentence_html(text))).count("<") == 0
    rendered = GITHUB.render(sentence_md(text))
    assert re.sub(r"</?(p|code)>", "", rendered).count("<") == 0


def test_a_sentence_has_code() -> None:
    """`x.grad` in one of our messages is set as code; an odd backtick is just a character."""
    assert sentence_html("`x.grad`: <b>") == "<code>x.grad</code>: &lt;b&gt;"
    assert sentence_md("`x.grad`: *a*") == "`x.grad`: \\*a\\*"
    assert sentence_html("a ` b") == "a ` b"


def test_links_and_mentions_are_text_on_github() -> None:
    """What GitHub would turn into a link or a mention is broken up."""
    assert md("https://evil.example @ada WWW.evil.example") == "https\\://evil.example \\@ada WWW\\.evil.example"
    assert md("1. one") == "1\\. one"
    assert md("2.5 of 10") == "2.5 of 10"
