"""Errors of generated source are those of the reference interpreter, also where no kernel is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
ROWS = np.arange(12, dtype=np.float32).reshape(4, 3)


def _array_read(x: Any, i: Any) -> Any:
    return tf.TensorArray(tf.float32, 4).unstack(x).read(i)


def _array_write(x: Any, i: Any) -> Any:
    return tf.TensorArray(tf.float32, 4).unstack(x).write(i, x[0]).stack()


@pytest.mark.parametrize("place", [4, -5])
@pytest.mark.parametrize(
    "take",
    [lambda x, i: x[i], lambda x, i: x[:, i], tf.gather, _array_read, _array_write],
    ids=["row", "column", "gather", "array read", "array write"],
)
def test_an_index_out_of_bounds_is_told_as_by_the_kernel(take: Callable[..., Any], place: int) -> None:
    with tf.Graph().as_default() as graph:
        x, i = v1.placeholder(tf.float32), v1.placeholder(tf.int32)
        y = take(x, i)
    told = []
    with v1.Session(graph=graph) as session:
        for run in range(6):
            session.run(y, {x: ROWS, i: run % 3})  # the plan becomes hot
            with pytest.raises(tf.errors.OpError) as caught:
                session.run(y, {x: ROWS, i: place})
            told.append((type(caught.value), str(caught.value)))
    assert len(set(told)) == 1
    assert "defined at" in told[0][1]
    assert str(place) in told[0][1]


def test_a_row_of_a_scalar_is_refused_by_the_kernel() -> None:
    with tf.Graph().as_default() as graph:
        x, i = v1.placeholder(tf.float32), v1.placeholder(tf.int32)
        y = tf.gather(x, i)
    with v1.Session(graph=graph) as session:
        for _ in range(4):
            session.run(y, {x: ROWS, i: 1})
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least 1 dimensional"):
            session.run(y, {x: 1.0, i: 0})


def test_the_turn_of_a_loop_is_told() -> None:
    """An error of a row names the op in the loop's body, where it was defined, and what it was given."""
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 3])
        most = v1.placeholder(tf.int32, [])
        _, total = v1.while_loop(lambda i, _: i < most, lambda i, v: (i + 1, v + x[i]), [tf.constant(0), tf.zeros([3])])
    with v1.Session(graph=graph) as session:
        for _ in range(4):
            np.testing.assert_array_equal(session.run(total, {x: ROWS, most: 4}), ROWS.sum(0))
        with pytest.raises(tf.errors.InvalidArgumentError, match="slice index out of bounds") as told:
            session.run(total, {x: ROWS, most: 9})
    assert "(StridedSlice) of (float32[4,3], int32[]), defined at" in str(told.value)
    assert "test_origins.py" in str(told.value)
