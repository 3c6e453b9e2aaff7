"""No cell ever learns a hidden probe's input; whoever learns it later has no way left to show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sandbox_runs import outcome, outcomes, probe

from grader.records import Raised, Returned, Text
from grader.sandbox.wire import CHANNEL

SECRET = "424242"
SHOWN, HIDDEN = probe("f", name="shown"), probe("f", name="hidden", x=(424242.5,))
# Written such that what is searched for stands in no source and no variable, for it would be found there.
TOOLS = f"""
import gc, os, select, socket, sys, threading, time
texts = (str, bytes, bytearray)

def secret():
    return str(848484 // 2)

def in_memory():
    needle = secret()
    for holder in gc.get_objects():
        for thing in (holder, *gc.get_referents(holder)):
            if type(thing) in texts and len(thing) > len(needle):
                if needle in (thing if type(thing) is str else bytes(thing).decode('latin-1')):
                    return [repr(thing)]
    return []

def in_frames():
    frame, found = sys._getframe().f_back, []
    while frame is not None:
        for name, value in list(frame.f_locals.items()):
            inner = [getattr(value, field, '') for field in dir(value)] if name in ('self', 'job') else []
            found += [repr(each) for each in (value, *inner)]
        frame = frame.f_back
    return [text for text in found if secret() in text]

def on_the_wire(seconds=0.3):
    with socket.socket(fileno=os.dup({CHANNEL})) as channel:
        if not select.select([channel], [], [], seconds)[0]:
            return []
        return [repr(channel.recv(1 << 16, socket.MSG_PEEK))]

def f(x):
    return str(x.tolist())
"""


def visible(run):
    """All that a page may show: everything but the outcomes of hidden cases."""
    shown = [report for report in run.probes if "hidden" not in report.id]
    return repr((run.cells, run.answers, run.notes, shown))


def saw(run):
    """Whether the process knew the hidden input in the end, by its own claim."""
    return SECRET in repr(outcome(run, "hidden"))


def ask(execute, *cells, probes=(SHOWN, HIDDEN)):
    """Run the tools and these cells, with a shown and a hidden case of `f`."""
    every = (TOOLS, *cells)
    return execute(*every, answers=dict.fromkeys(range(len(every)), ("f", "g", "found")), probes=probes)


@pytest.mark.parametrize("look", ["in_memory()", "in_frames()", "on_the_wire()"])
@pytest.mark.parametrize(
    "way",
    [
        "found = {look}\nprint(found)",
        "found = []\nt = threading.Thread(target=lambda: found.extend({look}))\nt.start()\nt.join()\nprint(found)",
        "class Late:\n    def __del__(self):\n        global found\n        found = {look}\n        print(found)\n"
        "late = Late()\ndel late",
    ],
    ids=["cell", "thread", "finaliser"],
)
def test_a_cell_finds_no_probe(execute, look, way):
    """Neither in memory nor in a frame nor on the channel does a cell, the last one included, find a case."""
    run = ask(execute, way.format(look=look), way.format(look=look))
    assert outcomes(run) == ["ok"] * 3
    assert [cell.output.text for cell in run.cells] == ["", "[]\n", "[]\n"]
    assert SECRET not in visible(run)
    assert saw(run)


EVERYWHERE = """
shell = get_ipython()

def tell(text):
    print(text)
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.write(text)
        except Exception:
            pass
    for descriptor in (0, 1, 2):
        os.write(descriptor, text.encode())
    shell.printed.write(text)
    shell.user_ns['found'] = text
"""


def test_a_thread_left_behind_speaks_to_nobody(execute):
    """A thread that outlives the cells may find the hidden case once it runs; what it does with it goes nowhere."""
    run = ask(
        execute,
        EVERYWHERE + "known = threading.Event()\n"
        "def watch():\n    while True:\n        texts = on_the_wire(0) or in_memory()\n"
        "        if any(secret() in text for text in texts):\n"
        "            tell(str(texts))\n            known.set()\n            raise ValueError(str(texts))\n"
        "threading.Thread(target=watch, daemon=True).start()\nfound = ''",
        "def f(x):\n    return found if float(x[0]) < 1e5 else 'known' if known.wait(2) else 'unknown'",
        "print('last')",
    )
    assert outcome(run, "shown") == Returned(Text(""))
    assert outcome(run, "hidden") == Returned(Text("known"))
    assert run.cells[-1].output.text == "last\n"
    assert SECRET not in visible(run)


def test_nothing_runs_after_the_last_probe(execute, tmp_path):
    """No atexit handler or finaliser gets a turn once the probes are over."""
    mark = tmp_path / "ran"
    run = ask(
        execute,
        f"import atexit, weakref\nmark = lambda *_: open({str(mark)!r}, 'w').write('x')\n"
        "atexit.register(mark)\nclass A: pass\na = A()\nweakref.finalize(a, mark)",
    )
    assert saw(run)
    assert not mark.exists()


def test_cells_declared_over_are_over(execute):
    """A cell that forges the ends of all cells is sent the probes, and has no report left to print them into."""
    ends = [
        {"type": "cell", "cell": n, "outcome": "ok", "error": None, "output": {"text": "", "dropped_bytes": 0}}
        for n in (1, 2)
    ]
    run = ask(
        execute,
        EVERYWHERE + "import json, struct\ndef send(event):\n    data = json.dumps(event).encode()\n"
        f"    os.write({CHANNEL}, struct.pack('>I', len(data)) + data)\n"
        f"for end in json.loads({str(ends)!r}.replace('None', 'null').replace(\"'\", '\"')):\n    send(end)\n"
        f"seen = ''\nchannel = socket.socket(fileno=os.dup({CHANNEL}))\nfor name in ('shown', 'hidden'):\n"
        "    seen += channel.recv(1 << 16).decode('latin-1')\n    tell(seen)\n"
        "    send({'type': 'probe', 'id': name, 'outcome': {'type': 'returned', 'value': "
        "{'type': 'text', 'text': seen}}})\n",
        "print(seen)",
    )
    assert saw(run)
    assert SECRET not in visible(run)


def test_a_length_is_no_message(execute):
    """A frame whose announced length tells of the hidden input breaks the channel, and the note has no number in it."""
    run = ask(
        execute,
        f"import struct\ndef f(x):\n    if float(x[0]) > 1e5:\n        os.write({CHANNEL}, "
        "struct.pack('>I', int(x[0]) * 1000))\n    return 1",
    )
    assert run.broken
    assert run.notes == ("the channel to the student's process broke",)
    assert SECRET not in visible(run)


@pytest.mark.parametrize(
    ("end", "attempts"),
    [("os._exit(0)", 2), ("os.abort()", 2), ("os.kill(os.getppid(), 9)\n        time.sleep(60)", 1)],
    ids=["exit", "crash", "killed warm process"],
)
def test_a_replay_shows_nothing_new(freely, tmp_path, end, attempts):
    """What a hidden case leaves in a file, before its process or the warm one dies, is in no cell's report, no answer
    and no shown case of the attempts that follow."""
    kept = str(tmp_path / "kept")
    look = f"from pathlib import Path\nkept = Path({kept!r})\nfound = kept.read_text() if kept.exists() else ''\n"
    run = ask(
        freely,
        f"{look}print(found)\ndef f(x):\n    if float(x[0]) > 1e5 and not found:\n"
        f"        kept.write_text(str(x.tolist()))\n        {end}\n    return found",
        f"{look}print(found)\ndef g(x):\n    return found",
        "raise ValueError(found)",
        probes=(SHOWN, probe("g", name="g"), HIDDEN, probe("g", name="g-hidden", x=(424242.5,))),
    )
    assert SECRET in Path(kept).read_text()
    assert outcome(run, "g") == Returned(Text(""))
    assert SECRET not in visible(run)
    # The process knows it by now, where it may: in a case that is hidden, too.
    assert SECRET in repr(outcome(run, "g-hidden"))
    assert run.attempts == attempts
    assert run.fault is None


def test_a_subject_that_raises_what_it_was_given_is_an_outcome(execute):
    """The exception of a hidden case stays in that case's outcome."""
    run = ask(execute, "def f(x):\n    print(x)\n    raise ValueError(str(x))")
    assert isinstance(outcome(run, "hidden"), Raised)
    assert saw(run)
    assert SECRET not in visible(run)


def test_late_prints_are_no_cells_output(execute):
    """What a thread prints is output of the cell that started it, until that cell ends; then it is nobody's."""
    run = execute(
        "import threading, _thread\ngo, said = threading.Event(), threading.Semaphore(0)\n"
        "def late():\n    print('early')\n    said.release()\n    go.wait(5)\n    print('late')\n    said.release()\n"
        "threads = [threading.Thread(target=late)]\nthreads[0].start()\n_thread.start_new_thread(late, ())\n"
        "for _ in range(2): said.acquire(timeout=5)",
        "go.set()\nfor _ in range(2): said.acquire(timeout=5)\nthreads[0].join()\n"
        "for _ in range(3):\n    t = threading.Thread(target=lambda: print('mine'))\n    t.start()\n    t.join()",
    )
    assert [cell.output.text for cell in run.cells] == ["early\nearly\n", "mine\nmine\nmine\n"]
