"""Mutated notebooks and archives: no crash, no hang, flat memory; every outcome is a record with one reason line."""

from __future__ import annotations

import gzip
import json
import struct
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from intake_samples import COURSE, HOOKS, WEIGHTS, as_bytes, released, saved_by_colab, solved, stripped
from mutations import bounded, campaign, flat_memory, made_by, mutate, mutate_json
from packing import tarred, zipped

from grader.errors import UsageError
from grader.intake import collect
from grader.intake.candidates import examine, submission
from grader.intake.layout import Layout
from grader.intake.walking import Entry, Root
from grader.records import ClassWork, FileRemark, Submission

ODD = sorted((Path(__file__).parent / "odd").glob("*.notebook"))
DOCUMENTS = [solved(), released(WEIGHTS), solved(WEIGHTS), saved_by_colab(solved()), stripped(solved(HOOKS))]
FILES = [*map(as_bytes, DOCUMENTS * 6), *(path.read_bytes() for path in ODD)]
LAYOUT = Layout(public.name for public in COURSE)
ROOT = Root(Path("class"), True, ("class",))

SOLVED = as_bytes(solved())
CLASS = {
    "ada/hooks.ipynb": SOLVED,
    "ben/work.zip": zipped({"in/hooks.ipynb": SOLVED, "in/data.csv": b"1,2"}),
    "cleo/work.tar": tarred({"hooks.ipynb": SOLVED}),
    "dan/": b"",
    "eve/__MACOSX/._x": b"",
    "ü/李 hooks.ipynb": SOLVED[: len(SOLVED) // 2],
}
SMALL = {"ada/hooks.ipynb": b"{}", "ben/x.ipynb": b"[]", "cleo/a.zip": zipped({"x.ipynb": b"{}"})}
TARS = [tarred(CLASS), tarred(SMALL), tarred({"a/" * 60 + "x.ipynb": b"{}"})]
ZIPS = [zipped(CLASS), zipped(SMALL)]


def look(data: bytes) -> str:
    """One file through the whole of intake; its outcome travels, and its kind is returned."""
    entry = Entry(ROOT, ("ada", "hooks.ipynb"), Path("class/ada/hooks.ipynb"), "file", member=lambda most: data)
    candidate = examine(entry, LAYOUT, COURSE)
    if candidate.is_gradable:
        found = submission(candidate, "ada")
        assert msgspec.json.decode(msgspec.json.encode(found), type=Submission) == found
        assert all(note.isprintable() for note in found.notes)
        assert {match.question for match in found.matches} <= {
            each.id for public in COURSE for each in public.questions
        }
        return "graded"
    assert candidate.reason.isprintable()
    assert 0 < len(candidate.reason) < 500
    return "refused"


def fuzz_bytes(count: int) -> Counter[str]:
    seen: Counter[str] = Counter()

    @campaign(count)
    @given(made_by(lambda rng: mutate(rng, FILES)))
    def run(data: bytes) -> None:
        with bounded(3):
            seen[look(data)] += 1

    run()
    assert seen.total() >= count
    return seen


def fuzz_documents(count: int) -> Counter[str]:
    seen: Counter[str] = Counter()

    @campaign(count)
    @given(made_by(lambda rng: mutate_json(rng, DOCUMENTS)))
    def run(document: Any) -> None:
        with bounded(3):
            seen[look(json.dumps(document).encode())] += 1

    run()
    assert seen.total() >= count
    return seen


def archive(rng: Random) -> tuple[str, bytes]:
    """A mutated archive: any byte, a field of a zip's list, a tar that is packed anew, a student's own."""
    how = rng.choice(("zip", "field", "tar", "tgz", "own", "own tgz"))
    if how == "tar":
        return "all.tar", mutate(rng, TARS)
    if how == "tgz":
        packed = gzip.compress(mutate(rng, TARS), 1)
        return "all.tgz", mutate(rng, [packed], 2) if rng.random() < 0.5 else packed
    if how == "own":
        own = zipped(SMALL)
        inner = field_of_zip(rng, [own]) if rng.random() < 0.5 else mutate(rng, [own, *TARS[1:]])
        return "all.zip", zipped({"ada/hooks.ipynb": b"{}", "ben/work.zip": inner})
    if how == "own tgz":
        return "all.zip", zipped({"ben/work.tgz": gzip.compress(mutate(rng, TARS[1:]), 1)})
    return "all.zip", mutate(rng, ZIPS) if how == "zip" else field_of_zip(rng, ZIPS)


def field_of_zip(rng: Random, bases: list[bytes]) -> bytes:
    """A zip with fields of its headers set to numbers at their limits."""
    data = bytearray(rng.choice(bases))
    for _ in range(rng.randint(1, 4)):
        mark = rng.choice((b"PK\x01\x02", b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"))
        places = [at for at in range(len(data)) if data.startswith(mark, at)]
        if not places:
            continue
        at = rng.choice(places) + rng.randint(4, 45)
        value = rng.choice((0, 1, 8, 12, 14, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1))
        kind = "<I" if value > 2**16 - 1 or rng.random() < 0.5 else "<H"
        if at + struct.calcsize(kind) <= len(data):
            struct.pack_into(kind, data, at, value)
    return bytes(data)


def fuzz_archives(count: int, folder: Path) -> Counter[str]:
    seen: Counter[str] = Counter()

    @campaign(count)
    @given(made_by(archive))
    def run(named: tuple[str, bytes]) -> None:
        path = folder / named[0]
        path.write_bytes(named[1])
        with bounded(5):
            seen[unpack(path)] += 1

    run()
    assert seen.total() >= count
    return seen


def unpack(path: Path) -> str:
    """A class's archive through the whole of intake: rows that travel, or one line that names it; which of them."""
    try:
        work = collect([path], COURSE)
    except UsageError as error:
        work = ClassWork(remarks=(FileRemark(path.name, str(error).removeprefix(f"{path}: ")),))
    assert msgspec.json.decode(msgspec.json.encode(work), type=ClassWork) == work
    said = [*(row.reason for row in (*work.refused, *work.undecided)), *(each.remark for each in work.remarks)]
    assert all(each.isprintable() and each for each in said)
    assert all(note.isprintable() for row in work.submissions for note in row.notes)
    assert {each.name for each in path.parent.iterdir()} <= {"all.zip", "all.tar", "all.tgz"}
    return "graded" if work.submissions else "refused" if work.refused or work.missing else "remarked"


def test_mutated_notebooks() -> None:
    """A fixed slice: 200 files with changed bytes and 100 with changed JSON."""
    with flat_memory(64):
        assert min(fuzz_bytes(200)[kind] for kind in ("graded", "refused")) > 20
        assert min(fuzz_documents(100)[kind] for kind in ("graded", "refused")) > 2


def test_mutated_archives(tmp_path: Path) -> None:
    """A fixed slice: 100 archives, each through the whole of intake."""
    with flat_memory(64):
        assert min(fuzz_archives(100, tmp_path)[kind] for kind in ("graded", "refused", "remarked")) > 5


@pytest.mark.campaign
def test_five_thousand_mutated_notebooks() -> None:
    """3,000 files with changed bytes and 2,500 with changed JSON: no crash, no hang, flat memory."""
    with flat_memory(96):
        fuzz_bytes(3000)
        fuzz_documents(2500)


@pytest.mark.campaign
def test_a_thousand_mutated_archives(tmp_path: Path) -> None:
    """1,200 archives: no crash, no hang, flat memory, nothing written."""
    with flat_memory(96):
        fuzz_archives(1200, tmp_path)
