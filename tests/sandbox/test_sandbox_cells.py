"""Cells run as in a notebook server, minus what has no place here: commands, input, a way out."""

from __future__ import annotations

import pytest
from sandbox_runs import answer, cells_of, numbers, outcomes

from grader.records import DataFile, Number, Text

HONEST = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\n(x**2).sum().backward()\nx_grad = x.grad"


def test_a_cell_keeps_state_and_prints(execute):
    """Names live on from cell to cell; prints, displays and last expressions come back as plain text, in order."""
    run = execute("a = 1\nprint('one')", "from IPython.display import display, HTML\ndisplay(HTML('<b>'))\na + 1", "_")
    assert outcomes(run) == ["ok"] * 3
    assert run.cells[0].output.text == "one\n"
    assert run.cells[1].output.text == "<IPython.core.display.HTML object>\n2\n"
    assert run.cells[2].output.text == "2\n"
    assert run.fault is None
    assert not run.broken
    assert run.attempts == 1


def test_torch_works(execute):
    """A backward pass gives its gradient as an answer."""
    assert numbers(answer(execute(HONEST, answers={0: ("x_grad",)}), "x_grad")) == [2.0, 4.0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bash_fail", [("ok", "not run here: %%bash\n")]),
        ("quit", [("raised", ""), ("ok", "after\n")]),
        ("sysexit0", [("raised", ""), ("ok", "after\n")]),
        ("redir_stdout", [("ok", ""), ("ok", "x\n")]),
        ("raises_tag", [("raised", ""), ("ok", "1\n")]),
        ("thread_after", [("ok", ""), ("ok", "")]),
        ("subproc_daemon", [("raised", "")]),
        ("memoryerr", [("out_of_memory", "")]),
        ("top_await", [("ok", "1\n")]),
        ("stderr_warn", [("ok", '<cell 1>:1: UserWarning: w\n  import warnings;warnings.warn("w")\n')]),
        ("tab_mix", [("raised", "")]),
        ("u2028", [("ok", "x\u2028y\n")]),
        ("comment_only", [("ok", ""), ("ok", ""), ("ok", "")]),
    ],
)
def test_odd_notebook(execute, name, expected):
    """Each odd notebook runs to its end with the outcome and the output that its author sees."""
    run = execute(*cells_of("odd", name))
    assert [(cell.outcome, cell.output.text) for cell in run.cells] == expected
    assert run.attempts == 1


def test_carriage_returns_do_not_matter(execute):
    """A notebook from Windows runs, its magics, too."""
    run = execute(*cells_of("odd", "crlf_source"))
    assert outcomes(run) == ["ok"]
    assert run.cells[0].output.text.startswith("1\nCPU times")


def test_a_big_print_is_cut(execute):
    """Five megabytes come back as head and tail within the budget, with the number of bytes between them."""
    (cell,) = execute(*cells_of("odd", "big_print"), output_bytes=1000).cells
    assert cell.output.text == "x" * 999 + "\n"
    assert cell.output.dropped_bytes == 5_000_001 - 1000


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("!pip install torch", "not run here: !pip install torch\n"),
        ("files = !ls\nprint(len(files))", "not run here: !ls\n0\n"),
        ("%pip install torch", "not run here: %pip install torch\n"),
        ("%conda install torch", "not run here: %conda install torch\n"),
        ("%%sh\nls\nls", "not run here: %%sh\n"),
        ("%%script bash -e\nls", "not run here: %%script bash -e\n"),
        ("%%python3\nprint(1)", "not run here: %%python3\n"),
        ("%sx ls", "not run here: %sx ls\n"),
        ("%system ls", "not run here: %system ls\n"),
        ("get_ipython().system('ls')", "not run here: !ls\n"),
    ],
)
def test_commands_are_not_run(execute, source, said):
    """A shell command prints one line, costs nothing, and the cell counts as run."""
    (cell,) = execute(source).cells
    assert (cell.outcome, cell.output.text) == ("ok", said)


@pytest.mark.parametrize("source", ["input('x? ')", "import getpass\ngetpass.getpass()", "breakpoint()"])
def test_input_fails_at_once(execute, source):
    """Nobody is there to type: the cell fails and says so, and the next one runs."""
    run = execute(source, "print('on')")
    assert run.cells[0].outcome == "raised"
    assert run.cells[0].cpu_seconds < 2
    assert "input is not possible here" in run.cells[0].error.message
    assert run.cells[1].output.text == "on\n"


@pytest.mark.parametrize("magic", ["%matplotlib inline", "%matplotlib notebook", "%matplotlib widget", "pass"])
def test_figures_are_named(execute, magic):
    """A figure is drawn inline, whatever the notebook asks for, and shows as its plain text."""
    run = execute(f"{magic}\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]);", "plt.plot([1])\nplt.show()")
    assert outcomes(run) == ["ok", "ok"]
    assert run.cells[0].output.text == "<Figure size 640x480 with 1 Axes>\n"
    assert run.cells[1].output.text.endswith("<Figure size 640x480 with 1 Axes>\n")


def test_await_survives_a_collection(execute):
    """Top-level await works again and again, also after the garbage collector ran."""
    wait = "import asyncio, gc\ngc.collect()\nawait asyncio.sleep(0.001)\nprint('awaited')"
    run = execute(wait, wait, "import asyncio\nprint(await asyncio.gather(asyncio.sleep(0, 1), asyncio.sleep(0, 2)))")
    assert [cell.output.text for cell in run.cells] == ["awaited\n", "awaited\n", "[1, 2]\n"]


def test_help_and_magics_print(execute):
    """`object?` and timing magics print into the cell."""
    run = execute("len?", "%time 1 + 1", "%%timeit -n1 -r1\n1 + 1", "%%capture seen\nprint(1)", "print(seen.stdout)")
    assert outcomes(run) == ["ok"] * 5
    assert "number of items" in run.cells[0].output.text
    assert "CPU times" in run.cells[1].output.text
    assert run.cells[4].output.text == "1\n\n"


def test_raised_shows_the_students_line(execute):
    """An error names the line within its cell; frames of IPython, torch and the sandbox are not shown."""
    run = execute(
        "def broken(t):\n    return t.backward()",
        "\n\nimport torch\nx = torch.ones(2, requires_grad=True)\nbroken(x * 2)",
    )
    error = run.cells[1].error
    assert (error.type, error.line, error.source_line) == ("RuntimeError", 5, "broken(x * 2)")
    assert error.message.startswith("grad can be implicitly created only for scalar outputs")
    assert error.traceback == (
        "this cell, line 5\n    broken(x * 2)\ncell 1, line 2, in broken\n    return t.backward()\n"
        "RuntimeError: grad can be implicitly created only for scalar outputs"
    )


def test_error_in_a_timed_cell_shows_its_line(execute):
    """Below `%%time`, too, the line is the student's."""
    error = execute("%%time\na = 1\n1 / 0").cells[0].error
    assert (error.type, error.line, error.source_line) == ("ZeroDivisionError", 3, "1 / 0")


def test_syntax_error_shows_the_students_line(execute):
    """A cell that is no Python says where, and the rest of the notebook runs."""
    run = execute("\na = 1\nb = (2,\n", "print(1)")
    error = run.cells[0].error
    assert (error.type, error.line, error.source_line) == ("_IncompleteInputError", 3, "b = (2,") or (
        error.type == "SyntaxError" and error.line == 3
    )
    assert "IPython" not in error.traceback
    assert outcomes(run) == ["raised", "ok"]


def test_tracebacks_hold_no_escape_codes(execute):
    """Terminal codes in an exception's text are dropped, and text that is no UTF-8 comes through."""
    error = execute("raise ValueError('\\x1b[31mred\\x1b[0m \\ud800')").cells[0].error
    assert error.message == "red \\ud800"
    assert "\x1b" not in error.traceback


def test_deep_recursion_is_short(execute):
    """A thousand frames do not make a thousand lines."""
    error = execute("def f(n):\n    return f(n + 1)\nf(0)").cells[0].error
    assert error.type == "RecursionError"
    assert error.traceback.count("\n") < 40
    assert "more calls" in error.traceback


def test_leaving_ends_the_cell_alone(execute):
    """exit(), quit(), sys.exit() and KeyboardInterrupt fail their own cell."""
    run = execute("exit()", "quit", "import sys\nsys.exit(3)", "raise KeyboardInterrupt", "print('here')")
    assert outcomes(run) == ["raised"] * 4 + ["ok"]
    assert [cell.error.type for cell in run.cells[:4]] == ["SystemExit"] * 3 + ["KeyboardInterrupt"]
    assert run.attempts == 1


def test_streams_are_put_back(execute):
    """A cell that closes or replaces stdout and stderr harms no later cell."""
    run = execute("import sys, os\nsys.stdout.close()\nsys.stdout = sys.stderr = None\nos.close(1)", "print('back')")
    assert run.cells[1].output.text == "back\n"


def test_shipped_files_lie_in_the_working_directory(execute):
    """Files of the assignment can be opened and imported by name."""
    files = (DataFile("numbers.txt", b"1 2"), DataFile("shipped.py", b"value = 7"))
    run = execute(
        "text = open('numbers.txt').read()\nimport shipped\nseven = shipped.value",
        files=files,
        answers={0: ("text", "seven")},
    )
    assert run.answers == (("text", Text("1 2")), ("seven", Number("int", "7")))


def test_a_scratch_file_hides_no_module(execute):
    """A file of the student's named as a module of the library does not replace it."""
    run = execute("open('wave.py', 'w').write('raise SystemExit')\nimport wave\nprint(wave.__file__[-7:])")
    assert run.cells[0].output.text.endswith("wave.py\n")
    assert run.cells[0].outcome == "ok"


def test_seeds_are_fixed(execute):
    """Two runs draw the same numbers from torch, numpy and random; sets of strings have one order."""
    source = (
        "import torch, numpy, random\n"
        "print(torch.rand(2), numpy.random.rand(2), random.random(), list({'a', 'b', 'c', 'd', 'e'}))"
    )
    assert execute(source).cells[0].output == execute(source).cells[0].output


def test_settings_last_from_cell_to_cell(execute):
    """What a student sets in one cell holds in the next: dtype, gradient mode."""
    run = execute(
        "import torch\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)",
        "print(torch.ones(1).dtype, torch.is_grad_enabled())",
    )
    assert run.cells[1].output.text == "torch.float64 False\n"


def test_one_thread_and_no_screen(execute):
    """Torch has one thread, matplotlib draws without a screen, CUDA is not there."""
    run = execute(
        "import torch, os\nprint(torch.get_num_threads(), torch.cuda.is_available(), os.environ['MPLBACKEND'])"
    )
    assert run.cells[0].output.text == "1 False Agg\n"


def test_a_warning_of_torch_is_shown(execute):
    """What torch warns of (a gradient that is not kept) reaches the student in every notebook."""
    source = "import torch\ny = torch.ones(1, requires_grad=True) * 2\ny.sum().backward()\ny.grad"
    for _ in range(2):
        assert "not a leaf Tensor" in execute(source).cells[0].output.text


def test_self_check_cell_is_harmless(execute):
    """A cell that calls the self-check says that it does not run here."""
    run = execute(
        "from grader.notebook import check\ncheck()", "import grader.notebook\ngrader.notebook.check('x.ipynb')"
    )
    assert [cell.output.text for cell in run.cells] == ["the self-check does not run inside the grader\n"] * 2
