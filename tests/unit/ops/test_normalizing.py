"""Batches normalized by their moments."""

from __future__ import annotations

import numpy as np
import pytest

import inlay as tf

v1 = tf.compat.v1


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_small_spreads_about_a_large_mean_keep_their_digits(data_format: str, is_training: bool) -> None:
    """As in TensorFlow's kernel, values are centered before they are scaled: 512 * factor would cancel."""
    shape, axes = ((2, 2, 3, 2), (0, 1, 2)) if data_format == "NHWC" else ((2, 2, 2, 3), (0, 2, 3))
    steps = np.arange(1, 7, dtype=np.float32) / 1024
    one = np.concatenate([-steps, steps]).reshape(2, 1, 2, 3)  # float32 holds 512 + one, and their sum
    gaps = np.broadcast_to(one.reshape(2, 2, 3, 1) if data_format == "NHWC" else one, shape)
    variance = float((steps.astype(np.float64) ** 2).mean())
    moments = {} if is_training else {"mean": tf.fill([2], 512.0), "variance": tf.fill([2], variance)}
    y, _, _ = v1.nn.fused_batch_norm(
        512 + gaps, tf.ones(2), tf.zeros(2), data_format=data_format, is_training=is_training, **moments
    )
    assert (512 + gaps).mean(axes).tolist() == [512, 512]
    np.testing.assert_allclose(y.numpy(), gaps / np.sqrt(variance + 0.001), rtol=1e-6)
