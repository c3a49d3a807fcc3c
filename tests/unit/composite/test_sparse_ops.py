"""Functions of sparse tensors: values, coordinates and shapes as TensorFlow 2.21 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

sp = tf.sparse
a = sp.from_dense([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
b = sp.from_dense([[0.0, 5.0, 1.0], [0.0, -3.0, 0.0]])
i = sp.from_dense([[1, 0, 2], [0, 3, 0]])
t3 = sp.from_dense([[[1.0, 0.0], [2.0, 3.0]], [[0.0, 0.0], [4.0, 0.0]]])
e = sp.SparseTensor(np.zeros((0, 2), np.int64), np.zeros((0,), np.float32), [2, 3])
s = sp.SparseTensor([[0, 1], [1, 0]], ["a", "b"], [2, 2])
un = sp.SparseTensor([[1, 0], [0, 2], [0, 0]], [1.0, 2.0, 3.0], [2, 3])

CASES: list[tuple[Callable[[], Any], Any]] = [
    (
        lambda: sp.add(a, b),
        ("sparse", [[0, 0], [0, 1], [0, 2], [1, 1]], [1.0, 5.0, 3.0, 0.0], [2, 3], "float32", [2, 3]),
    ),
    (
        lambda: sp.add(a, b, threshold=0.5),
        ("sparse", [[0, 0], [0, 1], [0, 2]], [1.0, 5.0, 3.0], [2, 3], "float32", [2, 3]),
    ),
    (lambda: sp.add(a, tf.ones([2, 3])), ("float32", [2, 3], [[2.0, 1.0, 3.0], [1.0, 4.0, 1.0]])),
    (lambda: sp.add(tf.ones([2, 3]), a), ("float32", [2, 3], [[2.0, 1.0, 3.0], [1.0, 4.0, 1.0]])),
    (
        lambda: sp.add(a, sp.from_dense([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])),
        ("sparse", [[0, 0], [0, 2], [1, 1]], [0.0, 2.0, 3.0], [2, 3], "float32", [2, 3]),
    ),
    (lambda: sp.add(i, i), ("sparse", [[0, 0], [0, 2], [1, 1]], [2, 4, 6], [2, 3], "int32", [2, 3])),
    (
        lambda: sp.concat(0, [a, b]),
        (
            "sparse",
            [[0, 0], [0, 2], [1, 1], [2, 1], [2, 2], [3, 1]],
            [1.0, 2.0, 3.0, 5.0, 1.0, -3.0],
            [4, 3],
            "float32",
            [4, 3],
        ),
    ),
    (
        lambda: sp.concat(1, [a, b]),
        (
            "sparse",
            [[0, 0], [0, 2], [0, 4], [0, 5], [1, 1], [1, 4]],
            [1.0, 2.0, 5.0, 1.0, 3.0, -3.0],
            [2, 6],
            "float32",
            [2, 6],
        ),
    ),
    (
        lambda: sp.concat(-1, [a, b]),
        (
            "sparse",
            [[0, 0], [0, 2], [0, 4], [0, 5], [1, 1], [1, 4]],
            [1.0, 2.0, 5.0, 1.0, 3.0, -3.0],
            [2, 6],
            "float32",
            [2, 6],
        ),
    ),
    (
        lambda: sp.concat(1, [a, sp.from_dense([[1.0]])], expand_nonconcat_dims=True),
        ("sparse", [[0, 0], [0, 2], [0, 3], [1, 1]], [1.0, 2.0, 1.0, 3.0], [2, 4], "float32", [2, 4]),
    ),
    (
        lambda: sp.concat(0, [s, s]),
        ("sparse", [[0, 1], [1, 0], [2, 1], [3, 0]], [b"a", b"b", b"a", b"b"], [4, 2], "string", [4, 2]),
    ),
    (lambda: sp.concat(0, [a]), ("sparse", [[0, 0], [0, 2], [1, 1]], [1.0, 2.0, 3.0], [2, 3], "float32", [2, 3])),
    (lambda: sp.slice(a, [0, 1], [2, 2]), ("sparse", [[0, 1], [1, 0]], [2.0, 3.0], [2, 2], "float32", [2, 2])),
    (lambda: sp.slice(a, [1, 0], [5, 5]), ("sparse", [[0, 1]], [3.0], [1, 3], "float32", [1, 3])),
    (
        lambda: sp.slice(t3, [0, 1, 0], [2, 1, 2]),
        ("sparse", [[0, 0, 0], [0, 0, 1], [1, 0, 0]], [2.0, 3.0, 4.0], [2, 1, 2], "float32", [2, 1, 2]),
    ),
    (
        lambda: sp.split(sp_input=a, num_split=2, axis=1),
        [
            ("sparse", [[0, 0], [1, 1]], [1.0, 3.0], [2, 2], "float32", [2, 2]),
            ("sparse", [[0, 0]], [2.0], [2, 1], "float32", [2, 1]),
        ],
    ),
    (
        lambda: sp.split(a, 2, 0),
        [
            ("sparse", [[0, 0], [0, 2]], [1.0, 2.0], [1, 3], "float32", [1, 3]),
            ("sparse", [[0, 1]], [3.0], [1, 3], "float32", [1, 3]),
        ],
    ),
    (
        lambda: sp.split(a, 3, 1),
        [
            ("sparse", [[0, 0]], [1.0], [2, 1], "float32", [2, 1]),
            ("sparse", [[1, 0]], [3.0], [2, 1], "float32", [2, 1]),
            ("sparse", [[0, 0]], [2.0], [2, 1], "float32", [2, 1]),
        ],
    ),
    (
        lambda: sp.split(a, 2, -1),
        [
            ("sparse", [[0, 0], [1, 1]], [1.0, 3.0], [2, 2], "float32", [2, 2]),
            ("sparse", [[0, 0]], [2.0], [2, 1], "float32", [2, 1]),
        ],
    ),
    (lambda: sp.reshape(a, [3, 2]), ("sparse", [[0, 0], [1, 0], [2, 0]], [1.0, 2.0, 3.0], [3, 2], "float32", [3, 2])),
    (lambda: sp.reshape(a, [-1]), ("sparse", [[0], [2], [4]], [1.0, 2.0, 3.0], [6], "float32", [6])),
    (
        lambda: sp.reshape(a, [1, -1, 2]),
        ("sparse", [[0, 0, 0], [0, 1, 0], [0, 2, 0]], [1.0, 2.0, 3.0], [1, 3, 2], "float32", [1, 3, 2]),
    ),
    (lambda: sp.transpose(a), ("sparse", [[0, 0], [1, 1], [2, 0]], [1.0, 3.0, 2.0], [3, 2], "float32", [3, 2])),
    (
        lambda: sp.transpose(t3, [2, 0, 1]),
        ("sparse", [[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1]], [1.0, 2.0, 4.0, 3.0], [2, 2, 2], "float32", [2, 2, 2]),
    ),
    (
        lambda: sp.map_values(tf.square, a),
        ("sparse", [[0, 0], [0, 2], [1, 1]], [1.0, 4.0, 9.0], [2, 3], "float32", [2, 3]),
    ),
    (
        lambda: sp.map_values(tf.add, a, 2.0),
        ("sparse", [[0, 0], [0, 2], [1, 1]], [3.0, 4.0, 5.0], [2, 3], "float32", [2, 3]),
    ),
    (
        lambda: sp.map_values(tf.multiply, a, a),
        ("sparse", [[0, 0], [0, 2], [1, 1]], [1.0, 4.0, 9.0], [2, 3], "float32", [2, 3]),
    ),
    (lambda: sp.eye(3), ("sparse", [[0, 0], [1, 1], [2, 2]], [1.0, 1.0, 1.0], [3, 3], "float32", [3, 3])),
    (lambda: sp.eye(2, 3, dtype=tf.int32), ("sparse", [[0, 0], [1, 1]], [1, 1], [2, 3], "int32", [2, 3])),
    (lambda: sp.eye(3, 2), ("sparse", [[0, 0], [1, 1]], [1.0, 1.0], [3, 2], "float32", [3, 2])),
    (lambda: sp.retain(a, [True, False, True]), ("sparse", [[0, 0], [1, 1]], [1.0, 3.0], [2, 3], "float32", [2, 3])),
    (
        lambda: sp.minimum(a, b),
        ("sparse", [[0, 0], [0, 1], [0, 2], [1, 1]], [0.0, 0.0, 1.0, -3.0], [2, 3], "float32", [2, 3]),
    ),
    (
        lambda: sp.maximum(a, b),
        ("sparse", [[0, 0], [0, 1], [0, 2], [1, 1]], [1.0, 5.0, 2.0, 3.0], [2, 3], "float32", [2, 3]),
    ),
    (
        lambda: sp.expand_dims(a, 0),
        ("sparse", [[0, 0, 0], [0, 0, 2], [0, 1, 1]], [1.0, 2.0, 3.0], [1, 2, 3], "float32", [1, 2, 3]),
    ),
    (
        lambda: sp.expand_dims(a, -1),
        ("sparse", [[0, 0, 0], [0, 2, 0], [1, 1, 0]], [1.0, 2.0, 3.0], [2, 3, 1], "float32", [2, 3, 1]),
    ),
    (lambda: sp.to_dense(sp.reorder(un)), ("float32", [2, 3], [[3.0, 0.0, 2.0], [1.0, 0.0, 0.0]])),
    (lambda: sp.reduce_sum(a, None, False), ("float32", [], 6.0)),
    (lambda: sp.reduce_sum(a, None, False, True), ("sparse", [[]], [6.0], [], "float32", [])),
    (lambda: sp.reduce_sum(a, None, True), ("float32", [1, 1], [[6.0]])),
    (lambda: sp.reduce_sum(a, None, True, True), ("sparse", [[0, 0]], [6.0], [1, 1], "float32", [1, 1])),
    (lambda: sp.reduce_sum(a, 0, False), ("float32", [3], [1.0, 3.0, 2.0])),
    (lambda: sp.reduce_sum(a, 0, False, True), ("sparse", [[0], [1], [2]], [1.0, 3.0, 2.0], [3], "float32", [3])),
    (lambda: sp.reduce_sum(a, 0, True), ("float32", [1, 3], [[1.0, 3.0, 2.0]])),
    (
        lambda: sp.reduce_sum(a, 0, True, True),
        ("sparse", [[0, 0], [0, 1], [0, 2]], [1.0, 3.0, 2.0], [1, 3], "float32", [1, 3]),
    ),
    (lambda: sp.reduce_sum(a, -1, False), ("float32", [2], [3.0, 3.0])),
    (lambda: sp.reduce_sum(a, -1, False, True), ("sparse", [[0], [1]], [3.0, 3.0], [2], "float32", [2])),
    (lambda: sp.reduce_sum(a, -1, True), ("float32", [2, 1], [[3.0], [3.0]])),
    (lambda: sp.reduce_sum(a, -1, True, True), ("sparse", [[0, 0], [1, 0]], [3.0, 3.0], [2, 1], "float32", [2, 1])),
    (lambda: sp.reduce_sum(a, [0, 1], False), ("float32", [], 6.0)),
    (lambda: sp.reduce_sum(a, [0, 1], False, True), ("sparse", [[]], [6.0], [], "float32", [])),
    (lambda: sp.reduce_sum(a, [0, 1], True), ("float32", [1, 1], [[6.0]])),
    (lambda: sp.reduce_sum(a, [0, 1], True, True), ("sparse", [[0, 0]], [6.0], [1, 1], "float32", [1, 1])),
    (lambda: sp.reduce_sum(t3, [0, 2]), ("float32", [2], [1.0, 9.0])),
    (lambda: sp.reduce_sum(e, 1), ("float32", [2], [0.0, 0.0])),
    (lambda: sp.reduce_sum(e, 1, output_is_sparse=True), ("sparse", [], [], [2], "float32", [2])),
    (lambda: sp.reduce_sum(un, 1), ("float32", [2], [5.0, 1.0])),
    (lambda: sp.reduce_sum(i, 0), ("int32", [3], [1, 3, 2])),
    (lambda: sp.reduce_max(a, None, False), ("float32", [], 3.0)),
    (lambda: sp.reduce_max(a, None, False, True), ("sparse", [[]], [3.0], [], "float32", [])),
    (lambda: sp.reduce_max(a, None, True), ("float32", [1, 1], [[3.0]])),
    (lambda: sp.reduce_max(a, None, True, True), ("sparse", [[0, 0]], [3.0], [1, 1], "float32", [1, 1])),
    (lambda: sp.reduce_max(a, 0, False), ("float32", [3], [1.0, 3.0, 2.0])),
    (lambda: sp.reduce_max(a, 0, False, True), ("sparse", [[0], [1], [2]], [1.0, 3.0, 2.0], [3], "float32", [3])),
    (lambda: sp.reduce_max(a, 0, True), ("float32", [1, 3], [[1.0, 3.0, 2.0]])),
    (
        lambda: sp.reduce_max(a, 0, True, True),
        ("sparse", [[0, 0], [0, 1], [0, 2]], [1.0, 3.0, 2.0], [1, 3], "float32", [1, 3]),
    ),
    (lambda: sp.reduce_max(a, -1, False), ("float32", [2], [2.0, 3.0])),
    (lambda: sp.reduce_max(a, -1, False, True), ("sparse", [[0], [1]], [2.0, 3.0], [2], "float32", [2])),
    (lambda: sp.reduce_max(a, -1, True), ("float32", [2, 1], [[2.0], [3.0]])),
    (lambda: sp.reduce_max(a, -1, True, True), ("sparse", [[0, 0], [1, 0]], [2.0, 3.0], [2, 1], "float32", [2, 1])),
    (lambda: sp.reduce_max(a, [0, 1], False), ("float32", [], 3.0)),
    (lambda: sp.reduce_max(a, [0, 1], False, True), ("sparse", [[]], [3.0], [], "float32", [])),
    (lambda: sp.reduce_max(a, [0, 1], True), ("float32", [1, 1], [[3.0]])),
    (lambda: sp.reduce_max(a, [0, 1], True, True), ("sparse", [[0, 0]], [3.0], [1, 1], "float32", [1, 1])),
    (lambda: sp.reduce_max(t3, [0, 2]), ("float32", [2], [1.0, 4.0])),
    (lambda: sp.reduce_max(e, 1), ("float32", [2], [0.0, 0.0])),
    (lambda: sp.reduce_max(e, 1, output_is_sparse=True), ("sparse", [], [], [2], "float32", [2])),
    (lambda: sp.reduce_max(un, 1), ("float32", [2], [3.0, 1.0])),
    (lambda: sp.reduce_max(i, 0), ("int32", [3], [1, 3, 2])),
]


def told(value: Any, known: bool = True) -> Any:
    if isinstance(value, list):
        return [told(v, known) for v in value]
    shape = value.shape.as_list() if known else None
    if isinstance(value, tf.SparseTensor):
        parts = [p.numpy().tolist() for p in (value.indices, value.values, value.dense_shape)]
        return ("sparse", *parts, value.dtype.name, shape)
    return value.dtype.name, shape, value.numpy().tolist()


@pytest.mark.parametrize(("make", "expected"), CASES)
def test_eager(make: Callable[[], Any], expected: Any) -> None:
    assert told(make()) == expected


@pytest.mark.parametrize(("make", "expected"), CASES)
def test_in_a_function(make: Callable[[], Any], expected: Any) -> None:
    assert told(tf.function(make)(), known=False) == told(make(), known=False)


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: sp.add(a, sp.from_dense([[1.0]])), tf.errors.InvalidArgumentError),
        (lambda: sp.add(tf.ones([2]), tf.ones([2])), TypeError),
        (lambda: sp.concat(1, [a, sp.from_dense([[1.0]])]), tf.errors.InvalidArgumentError),
        (lambda: sp.reshape(a, [4]), tf.errors.InvalidArgumentError),
        (lambda: sp.transpose(a, [0]), ValueError),
        (lambda: sp.map_values(tf.add, a, b), tf.errors.InvalidArgumentError),
        (lambda: sp.map_values(tf.reduce_sum, a), ValueError),
        (lambda: sp.reduce_sum(a, 2), tf.errors.InvalidArgumentError),
        (lambda: sp.split(a, 2, [0]), tf.errors.InvalidArgumentError),
        (lambda: sp.map_values(tf.abs, 0.0), ValueError),
        (
            lambda: sp.map_values(tf.add, a, tf.SparseTensor(a.indices, a.values, [9, 9])),
            tf.errors.InvalidArgumentError,
        ),
        (lambda: sp.reset_shape(a, [1, 1]), ValueError),
        (lambda: sp.reset_shape(a, [5]), ValueError),
        (lambda: sp.fill_empty_rows(tf.SparseTensor([[9, 0]], [1.0], [2, 2]), 0.0), tf.errors.InvalidArgumentError),
        (lambda: sp.softmax(tf.SparseTensor([[0]], [1.0], [2])), tf.errors.InvalidArgumentError),
        (lambda: tf.compat.v1.sparse_split(a, 2, 1), ValueError),
        (lambda: tf.compat.v1.sparse_split(sp_input=a, axis=1), ValueError),
        (lambda: a * tf.ones([7]), tf.errors.InvalidArgumentError),
        (lambda: sp.split(a, axis=0), ValueError),
        (lambda: sp.expand_dims(a, 3), ValueError),
    ],
)
def test_what_does_not_fit_is_refused(make: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


@pytest.mark.parametrize(
    ("make", "gradient"),
    [
        (lambda x: sp.to_dense(sp.add(x, b)) * [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [1, 3, 5]),
        (lambda x: sp.reduce_sum(x, 1) * [1.0, 2.0], [1, 1, 2]),
        (lambda x: sp.reduce_max(x), [0, 0, 1]),
        (lambda x: sp.to_dense(sp.transpose(x)) * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [1, 5, 4]),
        (lambda x: sp.to_dense(sp.concat(0, [x, x])), [2, 2, 2]),
        (lambda x: x * 2.0, [2, 2, 2]),
    ],
)
def test_gradients_flow_to_the_values(make: Callable[[Any], Any], gradient: list[float]) -> None:
    values = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(values)
        made = make(a.with_values(values))
        total = tf.reduce_sum(made.values if isinstance(made, tf.SparseTensor) else made)
    assert tape.gradient(total, values).numpy().tolist() == gradient


def test_a_dimension_is_added_where_the_rank_is_known_when_the_graph_runs() -> None:
    parts = tf.constant([[0, 1], [2, 3]], tf.int64), tf.constant([1.0, 2.0]), tf.constant([3, 4], tf.int64)
    vector = tf.TensorSpec([None], tf.int64)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int64), tf.TensorSpec([None]), vector])
    def widened(indices: tf.Tensor, values: tf.Tensor, shape: tf.Tensor) -> list[tf.Tensor]:
        value = tf.SparseTensor(indices, values, shape)
        return [tf.sparse.to_dense(tf.sparse.expand_dims(value, axis)) for axis in (None, 0, 1, -2)]

    dense = [t.numpy() for t in widened(*parts)]
    assert [t.shape for t in dense] == [(3, 4, 1), (1, 3, 4), (3, 1, 4), (3, 1, 4)]
    assert all(t.reshape(3, 4)[2, 3] == 2.0 and t.sum() == 3.0 for t in dense)
