"""Results of more dimensions than a NumPy array has are refused in one form of words, and the most are allowed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

MOST = 64
WIDE = np.ones([1] * MOST, np.float32)


def array_stack() -> Any:
    return tf.TensorArray(tf.float32, 1).write(0, WIDE).stack()


BEYOND: dict[str, Callable[[], Any]] = {
    "stack": lambda: tf.stack([WIDE]),
    "expand_dims": lambda: tf.expand_dims(WIDE, 0),
    "newaxis": lambda: tf.constant(WIDE)[tf.newaxis],
    "reshape": lambda: tf.reshape(1.0, [1] * (MOST + 1)),
    "broadcast_to": lambda: tf.broadcast_to(1.0, [1] * (MOST + 1)),
    "fill": lambda: tf.fill([1] * (MOST + 1), 1.0),
    "zeros": lambda: tf.zeros([1] * (MOST + 1)),
    "meshgrid": lambda: tf.meshgrid(*[[1]] * (MOST + 1)),
    "TensorArray.stack": array_stack,
    "Dataset.batch": lambda: next(iter(tf.data.Dataset.from_tensors(WIDE).batch(1))),
    "gather": lambda: tf.gather(tf.ones([2] + [1] * 40), tf.zeros([1] * 25, tf.int32)),
    "gather from nothing": lambda: tf.gather(tf.ones([0] + [1] * 40), tf.zeros([1] * 25, tf.int32)),
    "gather by no index": lambda: tf.gather(tf.ones([2] + [1] * 40), tf.zeros([0] + [1] * 24, tf.int32)),
    "gather_nd": lambda: tf.gather_nd(tf.ones([2] + [1] * 40), tf.zeros([1] * 26, tf.int32)),
    "gather_nd from nothing": lambda: tf.gather_nd(tf.ones([0] + [1] * 40), tf.zeros([0] + [1] * 25, tf.int32)),
    "tensordot": lambda: tf.tensordot(tf.ones([1] * 25), tf.ones([1] * 40), 0),
}


@pytest.mark.parametrize("name", BEYOND)
def test_a_result_of_more_dimensions_is_refused_by_its_rank(name: str) -> None:
    words = f"There is no tensor of rank {MOST + 1}: a NumPy array has at most {MOST} dimensions"
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        BEYOND[name]()


def test_a_refused_reshape_of_a_rank_that_exists_names_the_sizes() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Input to reshape is a tensor with 1 values"):
        tf.reshape(1.0, [2])


def test_products_take_more_axes_than_there_are_letters() -> None:
    a, b = np.arange(6.0).reshape([1] * 38 + [2, 3]), np.arange(12.0).reshape([3, 4] + [1] * 20)
    product = tf.tensordot(a, b, 1)
    np.testing.assert_array_equal(np.ravel(product), np.ravel(np.reshape(a, [2, 3]) @ np.reshape(b, [3, 4])))
    assert product.shape == [1] * 38 + [2, 4] + [1] * 20


@pytest.mark.parametrize("rank", [2, 63, MOST])
def test_sparse_tensors_have_as_many_dimensions_as_dense_ones(rank: int) -> None:
    dense = np.zeros([1] * (rank - 2) + [2, 3], np.float32)
    dense.reshape(-1)[[1, 5]] = [2.0, 3.0]
    sparse = tf.sparse.from_dense(dense)
    np.testing.assert_array_equal(sparse.values, [2.0, 3.0])
    np.testing.assert_array_equal(tf.sparse.to_dense(sparse), dense)
