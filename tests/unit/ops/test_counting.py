"""Counts of sparse and ragged rows: what they are beside dense ones, their shapes in graphs, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

DENSE = np.array([[3, 2, 1, 1], [5, 4, 4, 0], [0, 0, 0, 0]], np.int32)
WEIGHTS = np.arange(12, dtype=np.float32).reshape(3, 4)
RAGGED = [[6, 1, 2], [], [10, 1, 5, 3]]


def rows(kind: str) -> Any:
    """DENSE as a tensor of a kind, whose stored numbers are all of it but zeros of a sparse one."""
    if kind == "sparse":
        return tf.sparse.from_dense(DENSE)
    return tf.RaggedTensor.from_tensor(DENSE) if kind == "ragged" else tf.constant(DENSE)


@pytest.mark.parametrize("kind", ["dense", "ragged", "sparse"])
@pytest.mark.parametrize("options", [{}, {"minlength": 9}, {"maxlength": 4}, {"binary_output": True}])
@pytest.mark.parametrize("axis", [0, -1])
def test_sparse_counts_are_the_dense_ones(kind: str, options: dict[str, Any], axis: int) -> None:
    values = rows(kind)
    sparse = tf.sparse.bincount(values, axis=axis, **options)
    dense = tf.math.bincount(values, axis=axis, **options)
    got = tf.sparse.to_dense(sparse).numpy()
    width = dense.shape[-1]  # with a `maxlength` a sparse tensor is that long, a dense one as long as its numbers
    assert not got[..., width:].any()
    np.testing.assert_array_equal(got[..., :width], dense.numpy())


@pytest.mark.parametrize("kind", ["dense", "ragged"])
@pytest.mark.parametrize("axis", [0, -1])
def test_weights_are_summed_where_numbers_are_equal(kind: str, axis: int) -> None:
    weights = tf.RaggedTensor.from_tensor(WEIGHTS) if kind == "ragged" else tf.constant(WEIGHTS)
    sparse = tf.sparse.bincount(rows(kind), weights, axis=axis)
    whole = np.stack([np.bincount(n, w, minlength=6) for n, w in zip(DENSE, WEIGHTS, strict=True)])
    np.testing.assert_array_equal(tf.sparse.to_dense(sparse), whole if axis == -1 else whole.sum(axis=0))
    np.testing.assert_array_equal(
        tf.math.bincount(rows(kind), weights, axis=axis), whole if axis == -1 else whole.sum(axis=0)
    )


def test_rows_of_sparse_numbers_are_counted_in_a_function_of_unknown_sizes() -> None:
    @tf.function(input_signature=[tf.SparseTensorSpec([None, None], tf.int64)])
    def counted(numbers: Any) -> Any:
        counts = tf.sparse.bincount(numbers, axis=-1)
        assert (counts.indices.shape.as_list(), counts.values.dtype) == ([None, 2], tf.int64)
        return counts, tf.math.bincount(numbers, axis=-1)

    sparse, dense = counted(tf.cast(tf.sparse.from_dense(DENSE), tf.int64))
    np.testing.assert_array_equal(tf.sparse.to_dense(sparse), dense)
    np.testing.assert_array_equal(dense, tf.math.bincount(rows("sparse"), axis=-1))


def test_counts_of_ragged_rows_survive_a_graph_that_is_written_and_read() -> None:
    numbers = tf.ragged.constant(RAGGED)
    with tf.Graph().as_default() as graph:
        found = tf.sparse.bincount(numbers.with_values(tf.constant([6, 1, 2, 10, 1, 5, 3])), axis=-1)
        names = [t.name for t in (found.indices, found.values, found.dense_shape)]
    message = graph.as_graph_def()
    assert "RaggedCountSparseOutput" in {node.op for node in message.node}
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        parts = session.run(tf.import_graph_def(message, return_elements=names, name=""))
    want = tf.sparse.bincount(numbers, axis=-1)
    for got, expected in zip(parts, (want.indices, want.values, want.dense_shape), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (tf.ragged.constant([[1.0], [2.0, 3.0], [1.0, 2.0, 3.0, 4.0]]), "same row splits"),
        (tf.ragged.constant([[1.0]]), "Incompatible shapes"),
    ],
)
def test_weights_at_other_places_are_refused(weights: Any, says: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=says):
        tf.sparse.bincount(tf.ragged.constant(RAGGED), weights, axis=-1)
    with pytest.raises(tf.errors.InvalidArgumentError, match=says):
        tf.math.bincount(tf.ragged.constant(RAGGED), weights, axis=-1)


def test_sparse_weights_at_other_places_are_refused() -> None:
    numbers, others = tf.sparse.from_dense([[0, 1], [2, 0]]), tf.sparse.from_dense([[1.0, 0.0], [2.0, 0.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="same indices"):
        tf.math.bincount(numbers, others, axis=-1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same dense shape"):
        tf.sparse.bincount(numbers, tf.sparse.from_dense([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0]]))


def test_gradients_of_filled_rows_come_of_their_own_op() -> None:
    values = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        filled, _ = tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1], [2, 0]], values, [3, 2]), 5.0)
        total = tf.reduce_sum(filled.values * tf.constant([3.0, 4.0, 5.0]))
    np.testing.assert_array_equal(tape.gradient(total, values), [3.0, 5.0])
