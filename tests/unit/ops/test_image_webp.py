"""WebP images are decoded, all of their frames."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

import inlay as tf

PIXELS = np.random.default_rng(0).integers(0, 256, (8, 8, 3)).astype(np.uint8)


def webp(*frames: np.ndarray, **how: Any) -> bytes:
    images = pytest.importorskip("PIL.Image")
    if not pytest.importorskip("PIL.features").check("webp"):
        pytest.skip("this Pillow reads no WebP")
    out = io.BytesIO()
    first, *rest = [images.fromarray(frame) for frame in frames]
    how |= {"save_all": True, "append_images": rest} if rest else {}
    first.save(out, "WEBP", lossless=True, **how)
    return out.getvalue()


def test_webp_images_have_frames() -> None:
    np.testing.assert_array_equal(tf.io.decode_webp(webp(PIXELS)).numpy(), PIXELS[None])
    moving = tf.io.decode_webp(webp(PIXELS, 255 - PIXELS, duration=100), channels=3)
    np.testing.assert_array_equal(moving.numpy(), np.stack([PIXELS, 255 - PIXELS]))
    with_alpha = np.dstack([PIXELS, PIXELS[:, :, :1] | 1])
    np.testing.assert_array_equal(tf.image.decode_webp(webp(with_alpha)).numpy(), with_alpha[None])
    traced = tf.function(lambda data: tf.io.decode_webp(data, 3))
    assert traced.get_concrete_function(tf.TensorSpec([], tf.string)).output_shapes.as_list() == [None, None, None, 3]


@pytest.mark.parametrize(
    ("channels", "message"), [(1, "only supports 3 or 4 channels"), (4, "Number of channels requested does not match")]
)
def test_webp_images_keep_their_channels(channels: int, message: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.decode_webp(webp(PIXELS), channels=channels)


def test_damaged_webp_images_are_refused() -> None:
    data = webp(PIXELS)
    for damaged in (b"", data[:20], data[: len(data) // 2], b"RIFF" + data[4:12] + bytes(40), tf.io.encode_png(PIXELS)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid WebP data"):
            tf.io.decode_webp(damaged)


def test_a_large_webp_image_in_few_bytes_is_refused() -> None:
    import struct

    from inlay._src.ops import image_webp

    data = webp(np.zeros((64, 64, 3), np.uint8))
    place = data.index(b"VP8L") + 9
    (header,) = struct.unpack("<I", data[place : place + 4])
    claimed = header & ~0x0FFFFFFF | 16382 | 16382 << 14
    with pytest.raises(tf.errors.InvalidArgumentError, match="claims to have|Invalid WebP data"):
        tf.io.decode_webp(data[:place] + struct.pack("<I", claimed) + data[place + 4 :])
    assert image_webp._ALWAYS < 16383**2
