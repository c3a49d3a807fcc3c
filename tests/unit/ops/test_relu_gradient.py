"""The gradient of `relu` chooses bits: what it leaves out is 0 whatever it is, what it lets pass is unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.ops.activations import relu_grad

ODD = [np.inf, -np.inf, np.nan, -0.0, 1.5, -2.0]


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
@pytest.mark.parametrize("shape", [(6, 6), (36,), (2, 3, 6)])
def test_what_does_not_pass_is_zero_and_what_passes_keeps_its_bits(shape: tuple[int, ...], dtype: Any) -> None:
    kind = dtype.as_numpy_dtype
    gradients = np.tile(np.array(ODD, kind), 6).reshape(shape)
    features = np.repeat(np.array(ODD, kind), 6).reshape(shape)
    got = relu_grad(tf.constant(gradients), tf.constant(features)).numpy()
    with np.errstate(invalid="ignore"):
        expected = np.where(features > 0, gradients, kind(0))
    assert got.dtype == expected.dtype
    assert got.tobytes() == expected.tobytes()


def test_arrays_in_another_order_and_numbers() -> None:
    gradients, features = np.arange(6.0).reshape(2, 3).T, np.array([[1.0, -1.0], [0.0, 2.0], [np.nan, 3.0]])
    got = relu_grad.opdef.kernel(np, gradients, features)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(got, [[0.0, 0.0], [0.0, 4.0], [0.0, 5.0]])
    assert got.flags.c_contiguous
    assert float(relu_grad(3.0, 2.0)) == 3.0
    assert float(relu_grad(np.inf, -2.0)) == 0.0


def test_the_gradient_of_a_large_array_is_that_of_its_parts() -> None:
    features = np.random.default_rng(0).standard_normal(200_000).astype(np.float32)
    x = tf.constant(features)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.nn.relu(x) * 3.0)
    np.testing.assert_array_equal(tape.gradient(y, x).numpy(), np.where(features > 0, np.float32(3), np.float32(0)))
