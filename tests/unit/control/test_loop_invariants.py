"""Shapes of composites in the turns of `while_loop`: the lengths of rows vary, their number does where it is stated."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

ROWS = [[1], [2, 3]]


def twice(turn: Any, value: Any, invariant: Any = None) -> Any:
    """Two turns of a loop in a function: (the last value, its static shape)."""
    shapes = []
    stated = {} if invariant is None else {"shape_invariants": [tf.TensorShape([]), invariant]}

    @tf.function(autograph=False)
    def run() -> Any:
        _, last = tf.while_loop(lambda i, _: i < 2, lambda i, v: (i + 1, turn(v)), [tf.constant(0), value], **stated)
        shapes.append(last.shape.as_list())
        return last

    return run(), shapes[0]


def test_rows_of_ragged_values_may_come_to_have_other_lengths() -> None:
    last, shape = twice(lambda v: tf.concat([v, v], 1), tf.ragged.constant(ROWS))
    assert last.to_list() == [[1] * 4, [2, 3] * 4] and shape == [2, None]


@pytest.mark.parametrize("invariant", [tf.TensorShape([None, None]), tf.RaggedTensorSpec([None, None], tf.int32)])
def test_the_number_of_rows_may_vary_where_that_is_stated(invariant: Any) -> None:
    last, shape = twice(lambda v: tf.concat([v, v], 0), tf.ragged.constant(ROWS), invariant)
    assert last.to_list() == ROWS * 4 and shape == [None, None]


def test_uniform_rows_vary_where_that_is_stated() -> None:
    uniform = tf.RaggedTensor.from_uniform_row_length(tf.constant([1, 2, 3, 4]), 2)
    last, shape = twice(lambda v: tf.concat([v, v], 1), uniform, tf.TensorShape([2, None]))
    assert last.to_list() == [[1, 2] * 4, [3, 4] * 4] and shape == [2, None]


def test_sparse_values_grow_where_that_is_stated() -> None:
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
    last, _ = twice(lambda v: tf.sparse.concat(0, [v, v]), sparse, tf.TensorShape([None, None]))
    assert tf.sparse.to_dense(last).numpy().tolist() == [[1, 0], [0, 2]] * 4


def test_other_changes_of_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="enters the loop with shape"):
        twice(lambda v: tf.concat([v, v], 0), tf.ragged.constant(ROWS))
    with pytest.raises(ValueError, match="enters the loop with shape"):
        uniform = tf.RaggedTensor.from_uniform_row_length(tf.constant([1, 2, 3, 4]), 2)
        twice(lambda v: tf.concat([v, v], 1), uniform)
    with pytest.raises(TypeError, match=r"must be a tf\.TypeSpec"):
        twice(lambda v: v, tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])), tf.TensorShape([None]))
