"""Mutations for fuzzing, drawn by Hypothesis from fixed seeds: of bytes, of JSON, and of fields in an archive."""

from __future__ import annotations

import copy
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

T = TypeVar("T")

# What parsers stumble over: brackets, ends of strings, numbers at their limits, marks of encodings.
TOKENS = (
    b"", b"\0", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\n", b"{", b"}", b"[", b"]", b'"', b"\\", b"\\u0000",
    b"\\ud800",
    b",", b":", b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-0", b"9" * 5000, b"[" * 3000, b'{"a":' * 1500,
    b'"id":', b'"cells":', b'"source":', b'"metadata":', b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06", b"ustar\0",
    b"../", b"/", b"\xff\xff\xff\xff", b"\0\0\0\x80", b"\x7f" * 8, b" " * 2000, "\u202e\u2028".encode(),
)  # fmt: skip
ODD_VALUES = (
    None, True, 0, -1, 2**63, 10**30, 0.5, float("nan"), "", "x", "\0", "\ud800", "q-hooks", "é" * 300, [], {}, [[]],
    [None], {"": {}}, {"id": []}, "...", "\\", "9" * 5000, ["x\n", 3],
)  # fmt: skip


def campaign(count: int) -> settings:
    """So many examples, the same in every run; time is judged by the test, in CPU seconds."""
    return settings(
        max_examples=count, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """The work inside takes so many CPU seconds at most."""
    began = time.process_time()
    yield
    assert time.process_time() - began < seconds


@contextmanager
def flat_memory(mebibytes: int) -> Iterator[None]:
    """After the work inside the process holds at most so much more memory."""
    gc.collect()
    before = _resident()
    yield
    gc.collect()
    assert _resident() - before < mebibytes * 2**20


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@st.composite
def made_by(draw: st.DrawFn, make: Callable[[Random], T]) -> T:
    """What `make` makes of a seeded generator: evenly spread, which examples drawn choice by choice are not."""
    return make(draw(st.randoms(use_true_random=True)))


def mutate(rng: Random, bases: Sequence[bytes], most: int = 6) -> bytes:
    """One of `bases` with up to `most` changes: bytes flipped, cut, doubled, replaced by tokens, or the end lost."""
    data = bytearray(rng.choice(bases))
    for _ in range(rng.choice((1, 1, 1, 2, most))):
        at = rng.randint(0, len(data))
        length = rng.choice((1, 1, 2, 4, 8, 40, 300))
        how = rng.choice(("flip", "cut", "double", "token", "insert", "end", "swap"))
        if how == "flip" and at < len(data):
            data[at] ^= rng.randint(1, 255)
        elif how == "cut":
            del data[at : at + length]
        elif how == "double":
            data[at:at] = data[at : at + length]
        elif how in ("token", "insert"):
            token = rng.choice(TOKENS)
            data[at : at + (len(token) if how == "token" else 0)] = token
        elif how == "end" and rng.randint(0, 3) == 0:
            del data[at:]
        elif how == "swap":
            other = rng.randint(0, len(data))
            data[at : at + length], data[other : other + length] = data[other : other + length], data[at : at + length]
    return bytes(data)


def mutate_json(rng: Random, bases: Sequence[Any]) -> Any:
    """One of `bases`, copied, with up to five nodes replaced, dropped, doubled or given another key."""
    document = copy.deepcopy(rng.choice(bases))
    for _ in range(rng.randint(1, 5)):
        node = document
        for _ in range(rng.randint(0, 7)):
            inner = [
                each for each in (node.values() if isinstance(node, dict) else node) if isinstance(each, dict | list)
            ]
            if not inner:
                break
            node = rng.choice(inner)
        if node:
            _change(rng, node)
    return document


def _change(rng: Random, node: Any) -> None:
    key = rng.choice(list(node) if isinstance(node, dict) else range(len(node)))
    how = rng.choice(("odd", "odd", "drop", "double", "other", "nest"))
    value = node[key]
    if how == "odd":
        node[key] = copy.deepcopy(rng.choice(ODD_VALUES))
    elif how == "nest":
        node[key] = [value] if rng.random() < 0.5 else {str(key): value}
    elif how == "drop":
        del node[key]
    elif isinstance(node, list):
        node.append(copy.deepcopy(value))
    else:
        node[rng.choice(("", "id", "cell_type", "source", "type", "x"))] = value
