"""Frames are refused before they are allocated; values that do not decode strictly are refused, too."""

from __future__ import annotations

import socket
from contextlib import suppress

import msgspec
import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given
from hypothesis import strategies as st

from grader.records import Array, Items, Limits, Nothing, NotRun, Number, Output, Raised, Returned, Table, Text
from grader.sandbox.channel import Channel
from grader.sandbox.wire import (
    Answer,
    BrokenChannelError,
    CellEnded,
    ProbeEnded,
    Ready,
    encode,
    frame,
    read_event,
)

DATA = safetensors.numpy.save({"value": np.arange(3.0)})


@pytest.fixture
def ends():
    """Both ends of a channel."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


@pytest.mark.parametrize(
    "event",
    [
        Ready("namespaces"),
        Answer(3, "a", Array("torch", DATA)),
        Answer(
            3, "a", Items("list", (Number("float", "nan"), Number("complex", "(1+2j)"), Number("int", "-7"), Nothing()))
        ),
        Answer(3, "a", Table((("x", Number("bool", "True")), ("y", Number("float", "-1.5e-07"))))),
        CellEnded(0, "ok", None, Output("x", 3)),
        ProbeEnded("p", Returned(Text("t"))),
        ProbeEnded("p", Raised("ValueError", "m", ("ValueError", "Exception"))),
    ],
)
def test_events_survive_the_wire(ends, event):
    """What is sent in pieces arrives whole and equal."""
    ours, theirs = ends
    channel = Channel(ours, 10_000)
    data = frame(event)
    theirs.sendall(data[:7])
    assert channel.take() == []
    theirs.sendall(data[7:] + frame(Ready("kernel")))
    assert channel.take() == [event, Ready("kernel")]
    theirs.close()
    assert channel.take() == []
    assert channel.closed


@pytest.mark.parametrize(
    "event",
    [
        Answer(0, "a", Array("torch", b"")),
        Answer(0, "a", Array("torch", DATA[:-1])),
        Answer(0, "a", Array("torch", safetensors.numpy.save({"other": np.zeros(1)}))),
        Answer(0, "a", Array("torch", safetensors.numpy.save({"value": np.zeros(1), "more": np.zeros(1)}))),
        Answer(0, "a", Number("int", "9" * 10_000)),
        Answer(0, "a", Number("int", "1e5")),
        Answer(0, "a", Number("float", "__import__")),
        Answer(0, "a", Number("bool", "1")),
        Answer(0, "a", Number("complex", "j+j+")),
        Answer(0, "a", Table((("k", Nothing()), ("k", Nothing())))),
        ProbeEnded("p", Returned(Items("list", (Array("numpy", b"x"),)))),
        ProbeEnded("p", NotRun("timed_out", "it says so")),
    ],
)
def test_unsound_values_break_the_channel(event):
    """A value that could not have come from `capture`, or a claim that only the grader can make, is refused."""
    with pytest.raises(BrokenChannelError):
        read_event(encode(event))


def test_nesting_is_bounded():
    """A value nested deeper than any capture is refused, by the decoder or by us."""
    value = Nothing()
    for _ in range(40):
        value = Items("list", (value,))
    with pytest.raises(BrokenChannelError, match="nested"):
        read_event(encode(Answer(0, "a", value)))
    with pytest.raises(BrokenChannelError):
        read_event(b"[" * 1_000_000)


def test_length_is_checked_first(ends):
    """An announced length beyond the cap is refused before its bytes arrive."""
    ours, theirs = ends
    theirs.sendall((2**31).to_bytes(4, "big"))
    with pytest.raises(BrokenChannelError, match=r"2147483648 bytes was announced; the limit is 1000"):
        Channel(ours, 1000).take()


def test_a_message_cut_by_death_is_no_event(ends):
    """Half a message at the end of the stream is dropped."""
    ours, theirs = ends
    theirs.sendall(frame(Ready("kernel")) + frame(Ready("none"))[:-2])
    theirs.close()
    channel = Channel(ours, 1000)
    assert channel.take() == [Ready("kernel")]
    assert channel.closed


@given(st.binary(max_size=200))
def test_any_bytes_are_an_event_or_refused(data):
    """No bytes make the decoder fail in any other way."""
    with suppress(BrokenChannelError):
        read_event(data)


@given(st.recursive(st.none() | st.text() | st.integers(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)))
def test_any_json_is_an_event_or_refused(document):
    """Nor does any JSON under a known tag."""
    for tag in ("ready", "answer", "cell", "probe"):
        with suppress(BrokenChannelError):
            read_event(msgspec.json.encode({"type": tag, "value": document, "cell": 0, "name": "a"}))


def test_honest_reports_fit_the_cap():
    """The largest output and answer that limits allow fit into one frame."""
    from grader.sandbox.wire import max_frame

    limits = Limits()
    worst = CellEnded(0, "ok", None, Output("\x01" * limits.output_bytes))
    assert len(encode(worst)) < max_frame(limits)
    assert len(encode(Answer(0, "a", Array("torch", bytes(limits.answer_bytes))))) < max_frame(limits)


def test_sending_never_waits(ends):
    """A message that nobody reads is kept and sent on as room appears; one that nobody can read is dropped."""
    ours, theirs = ends
    channel = Channel(ours, 1000)
    large = Ready("x" * 3_000_000)
    channel.put(large)
    assert channel.unsent
    channel.put(Ready("none"))
    data = bytearray()
    while len(data) < len(frame(large)) + len(frame(Ready("none"))):
        data += theirs.recv(1 << 20)
        channel.flush()
    assert bytes(data) == frame(large) + frame(Ready("none"))
    channel.put(large)
    theirs.close()
    channel.flush()
    assert not channel.unsent
