"""Sets in the last axis: a sparse tensor's static rank, empty sets, order of what comes out."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf


def test_agrees_with_pythons_sets() -> None:
    rng = np.random.RandomState(3)
    a, b = rng.randint(0, 6, [5, 4, 3]), rng.randint(0, 6, [5, 4, 4])
    for name, operate in (("intersection", set.__and__), ("union", set.__or__), ("difference", set.__sub__)):
        found = getattr(tf.sets, name)(a, b)
        dense = tf.sparse.to_dense(found, default_value=-1).numpy()
        for at in np.ndindex(5, 4):
            want = sorted(operate(set(a[at].tolist()), set(b[at].tolist())))
            assert [v for v in dense[at].tolist() if v >= 0] == want
        assert tf.sets.size(found).numpy().tolist() == [
            [len(operate(set(x), set(y))) for x, y in zip(p, q, strict=True)]
            for p, q in zip(a.tolist(), b.tolist(), strict=True)
        ]


def test_sets_without_members() -> None:
    nothing = tf.sets.intersection(tf.constant([[1], [2]]), tf.constant([[3], [4]]))
    assert nothing.dense_shape.numpy().tolist() == [2, 0] and nothing.values.shape == [0]
    empty = tf.sparse.from_dense(tf.zeros([2, 3], tf.int64))
    assert tf.sets.size(empty).numpy().tolist() == [0, 0]
    assert tf.sets.union(empty, empty).indices.shape == [0, 2]


def test_the_rank_is_known_in_graphs() -> None:
    @tf.function
    def traced(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
        found = tf.sets.union(a, b)
        assert found.shape.rank == 3 and found.indices.shape[1] == 3
        return tf.sets.size(found)

    assert traced(tf.zeros([2, 2, 1], tf.int64), tf.ones([2, 2, 2], tf.int64)).numpy().tolist() == [[2, 2], [2, 2]]


def test_groups_must_be_the_same() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Mismatched group shapes \[1\] vs \[2\]"):
        tf.sets.union(tf.constant([[1]]), tf.constant([[1], [2]]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least 2 axes"):
        tf.sets.union(tf.constant([1]), tf.constant([1]))
