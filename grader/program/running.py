"""Execute a `Program`: the same few lines in the child, for the key and in a world, so that the three cannot drift."""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Callable
from typing import Any

import torch

from grader.program.capture import capture
from grader.program.describing import raised
from grader.records import Outcome, Program, Returned


def define(source: str, name: str) -> Any:
    """Execute `source`, which may use `torch` and builtins only, and return what it defines as `name`.

    Raises: whatever the source raises; `KeyError` if it defines no such name.
    """
    file = f"<{name}>"
    # Registered with linecache, so that a traceback shows the program's own lines.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace: dict[str, Any] = {"torch": torch, "__builtins__": builtins, "__name__": "__program__"}
    exec(compile(source, file, "exec", dont_inherit=True), namespace)  # noqa: S102 - what this module is for
    return namespace[name]


def run_program(program: Program, arguments: str, max_bytes: int = 1_000_000, seed: int = 0) -> Outcome:
    """Call `program` with the dict literal `arguments`, seeded, and capture what it returns or raises."""
    return _call(lambda: define(program.source, program.name), (), arguments, max_bytes, seed)


def run_probe(program: Program, subject: object, arguments: str, max_bytes: int = 1_000_000, seed: int = 0) -> Outcome:
    """Call `program` with `subject` first, then the dict literal `arguments`: a probe of a student's function."""
    return _call(lambda: define(program.source, program.name), (subject,), arguments, max_bytes, seed)


def _call(load: Callable[[], Any], first: tuple[object, ...], arguments: str, max_bytes: int, seed: int) -> Outcome:
    torch.manual_seed(seed)
    try:
        value = load()(*first, **ast.literal_eval(arguments))
    except Exception as error:  # noqa: BLE001 - what it raises is the result
        return raised(error)
    return Returned(capture(value, max_bytes))
