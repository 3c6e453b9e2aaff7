"""`grade export`, and what `grade run` does for a CI when all is graded."""

from __future__ import annotations

import json as json_
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.cli.workflow import commands_allowed
from grader.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from grader import pipeline


def _settings(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    options: dict[str, str] = {}
    for each in given:
        name, sign, value = each.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{each}: write NAME=VALUE", context, parameter)
        options[name] = value
    return options


@click.command(
    epilog="\b\nExamples:\n  grade export --list\n  grade export canvas --into gradebook.csv --dry-run\n"
    "  grade export junit --to reports\n\b\nExit codes: 0 done, 2 a wrong file or option, 3 done, but a person must\n"
    "look: some row could not be matched, or was left as it is"
)
@click.argument("name", required=False, metavar="FORMAT")
@click.option("--list", "listed", is_flag=True, help="Name all formats, with what each needs.")
@click.option(
    "--into",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Your own file, which a copy is made of and filled in: a gradebook from Canvas, a worksheet from Moodle.",
)
@click.option("--assignment", metavar="NAME", help="This assignment only.")
@click.option(
    "--to", type=click.Path(file_okay=False, path_type=Path), help="Folder for the files. Default: OUTPUT/export/."
)
@click.option(
    "--set", "options", multiple=True, metavar="NAME=VALUE", callback=_settings, help="An option of the format."
)
@click.option("--dry-run", is_flag=True, help="Write nothing; show who would get what, and what cannot be matched.")
@click.option("--json", is_flag=True, help="Print one JSON object for programs, not lines for people.")
@click.option(
    "--course",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("."),
    help="Folder that holds solutions/ and the deadlines. Default: here.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("graded"),
    help="Folder with the results of `grade PATH...`. Default: graded/.",
)
@click.option(
    "--roster",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV of the class with the ids that platforms have. Default: roster.csv, if it is there.",
)
def export(name: str | None, listed: bool, json: bool, **asked: Any) -> None:
    """Write the grades as an LMS or a CI reads them.

    Everything comes from the gradebook; nothing is run again. Whoever handed in nothing, or is held, gets no number.
    """
    from grader import pipeline
    from grader.cli import exported

    if listed:
        exported.print_formats(pipeline.formats())
        return
    if name is None:
        raise UsageError("export: say which format; `grade export --list` names them")
    order = pipeline.ExportOrder(name, **asked)
    made = pipeline.export(order)
    if json:
        click.echo(json_.dumps(exported.document(order, made)))
    else:
        exported.print_made(order, made)
    if not order.dry_run:
        _hand_to_ci(made, err=json)
    sys.exit(_exit_code(made))


def check_exports(names: tuple[str, ...], output: Path, course: Path, roster: Path | None) -> None:
    """Say what is wrong with `--export` before anything is graded.

    Raises: `UsageError`.
    """
    from grader import pipeline

    for name in names:
        try:
            pipeline.check_order(pipeline.ExportOrder(name, output, course, roster=roster))
        except UsageError as error:
            raise UsageError(
                f"--export {error}".replace("with --into", f"to `grade export {name}` afterwards")
            ) from None


def export_after(graded: pipeline.Graded, order: pipeline.Order, names: tuple[str, ...], err: bool) -> ExitCode:
    """Write the exports that `grade run --export` asks for, and say what a person must look at.

    Args:
        err: whether standard output is for something else.
    """
    from grader import pipeline

    code = ExitCode.DONE
    for name in names:
        made = pipeline.export(
            pipeline.ExportOrder(name, graded.output, order.course, order.assignment, roster=order.roster)
        )
        for line in (*made.unmatched, *made.remarks):
            click.echo(f"grade: {name}: {line}", err=True)
        _hand_to_ci(made, err)
        code = max(code, _exit_code(made))
    return code


def is_below(graded: pipeline.Graded, percent: float | None) -> bool:
    """Whether some decided grade of the run, or a hand-in that has none, is under so many percent.

    What is held has no say: nobody knows yet.
    """
    if percent is None:
        return False
    return any(
        grade.score is None or float(100 * grade.score) < percent * float(grade.max_score)
        for grade in graded.grades
        if grade.status != "held"
    )


def _hand_to_ci(made: pipeline.Exported, err: bool) -> None:
    from grader import pipeline

    pipeline.append_for_ci(made)
    if made.printed:
        with commands_allowed():
            click.echo(made.printed, nl=False, err=err)


def _exit_code(made: pipeline.Exported) -> ExitCode:
    return ExitCode.NEEDS_PERSON if made.unmatched or made.remarks else ExitCode.DONE
