"""Batches normalized by their moments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING

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


@pytest.mark.parametrize(
    "how",
    [{}, {"is_training": False}, {"exponential_avg_factor": 0.3}, {"is_training": False, "data_format": "NCHW"}],
    ids=str,
)
def test_large_batches_are_normalized_in_lines(how: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    rand = np.random.default_rng(4)
    images = (3, 5, 7, 4) if "data_format" not in how else (3, 4, 5, 7)
    scale, offset, mean, variance = (rand.random(4, np.float32) + 0.5 for _ in range(4))
    statistics = {} if not how else {"mean": mean, "variance": variance}

    def results() -> list[Any]:
        x = tf.constant(np.random.default_rng(5).standard_normal(images, np.float32))
        parameters = [x, tf.constant(scale), tf.constant(offset)]
        with tf.GradientTape() as tape:
            tape.watch(parameters)
            normalized = tf.compat.v1.nn.fused_batch_norm(*parameters, **statistics, **how)
            loss = tf.reduce_sum(normalized[0] ** 3) + tf.reduce_sum(normalized[1] * normalized[2])
            moments = tf.nn.moments(x, [0, 1, 2])
            other = tf.nn.batch_normalization(x, *moments, 1.0, 2.0, 1e-3)
            loss += tf.reduce_sum(other**3)
        return [*normalized, other, *tape.gradient(loss, parameters)]

    small = results()
    monkeypatch.setattr(TUNING, "blocked_elements", 0)
    for one, large in zip(small, results(), strict=True):
        assert one.shape == large.shape
        np.testing.assert_allclose(large, one, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.complex64])
@pytest.mark.parametrize("shape", [(400, 3), (5, 70, 7), (3, 512), (2, 600), (40, 1), (0, 4), (7, 0)], ids=str)
def test_short_rows_are_added_side_by_side(shape: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(6).integers(-9, 9, shape).astype(dtype)
    monkeypatch.setattr(TUNING, "blocked_elements", 0)
    axes = list(range(len(shape) - 1))
    for keepdims in (False, True):
        total = tf.reduce_sum(x, axes, keepdims).numpy()
        np.testing.assert_array_equal(total, np.sum(x, tuple(axes), dtype, keepdims=keepdims))
        assert total.dtype == dtype
    np.testing.assert_array_equal(tf.reduce_sum(x[..., ::-1], axes), np.sum(x, tuple(axes), dtype)[..., ::-1])
