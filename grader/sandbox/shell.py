"""The IPython shell that a student's cells run in: magics, awaits and displays work; commands and input do not."""

from __future__ import annotations

import builtins
import getpass
import subprocess
import sys
import warnings
from contextlib import nullcontext
from typing import Any

import matplotlib
from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from IPython.utils.text import SList
from traitlets.config import Config

from grader.records import Output
from grader.sandbox.failures import cell_file
from grader.sandbox.output import HeadAndTail, Stream

NO_INPUT = "input is not possible here: nobody is there to type; write the value into the cell"
LINE_COMMANDS = ("pip", "conda", "mamba", "micromamba", "uv", "sx", "system", "edit", "ed", "killbgscripts")
CELL_COMMANDS = (
    *("script", "bash", "sh", "sx", "system", "!", "cmd", "perl", "ruby", "pypy", "python", "python2", "python3"),
    *("latex2pdf", "js", "node", "R", "julia"),
)

_stdout, _stderr = Stream(1), Stream(2)


def not_run(command: str) -> None:
    """Say so in the cell's output, in one line."""
    first, *more = command.strip().splitlines() or [""]
    print(f"not run here: {first}{' ...' if more else ''}")  # noqa: T201 - into the student's output


class _Compiler(CachingCompiler):
    """Names each cell by its place in the notebook, so that tracebacks and warnings can be read."""

    cell = 0

    def get_code_name(self, raw_code: str, transformed_code: str, number: int) -> str:
        return cell_file(type(self).cell)


class _Publisher(DisplayPublisher):
    def publish(self, data: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        text = data.get("text/plain") or (f"<{next(iter(data))}>" if data else "")
        print(text)  # noqa: T201 - into the student's output

    def clear_output(self, wait: bool = False) -> None:
        shell = self.shell
        if isinstance(shell, StudentShell):
            shell.printed.clear()


class _Hook(DisplayHook):
    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        print(format_dict.get("text/plain", ""))  # noqa: T201 - into the student's output


class StudentShell(InteractiveShell):
    """One per warm process; each forked child runs one notebook in it."""

    displayhook_class = _Hook
    display_pub_class = _Publisher
    compiler_class = _Compiler

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)  # type: ignore[no-untyped-call]
        self.printed = HeadAndTail(0)

    def run(self, source: str, index: int) -> BaseException | None:
        """Run one cell; what it raised, if it did."""
        _Compiler.cell = index
        self._begin()
        if self.history_manager is not None:
            # `In` and the silent semicolon at the end of a cell read it.
            self.history_manager.store_inputs(self.execution_count, source, source)
        result: ExecutionResult = InteractiveShell.run_cell(self, source, store_history=False)  # type: ignore[no-untyped-call]
        # As a kernel counts, so that `Out[3]` and `_3` exist.
        self.execution_count += 1
        error = result.error_before_exec or result.error_in_exec
        return error if isinstance(error, BaseException) or error is None else RuntimeError("the cell failed")

    def _begin(self) -> None:
        # A student may have replaced any of these in an earlier cell.
        sys.stdout, sys.stderr = _stdout, _stderr
        builtins.input = _no_input
        getpass.getpass = _no_input

    def _tee(self, channel: str) -> Any:
        # IPython's keeps a second copy of all that is printed, without bound.
        return nullcontext()

    def start_output(self, limit: int) -> None:
        """Collect what is printed from now on, in a new budget of `limit` bytes."""
        self.printed = HeadAndTail(limit)
        _stdout.direct(self.printed)
        _stderr.direct(self.printed)

    def end_output(self) -> Output:
        """What was printed since `start_output`."""
        return self.printed.output()

    def discard_output(self) -> None:
        """Drop what is printed from now on."""
        self._begin()
        _stdout.direct(None)
        _stderr.direct(None)

    def ask_exit(self) -> None:
        """`exit` and `quit` end the cell."""
        raise SystemExit

    # Whether `!command` starts a process: where the exercise needs some, and they end with this one.
    commands = False

    def system(self, cmd: str) -> None:
        """`!command`."""
        if self.commands:
            print(self._output_of(cmd), end="")  # noqa: T201 - into the student's output
        else:
            not_run("!" + cmd)
            self.user_ns["_exit_code"] = 0

    system_raw = system_piped = system

    def getoutput(self, cmd: str, split: bool = True, depth: int = 0) -> Any:
        """`x = !command`."""
        if not self.commands:
            not_run("!" + cmd)
            return SList() if split else ""
        text = self._output_of(cmd)
        return SList(text.splitlines()) if split else text

    def _output_of(self, cmd: str) -> str:
        command = self.var_expand(cmd, depth=2)  # type: ignore[no-untyped-call]
        done = subprocess.run(  # noqa: S602 - as the student wrote it, and as confined as the student
            command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        self.user_ns["_exit_code"] = done.returncode
        return done.stdout

    def showtraceback(self, exc_tuple: Any = None, *args: Any, **kwargs: Any) -> None:
        """Errors of cells are reported apart; only what a magic shows on its own goes into the output."""
        ours = kwargs.get("running_compiled_code") or kwargs.get("exception_only") or exc_tuple is not None
        if not ours:
            super().showtraceback(exc_tuple, *args, **kwargs)

    def showsyntaxerror(self, *args: Any, **kwargs: Any) -> None:
        """Reported apart."""

    def showindentationerror(self) -> None:
        """Reported apart."""

    def enable_gui(self, gui: str | None = None) -> None:
        """There is no screen."""

    def enable_matplotlib(self, gui: str | None = None) -> Any:
        """Figures are inline, whatever the notebook asks for."""
        return super().enable_matplotlib("inline")  # type: ignore[no-untyped-call]

    def enable_pylab(self, gui: str | None = None, import_all: bool = True) -> Any:
        """As `enable_matplotlib`."""
        return super().enable_pylab("inline", import_all)  # type: ignore[no-untyped-call]


def _no_input(*args: object, **kwargs: object) -> str:
    raise StdinNotImplementedError(NO_INPUT)


def _page(shell: object, data: Any, *args: object, **kwargs: object) -> None:
    print(data.get("text/plain", "") if isinstance(data, dict) else data)  # noqa: T201 - into the student's output


def make_shell() -> StudentShell:
    """Create the shell, without history, colours, threads or any way to run a command."""
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.separate_in = ""
    config.InteractiveShell.cache_size = 100
    shell: StudentShell = StudentShell.instance(config=config)
    # What magics such as %cd remember; the folder that IPython would keep it in is not the student's.
    shell.db = {}
    if shell.display_formatter is not None:
        shell.display_formatter.active_types = ["text/plain"]
    shell.set_hook("show_in_pager", _page)  # type: ignore[no-untyped-call]
    for name in LINE_COMMANDS:
        shell.register_magic_function(_line_command(name), "line", name)
    for name in dict.fromkeys((*CELL_COMMANDS, *_script_magics())):
        shell.register_magic_function(_cell_command(name), "cell", name)
    matplotlib.use("Agg")
    # IPython's own, of `sys.exit()` and of odd line separators: they have no place in a notebook.
    warnings.filterwarnings("ignore", message="To exit: use")
    warnings.filterwarnings("ignore", message="`make_tokens_by_line` received")
    return shell


def _script_magics() -> list[str]:
    from IPython.core.magics.script import ScriptMagics

    return list(ScriptMagics().script_magics)  # type: ignore[no-untyped-call]


def _line_command(name: str) -> Any:
    def command(line: str) -> None:
        not_run(f"%{name} {line}".strip())

    return command


def _cell_command(name: str) -> Any:
    def command(line: str, cell: str | None = None) -> None:
        not_run(f"%%{name} {line}".strip())

    return command
