"""What `grade export` prints: for people at 80 columns, for programs as one JSON object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click
from rich.cells import cell_len

from grader.reports.escape import line
from grader.reports.summary import fitted, wrapped

if TYPE_CHECKING:
    from grader import pipeline

WIDTH = 80
WIDEST_NAME = 28
POINTS = 8


def print_made(order: pipeline.ExportOrder, made: pipeline.Exported) -> None:
    """Who gets what (a dry run), what is not matched, the files. Where a CI reads standard output: on the other one."""
    for text in _lines(order, made):
        click.echo(text, err=bool(made.printed))


def print_formats(formats: Sequence[pipeline.Format]) -> None:
    """The answer of `grade export --list`."""
    for each in formats:
        click.echo(f"{each.name:<17} {each.title}")
        if each.into:
            click.echo(f"{'':<17} --into FILE: {each.into}")
        if each.options:
            click.echo("\n".join(wrapped(f"--set {', '.join(each.options)}", " " * 18, WIDTH)))
    click.echo("\nWhat --set can say:")
    named = sorted({(name, what) for each in formats for name, what in each.options.items()})
    for name, what in named:
        click.echo("\n".join(wrapped(f"{name}={what}", "  ", WIDTH)))


def document(order: pipeline.ExportOrder, made: pipeline.Exported) -> dict[str, Any]:
    """The same for programs; described in docs/exports.md."""
    return {
        "format": order.format,
        "files": [str(order.folder / name) for name in made.files],
        "written": not order.dry_run,
        "given": [
            {
                "student": each.student,
                "assignment": each.assignment,
                "points": None if each.points is None else float(each.points),
                "where": each.where,
            }
            for each in made.given
        ],
        "unmatched": list(made.unmatched),
        "remarks": list(made.remarks),
    }


def _lines(order: pipeline.ExportOrder, made: pipeline.Exported) -> Iterator[str]:
    if order.dry_run:
        yield from _table(made)
    for title, remarks in (("not matched", made.unmatched), ("to look at", made.remarks)):
        for remark in remarks:
            yield from wrapped(f"{title}: {remark}", width=WIDTH)
    for name in made.files:
        # Not wrapped: a path is there to be copied.
        yield f"{'would be written' if order.dry_run else 'written'}: {line(str(order.folder / name))}"
    with_points = sum(each.points is not None for each in made.given)
    counts = f"{with_points} with points, {len(made.given) - with_points} without, {len(made.unmatched)} not matched"
    yield f"{order.format}: {counts}{'; nothing is written' if order.dry_run else ''}"


def _table(made: pipeline.Exported) -> Iterator[str]:
    several = len({each.assignment for each in made.given}) > 1
    names = [line(f"{each.student}: {each.assignment}" if several else each.student) for each in made.given]
    wide = min(WIDEST_NAME, max(map(cell_len, names), default=0))
    for name, each in zip(names, made.given, strict=True):
        number = "-" if each.points is None else f"{each.points:.2f}"
        where = fitted(line(each.where), WIDTH - wide - POINTS - 3).rstrip()
        yield f"{fitted(name, wide)} {number:>{POINTS}}  {where}"
