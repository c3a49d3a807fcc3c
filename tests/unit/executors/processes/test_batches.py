"""Batches: each call ends once, whoever receives it; a caller reads its own answers; deferred answers are found."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf
from inlay._src.core.executor import Call, FutureBatch
from inlay._src.host.executors.processes import wire
from inlay._src.host.executors.processes.pending import CallBatch, Pending
from inlay._src.host.executors.processes.pool import Processes
from inlay._src.host.executors.processes.wire import PacketKind
from tests.unit.executors.batches import outcomes

BOUND = 30.0


class Pool:
    """A pool that notes what batches ask of it."""

    forgotten = False

    def __init__(self) -> None:
        self.gone: list[Pending] = []
        self.interrupted = threading.Event()

    def cancelled(self, calls: Sequence[Pending]) -> None:
        """Notes them."""
        self.gone += calls

    def read(self, batch: CallBatch) -> bool:
        """Waits to be interrupted."""
        return batch.news or self.interrupted.wait(BOUND)

    def interrupt(self, batch: CallBatch) -> None:
        """Ends that."""
        self.interrupted.set()


def batch_of(count: int) -> tuple[Pool, CallBatch, list[Pending]]:
    pool = Pool()
    batch = CallBatch(pool, count)
    calls = [Pending(PacketKind.CALL, wire.pack(None), f"f{k}", "", False) for k in range(count)]
    for position, pending in enumerate(calls):
        batch.add(position, pending)
    return pool, batch, calls


@given(st.lists(st.lists(st.integers(0, 7), max_size=5), max_size=8), st.integers(0, 8))
def test_each_call_ends_once(groups: list[list[int]], listens: int) -> None:
    _, batch, calls = batch_of(8)
    heard: list[int] = []
    for turn, group in enumerate(groups):
        if turn == listens:
            batch.listen(heard.extend)
        batch.receive([(calls[k], (turn, None)) for k in group])
    if listens >= len(groups):
        batch.listen(heard.extend)
    first = {k: turn for turn, group in reversed(list(enumerate(groups))) for k in group}
    assert sorted(heard) == sorted(first), "each is heard of once"
    assert {k: batch.result(k) for k in heard} == first, "the first outcome counts"


def test_nothing_is_heard_of_cancelled_calls() -> None:
    pool, batch, calls = batch_of(3)
    heard: list[int] = []
    batch.listen(heard.extend)
    batch.receive([(calls[1], ("done", None))])
    batch.cancel()
    batch.receive([(pending, ("late", None)) for pending in calls])
    assert heard == [1] and batch.result(1) == "done"
    assert pool.gone == [calls[0], calls[2]]


def test_a_call_that_is_withdrawn_ends_with_an_error() -> None:
    pool, batch, calls = batch_of(2)
    heard: list[int] = []
    batch.listen(heard.extend)
    batch.withdraw(calls[1])
    assert heard == [1] and pool.gone == [calls[1]]
    with pytest.raises(CancelledError, match="f1: the pool was shut down"):
        batch.result(1)


def test_another_thread_ends_a_read() -> None:
    _, batch, _ = batch_of(1)
    threading.Timer(0.05, batch.interrupt).start()
    begin = time.monotonic()
    assert batch.read()
    assert time.monotonic() - begin < BOUND / 2
    batch.interrupt()
    assert batch.read(), "the next one ends at once"


def test_futures_are_a_batch_that_nobody_reads() -> None:
    futures: list[Future[Any]] = [Future() for _ in range(3)]
    batch = FutureBatch(futures)
    heard: list[int] = []
    futures[2].set_result("two")
    batch.listen(heard.extend)
    futures[0].set_exception(KeyError("zero"))
    assert heard == [2, 0] and batch.result(2) == "two" and not batch.readable and not batch.read()
    with pytest.raises(KeyError):
        batch.result(0)
    assert 0 < batch.ended_at(2) <= batch.ended_at(0)
    batch.cancel()
    assert futures[1].cancelled()


@pytest.fixture
def pool() -> Iterator[Processes]:
    with Processes(1) as made:
        made.run(Call(pow, (2, 3)))
        yield made


def seconds_slept(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


@pytest.mark.parametrize("reads", [False, True])
def test_a_short_call_does_not_wait_for_a_long_one_in_its_message(pool: Processes, reads: bool) -> None:
    pool._dispatcher._calls.mean = 1e-6  # type: ignore[attr-defined]
    sent, wanted = wire.outgoing_batch, 4
    sizes: list[int] = []

    def counted(requests: Any) -> Any:
        sizes.append(len(requests))
        return sent(requests)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wire, "outgoing_batch", counted)
        batch = pool.start_many([Call(seconds_slept, (k == 4 and 3.0,), label="slept") for k in range(5)])
    assert max(sizes) >= 2, "the long one shares a message"
    times: dict[int, float] = {}
    begin = time.monotonic()
    batch.listen(lambda positions: times.update(dict.fromkeys(positions, time.monotonic() - begin)))
    while len(times) < wanted and time.monotonic() - begin < 2:
        if not reads or not batch.read():
            time.sleep(0.01)
    assert set(times) == {0, 1, 2, 3}
    batch.cancel()


def test_the_answers_of_others_arrive_while_a_caller_reads(pool: Processes) -> None:
    batch = pool.start_many([Call(seconds_slept, (0.01,), label="slept") for _ in range(10)])
    other = pool.submit(pow, 2, 10)
    assert outcomes(batch, 10, BOUND, reads=True) == [0.01] * 10
    assert other.result(BOUND) == 1024


def appended(folder: str, number: int) -> int:
    with open(f"{folder}/{number}", "a") as file:
        file.write("x")
    time.sleep(0.005)
    return number


def test_an_interrupt_of_a_caller_that_reads_runs_no_call_twice(tmp_path: Path) -> None:
    with Processes(2) as pool:
        assert pool.run(Call(pow, (2, 3))) == 8
        for turn in range(5):
            folder = tmp_path / str(turn)
            folder.mkdir()
            batch = pool.start_many([Call(appended, (str(folder), k), label="appended") for k in range(60)])
            batch.listen(lambda positions: None)
            timer = threading.Timer(0.01 + 0.007 * turn, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            with pytest.raises(KeyboardInterrupt):
                while True:
                    batch.read()
                    time.sleep(0)
            batch.cancel()
            assert pool.submit(pow, 2, 5).result(BOUND) == 32
        assert all(file.read_text() == "x" for file in tmp_path.glob("*/*"))


def test_a_run_of_many_calls_reads_its_answers() -> None:
    with Processes(2) as pool, tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32)
        outs = [tf.numpy_function(lambda v, k=k: v + k, [x], tf.float32, executor=pool) for k in range(40)]
        total = tf.add_n(outs)
        with tf.compat.v1.Session() as session:
            for _ in range(3):
                assert session.run(total, {x: 1.0}) == 40 + sum(range(40))
