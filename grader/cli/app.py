"""Click commands: parse, call one function of the pipeline, print. No decisions here.

Each command imports what it needs when it runs, so that `grade --help` answers in the time of `import click`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

import grader
from grader.cli.exporting import export
from grader.cli.interrupting import STOPPED, heed_interrupts
from grader.cli.streams import Streams
from grader.cli.workflow import commands_stopped
from grader.errors import ExitCode, GraderError


class GradeByDefault(click.Group):
    """A group whose default command is `run`: what names no command is an option or a path to grade."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """As Click's, with streams that may be closed or full, and Ctrl-C that may be pressed twice."""
        streams = Streams()
        streams.open()
        heed_interrupts()
        try:
            return super().main(*arguments, **options)
        except SystemExit as end:
            failure = streams.failure()
            if failure and end.code in (None, 0):
                click.echo(f"grade: not all of the output could be written ({failure})", err=True)
                raise SystemExit(int(ExitCode.GRADER_FAULT)) from None
            raise

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and self._means_grading(ctx, args):
            args = ["run", *args]
        ctx.meta["json"] = "--json" in args
        return super().parse_args(ctx, args)

    def _means_grading(self, ctx: click.Context, args: list[str]) -> bool:
        first = args[0]
        if first in {"--help", "-h", "--version"}:
            return False
        if first not in self.list_commands(ctx):
            return True
        # A folder called `check`, alone on the line: `grade check` without its notebook would be an error anyway.
        return len(args) == 1 and first in {"run", "check", "show"} and Path(first).is_dir()

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with commands_stopped(wanted=not ctx.meta["json"]):
                return super().invoke(ctx)
        except GraderError as error:
            for line in str(error).splitlines():
                click.echo(f"grade: {line}", err=True)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("\ngrade: stopped; what is decided is kept, run the same command again to do the rest", err=True)
            ctx.exit(STOPPED)
        except (click.exceptions.Exit, click.ClickException, BrokenPipeError):
            raise
        except Exception as error:
            click.echo(f"grade: a fault of the grader: {type(error).__name__}: {error}", err=True)
            click.echo("grade: what is decided is kept; please report this, with GRADE_TRACEBACK=1 set", err=True)
            if os.environ.get("GRADE_TRACEBACK"):
                raise
            ctx.exit(ExitCode.GRADER_FAULT)


EPILOG = """\b
Examples:
  grade submissions/                 grade a class; results in graded/
  grade --jobs 2 submissions/ada     one student, two notebooks at once
  grade check hooks.ipynb            a student's own check
  grade audit                        what your own questions cannot see
\b
Exit codes: 0 done, 1 a grade is below --fail-under, 2 usage or course error,
3 a person must decide something, 4 the grader's own fault, 5 students cannot
be confined here.
"""

COURSE = click.option(
    "--course",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path("."),
    help="Folder that holds solutions/ and assignments/. Default: here.",
)
OUTPUT = click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=Path("graded"),
    help="Folder for the results, readable by you alone. Default: graded/.",
)
ROSTER = click.option(
    "--roster",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV of the class, with a column id: everybody on it gets a row. Default: roster.csv, if it is there.",
)
NO_SANDBOX = click.option(
    "--no-sandbox",
    is_flag=True,
    help="Do not confine the code in notebooks. For code that is all your own; every result says so.",
)


@click.group(cls=GradeByDefault, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(grader.__version__, "--version", prog_name="grade")
def main() -> None:
    """Grade notebooks about PyTorch autograd.

    \b
    grade PATH...   grades notebooks: files, or folders with one folder
                    or one file per student. Options: grade run --help
    """


@main.command(hidden=True, epilog="\b\nExample:\n  grade --jobs 2 --assignment observing-hooks submissions/")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@COURSE
@OUTPUT
@click.option("--assignment", metavar="NAME", help="Grade this assignment only.")
@click.option("--jobs", type=click.IntRange(min=1), help="Notebooks at once. Default: the cores this process may use.")
@ROSTER
@NO_SANDBOX
@click.option("--export", "exports", multiple=True, metavar="FORMAT", help="Also write this; see grade export --list.")
@click.option("--fail-under", type=click.FloatRange(0, 100), metavar="PERCENT", help="Exit with 1 if a grade is below.")
@click.option("--quiet", is_flag=True, help="Print nothing but faults.")
@click.option("--json", is_flag=True, help="Print the grades as JSON lines.")
def run(
    paths: tuple[Path, ...],
    course: Path,
    output: Path,
    assignment: str | None,
    jobs: int | None,
    roster: Path | None,
    no_sandbox: bool,
    exports: tuple[str, ...],
    fail_under: float | None,
    quiet: bool,
    json: bool,
) -> None:
    """Grade notebooks: `grade PATH...` is short for `grade run PATH...`.

    Runs every notebook in a process of its own, compares its answers with what PyTorch computes, and writes
    gradebook.db, grades.jsonl, gradebook.csv and a page of feedback per student. Run again, it does only what is new.
    """
    from grader import pipeline
    from grader.cli import exporting
    from grader.cli.progress import Progress
    from grader.reports import terminal
    from grader.sandbox import usable_cores

    _warn_of(no_sandbox)
    exporting.check_exports(exports, output, course, roster)
    order = pipeline.Order(paths, course, output, assignment, jobs or usable_cores(), not no_sandbox, roster)
    with Progress(quiet or json) as progress:
        graded = pipeline.grade(order, progress)
    if json:
        click.echo(pipeline.as_lines(graded.grades), nl=False)
    elif not quiet:
        terminal.print_summary(graded.grades, graded.work, str(graded.output), graded.confinement, graded.reused)
    for fault in graded.faults:
        click.echo(f"grade: a fault of the grader: {fault}", err=True)
    code = exporting.export_after(graded, order, exports, err=json)
    below = ExitCode.BELOW if exporting.is_below(graded, fail_under) else ExitCode.DONE
    sys.exit(max(graded.exit_code, code, below))


@main.command(epilog="\b\nExample:\n  grade check hooks-that-change-gradients.ipynb")
@click.argument("notebook", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@COURSE
@NO_SANDBOX
def check(notebook: Path, course: Path, no_sandbox: bool) -> None:
    """Check your own notebook before you hand it in.

    Says what is unanswered, what raises and what passes the public cases, and how many points are not checked here.
    Needs no solutions. Your code runs as when it is graded, but on your own machine.
    """
    from grader import pipeline
    from grader.reports import terminal

    terminal.print_check(pipeline.check(notebook, course, confined=not no_sandbox))


def _warn_of(no_sandbox: bool) -> None:
    if no_sandbox:
        click.echo(
            "grade: --no-sandbox: every notebook can read, change and delete your files; stop now (Ctrl-C) unless all "
            "of this code is your own",
            err=True,
        )


@main.command(
    epilog="\b\nExample:\n  grade release                     all assignments\n  grade release my-new-homework\n"
    "  grade release --roster roster.csv   numbers of one's own"
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@COURSE
@click.option(
    "--roster",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="CSV with columns id,name,email: one notebook per student, with numbers of their own.",
)
@click.option("--solution", is_flag=True, help="Also write the model solution notebook, into solutions/.")
def release(names: tuple[str, ...], course: Path, roster: Path | None, solution: bool) -> None:
    """Write the students' notebooks from solutions/NAME.py.

    Each goes to assignments/NAME/, with --roster to assignments/NAME/STUDENT/ as well. A second release of an unchanged
    file changes nothing; what was released per student stays so, also without --roster.
    """
    from grader import pipeline

    for path, changed in pipeline.release(course, names, solution, roster=roster, remark=click.echo):
        click.echo(f"{'written  ' if changed else 'unchanged'}  {path}")


@main.command(
    epilog="\b\nExample:\n  grade audit                       all assignments\n  grade audit my-new-homework\n\n"
    "\b\nExit codes: 0 every question passes, 3 a person must change a question\nor write a reason for it"
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@COURSE
def audit(names: tuple[str, ...], course: Path) -> None:
    """Ask of each question which mistakes it cannot see.

    Runs every program of solutions/NAME.py as if each known misconception were true. Says which of them give the right
    answer, which give the same wrong one, and with which numbers or which program that would not be so.
    """
    from grader import pipeline
    from grader.reports import terminal

    audited = pipeline.audit(course, names, terminal.print_audit)
    terminal.print_audit_verdict(audited.audits)
    for fault in audited.faults:
        click.echo(f"grade: could not be audited: {fault}", err=True)
    sys.exit(audited.exit_code)


main.add_command(export)


@main.command(epilog="\b\nExample:\n  grade show ada")
@click.argument("student")
@OUTPUT
def show(student: str, output: Path) -> None:
    """Show one student's grades and what was wrong, in the terminal."""
    from grader import pipeline
    from grader.reports import terminal

    terminal.print_student(*pipeline.show(output, student))
