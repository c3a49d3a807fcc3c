"""`prefetch`: elements made ahead."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING
from inlay._src.data.node import Iteration
from inlay._src.data.prefetching import _Pace

PATIENCE = 30.0


def eventually(holds: Any) -> bool:
    latest = time.monotonic() + PATIENCE
    while time.monotonic() < latest:
        if holds():
            return True
        time.sleep(0.005)
    return False


def noting(read: list[int]) -> Any:
    def note(x: Any) -> Any:
        read.append(int(x))
        return x

    return tf.data.Dataset.range(100).map(lambda x: tf.numpy_function(note, [x], tf.int64))


def test_elements_are_made_while_the_consumer_works() -> None:
    read: list[int] = []
    iterator = iter(noting(read).prefetch(3))
    assert int(next(iterator)) == 0
    assert eventually(lambda: len(read) == 4)
    assert [int(v) for v in iterator] == list(range(1, 100))


@pytest.mark.parametrize("size", [0, 1, 7, tf.data.AUTOTUNE, 1000])
def test_the_elements_are_the_same(size: int) -> None:
    assert [int(v) for v in tf.data.Dataset.range(40).prefetch(size)] == list(range(40))


def test_nothing_is_made_before_the_first_is_asked_for() -> None:
    read: list[int] = []
    iterator = iter(noting(read).prefetch(3))
    assert read == []
    next(iterator)


def test_a_warm_start_makes_elements_before_the_first_is_asked_for() -> None:
    read: list[int] = []
    options = tf.data.Options()
    options.experimental_warm_start = True
    iterator = iter(noting(read).prefetch(3).with_options(options))
    assert eventually(lambda: read == [0, 1, 2])
    assert int(next(iterator)) == 0


def test_a_full_buffer_keeps_no_thread() -> None:
    read: list[int] = []
    iterator = iter(noting(read).prefetch(2))
    next(iterator)
    cursor = iterator._cursor
    assert eventually(lambda: len(read) == 3 and not cursor._producing)
    assert int(next(iterator)) == 1


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="buffer_size must be >= 0 or set buffer_size to be -1"):
        list(tf.data.Dataset.range(3).prefetch(-2))


def test_leaving_the_loop_ends_the_producer() -> None:
    began, go_on = threading.Event(), threading.Event()

    def hold(x: Any) -> Any:
        if x == 1:
            began.set()
            assert go_on.wait(PATIENCE)
        return x

    iterator = iter(tf.data.Dataset.range(50).map(lambda x: tf.numpy_function(hold, [x], tf.int64)).prefetch(2))
    next(iterator)
    assert began.wait(PATIENCE)
    cursor = iterator._cursor
    del iterator
    gc.collect()
    assert cursor._closed
    go_on.set()
    assert eventually(lambda: not cursor._producing)


def test_nothing_keeps_an_iteration_that_is_over() -> None:
    iterator = iter(tf.data.Dataset.range(5).prefetch(2))
    assert len(list(iterator)) == 5
    cursor = weakref.ref(iterator._cursor)
    del iterator
    assert eventually(lambda: gc.collect() is not None and cursor() is None)


def test_a_consumer_that_waits_is_told_that_the_iteration_was_ended() -> None:
    go_on = threading.Event()

    def hold(x: Any) -> Any:
        go_on.wait(PATIENCE)
        return x

    dataset = tf.data.Dataset.range(5).map(lambda x: tf.numpy_function(hold, [x], tf.int64)).prefetch(2)
    cursor = Iteration(dataset.options()).opened(dataset._node)
    told: list[BaseException] = []

    def read() -> None:
        try:
            next(cursor)
        except BaseException as error:
            told.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    assert eventually(lambda: cursor._producing)  # type: ignore[attr-defined]
    cursor.close()
    reader.join(PATIENCE)
    go_on.set()
    assert isinstance(told[0], tf.errors.CancelledError)


def test_an_element_that_failed_is_not_part_of_a_position() -> None:
    def fail(x: Any) -> Any:
        if x == 1:
            raise ValueError("boo")
        return x

    dataset = tf.data.Dataset.range(5).map(lambda x: tf.numpy_function(fail, [x], tf.int64)).prefetch(3)
    cursor = Iteration(dataset.options()).opened(dataset._node)
    next(cursor)
    assert eventually(lambda: len(cursor._buffer) == 3)  # type: ignore[attr-defined]
    with pytest.raises(tf.errors.UnimplementedError, match="an element that was made ahead failed"):
        cursor.state()


@pytest.mark.parametrize("size", [1, 3])
def test_without_threads_elements_are_made_when_they_are_asked_for(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(job: Any) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("inlay._src.data.prefetching.parked.HELPERS.submit", refuse)
    read: list[int] = []
    iterator = iter(noting(read).prefetch(size))
    assert (int(next(iterator)), read) == (0, [0])
    assert [int(v) for v in iterator] == list(range(1, 100))


def test_inline_runs_make_nothing_ahead() -> None:
    read: list[int] = []
    threads: set[int] = set()

    def note(x: Any) -> Any:
        threads.add(threading.get_ident())
        read.append(int(x))
        return x

    dataset = tf.data.Dataset.range(5).map(lambda x: tf.numpy_function(note, [x], tf.int64)).prefetch(3)
    with tf.debugging.run_inline():
        iterator = iter(dataset)
        assert (int(next(iterator)), int(next(iterator)), read) == (0, 1, [0, 1])
    assert [int(v) for v in iterator] == [2, 3, 4]
    with tf.debugging.run_inline():
        threads.clear()
        assert [int(v) for v in dataset] == list(range(5))
    assert threads == {threading.get_ident()}


def test_an_error_below_comes_in_its_place_without_threads() -> None:
    def fails_at_one(x: Any) -> Any:
        if x == 1:
            raise ValueError("one")
        return x

    dataset = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(fails_at_one, [x], tf.int64)).prefetch(2)
    with tf.debugging.run_inline():
        iterator = iter(dataset)
        assert int(next(iterator)) == 0
        with pytest.raises(ValueError, match="one"):
            next(iterator)
        assert [int(v) for v in iterator] == [2]


@pytest.mark.parametrize(("wakeup", "on_demand"), [(1e15, True), (0.0, False)])
def test_short_elements_are_made_on_demand_under_autotune(
    monkeypatch: pytest.MonkeyPatch, wakeup: float, on_demand: bool
) -> None:
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", wakeup)
    makers: list[int] = []

    def note(x: Any) -> Any:
        makers.append(threading.get_ident())
        return x

    dataset = tf.data.Dataset.range(100).map(lambda x: tf.numpy_function(note, [x], tf.int64))
    assert [int(v) for v in dataset.prefetch(tf.data.AUTOTUNE)] == list(range(100))
    assert (set(makers[50:]) == {threading.get_ident()}) is on_demand
    del makers[:]
    assert [int(v) for v in dataset.prefetch(2)] == list(range(100))
    assert threading.get_ident() not in makers


def test_elements_that_become_long_are_made_ahead_again_and_then_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", 1e9)
    monkeypatch.setattr(TUNING, "trial_least_elements", 3)
    pace, states = _Pace(), []
    for seconds in [9.0, 0.5, 0.5, 7.0, 2.0, 0.5, 2.0, 2.0, 2.0, *[0.5] * 24]:
        pace.took(seconds)
        states.append(pace.on_demand)
    assert states == [False] * 3 + [True] * 5 + [False] * 24 + [True]


def test_a_position_is_the_same_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", 1e15)
    dataset = tf.data.Dataset.range(60).map(lambda x: x * 2).prefetch(tf.data.AUTOTUNE)
    iterator = dataset.as_numpy_iterator()
    first = [int(next(iterator)) for _ in range(30)]
    position = iterator.save()
    rest = [int(v) for v in iterator]
    other = dataset.as_numpy_iterator()
    other.restore(position)
    assert [*first, *rest] == list(range(0, 120, 2))
    assert [int(v) for v in other] == rest
