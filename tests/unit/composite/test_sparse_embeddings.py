"""Rows of a table looked up for sparse ids; expected values were recorded from TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
PLACES = [[0, 0], [0, 1], [2, 0]]
IDS = np.array([1, 3, 2], np.int64)
WEIGHTS = np.array([1, 3, 2], np.float32)


def ids() -> Any:
    return tf.SparseTensor(PLACES, IDS, [4, 2])


def weights() -> Any:
    return tf.SparseTensor(PLACES, WEIGHTS, [4, 2])


FIRST = {  # of row 0: without weights, with them, with rows of length 2 at most
    "mean": ([6, 7, 8], [7.5, 8.5, 9.5], [0.989, 1.146, 1.303]),
    "sum": ([12, 14, 16], [30, 34, 38], [3.9559, 4.584, 5.2121]),
    "sqrtn": ([8.4853, 9.8995, 11.3137], [9.4868, 10.7517, 12.0167], [1.251, 1.4496, 1.6482]),
}


@pytest.mark.parametrize("combiner", FIRST)
def test_rows_are_combined(combiner: str) -> None:
    plain, weighed, clipped = FIRST[combiner]
    lookup = tf.nn.embedding_lookup_sparse
    for found, first in (
        (lookup(TABLE, ids(), None, combiner=combiner), plain),
        (lookup(TABLE, ids(), weights(), combiner=combiner), weighed),
        (lookup(TABLE, ids(), weights(), combiner=combiner, max_norm=2.0), clipped),
    ):
        assert found.shape == (3, 3)  # up to the last row that has ids
        np.testing.assert_allclose(found[0], first, atol=1e-4)
        assert not found[1].numpy().any()


def test_the_mean_is_usual_and_tables_may_be_parts() -> None:
    want = [[7.5, 8.5, 9.5], [0, 0, 0], [6, 7, 8]]
    np.testing.assert_allclose(tf.nn.embedding_lookup_sparse([TABLE[:2], TABLE[2:]], ids(), weights()), want)
    dealt = tf.compat.v1.nn.embedding_lookup_sparse([TABLE[::2], TABLE[1::2]], ids(), weights())
    np.testing.assert_allclose(dealt, want)


def test_the_gradient_has_the_rows_that_were_read() -> None:
    table = tf.constant(TABLE)
    with tf.GradientTape() as tape:
        tape.watch(table)
        found = tf.nn.embedding_lookup_sparse(table, ids(), weights(), combiner="sqrtn")
    slices = tape.gradient(found, table)
    assert isinstance(slices, tf.IndexedSlices)
    np.testing.assert_allclose(tf.convert_to_tensor(slices)[:, 0], [0, 0.3162, 1, 0.9487], atol=1e-4)


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="combiner must be one of 'mean', 'sqrtn' or 'sum', got bad"):
        tf.nn.embedding_lookup_sparse(TABLE, ids(), None, combiner="bad")
    with pytest.raises(TypeError, match="sp_ids must be a SparseTensor or RaggedTensor"):
        tf.nn.embedding_lookup_sparse(TABLE, [1, 2], None)
    with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(1,\) are incompatible"):
        tf.nn.embedding_lookup_sparse(TABLE, ids(), tf.SparseTensor([[0, 0]], [1.0], [4, 2]))
