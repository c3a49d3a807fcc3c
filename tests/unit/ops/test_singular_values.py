"""Gradients of singular value decompositions, which are those of the decomposition that was given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


def _slope(function: Any, at: np.ndarray, along: np.ndarray) -> float:
    step = 1e-6
    return float(function(tf.constant(at + step * along)) - function(tf.constant(at - step * along))) / (2 * step)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
@pytest.mark.parametrize(
    ("shape", "full"), [((3, 3), True), ((4, 3), True), ((2, 3, 4), True), ((4, 3), False), ((2, 3, 5), False)]
)
def test_the_gradient_agrees_with_finite_differences(shape: tuple[int, ...], dtype: Any, full: bool) -> None:
    draws = np.random.RandomState(7)
    at, along = draws.normal(size=(2, *shape)).astype(dtype)
    if dtype is np.complex128:
        at, along = (1 + 2j) * at, along + 1j * at
    weights = draws.normal(size=(2, 8, 8))

    def phase_free(x: Any) -> Any:
        s, u, v = tf.linalg.svd(x, full_matrices=full)
        sums = [
            tf.reduce_sum(tf.abs(m) ** 2 * w[: m.shape[-2], : m.shape[-1]])
            for m, w in zip((u, v), weights, strict=True)
        ]
        k = s.shape[-1]
        joined = tf.linalg.matmul(u[..., :k] * tf.cast(s[..., None, :] ** 2, dtype), v[..., :k], adjoint_b=True)
        return tf.add_n([*sums, tf.reduce_sum(s * weights[0, 0, :k]), tf.reduce_sum(tf.math.real(joined))])

    with tf.GradientTape() as tape:
        tape.watch(x := tf.constant(at))
        y = phase_free(x)
    gradient = tape.gradient(y, x).numpy()
    assert np.sum(np.conj(gradient) * along).real == pytest.approx(_slope(phase_free, at, along), rel=1e-5)


def test_the_gradient_of_singular_values_is_the_product_of_the_vectors() -> None:
    x = tf.constant(np.array([[1.2, 0.3], [-0.4, 1.5], [0.7, 0.2]]))
    u, _, vh = np.linalg.svd(x.numpy(), full_matrices=False)
    for values in (lambda: tf.linalg.svd(x)[0], lambda: tf.linalg.svd(x, compute_uv=False)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            s = values()
        np.testing.assert_allclose(tape.gradient(s, x), u @ vh, atol=1e-12)


def test_vectors_of_the_value_zero_have_no_gradient() -> None:
    with tf.GradientTape() as tape:
        tape.watch(x := tf.ones([4, 2]))
        u = tf.linalg.svd(x, full_matrices=True)[1]
    with pytest.raises(NotImplementedError, match="differ by 1 at most"):
        tape.gradient(u, x)
