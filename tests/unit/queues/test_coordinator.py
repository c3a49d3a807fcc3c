"""`Coordinator` and `LooperThread`."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1
BOUND = 30.0


def started(target: Any, *args: Any) -> threading.Thread:
    thread = threading.Thread(target=target, args=args, daemon=True)
    thread.start()
    return thread


def test_join_waits_for_threads_that_end_by_themselves() -> None:
    coord, done = v1.train.Coordinator(), []
    coord.join([started(done.append, n) for n in range(3)])
    assert sorted(done) == [0, 1, 2]
    assert coord.joined and not coord.should_stop()


def test_a_stop_ends_all_threads_also_registered_ones() -> None:
    coord = v1.train.Coordinator()
    threads = [started(coord.wait_for_stop) for _ in range(3)]
    coord.register_thread(threads[0])
    coord.request_stop()
    coord.join(threads[1:], stop_grace_period_secs=BOUND)
    assert not any(t.is_alive() for t in threads)


def test_join_raises_the_first_error() -> None:
    coord = v1.train.Coordinator()

    def fails(error: Exception) -> None:
        try:
            raise error
        except Exception as caught:
            coord.request_stop(caught)

    first = started(fails, ValueError("first"))
    first.join(BOUND)
    second = started(fails, KeyError("second"))
    second.join(BOUND)
    with pytest.raises(ValueError, match="first"):
        coord.raise_requested_exception()
    with pytest.raises(ValueError, match="first"):
        coord.join([first, second])


def test_the_block_that_stops_on_exception_takes_it() -> None:
    coord = v1.train.Coordinator()
    with coord.stop_on_exception():
        raise RuntimeError("in the block")
    assert coord.should_stop()
    with pytest.raises(RuntimeError, match="in the block"):
        coord.join([])


@pytest.mark.parametrize(
    ("types", "error", "clean"),
    [
        (None, tf.errors.OutOfRangeError(None, None, "end"), True),
        ((StopIteration,), StopIteration(), True),
        ((StopIteration,), tf.errors.OutOfRangeError(None, None, "end"), False),
    ],
)
def test_some_errors_are_a_clean_end(types: Any, error: Exception, clean: bool) -> None:
    coord = v1.train.Coordinator(clean_stop_exception_types=types)
    try:
        raise error
    except Exception:
        coord.request_stop(sys.exc_info())
    if clean:
        coord.join([])
    else:
        with pytest.raises(type(error)):
            coord.join([])
    assert coord.should_stop()


def test_an_error_after_join_is_raised_at_once() -> None:
    coord = v1.train.Coordinator()
    coord.join([])
    coord.request_stop()
    with pytest.raises(ValueError, match="late"):
        coord.request_stop(ValueError("late"))


def test_what_is_no_error_is_told() -> None:
    coord = v1.train.Coordinator()
    coord.request_stop(ex="text")
    with pytest.raises(ValueError, match="ex must be a tuple or sys.exc_info"):
        coord.join([])


def test_a_stop_can_be_cleared() -> None:
    coord = v1.train.Coordinator()
    coord.request_stop(ValueError("gone"))
    coord.clear_stop()
    assert not coord.should_stop()
    coord.join([])


def test_threads_that_do_not_end_in_time_are_named() -> None:
    coord, release = v1.train.Coordinator(), threading.Event()
    thread = threading.Thread(target=release.wait, name="stubborn", daemon=True)
    thread.start()
    coord.request_stop()
    try:
        with pytest.raises(RuntimeError, match="threads still running: stubborn"):
            coord.join([thread], stop_grace_period_secs=0.02)
        coord.join([thread], stop_grace_period_secs=0.02, ignore_live_threads=True)
    finally:
        release.set()
        thread.join(BOUND)


def test_a_looper_calls_until_the_stop() -> None:
    coord, turns = v1.train.Coordinator(), []

    def turn(step: int) -> None:
        turns.append(step)
        if len(turns) == 3:
            coord.request_stop()

    looper = v1.train.LooperThread.loop(coord, None, turn, kwargs={"step": 2})
    timed = v1.train.LooperThread.loop(coord, 1000.0, turns.append, args=(7,))
    coord.join(stop_grace_period_secs=BOUND)
    assert [t for t in turns if t == 2] == [2, 2, 2]
    assert not looper.is_alive() and not timed.is_alive()


def test_a_looper_may_be_a_class_and_its_error_stops_the_others() -> None:
    coord = v1.train.Coordinator()

    class Fails(v1.train.LooperThread):  # type: ignore[misc]
        def run_loop(self) -> None:
            raise ValueError("in the loop")

    Fails(coord, None).start()
    with pytest.raises(ValueError, match="in the loop"):
        coord.join()
    with pytest.raises(ValueError, match="must be a Coordinator"):
        v1.train.LooperThread(None, None)
    with pytest.raises(ValueError, match="require that you also pass 'target'"):
        v1.train.LooperThread(coord, None, args=(1,))
