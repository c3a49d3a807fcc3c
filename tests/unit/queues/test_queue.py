"""The classes of queues: in sessions, while executing eagerly, and in functions."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
BOUND = 30.0


@pytest.fixture
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


def test_nodes_are_named_as_in_tensorflow(graph: Any) -> None:
    q = v1.FIFOQueue(3, [tf.float32, tf.string], shapes=[[2], []])
    q.enqueue(([1.0, 2.0], "a"))
    q.dequeue()
    taken = q.dequeue_many(2)
    some = q.dequeue_up_to(5)
    for op in (q.size, q.close, q.is_closed):
        op()
    assert [op.name for op in graph.get_operations()] == [
        "fifo_queue", "fifo_queue_enqueue/component_0", "fifo_queue_enqueue/component_1", "fifo_queue_enqueue",
        "fifo_queue_Dequeue", "fifo_queue_DequeueMany/n", "fifo_queue_DequeueMany", "fifo_queue_DequeueUpTo/n",
        "fifo_queue_DequeueUpTo", "fifo_queue_Size", "fifo_queue_Close", "fifo_queue_Is_Closed",
    ]  # fmt: skip
    assert [t.shape.as_list() for t in (*taken, *some)] == [[2, 2], [2], [None, 2], [None]]
    assert (q.name, q.queue_ref.op.type, q.queue_ref.dtype) == ("fifo_queue", "FIFOQueueV2", tf.resource)
    assert (q.dtypes, q.shapes, q.names) == ([tf.float32, tf.string], [[2], []], None)


def test_runs_put_in_and_take_out(graph: Any) -> None:
    q = v1.FIFOQueue(10, [tf.float32, tf.string], shapes=[[2], []])
    put = q.enqueue_many((np.arange(8.0).reshape(4, 2), ["a", "b", "c", "d"]))
    one, many, size, close, some = q.dequeue(), q.dequeue_many(2), q.size(), q.close(), q.dequeue_up_to(5)
    with v1.Session() as sess:
        sess.run(put)
        assert sess.run(size) == 4
        row, text = sess.run(one)
        assert (row.tolist(), text) == ([0.0, 1.0], b"a")
        rows, texts = sess.run(many)
        assert (rows.tolist(), texts.tolist()) == ([[2.0, 3.0], [4.0, 5.0]], [b"b", b"c"])
        sess.run(close)
        assert sess.run(some)[1].tolist() == [b"d"]
        assert sess.run(q.is_closed())


def test_each_session_has_its_own(graph: Any) -> None:
    q = v1.FIFOQueue(10, tf.int32)
    put, size = q.enqueue(1), q.size()
    with v1.Session() as first, v1.Session() as second:
        first.run(put)
        assert (first.run(size), second.run(size)) == (1, 0)


def test_a_shared_name_joins_queues_of_a_session(graph: Any) -> None:
    one, two = (v1.FIFOQueue(10, tf.int32, shared_name="s") for _ in range(2))
    other = v1.FIFOQueue(11, tf.int32, shared_name="s")
    put, take = one.enqueue(7), two.dequeue()
    with v1.Session() as sess:
        sess.run(put)
        assert sess.run(take) == 7
        with pytest.raises(tf.errors.InvalidArgumentError, match="Shared queue 's' has capacity 10 but requested"):
            sess.run(other.queue_ref.op)


def test_errors_name_the_queue_and_the_node(graph: Any) -> None:
    q = v1.FIFOQueue(2, tf.int32, shapes=[[]])
    put, take, close = q.enqueue(1), q.dequeue_many(2, name="take"), q.close()
    with v1.Session() as sess:
        sess.run([close])
        with pytest.raises(tf.errors.OutOfRangeError) as raised:
            sess.run(take)
        assert raised.value.op is take.op
        text = str(raised.value)
        assert "FIFOQueue '_" in text and "fifo_queue' is closed and has insufficient elements (requested 2, " in text
        assert "op 'take' (QueueDequeueManyV2), defined at " in text and "test_queue.py" in text
        with pytest.raises(tf.errors.CancelledError, match="fifo_queue' is closed"):
            sess.run(put)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda q: q.enqueue((1, 2)), ValueError, "has 1 components, got 2"),
        (lambda q: q.enqueue({"a": 1}), ValueError, "must have names to enqueue a dictionary"),
        (lambda q: q.enqueue([[1, 2, 3]]), ValueError, "not compatible|incompatible"),
        (lambda q: q.enqueue_many([1]), ValueError, "rank at least 1"),
        (lambda q: q.enqueue([[1.5, 2.5]]), TypeError, "int32"),
    ],
)
def test_what_does_not_fit_is_refused_when_it_is_built(graph: Any, call: Any, kind: Any, said: str) -> None:
    with pytest.raises(kind, match=said):
        call(v1.FIFOQueue(2, tf.int32, shapes=[[2]]))


def test_what_is_fed_is_held_against_the_queue(graph: Any) -> None:
    q = v1.FIFOQueue(2, [tf.int32, tf.int32], shapes=[[2], [2]])
    x, y = v1.placeholder(tf.int32), v1.placeholder(tf.int32)
    one, many = q.enqueue((x, y)), q.enqueue_many((x, y))
    anything = v1.FIFOQueue(2, tf.int32)
    batch = anything.dequeue_many(1)
    with v1.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"component 1. Expected \[2\], got \[3\]"):
            sess.run(one, {x: [1, 2], y: [1, 2, 3]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"same size in the 0th dimension. Component 1 has 1"):
            sess.run(many, {x: [[1, 2], [3, 4]], y: [[1, 2]]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="require the components to have specified shapes"):
            sess.run(batch)


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda: v1.FIFOQueue(2, tf.int32, shapes=[[None]]), ValueError, "fully defined"),
        (lambda: v1.FIFOQueue(2, tf.int32, shapes=[[1], [2]]), ValueError, "same length as dtypes"),
        (lambda: v1.FIFOQueue(2, tf.int32, names=["a", "b"]), ValueError, "same length as the list of dtypes"),
        (lambda: v1.FIFOQueue(2, tf.int32, shapes=3), TypeError, "Shapes must be a TensorShape or a list"),
        (lambda: v1.PaddingFIFOQueue(2, tf.int32, shapes=None), ValueError, "a list of shapes must be provided"),
        (lambda: v1.PaddingFIFOQueue(2, tf.int32, [tf.TensorShape(None)]), ValueError, "defined rank"),
        (lambda: v1.RandomShuffleQueue(2, 2, tf.int32), tf.errors.InvalidArgumentError, "must be < capacity 2"),
    ],
)
def test_queues_that_make_no_sense(graph: Any, make: Any, kind: Any, said: str) -> None:
    with pytest.raises(kind, match=said):
        make()


def test_names_make_dictionaries(graph: Any) -> None:
    q = v1.FIFOQueue(5, [tf.int32, tf.string], names=["i", "s"], shapes=[[], []])
    put, take = q.enqueue({"s": "a", "i": 1}), q.dequeue()
    with pytest.raises(ValueError, match="must enqueue a dictionary"):
        q.enqueue((1, "a"))
    with pytest.raises(ValueError, match="Keys in dictionary to enqueue do not match"):
        q.enqueue({"i": 1})
    with v1.Session() as sess:
        sess.run(put)
        assert sess.run(take) == {"i": 1, "s": b"a"}


def test_batches_of_a_padding_queue_are_filled_up(graph: Any) -> None:
    q = v1.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None, 2], [None]])
    puts = [q.enqueue((np.ones((n, 2), np.int32), ["x"] * n)) for n in (1, 3)]
    take = q.dequeue_many(2)
    with v1.Session() as sess:
        sess.run(puts)
        numbers, texts = sess.run(take)
        assert numbers.tolist() == [[[1, 1], [0, 0], [0, 0]], [[1, 1]] * 3]
        assert texts.tolist() == [[b"x", b"", b""], [b"x"] * 3]


def test_a_priority_stands_in_front(graph: Any) -> None:
    q = v1.PriorityQueue(5, tf.string, shapes=[[]])
    put, take = q.enqueue_many(([3, 1, 2], ["c", "a", "b"])), q.dequeue_many(3)
    assert q.dtypes == [tf.int64, tf.string]
    with v1.Session() as sess:
        sess.run(put)
        assert [part.tolist() for part in sess.run(take)] == [[1, 2, 3], [b"a", b"b", b"c"]]


def test_one_of_several(graph: Any) -> None:
    queues = [v1.FIFOQueue(5, tf.int32, shapes=[[2]]), v1.FIFOQueue(7, tf.int32)]
    which = v1.placeholder(tf.int32, [])
    chosen = v1.QueueBase.from_list(which, queues)
    puts = [queues[0].enqueue([[1, 2]]), queues[1].enqueue(5)]
    take = chosen.dequeue()
    assert chosen.shapes[0].rank is None
    with v1.Session() as sess:
        sess.run(puts)
        assert sess.run(take, {which: 1}) == 5
        assert sess.run(take, {which: 0}).tolist() == [1, 2]
    with pytest.raises(TypeError, match="list of queues expected"):
        v1.QueueBase.from_list(0, [])
    with pytest.raises(TypeError, match="matching component dtypes"):
        v1.QueueBase.from_list(0, [queues[0], v1.FIFOQueue(5, tf.string)])


def test_a_value_that_was_put_in_is_nobody_elses(graph: Any) -> None:
    q = v1.FIFOQueue(5, tf.float32, shapes=[[3]])
    fed = v1.placeholder(tf.float32, [3])
    put, take = q.enqueue(fed), q.dequeue()
    constant = q.enqueue(tf.constant([1.0, 2.0, 3.0]))
    added = take + 1.0

    def writes(a: np.ndarray) -> np.ndarray:
        a[:] = -1.0
        return a

    written = v1.py_func(writes, [take], tf.float32)
    with v1.Session() as sess:
        given = np.array([1.0, 2.0, 3.0], np.float32)
        sess.run(put, {fed: given})
        given[:] = 9.0
        assert sess.run(take).tolist() == [1.0, 2.0, 3.0]
        for _ in range(4):  # hot plans write into what is theirs
            sess.run(constant)
            assert sess.run(added).tolist() == [2.0, 3.0, 4.0]
            sess.run(constant)
            assert sess.run(written).tolist() == [-1.0] * 3
        sess.run(constant)
        assert sess.run(take).tolist() == [1.0, 2.0, 3.0]


def test_eager_queues() -> None:
    q = tf.queue.FIFOQueue(3, tf.int32, shapes=[[]])
    assert q.enqueue(1) is None
    q.enqueue_many([[2, 3]])
    assert int(q.size()) == 3
    assert q.dequeue_many(2).numpy().tolist() == [1, 2]
    q.close()
    assert bool(q.is_closed())
    assert q.dequeue_up_to(5).numpy().tolist() == [3]
    with pytest.raises(tf.errors.OutOfRangeError, match="closed and has insufficient elements"):
        q.dequeue()


def test_an_eager_queue_waits_for_another_thread() -> None:
    q = tf.queue.FIFOQueue(1, tf.int32)
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(int(q.dequeue())))
    thread.start()
    q.enqueue(5)
    thread.join(BOUND)
    assert found == [5]


def test_functions_use_queues_in_their_order() -> None:
    q = tf.queue.FIFOQueue(10, tf.int32)

    @tf.function
    def step(x: Any) -> Any:
        q.enqueue(x)
        q.enqueue(x + 1)
        return q.dequeue()

    assert [int(step(tf.constant(n))) for n in (3, 7, 9)] == [3, 4, 7]
    assert int(q.size()) == 3


def test_a_queue_made_in_a_function_is_one_of_the_program() -> None:
    made: list[Any] = []

    @tf.function
    def step(x: Any) -> Any:
        if not made:
            made.append(tf.queue.FIFOQueue(10, tf.int32))
        made[0].enqueue(x)
        return made[0].size()

    assert [int(step(tf.constant(n))) for n in (1, 2)] == [1, 2]
