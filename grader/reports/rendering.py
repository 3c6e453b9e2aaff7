"""Templates -> HTML. Every string that a template writes goes through the door of `escape` on its way."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

from grader.reports.escape import plain, sentence_html

TEMPLATES = Path(__file__).parent / "templates"
LOWEST_HEADING = 6
# A card's own heading is an h2: the prompt's begin below it.
HEADING_OFFSET = 2


def render(template: str, **fields: object) -> str:
    """The page that `template` makes of `fields`; a name that is missing is an error, never a hole."""
    return _environment().get_template(template).render(**fields)


def markdown(text: str) -> Markup:
    """An author's Markdown as HTML. Raw HTML in it is shown as text, pictures become links, no link is a script."""
    tokens = _parser().parse(plain(text))
    for token in tokens:
        _lower_heading(token)
    return Markup(_parser().renderer.render(tokens, _parser().options, {}))  # noqa: S704 - html is off


def markdown_line(text: str) -> Markup:
    """As `markdown`, for a phrase: no paragraph around it."""
    return Markup(_parser().renderInline(plain(text)))  # noqa: S704 - html is off


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    environment.globals.update(
        markdown=markdown,
        markdown_line=markdown_line,
        sentence=sentence_html,
        style=Markup(style),  # noqa: S704 - ours
    )
    return environment


def _finalize(thing: object) -> object:
    # Markup is what this package made; all else may be a student's, also where it looks like Markup's methods.
    return plain(thing) if isinstance(thing, str) and not isinstance(thing, Markup) else thing


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(["image", "html_block", "html_inline"])


def _lower_heading(token: Token) -> None:
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(LOWEST_HEADING, int(token.tag[1:]) + HEADING_OFFSET)}"
