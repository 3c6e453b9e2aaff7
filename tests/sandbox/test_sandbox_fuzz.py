"""Mutated frames from a student's process: each is an event whose values are sound, or the channel is broken."""

from __future__ import annotations

import json
import socket
import struct
from base64 import b64encode
from collections import Counter
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from mutations import ODD_VALUES, bounded, campaign, flat_memory, made_by, mutate, mutate_json

from grader.records import Array, Items, Nothing, NotRun, Number, Output, Raised, Returned, StudentError, Table, Text
from grader.sandbox.channel import Channel
from grader.sandbox.wire import Answer, BrokenChannelError, CellEnded, ProbeEnded, Ready, encode, frame

CAP = 100_000
DATA = safetensors.numpy.save({"value": np.arange(6.0).reshape(2, 3)})
ERROR = StudentError("ValueError", "no", 3, "raise ValueError", "Traceback")
EVENTS = (
    Ready("unconfined"),
    Answer(0, "a", Array("torch", DATA)),
    Answer(
        3, "b", Items("list", (Number("float", "nan"), Number("complex", "(1+2j)"), Number("int", "-7"), Nothing()))
    ),
    Answer(1, "c", Table((("x", Number("bool", "True")), ("y", Items("tuple", (Array("numpy", DATA),)))))),
    Answer(2, "d", Text("three")),
    CellEnded(0, "raised", ERROR, Output("printed", 3)),
    CellEnded(1, "ok", None, Output("x" * 300, 0)),
    ProbeEnded("p", Returned(Items("list", (Text("t"), Array("torch", DATA))))),
    ProbeEnded("p", Raised("ValueError", "m", ("ValueError", "Exception"))),
    ProbeEnded("p", NotRun("no_subject", "there is none")),
)
FRAMES = [*map(frame, EVENTS), b"".join(map(frame, EVENTS))]
DOCUMENTS = [json.loads(encode(event)) for event in EVENTS]
# The header of a tensor's document: what it is, and where its bytes lie.
HEADER = json.loads(DATA[8 : 8 + struct.unpack("<Q", DATA[:8])[0]])


def tensor(rng: Random) -> bytes:
    """A frame with a tensor whose document is mutated: any byte of it, its announced length, or its header."""
    how = rng.choice(("bytes", "length", "header", "shape"))
    if how == "bytes":
        data = mutate(rng, [DATA])
    elif how == "length":
        data = struct.pack("<Q", rng.choice((0, 1, 2**31, 2**63, 2**64 - 1))) + DATA[8:]
    else:
        header = mutate_json(rng, [HEADER])
        if how == "shape" and isinstance(header.get("value"), dict):
            header["value"]["shape"] = rng.choices((0, 1, 2, 3, 6, 2**32, 2**63, -1), k=rng.randint(0, 20))
            header["value"]["dtype"] = rng.choice(
                ("F64", "F32", "BF16", "F16", "I64", "U8", "BOOL", "C64", "F8_E4M3", "")
            )
        text = json.dumps(header).encode()
        data = struct.pack("<Q", len(text)) + text + DATA[-48:]
    return framed({**DOCUMENTS[1], "value": {**DOCUMENTS[1]["value"], "data": b64encode(data).decode()}})


def mutated(rng: Random) -> bytes:
    """What a hostile process might send: mutated frames, mutated documents in sound frames, mutated tensors."""
    how = rng.choice(("bytes", "document", "document", "tensor", "value"))
    if how == "bytes":
        return mutate(rng, FRAMES)
    if how == "tensor":
        return tensor(rng)
    document = mutate_json(rng, DOCUMENTS)
    if how == "value":
        kind = rng.choice(("array", "items", "number", "table", "text", 3))
        document["value"] = {"type": kind, "items": rng.choice(ODD_VALUES)}
    return framed(document)


def framed(document: Any) -> bytes:
    data = json.dumps(document).encode("utf-8", "surrogatepass")
    return struct.pack(">I", len(data)) + data


def receive(data: bytes) -> str:
    """The grader's end reads all of it; every event travels on, and all that can be raised is a broken channel."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        theirs.setblocking(False)
        sent = theirs.send(data)
        assert sent == len(data)
        theirs.close()
        channel = Channel(ours, CAP)
        events = []
        try:
            while not channel.closed:
                events += channel.take()
        except BrokenChannelError as error:
            said = str(error)
            return "broken" if said.isprintable() and len(said) < 300 else "unspeakable"
        for event in events:
            assert msgspec.json.decode(encode(event), type=type(event)) == event
        return "events" if events else "nothing"


def fuzz(count: int) -> Counter[str]:
    seen: Counter[str] = Counter()

    @campaign(count)
    @given(made_by(mutated))
    def run(data: bytes) -> None:
        with bounded(2):
            seen[receive(data)] += 1

    run()
    assert seen.total() >= count
    assert not seen["unspeakable"]
    return seen


def test_mutated_frames() -> None:
    """A fixed slice: 400 frames are events or break the channel, and nothing else happens."""
    with flat_memory(64):
        assert min(fuzz(400)[kind] for kind in ("events", "broken")) > 10


@pytest.mark.campaign
def test_six_thousand_mutated_frames() -> None:
    """6,000 frames: no crash, no hang, flat memory."""
    with flat_memory(64):
        fuzz(6000)
