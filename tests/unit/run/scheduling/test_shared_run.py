"""Runs whose steps an executor runs: independent ones overlap, order holds, errors end what is in flight."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay import errors
from inlay._src.core.opdef import Effect
from tests.unit.executors.loopback import Loopback

F32 = np.float32


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def party(count: int) -> Callable[[Any], Any]:
    barrier = threading.Barrier(count)

    def meet(x: Any) -> Any:
        barrier.wait(30)
        return x

    return meet


def test_independent_calls_of_one_run_are_in_flight_together() -> None:
    with ThreadPoolExecutor(16) as pool, tf.Graph().as_default(), tf.compat.v1.Session() as session:
        meet = party(16)
        x = tf.compat.v1.placeholder(tf.float32)
        ys = [tf.numpy_function(meet, [x + float(i)], tf.float32, executor=pool) for i in range(16)]
        for _ in range(4):
            assert session.run(tf.add_n(ys), {x: 1.0}) == 16 + 120


def test_pure_ops_go_on_meanwhile_and_calls_wait_for_what_they_read() -> None:
    away = Loopback()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        first = [tf.py_function(lambda v: v * 2.0, [x * float(i)], tf.float32, executor=away) for i in range(3)]
        second = [tf.numpy_function(lambda v: v + F32(1), [y], tf.float32, executor=away) for y in first]
        for _ in range(4):
            assert session.run([tf.add_n(second), x + 1.0], {x: 1.0}) == [9.0, 2.0]


def test_stateful_calls_start_in_the_order_in_which_they_were_made() -> None:
    away = Loopback()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ys = [tf.numpy_function(lambda i=i: np.int32(i), [], tf.int32, executor=away) for i in range(8)]
        assert session.run(ys) == list(range(8))
    assert [(tuple(call.args), dict(call.kwargs)) for call in away.calls] == [((), {})] * 8
    assert all(not call.repeatable for call in away.calls)
    started = [call.function.host.fn() for call in away.calls]
    assert started == list(range(8))


def test_stateful_calls_of_a_function_never_overlap() -> None:
    away = Loopback()

    @tf.function
    def f(x: Any) -> Any:
        return [tf.numpy_function(lambda v: v, [x], tf.float32, executor=away) for _ in range(4)]

    for _ in range(3):
        f(tf.constant(1.0))
    assert away.most == 1
    assert len(away.calls) == 12


def test_stateless_calls_of_a_function_overlap() -> None:
    with ThreadPoolExecutor(4) as pool:
        meet = party(4)

        @tf.function
        def f(x: Any) -> Any:
            ys = [tf.numpy_function(meet, [x + float(i)], tf.float32, stateful=False, executor=pool) for i in range(4)]
            return tf.add_n(ys)

        assert f(tf.constant(0.0)) == 6.0


def test_the_first_error_ends_the_run_and_cancels_what_waits() -> None:
    with ThreadPoolExecutor(1) as pool, tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ran = []

        def fail() -> None:
            raise ValueError("first")

        bad = tf.numpy_function(fail, [], tf.float32, executor=pool)
        more = [tf.numpy_function(lambda i=i: ran.append(i) or F32(i), [], tf.float32, executor=pool) for i in range(4)]
        release = threading.Event()
        pool.submit(release.wait, 30)
        threading.Timer(0.05, release.set).start()
        with pytest.raises(ValueError, match="first"):
            session.run([bad, *more])
    assert len(ran) <= 4


def test_a_deadline_ends_a_run_that_waits_for_an_executor() -> None:
    away = Loopback()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session, away.held():
        ys = [tf.numpy_function(lambda: F32(1), [], tf.float32, executor=away) for _ in range(2)]
        options = tf.compat.v1.RunOptions(timeout_in_ms=50)
        for fetches in (ys, ys[0]):
            with pytest.raises(errors.DeadlineExceededError):
                session.run(fetches, options=options)


def test_calls_in_place_and_elsewhere_mix() -> None:
    away = Loopback()
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        here = [tf.numpy_function(lambda v: v + F32(1), [x], tf.float32) for _ in range(3)]
        there = [tf.numpy_function(lambda v: v * F32(2), [y], tf.float32, executor=away) for y in here]
        back = [tf.py_function(lambda v: v - 1.0, [y], tf.float32) for y in there]
        for _ in range(5):
            assert session.run(back, {x: 1.0}) == [3.0] * 3


def test_effects_travel_with_the_call() -> None:
    away = Loopback()
    tf.numpy_function(lambda: F32(1), [], tf.float32, stateful=False, executor=away)
    tf.numpy_function(lambda: F32(1), [], tf.float32, executor=away)
    assert [call.repeatable for call in away.calls] == [True, False]
    assert [call.function.host.effect for call in away.calls] == [Effect.PURE, Effect.STATEFUL]
