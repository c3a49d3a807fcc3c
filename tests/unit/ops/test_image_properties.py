"""Images: laws that hold for any image, whatever its type and size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import inlay as tf

SIDES = st.integers(1, 5)
FLOATS = hnp.arrays(
    np.float32, st.tuples(st.integers(1, 2), SIDES, SIDES, st.just(3)), elements=st.floats(0, 1, width=32)
)
BYTES = hnp.arrays(np.uint8, st.tuples(SIDES, SIDES, st.just(3)))
ANY = FLOATS | BYTES


@given(ANY)
def test_turning_and_mirroring_is_numpys(image: Any) -> None:
    rows, columns = image.ndim - 3, image.ndim - 2
    np.testing.assert_array_equal(tf.image.flip_left_right(image), np.flip(image, columns))
    np.testing.assert_array_equal(tf.image.flip_up_down(image), np.flip(image, rows))
    np.testing.assert_array_equal(tf.image.transpose(image), np.swapaxes(image, rows, columns))
    for k in range(-1, 5):
        np.testing.assert_array_equal(tf.image.rot90(image, k), np.rot90(image, k, (rows, columns)))


@given(ANY, st.integers(1, 7), st.integers(1, 7))
def test_cropping_or_padding_to_a_size_keeps_the_middle_and_comes_back(image: Any, height: int, width: int) -> None:
    got = tf.image.resize_with_crop_or_pad(image, height, width)
    assert got.dtype.name == image.dtype.name and list(got.shape[-3:-1]) == [height, width]
    h, w = image.shape[-3:-1]
    if height >= h and width >= w:
        back = tf.image.resize_with_crop_or_pad(got, h, w)
        np.testing.assert_array_equal(back, image)
        assert np.sum(got, dtype=np.float64) == pytest.approx(np.sum(image, dtype=np.float64), rel=1e-5, abs=1e-5)


@given(ANY, st.data())
def test_a_box_is_a_slice_and_padding_puts_it_back(image: Any, data: Any) -> None:
    h, w = image.shape[-3:-1]
    top, left = data.draw(st.integers(0, h - 1)), data.draw(st.integers(0, w - 1))
    height, width = data.draw(st.integers(1, h - top)), data.draw(st.integers(1, w - left))
    part = tf.image.crop_to_bounding_box(image, top, left, height, width)
    np.testing.assert_array_equal(part, image[..., top : top + height, left : left + width, :])
    put = tf.image.pad_to_bounding_box(part, top, left, h, w)
    kept = np.zeros_like(image)
    kept[..., top : top + height, left : left + width, :] = part
    np.testing.assert_array_equal(put, kept)


@settings(max_examples=30)
@given(FLOATS)
@example(np.float32([[[[0, 1e-45, 1e-45]]]]))  # the inverse of a subnormal range is infinite
def test_colors_come_back_through_hue_and_saturation(image: Any) -> None:
    hsv = tf.image.rgb_to_hsv(image)
    assert np.all((hsv.numpy() >= 0) & (hsv.numpy() <= 1))
    np.testing.assert_allclose(tf.image.hsv_to_rgb(hsv), image, atol=1e-5)
    np.testing.assert_allclose(hsv.numpy()[..., 2], image.max(-1), atol=1e-6)
    np.testing.assert_allclose(tf.image.adjust_saturation(image, 1.0), image, atol=1e-5)
    np.testing.assert_allclose(tf.image.adjust_hue(image, 1.0), image, atol=1e-4)


@settings(max_examples=30)
@given(BYTES)
def test_bytes_come_back_through_floats(image: Any) -> None:
    floats = tf.image.convert_image_dtype(image, tf.float32)
    np.testing.assert_allclose(floats, image / np.float32(255), rtol=1e-6)
    np.testing.assert_array_equal(tf.image.convert_image_dtype(floats, tf.uint8), image)
    np.testing.assert_array_equal(tf.image.adjust_brightness(image, 0.0), image)
    np.testing.assert_array_equal(tf.image.adjust_contrast(image, 1.0), image)


@pytest.mark.parametrize("method", ["bilinear", "nearest", "bicubic", "area", "lanczos3", "gaussian", "mitchellcubic"])
@settings(max_examples=8)
@given(value=st.floats(0, 1, width=32), height=SIDES, width=SIDES)
def test_one_color_stays_one_color(method: str, value: float, height: int, width: int) -> None:
    image = np.full((1, 3, 4, 1), value, np.float32)
    got = tf.image.resize(image, [height, width], method)
    np.testing.assert_allclose(got, np.full((1, height, width, 1), value), atol=1e-5)


@settings(max_examples=20)
@given(FLOATS)
def test_standardized_images_have_mean_zero(image: Any) -> None:
    got = tf.image.per_image_standardization(image).numpy()
    assert np.all(np.abs(got.mean((-3, -2, -1))) < 1e-3) and np.all(got.std((-3, -2, -1)) < 1.01)


@settings(max_examples=20)
@given(FLOATS)
def test_an_image_equals_itself_without_limit(image: Any) -> None:
    assert np.all(np.isinf(tf.image.psnr(image, image, 1.0).numpy()))
    constant = np.broadcast_to(image[:, :1, :1], image.shape)
    np.testing.assert_array_equal(tf.image.total_variation(constant), np.zeros(len(image)))
