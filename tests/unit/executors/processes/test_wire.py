"""Values in packets: what comes out is what went in, whoever owns the memory."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.host.executors.processes import answers_page, wire
from inlay._src.host.executors.processes.wire import PacketKind


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with one, other:
        yield one, other


def sent(ends: tuple[socket.socket, socket.socket], value: Any, mapped: bool) -> Any:
    """A value on the other side of a socket."""
    packet = wire.outgoing(PacketKind.RESULT, 7, wire.pack(value), 0.5)
    packet.send(ends[0])
    packet.drop()
    came = wire.receive(ends[1], bytearray(wire.PACKET))
    assert came is not None
    assert (came.kind, came.number, came.seconds) == (PacketKind.RESULT, 7, 0.5)
    return wire.unpack(came, mapped)


def test_a_batch_has_the_requests_it_was_made_of(ends: Any) -> None:
    values = [1, np.arange(3), b"", "text"]
    requests = [(PacketKind.CALL, 5 + i, wire.pack(v)) for i, v in enumerate(values)]
    wire.outgoing_batch(requests).send(ends[0])
    packet = wire.receive(ends[1], bytearray(wire.PACKET))
    assert packet is not None and (packet.kind, packet.number) == (PacketKind.BATCH, 5)
    parts = list(wire.packets_of(packet))
    assert [(part.kind, part.number) for part in parts] == [(PacketKind.CALL, 5 + i) for i in range(4)]
    for part, value in zip(parts, values, strict=True):
        np.testing.assert_array_equal(wire.unpack(part, True), value)


LARGE = TUNING.mapped_bytes // 8 + 3
ARRAYS = [
    np.float32(3),
    np.zeros((0, 4)),
    np.zeros((3, 0, 1 << 20), np.int8),
    np.arange(6.0).reshape(2, 3),
    np.arange(5000.0),
    np.arange(float(LARGE)),
    np.asfortranarray(np.arange(2.0 * LARGE).reshape(2, LARGE)),
    np.arange(2.0 * LARGE)[::2],
    np.arange(LARGE).astype(ml_dtypes.bfloat16),
    np.zeros(LARGE, [("a", "i4"), ("b", "f8")]),
    np.array([b"a", b"x" * 100_000, b""], object),
]


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("value", ARRAYS, ids=lambda v: f"{v.dtype}{v.shape}")
def test_arrays_arrive_as_they_were(ends: Any, value: Any, mapped: bool) -> None:
    found = sent(ends, {"value": [value]}, mapped)["value"][0]
    assert (type(found), found.dtype, found.shape) == (type(value), value.dtype, value.shape)
    np.testing.assert_array_equal(found, value)
    if isinstance(found, np.ndarray):
        found[...] = value[...]  # it is the receiver's own
        if found.nbytes >= TUNING.sent_array_bytes and not mapped and not value.dtype.hasobject:
            assert found.flags.owndata


@pytest.mark.parametrize("mapped", [False, True])
def test_one_object_stays_one(ends: Any, mapped: bool) -> None:
    array = np.zeros(LARGE)
    first, second = sent(ends, [array, array], mapped)
    assert first is second


def test_what_is_large_is_not_in_the_stream() -> None:
    packed = wire.pack([np.zeros(LARGE), bytes(LARGE)])
    assert len(packed.stream) < 1000
    assert len(packed.pieces) == 2
    assert all(offset % wire.ALIGNED == 0 for offset, _ in packed.pieces)


@pytest.mark.parametrize("mapped", [False, True])
def test_long_streams_arrive(ends: Any, mapped: bool) -> None:
    value = [list(range(50_000)), np.arange(float(LARGE)), "text" * 50_000, b"b" * LARGE]
    found = sent(ends, value, mapped)
    assert found[0] == value[0] and found[2:] == value[2:]
    np.testing.assert_array_equal(found[1], value[1])


def test_what_only_pickles_by_value_does() -> None:
    k = 3
    assert wire.pickle.loads(wire.pack(lambda x: x + k).stream)(1) == 4


def test_a_large_array_beside_a_lambda(ends: Any) -> None:
    function, array = sent(ends, (lambda: 5, np.ones(LARGE)), mapped=True)
    assert function() == 5 and array.sum() == LARGE


def test_what_does_not_pickle_raises_what_pickling_raises() -> None:
    with pytest.raises(TypeError, match="cannot pickle"):
        wire.pack([(k for k in [1])])


def test_no_descriptor_stays_open(ends: Any) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for mapped in (False, True):
        for value in ARRAYS:
            sent(ends, value, mapped)
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.parametrize("fails", ["ftruncate", "pwrite", "memfd_create"])
def test_a_segment_for_which_there_is_no_room(fails: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    before = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patch:
        patch.setattr(os, fails, full)
        with pytest.raises(tf.errors.ResourceExhaustedError, match="no room for 8,000,000 bytes"):
            wire.new_segment(wire.pack(np.zeros(1_000_000)), stream=False)
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_end_of_a_socket_is_told(ends: Any) -> None:
    ends[0].close()
    assert wire.receive(ends[1], bytearray(wire.PACKET)) is None


@given(st.lists(st.tuples(st.integers(1, 9), st.one_of(st.integers(), st.binary(max_size=200)))), st.integers(0, 60))
def test_deferred_answers_stand_in_the_page(steps: list[tuple[int, Any]], above: int) -> None:
    memory = bytearray(answers_page.PAGE)
    worker, pool = answers_page.AnswersPage(memory), answers_page.AnswersPage(memory)
    number, expected = 0, []
    for step, value in steps:
        number += step
        worker.begin(number)
        assert worker.defer(PacketKind.RESULT, number, wire.pack(value), 0.5)
        expected.append((number, value))
    answers = [(packet.number, wire.loads(packet.stream)) for packet in pool.deferred(above)]
    assert answers == [(n, value) for n, value in expected if n > above]
    assert pool.last_begun() == number


def test_an_answer_that_is_half_written_is_not_found() -> None:
    memory = bytearray(answers_page.PAGE)
    page = answers_page.AnswersPage(memory)
    for number in (1, 2):
        page.defer(PacketKind.RESULT, number, wire.pack(b"whole"), 0.0)
    memory[page._used + 16 - 2] ^= 1
    assert [packet.number for packet in page.deferred(0)] == [1]


def test_what_does_not_fit_into_the_page_is_not_deferred() -> None:
    page = answers_page.AnswersPage(bytearray(answers_page.PAGE))
    assert not page.defer(PacketKind.RESULT, 1, wire.PackedValue(b"", [(0, b"piece")], 64), 0.0)
    assert page.defer(PacketKind.RESULT, 1, wire.PackedValue(b"x" * 40_000, [], 0), 0.0)
    assert not page.defer(PacketKind.RESULT, 2, wire.PackedValue(b"x" * 40_000, [], 0), 0.0)


def test_deferred_answers_are_sent_in_one_packet() -> None:
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with left, right:
        page = answers_page.AnswersPage(bytearray(answers_page.PAGE))
        page.send(left)  # nothing
        for number in (3, 4):
            page.defer(PacketKind.RESULT, number, wire.pack(number), 0.25)
        page.send(left)
        packet = wire.receive(right, bytearray(wire.PACKET))
        assert packet is not None and packet.number == 3
        answers = [(each.kind, each.number, each.seconds, wire.loads(each.stream)) for each in wire.packets_of(packet)]
        assert answers == [(PacketKind.RESULT, n, 0.25, n) for n in (3, 4)]
        assert page.deferred(0) == []
