"""Shapes of composites in the turns of `while_loop`: the lengths of rows vary, their number does where it is stated."""

from __future__ import annotations

from collections.abc import Callable
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
    last, _ = twice(lambda v: tf.sparse.concat(0, [v, v]), sparse, tf.SparseTensorSpec([None, None], tf.int32))
    assert tf.sparse.to_dense(last).numpy().tolist() == [[1, 0], [0, 2]] * 4


def test_other_changes_of_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="enters the loop with shape"):
        twice(lambda v: tf.concat([v, v], 0), tf.ragged.constant(ROWS))
    with pytest.raises(ValueError, match="enters the loop with shape"):
        uniform = tf.RaggedTensor.from_uniform_row_length(tf.constant([1, 2, 3, 4]), 2)
        twice(lambda v: tf.concat([v, v], 1), uniform)


def slices(rows: int) -> tf.IndexedSlices:
    return tf.IndexedSlices(tf.ones([rows, 3]), tf.range(rows), tf.constant([4, 3]))


# What TensorFlow 2.21 takes as the shape of a composite in a loop, in sessions (of both control flows) and functions.
@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (lambda: slices(2), None), (lambda: slices(2), [None, 3]), (lambda: slices(2), [2, None]),
        (lambda: tf.sparse.from_dense([[1, 0], [0, 2]]), None), (lambda: tf.sparse.from_dense([[1, 0], [0, 2]]), [2]),
        (lambda: tf.sparse.from_dense([[1, 0], [0, 2]]), [None]),
        (lambda: tf.ragged.constant(ROWS), None), (lambda: tf.ragged.constant(ROWS), [None, None]),
        (lambda: tf.TensorArray(tf.float32, 2, element_shape=[3]), None),
        (lambda: tf.TensorArray(tf.float32, 2, element_shape=[3]), []),
    ],
)  # fmt: skip
def test_a_shape_is_an_invariant_of_a_composite(value: Callable[[], Any], shape: Any) -> None:
    def turns() -> Any:
        return tf.while_loop(
            lambda i, _: i < 2,
            lambda i, v: (i + 1, v),
            [tf.constant(0), value()],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape(shape)],
        )[0]

    assert tf.function(turns)() == 2
    with tf.Graph().as_default() as graph:
        last = turns()
    assert tf.compat.v1.Session(graph=graph).run(last) == 2


def test_slices_grow_where_that_is_stated() -> None:
    def grown(v: tf.IndexedSlices) -> tf.IndexedSlices:
        return tf.IndexedSlices(tf.concat([v.values] * 2, 0), tf.concat([v.indices] * 2, 0), v.dense_shape)

    last, _ = twice(grown, slices(2), tf.TensorShape([None, 3]))
    assert last.indices.numpy().tolist() == [0, 1] * 4


@pytest.mark.parametrize(
    ("value", "invariant", "error", "text"),
    [
        (lambda: slices(2), [], ValueError, "got that of a scalar"),
        (lambda: tf.sparse.from_dense([[1, 0]]), [2, None], ValueError, r"give a tf\.SparseTensorSpec"),
        (lambda: tf.TensorArray(tf.float32, 2), [3], ValueError, "not compatible with the shape"),
        (lambda: tf.experimental.Optional.from_value(1), [], TypeError, r"must be a tf\.TypeSpec"),
    ],
)  # fmt: skip
def test_shapes_of_another_kind_are_refused(
    value: Callable[[], Any], invariant: list[Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        twice(lambda v: v, value(), tf.TensorShape(invariant))
