"""Functions of sparse tensors whose rank, or whose axis, is not known before they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

MATRIX = np.array([[1, 2, 0], [0, 4, 5]], np.int32)
CALLS: dict[str, Callable[[Any], Any]] = {
    "sum along an axis": lambda x: tf.sparse.reduce_sum(x, 1),
    "sum from the end": lambda x: tf.sparse.reduce_sum(x, [-1], keepdims=True),
    "sum of all": lambda x: tf.sparse.reduce_sum(x),
    "sum of nothing": lambda x: tf.sparse.reduce_sum(x, []),
    "greatest": lambda x: tf.sparse.reduce_max(x, [0, -1], keepdims=True),
    "greatest, sparse": lambda x: tf.sparse.reduce_max(x, 0, output_is_sparse=True),
    "split": lambda x: tf.sparse.split(x, 2, -1),
    "joined": lambda x: tf.sparse.concat(-1, [x, x]),
    "turned": lambda x: tf.sparse.transpose(x),
    "turned as said": lambda x: tf.sparse.transpose(x, [1, 0]),
    "widened": lambda x: tf.sparse.expand_dims(x, -2),
    "retained": lambda x: tf.sparse.retain(x, tf.greater(x.values, 1)),
    "cut": lambda x: tf.sparse.slice(x, [0, 1], [2, 2]),
}


def parts(value: Any) -> list[Any]:
    return [np.asarray(t).tolist() for t in tf.nest.flatten(value, expand_composites=True)]


@pytest.mark.parametrize("called", CALLS)
def test_the_result_is_that_of_a_known_rank(called: str) -> None:
    function = CALLS[called]
    unknown = tf.function(
        lambda dense: function(tf.sparse.from_dense(dense)), input_signature=[tf.TensorSpec(None, tf.int32)]
    )
    assert parts(unknown(tf.constant(MATRIX))) == parts(function(tf.sparse.from_dense(MATRIX)))


def test_axes_may_be_tensors_without_a_value() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def called(axis: Any) -> Any:
        x = tf.sparse.from_dense(MATRIX)
        return (
            tf.sparse.reduce_sum(x, axis),
            tf.sparse.split(x, 2, tf.cast(axis, tf.int64)),
            tf.sparse.expand_dims(x, axis),
        )

    x = tf.sparse.from_dense(MATRIX)
    for axis in (0, -1):
        wanted = tf.sparse.reduce_sum(x, axis), tf.sparse.split(x, 2, axis), tf.sparse.expand_dims(x, axis)
        assert parts(called(tf.constant(axis))) == parts(wanted)


@pytest.mark.parametrize(
    "function", [lambda x: tf.sparse.reduce_sum(x, 2), lambda x: tf.sparse.expand_dims(x, 4)], ids=["sum", "widened"]
)
def test_an_axis_out_of_range_is_refused_when_it_runs(function: Callable[[Any], Any]) -> None:
    unknown = tf.function(
        lambda dense: function(tf.sparse.from_dense(dense)), input_signature=[tf.TensorSpec(None, tf.int32)]
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"an axis of a SparseTensor must be in \[-rank, rank\)"):
        unknown(tf.constant(MATRIX))


def test_a_reshaped_tensor_of_unknown_rank_has_vectors() -> None:
    with tf.Graph().as_default():
        indices = tf.compat.v1.placeholder(tf.int64, [5, None])
        one = tf.sparse.SparseTensor(indices, tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.int64))
        other = tf.sparse.reshape(one, tf.compat.v1.placeholder(tf.int64))
        assert other.indices.shape.as_list() == [5, None] and other.dense_shape.shape.as_list() == [None]


def test_a_size_is_inferred_while_a_graph_is_built() -> None:
    with tf.Graph().as_default():
        whole = tf.sparse.SparseTensor([[0, 1, 2]], [1.0], [2, 3, 4])
        sizes = tf.concat([tf.constant([2], tf.int64), tf.compat.v1.placeholder(tf.int64, [1])], 0)
        assert tf.sparse.reshape(whole, sizes).shape == [2, 12]
        assert tf.sparse.reshape(whole, [-1, 6]).shape == [4, 6]


def test_joined_tensors_have_the_rank_of_one_of_them() -> None:
    def unknown(rank: int | None = None) -> Any:
        parts = (
            tf.compat.v1.placeholder(tf.int64),
            tf.compat.v1.placeholder(tf.float32),
            tf.compat.v1.placeholder(tf.int64, rank and [rank]),
        )
        return tf.sparse.SparseTensor(*parts)

    with tf.Graph().as_default():
        for axis in (-2, 0):
            joined = tf.sparse.concat(axis, [unknown(), unknown(3), unknown()])
            assert joined.indices.shape.as_list() == [None, 3]
            assert joined.values.shape.as_list() == [None] and joined.dense_shape.shape == [3]


def test_the_axis_of_a_single_part_does_not_matter() -> None:
    part = tf.sparse.SparseTensor([[0, 1]], [1.0], [2, 3])
    assert tf.sparse.concat(-2000, [part]).shape == [2, 3]
