"""`Session.make_callable`: a function of fed values that keeps its prepared run."""

from __future__ import annotations

import pytest

import inlay as tf


def test_a_callable_follows_the_graph_and_the_session() -> None:
    with tf.Graph().as_default():
        x, y = tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.float32, [])
        session = tf.compat.v1.Session()
        total, double = session.make_callable(x - y, [x, y]), session.make_callable({"sum": x + x}, [x])
        assert [total(3.0, 1.0) for _ in range(3)] == [2.0] * 3
        assert [double(float(n))["sum"] for n in range(3)] == [0.0, 2.0, 4.0]
        with pytest.raises(ValueError, match="2 tensors, got 1"):
            total(1.0)
        with pytest.raises(ValueError, match="shape"):
            total([1.0, 2.0], 1.0)
        tf.identity(x)  # the plan belongs to the graph as it was
        assert total(3.0, 1.0) == 2.0 and double(4.0)["sum"] == 8.0
        assert total(3.0, 1.0, options=tf.compat.v1.RunOptions()) == 2.0
        twice = session.make_callable(x, [x, x])
        assert [twice(1.0, 2.0) for _ in range(2)] == [2.0, 2.0]
        session.close()
        with pytest.raises(RuntimeError, match="closed"):
            total(3.0, 1.0)


def test_a_callable_is_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [], name="x")
        calls = [session.make_callable(x + 1, feeds) for feeds in ([x], ["x:0"], [x.op.outputs[0]])]
        assert [call(1.0) for call in calls] == [2.0] * 3
        monkeypatch.setattr(type(session), "run", None)
        assert [call(float(n)) for n, call in enumerate(calls)] == [1.0, 2.0, 3.0]


def test_a_callable_takes_composites_and_tuples_apart() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, y = (tf.compat.v1.placeholder(tf.float32, []) for _ in range(2))
        s = tf.compat.v1.sparse_placeholder(tf.float32, [3])
        call = session.make_callable(x - y + tf.sparse.reduce_sum(s), [(x, y), s])
        value = tf.compat.v1.SparseTensorValue([[1]], [5.0], [3])
        assert [call((float(n), 1.0), value) for n in range(3)] == [4.0, 5.0, 6.0]
