"""Threads that fill queues: how they end, and what they leave."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
BOUND = 30.0


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """A graph for the test; no thread of a runner lives on."""
    with tf.Graph().as_default():
        yield
    left = [t for t in threading.enumerate() if t.name.startswith("QueueRunnerThread")]
    assert not left


def counting(limit: int) -> Any:
    """A tensor that gives 0, 1 … and is at its end after `limit`."""
    counter = v1.get_variable("counter", [], tf.int32, v1.zeros_initializer(), trainable=False)
    return counter.count_up_to(limit)


def test_it_fills_until_the_input_is_at_its_end_and_closes() -> None:
    q = v1.FIFOQueue(3, tf.int32, shapes=[[]])
    runner = v1.train.QueueRunner(q, [q.enqueue(counting(7))])
    take = q.dequeue()
    with v1.Session() as sess:
        sess.run(v1.global_variables_initializer())
        threads = runner.create_threads(sess, start=True)
        assert [t.name for t in threads] == ["QueueRunnerThread-fifo_queue-fifo_queue_enqueue"]
        assert [sess.run(take) for _ in range(7)] == list(range(7))
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(take)
        threads[0].join(BOUND)
    assert runner.exceptions_raised == []


def test_a_python_function_fills_it() -> None:
    numbers = iter(range(5))

    def following() -> np.int64:
        try:
            return np.int64(next(numbers))
        except StopIteration:
            raise tf.errors.OutOfRangeError(None, None, "no more") from None

    q = v1.FIFOQueue(2, tf.int64, shapes=[[]])
    runner = v1.train.QueueRunner(q, [q.enqueue(v1.py_func(following, [], tf.int64))])
    take = q.dequeue_up_to(2)
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = runner.create_threads(sess, coord, start=True)
        found: list[int] = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found += sess.run(take).tolist()
        coord.request_stop()
        coord.join(threads)
    assert found == [0, 1, 2, 3, 4]


def test_several_threads_end_it_when_the_last_one_does() -> None:
    q = v1.FIFOQueue(100, tf.int32, shapes=[[]])
    runner = v1.train.QueueRunner(q, [q.enqueue(counting(20))] * 4)
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        sess.run(v1.global_variables_initializer())
        threads = runner.create_threads(sess, coord, start=True)
        assert len(threads) == 5
        assert sorted(sess.run(q.dequeue_many(20))) == list(range(20))
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(q.dequeue())
        coord.request_stop()
        coord.join(threads)


def test_a_stop_ends_threads_that_wait() -> None:
    q = v1.FIFOQueue(1, tf.int32)
    runner = v1.train.QueueRunner(q, [q.enqueue(1)])
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = runner.create_threads(sess, coord, start=True)
        sess.run(q.dequeue())
        coord.request_stop()
        with pytest.raises(tf.errors.CancelledError):  # TensorFlow reports what it cancelled, too
            coord.join(threads)
            raise tf.errors.CancelledError(None, None, "join was clean")


def test_an_error_reaches_join() -> None:
    q = v1.FIFOQueue(1, tf.float32)

    def fails() -> np.float32:
        raise ValueError("broken source")

    runner = v1.train.QueueRunner(q, [q.enqueue(v1.py_func(fails, [], tf.float32))])
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = runner.create_threads(sess, coord, start=True)
        with pytest.raises(ValueError, match="broken source"):
            coord.join(threads)
        with pytest.raises(tf.errors.OutOfRangeError):  # the queue is closed, so nobody waits for ever
            sess.run(q.dequeue())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_without_a_coordinator_errors_are_kept() -> None:
    q = v1.FIFOQueue(1, tf.float32)

    def fails() -> np.float32:
        raise ValueError("broken source")

    runner = v1.train.QueueRunner(q, [q.enqueue(v1.py_func(fails, [], tf.float32))])
    with v1.Session() as sess:
        for thread in runner.create_threads(sess, start=True):
            thread.join(BOUND)
    (error,) = runner.exceptions_raised
    assert isinstance(error, ValueError)


def test_a_closed_session_ends_threads() -> None:
    q = v1.FIFOQueue(1, tf.int32)
    runner = v1.train.QueueRunner(q, [q.enqueue(1)])
    coord = v1.train.Coordinator()
    sess = v1.Session()
    threads = runner.create_threads(sess, coord, start=True)
    sess.run(q.dequeue())
    sess.close()
    with pytest.raises((tf.errors.CancelledError, RuntimeError)):
        coord.join(threads)


def test_a_session_gets_its_threads_once() -> None:
    q = v1.FIFOQueue(1, tf.int32)
    runner = v1.train.QueueRunner(q, [q.enqueue(1)])
    coord = v1.train.Coordinator()
    with v1.Session() as sess, v1.Session() as other:
        threads = runner.create_threads(sess, coord)
        assert len(threads) == 2
        assert runner.create_threads(sess, coord) == []
        more = runner.create_threads(other, coord, daemon=True)
        assert [t.daemon for t in more] == [True, True]
        coord.request_stop()
        for thread in (*threads, *more):
            thread.start()
        coord.join()
        assert len(runner.create_threads(sess)) == 1


def test_the_runners_of_a_graph_are_started() -> None:
    q = v1.FIFOQueue(1, tf.int32)
    v1.train.add_queue_runner(v1.train.QueueRunner(q, [q.enqueue(3)]))
    (runner,) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    assert (runner.queue, runner.name, runner.close_op.name) == (q, "fifo_queue", "fifo_queue_Close")
    assert runner.cancel_op.get_attr("cancel_pending_enqueues")
    assert runner.queue_closed_exception_types == (tf.errors.OutOfRangeError,)
    coord = v1.train.Coordinator()
    with v1.Session() as sess:
        threads = v1.train.start_queue_runners(coord=coord)
        assert [t.daemon for t in threads] == [True, True]
        assert sess.run(q.dequeue()) == 3
        coord.request_stop()
        for thread in threads:
            thread.join(BOUND)


def test_what_makes_no_sense_is_refused(caplog: Any) -> None:
    q = v1.FIFOQueue(1, tf.int32)
    with pytest.raises(ValueError, match="No default session is registered"):
        v1.train.start_queue_runners()
    with pytest.raises(TypeError, match="must be a `tf.Session` object"):
        v1.train.start_queue_runners(sess=object())
    with v1.Session():
        assert v1.train.start_queue_runners() == []
    assert "no queue runners were defined" in caplog.text
    with pytest.raises(ValueError, match="Must provide queue and enqueue_ops"):
        v1.train.QueueRunner(q, [])
    with pytest.raises(TypeError, match="must be a tuple of tf.error types"):
        v1.train.QueueRunner(q, [q.enqueue(1)], queue_closed_exception_types=(ValueError,))


def test_eagerly_there_are_no_runners() -> None:
    with tf.init_scope():
        pass
    q = v1.FIFOQueue(1, tf.int32)
    put = q.enqueue(1)
    from inlay._src.core import context

    with context.using(context.State()):
        with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
            v1.train.QueueRunner(q, [put])
        with pytest.raises(RuntimeError, match="not compatible with eager execution"):
            v1.train.start_queue_runners()
