"""Ragged batches of images resized to one size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

SIZES = ((2, 8), (3, 5))
IMAGES = [np.arange(h * w * 3, dtype=np.float32).reshape(h, w, 3) for h, w in SIZES]


def batch() -> Any:
    return tf.ragged.stack(IMAGES)


@pytest.mark.parametrize("resize", [tf.image.resize, tf.compat.v1.image.resize])
def test_each_image_of_a_ragged_batch_is_resized_by_itself(resize: Any) -> None:
    out = resize(batch(), (4, 4))
    assert out.shape == (2, 4, 4, 3)
    for row, image in zip(out, IMAGES, strict=True):
        np.testing.assert_allclose(row, resize(image, (4, 4)))


def test_a_traced_ragged_batch_may_be_empty_and_of_unknown_sizes() -> None:
    @tf.function(input_signature=[tf.RaggedTensorSpec([None, None, None, 3], ragged_rank=2)])
    def resized(images: Any) -> Any:
        out = tf.image.resize(images, (2, 2), "nearest")
        assert out.shape.as_list() == [None, 2, 2, 3]
        return out

    empty, one = (tf.RaggedTensor.from_tensor(tf.ones([n, 4, 4, 3]), ragged_rank=2) for n in (0, 1))
    assert resized(empty).shape == (0, 2, 2, 3)
    np.testing.assert_allclose(resized(one), np.ones([1, 2, 2, 3]))


def test_a_ragged_image_alone_and_sizes_of_their_own_are_refused() -> None:
    with pytest.raises(ValueError, match="rank must be 4"):
        tf.image.resize(tf.RaggedTensor.from_tensor(np.zeros([5, 5, 3])), [2, 2])
    with pytest.raises(ValueError, match="become of one size"):
        tf.image.resize(batch(), [2, 2], preserve_aspect_ratio=True)
