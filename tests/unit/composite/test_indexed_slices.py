"""IndexedSlices: the gradients of lookups, and what takes them. Values as TensorFlow 2.21 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1
START = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
ROWS, DENSE = "rows", "dense"

LOOKUPS: list[tuple[Callable[[Any], Any], str, Any, Any]] = [
    (lambda p: tf.gather(p, [0, 2, 0]), ROWS, [0, 2, 0], [[1, 1], [1, 1], [1, 1]]),
    (lambda p: tf.gather(p, [[0, 2], [0, 1]]), ROWS, [0, 2, 0, 1], [[1, 1]] * 4),
    (lambda p: tf.gather(p, 1), ROWS, [1], [[1, 1]]),
    (lambda p: tf.nn.embedding_lookup(p, [2, 2, 1]), ROWS, [2, 2, 1], [[1, 1]] * 3),
    (lambda p: 2.0 * tf.gather(p, [0, 2, 0]), ROWS, [0, 2, 0], [[2, 2]] * 3),
    (lambda p: tf.gather(tf.identity(p), [0]), ROWS, [0], [[1, 1]]),
    (lambda p: tf.gather(p, [1], axis=1), DENSE, None, [[0, 1], [0, 1], [0, 1]]),
    (lambda p: tf.gather(p, [[0], [1], [0]], batch_dims=1), DENSE, None, [[1, 0], [0, 1], [1, 0]]),
    (lambda p: tf.gather(2.0 * p, [0, 2, 0]), DENSE, None, [[4, 4], [0, 0], [2, 2]]),
    (lambda p: tf.reduce_sum(tf.gather(p, [0])) + tf.reduce_sum(p), DENSE, None, [[2, 2], [1, 1], [1, 1]]),
    (lambda p: tf.gather_nd(p, [[0, 1]]), DENSE, None, [[0, 1], [0, 0], [0, 0]]),
]


def told(grad: Any) -> tuple[str, Any, Any]:
    if isinstance(grad, (tf.IndexedSlices, v1.IndexedSlicesValue)):
        parts = [np.asarray(p).tolist() for p in (grad.indices, grad.values, grad.dense_shape)]
        assert parts.pop() == [3, 2]
        return ROWS, parts[0], parts[1]
    return DENSE, None, np.asarray(grad).tolist()


@pytest.mark.parametrize(("look_up", "kind", "indices", "values"), LOOKUPS)
@pytest.mark.parametrize("source", [tf.constant, tf.Variable])
@pytest.mark.parametrize("times", [1, 3])
def test_tapes(look_up: Any, kind: str, indices: Any, values: Any, source: Any, times: int) -> None:
    """FINDINGS D: the gradient of gather. A structure that comes back is differentiated by written code."""
    x = source(START)
    for _ in range(times):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = look_up(x)
        assert told(tape.gradient(y, x)) == (kind, indices, values)


@pytest.mark.parametrize(("look_up", "kind", "indices", "values"), LOOKUPS)
def test_functions_and_graphs(look_up: Any, kind: str, indices: Any, values: Any) -> None:
    variable = tf.Variable(START)

    @tf.function
    def slope() -> Any:
        with tf.GradientTape() as tape:
            y = look_up(variable)
        return tape.gradient(y, variable)

    assert told(slope()) == (kind, indices, values)
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [3, 2])
        (grad,) = tf.gradients(look_up(x), [x])
        assert isinstance(grad, tf.IndexedSlices) == (kind == ROWS)
        assert told(session.run(grad, {x: START})) == (kind, indices, values)


def test_two_lookups_give_the_rows_of_both() -> None:
    x = tf.Variable(START)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(x, [0])) + tf.reduce_sum(tf.gather(x, [0, 1]) * 2.0)
    grad = tape.gradient(y, x)
    assert isinstance(grad, tf.IndexedSlices) and sorted(grad.indices.numpy().tolist()) == [0, 0, 1]
    assert tf.convert_to_tensor(grad).numpy().tolist() == [[3, 3], [2, 2], [0, 0]]


def test_second_derivatives_and_jacobians() -> None:
    x = tf.Variable(START)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(tf.gather(x, [0, 2, 0]) ** 3)
        slope = tf.convert_to_tensor(inner.gradient(y, x))
        total = tf.reduce_sum(slope * slope)
    found = tf.convert_to_tensor(outer.gradient(total, x)).numpy().tolist()
    assert found == [[144, 1152], [0, 0], [4500, 7776]]
    with tf.GradientTape() as tape:
        y = tf.gather(x, [2, 0])
    assert tape.jacobian(y, x).shape == [2, 2, 3, 2]


EXPECTED: dict[str, Any] = {
    "GradientDescent": [[-2.0, -3.0], [0.0, 0.0], [-0.5, -1.0]],
    "Momentum": [[-2.0, -3.0], [-0.45, -0.45], [-0.5, -1.0]],
    "Nesterov": [[-4.7, -6.6], [-1.305, -1.305], [-1.85, -2.8]],
    "Adagrad": [[0.50069, 0.50039], [0.17824, 0.17824], [0.50275, 0.50156]],
    "RMSProp": [[-0.41421, -0.48047], [0.0, 0.0], [-0.11803, -0.26491]],
    "Centered": [[-0.47442, -0.54997], [-0.0118, -0.0118], [-0.14708, -0.30744]],
    "Adam": [[-0.094, -0.094], [0.1987, 0.1987], [-0.094, -0.094]],
}
MAKE: dict[str, Callable[[], Any]] = {
    "GradientDescent": lambda: v1.train.GradientDescentOptimizer(0.5),
    "Momentum": lambda: v1.train.MomentumOptimizer(0.5, 0.9),
    "Nesterov": lambda: v1.train.MomentumOptimizer(0.5, 0.9, use_nesterov=True),
    "Adagrad": lambda: v1.train.AdagradOptimizer(0.5),
    "RMSProp": lambda: v1.train.RMSPropOptimizer(0.5),
    "Centered": lambda: v1.train.RMSPropOptimizer(0.5, centered=True),
    "Adam": lambda: v1.train.AdamOptimizer(0.5),
}


@pytest.mark.parametrize("name", MAKE)
def test_optimizers_change_the_rows_that_were_looked_up(name: str) -> None:
    weights = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    with tf.Graph().as_default(), v1.Session() as session:
        w = tf.Variable(np.ones((3, 2), np.float32))
        optimizer = MAKE[name]()
        first = optimizer.minimize(tf.reduce_sum(tf.gather(w, [0, 2, 0]) * weights), var_list=[w])
        second = optimizer.minimize(tf.reduce_sum(tf.gather(w, [1])), var_list=[w])
        session.run(v1.global_variables_initializer())
        for step in (first, second, second):
            session.run(step)
        # TensorFlow's RMSProp takes epsilon inside the root of float32 differently by some units in the last place.
        np.testing.assert_allclose(session.run(w), EXPECTED[name], atol=2e-4)
    eager, optimizer = tf.Variable(np.ones((3, 2), np.float32)), MAKE[name]()
    optimizer.minimize(lambda: tf.reduce_sum(tf.gather(eager, [0, 2, 0]) * weights))
    for _ in range(2):
        optimizer.minimize(lambda: tf.reduce_sum(tf.gather(eager, [1])))
    np.testing.assert_allclose(eager.numpy(), EXPECTED[name], atol=2e-4)


def test_optimizers_take_slices_without_a_dense_shape() -> None:
    """FINDINGS F: IndexedSlices without dense_shape."""
    w = tf.Variable(np.zeros((3, 2), np.float32))
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([2, 0]))
    v1.train.GradientDescentOptimizer(1.0).apply_gradients([(rows, w)])
    assert w.numpy().tolist() == [[-3, -4], [0, 0], [-1, -2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices = 7 is not in \[0, 3\)"):
        outside = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([7]))
        v1.train.MomentumOptimizer(1.0, 0.9).apply_gradients([(outside, w)])


def test_subclasses_that_know_dense_gradients_only_get_those() -> None:
    seen: list[Any] = []

    class Own(v1.train.Optimizer):
        def _apply_dense(self, grad: Any, var: Any) -> Any:
            seen.append(grad.numpy().tolist())
            return var.assign_sub(grad)

    w = tf.Variable(np.zeros((3, 2), np.float32))
    rows = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([2, 2]))
    Own(False, "own").apply_gradients([(rows, w)])
    assert seen == [[[0, 0], [0, 0], [4, 6]]] and w.numpy().tolist() == [[0, 0], [0, 0], [-4, -6]]


def test_clipping_keeps_slices() -> None:
    whole = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([2, 0]), tf.constant([3, 2]))
    rows = tf.IndexedSlices(whole.values, whole.indices)
    np.testing.assert_allclose(tf.linalg.global_norm([whole, rows]), 7.745967, rtol=1e-6)
    (one, two), _ = tf.clip_by_global_norm([whole, rows], 1.0)
    np.testing.assert_allclose(one.values, [[0.1290994, 0.2581989], [0.3872983, 0.5163978]], rtol=1e-6)
    assert two.dense_shape is None and two.indices.numpy().tolist() == [2, 0]
    np.testing.assert_allclose(
        tf.clip_by_norm(whole, 1.0).values, [[0.182574, 0.365148], [0.547723, 0.730297]], rtol=1e-5
    )
    assert tf.clip_by_value(whole, 0.0, 2.0).values.numpy().tolist() == [[1, 2], [2, 2]]
    assert (rows.shape.rank, whole.shape.as_list()) == (None, [3, 2])


@pytest.mark.parametrize("first", [True, False])
def test_branches_may_have_indices_of_two_dtypes(first: bool) -> None:
    @tf.function
    def f(p: Any) -> Any:
        wide = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1], tf.int64), tf.constant([4, 3]))
        narrow = tf.IndexedSlices(2.0 * tf.ones([1, 3]), tf.constant([2], tf.int32), tf.constant([4, 3]))
        return tf.cond(p, lambda: wide, lambda: narrow)

    slices = f(tf.constant(first))
    assert slices.indices.dtype is tf.int64
    assert slices.indices.numpy().tolist() == ([0, 1] if first else [2])
    assert tf.convert_to_tensor(slices).numpy().sum() == 6.0


def test_a_cast_keeps_the_rows_apart() -> None:
    slices = tf.IndexedSlices(tf.constant([[1], [2], [3]]), tf.constant([1, 1, 2]), tf.constant([4, 1]))
    for dtype in (tf.int32, tf.float32):
        result = tf.cast(slices, dtype)
        assert isinstance(result, tf.IndexedSlices) and result.dtype is dtype
        assert result.values.numpy().tolist() == [[1], [2], [3]] and result.indices.numpy().tolist() == [1, 1, 2]
