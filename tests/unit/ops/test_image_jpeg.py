"""Images with the losses of JPEG files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

IMAGE = (np.arange(16 * 16 * 3).reshape(16, 16, 3) % 251).astype(np.uint8)


@pytest.mark.parametrize("quality", [10, 95])
def test_it_is_the_image_of_a_file(quality: int) -> None:
    adjusted = tf.image.adjust_jpeg_quality(IMAGE, quality)
    np.testing.assert_array_equal(adjusted, tf.io.decode_jpeg(tf.io.encode_jpeg(IMAGE, quality=quality)))
    floats = tf.image.adjust_jpeg_quality(IMAGE / np.float32(255), tf.constant(quality))
    np.testing.assert_allclose(floats, adjusted.numpy() / 255, atol=1e-6)
    assert tf.image.adjust_jpeg_quality(IMAGE[:, :, :1], quality).shape == [16, 16, 1]


def test_its_quality_may_be_of_a_run() -> None:
    adjusted = tf.function(tf.image.adjust_jpeg_quality)
    np.testing.assert_array_equal(adjusted(IMAGE, tf.constant(10)), tf.image.adjust_jpeg_quality(IMAGE, 10))


def test_random_qualities() -> None:
    every = [tf.image.adjust_jpeg_quality(IMAGE, q).numpy().tobytes() for q in range(40, 45)]
    tf.random.set_seed(1)
    drawn = {tf.image.random_jpeg_quality(IMAGE, 40, 45).numpy().tobytes() for _ in range(20)}
    assert len(drawn) > 1 and drawn <= set(every)
    one, other = (tf.image.stateless_random_jpeg_quality(IMAGE, 40, 45, (1, 2)).numpy() for _ in range(2))
    assert one.tobytes() == other.tobytes() in every


@pytest.mark.parametrize("bounds", [(-1, 5), (5, 101), (5, 5), (9, 5)])
def test_ranges_that_are_none_are_refused(bounds: Any) -> None:
    with pytest.raises(ValueError, match="jpeg"):
        tf.image.random_jpeg_quality(IMAGE, *bounds)
    with pytest.raises(ValueError, match="jpeg"):
        tf.image.stateless_random_jpeg_quality(IMAGE, *bounds, (1, 2))


@pytest.mark.parametrize("quality", [-1, 101])
def test_a_quality_that_is_none_is_refused(quality: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="quality must be in"):
        tf.image.adjust_jpeg_quality(IMAGE, quality)
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank"):
        tf.image.adjust_jpeg_quality(IMAGE[None], 50)


def test_an_image_without_channels_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match=r"must have rows, columns and channels, got shape \(\)"):
        tf.image.adjust_jpeg_quality(tf.constant(1.0), 75)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"got shape <unknown>; set_shape tells"):
        tf.image.adjust_jpeg_quality(tf.compat.v1.placeholder(tf.float32), 75)
