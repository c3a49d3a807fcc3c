"""Jacobians row by row, batch by batch, and what they need to know of a target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.autodiff.jacobian import batch_jacobian, jacobian, one_hots


def test_cotangents_pick_one_element_each() -> None:
    picked = one_hots(tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64))
    assert [p.dtype for p in picked] == [tf.float64] * 4
    np.testing.assert_array_equal([p.numpy() for p in picked], np.eye(4).reshape(4, 2, 2))
    (scalar,) = one_hots(tf.constant(3.0))
    assert scalar.shape == [] and scalar.numpy() == 1
    assert one_hots(tf.constant(np.zeros((0, 2), np.float32))) == []


def test_a_pull_is_taken_per_element_and_stacked_per_source() -> None:
    matrix = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    seeds: list[Any] = []

    def pull(seed: Any) -> list[Any]:
        seeds.append(seed.numpy().tolist())
        return [tf.linalg.matvec(tf.constant(matrix.T), seed), None]

    whole, none = jacobian(pull, tf.constant([0.0, 0.0]))
    assert seeds == [[1, 0], [0, 1]] and none is None
    np.testing.assert_array_equal(whole, matrix)


def test_a_batch_takes_a_pull_per_element_of_a_row() -> None:
    source = tf.constant(np.arange(6.0).reshape(3, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(source)
        target = tf.stack([source[:, 0] * source[:, 1], source[:, 0] ** 2, source[:, 1]], axis=1)
    pulls = 0

    def pull(seed: Any) -> Any:
        nonlocal pulls
        pulls += 1
        return tape.gradient(target, source, seed)

    found = batch_jacobian(pull, target, source)
    want = [[[b, a], [2 * a, 0], [0, 1]] for a, b in source.numpy()]
    assert pulls == 3
    np.testing.assert_array_equal(found, want)
    np.testing.assert_array_equal(batch_jacobian(lambda seed: None, target, source), np.zeros(np.shape(want)))


def test_ranks_must_be_known_and_rows_equal() -> None:
    with tf.Graph().as_default():
        loose = tf.compat.v1.placeholder(tf.float32)
        with pytest.raises(ValueError, match="batch_jacobian needs a target and a source of known rank"):
            batch_jacobian(lambda seed: seed, loose, loose)
    with pytest.raises(ValueError, match="must have rank at least 2"):
        batch_jacobian(lambda seed: seed, tf.zeros([1, 1]), tf.constant([1.0]))
    with pytest.raises(ValueError, match=r"Need first dimension of target shape \(2, 1\) and source shape \(3, 1\)"):
        batch_jacobian(lambda seed: seed, tf.zeros([2, 1]), tf.zeros([3, 1]))


@pytest.mark.parametrize("dims", [[2, 3], [None, 3], [2, None], [None, None]])
def test_jacobians_of_what_has_no_known_shape(dims: list[int | None]) -> None:
    """FINDINGS F."""
    x = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)

    @tf.function(input_signature=[tf.TensorSpec(dims, tf.float32)])
    def found(x: Any) -> Any:
        unused = tf.constant(1.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, unused])
            y = x * x * tf.reduce_sum(x, 1, keepdims=True)
        whole, none = tape.jacobian(y, [x, unused])
        assert none is None
        return whole, tape.batch_jacobian(y, x), tf.hessians(tf.reduce_sum(y), x)[0]

    total = x.sum(1)
    rows = np.array([np.diag(2 * row * s) + row[:, None] ** 2 for row, s in zip(x, total, strict=True)])
    whole, batch, second = (t.numpy() for t in found(x))
    np.testing.assert_allclose(batch, rows, rtol=1e-5)
    assert whole.shape == second.shape == (2, 3, 2, 3)
    for i in range(2):
        np.testing.assert_allclose(whole[i, :, i], rows[i], rtol=1e-5)
        assert not whole[i, :, 1 - i].any()
        pairs = 2 * np.diag([total[i]] * 3) + 2 * (x[i][:, None] + x[i][None, :])
        np.testing.assert_allclose(second[i, :, i], pairs, rtol=1e-5)


def test_the_jacobian_of_nothing_is_empty() -> None:
    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.zeros([0]) * tf.reduce_sum(x)
        z = x[:, :0]
    assert tape.jacobian(y, x).shape == [0, 1, 2]
    assert tape.batch_jacobian(z, x).shape == [1, 0, 2]


def test_the_jacobian_in_a_graph_is_that_of_a_tape() -> None:
    x = np.array([[0.5, 1.0], [2.0, -1.0]], np.float32)

    def function(x: Any) -> Any:
        return tf.sin(x) * tf.reduce_sum(x)

    with tf.GradientTape() as tape:
        t = tf.constant(x)
        tape.watch(t)
        y = function(t)
    eager = tape.jacobian(y, t).numpy()

    @tf.function
    def traced(t: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(t)
            y = function(t)
        return tape.jacobian(y, t)

    np.testing.assert_allclose(traced(tf.constant(x)), eager, rtol=1e-6)
    assert eager.shape == (2, 2, 2, 2)
