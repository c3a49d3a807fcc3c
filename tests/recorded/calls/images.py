"""Calls of functions of images."""

from __future__ import annotations

import numpy as np

from tests.recorded.draws import Call, Draws, Given, calls


def image(d: Draws, channels: int = 3, kind: str = "") -> Given:
    batch = (2,) if d.chance(0.4) else ()
    name = kind or d.pick("float32", "float32", "uint8", "float64", "float16")
    high = 255.0 if name == "uint8" else 1.0
    return d.given(np.dtype(name), (*batch, d.whole(1, 5), d.whole(1, 5), channels), 0.0, high, odd=False)


@calls("image.flip_left_right image.flip_up_down image.transpose image.rot90 image.rgb_to_grayscale", single=True)
def plain(d: Draws) -> Call:
    return d.call(image(d))


@calls("image.rgb_to_hsv image.hsv_to_rgb", loose=10, single=True)
def color_space(d: Draws) -> Call:
    return d.call(image(d, kind=d.pick("float32", "float64")), order=0)


@calls("image.grayscale_to_rgb")
def grayscale(d: Draws) -> Call:
    return d.call(image(d, 1))


@calls("image.rot90:times")
def rot90(d: Draws) -> Call:
    return d.call(image(d), k=d.whole(-1, 5))


@calls("image.adjust_brightness", loose=10, single=True)
def brightness(d: Draws) -> Call:
    return d.call(image(d), d.pick(0.1, -0.3), order=1)


@calls("image.adjust_contrast", loose=20, single=True)
def contrast(d: Draws) -> Call:
    return d.call(image(d), d.pick(0.5, 2.0), order=0)


@calls("image.adjust_saturation", loose=20, single=True)
def saturation(d: Draws) -> Call:
    return d.call(image(d), d.pick(0.5, 2.0), order=0)


@calls("image.adjust_hue", loose=20, single=True)
def hue(d: Draws) -> Call:
    return d.call(image(d), d.pick(0.1, -0.3), order=0)


@calls("image.adjust_gamma", loose=10, single=True)
def gamma(d: Draws) -> Call:
    return d.call(image(d), gamma=d.optional(0.5, 2.0), gain=d.optional(2.0), order=0)


@calls("image.convert_image_dtype")
def convert(d: Draws) -> Call:
    name = d.pick("uint8", "int16", "uint16", "float32", "float64", "int8")
    high = {"uint8": 255.0, "int16": 32767.0, "uint16": 65535.0, "int8": 127.0}.get(name, 1.0)
    x = d.given(np.dtype(name), (*d.shape(0, 1), 2), 0.0, high, odd=False)
    return d.call(
        x, d.pick("uint8", "int16", "float32", "float64", "uint16"), saturate=d.optional(True, False), order=0
    )


@calls("image.central_crop")
def central_crop(d: Draws) -> Call:
    return d.call(image(d), d.pick(0.5, 1.0, 0.3), order=1)


@calls("image.crop_to_bounding_box")
def crop(d: Draws) -> Call:
    x = image(d)
    h, w = x.array.shape[-3:-1]
    top, left = d.whole(0, h - 1), d.whole(0, w - 1)
    return d.call(x, top, left, d.whole(1, h - top), d.whole(1, w - left + (1 if d.chance(0.05) else 0)))


@calls("image.pad_to_bounding_box")
def pad(d: Draws) -> Call:
    x = image(d)
    return d.call(x, d.whole(0, 2), d.whole(0, 2), d.whole(5, 8), d.whole(5, 8))


@calls("image.resize_with_crop_or_pad")
def crop_or_pad(d: Draws) -> Call:
    return d.call(image(d), d.whole(1, 7), d.whole(1, 7))


@calls("image.resize", loose=50, single=True)
def resize(d: Draws) -> Call:
    method = d.optional("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic")
    x = image(d, d.whole(1, 3))
    return d.call(x, [d.whole(1, 7), d.whole(1, 7)], method=method, antialias=d.optional(True), order=1)


@calls("image.resize_with_pad", loose=50, single=True)
def resize_with_pad(d: Draws) -> Call:
    return d.call(image(d), d.whole(2, 7), d.whole(2, 7), order=1)


@calls("image.per_image_standardization", loose=20, single=True)
def standardization(d: Draws) -> Call:
    return d.call(image(d), order=1)


@calls("image.total_variation")
def total_variation(d: Draws) -> Call:
    return d.call(image(d, kind="float32"), order=1)


@calls("image.psnr", loose=20, single=True)
def psnr(d: Draws) -> Call:
    x = image(d)
    y = d.given(x.array.dtype, x.array.shape, 0.0, float(x.array.max()) + 0.1, odd=False)
    return d.call(x, y, 255 if x.array.dtype == np.uint8 else 1.0, order=0)


@calls("image.crop_and_resize", loose=20)
def crop_and_resize(d: Draws) -> Call:
    x = d.given(np.dtype("float32"), (2, d.whole(2, 5), d.whole(2, 5), 1), 0.0, 1.0, odd=False)
    boxes = np.sort(d.random.random_sample((d.whole(0, 3), 2, 2)), axis=1).reshape(-1, 4).astype(np.float32)
    return d.call(
        x, Given(boxes), d.given(np.dtype("int32"), boxes.shape[:1], 0, 1), [d.whole(1, 3), d.whole(1, 3)],
        method=d.optional("bilinear", "nearest"), order=0,
    )  # fmt: skip


@calls("image.non_max_suppression")
def non_max_suppression(d: Draws) -> Call:
    n = d.whole(0, 4)
    boxes = np.sort(d.random.random_sample((n, 2, 2)), axis=1).reshape(-1, 4).astype(np.float32)
    scores = Given(d.random.permutation(n).astype(np.float32) / 5)
    return d.call(
        Given(boxes),
        scores,
        d.whole(1, 3),
        iou_threshold=d.optional(0.2, 0.7),
        score_threshold=d.optional(0.3),
        order=0,
    )


@calls("image.stateless_random_brightness image.stateless_random_hue", loose=50, single=True)
def random_one(d: Draws) -> Call:
    return d.call(image(d), 0.2, seed=[d.whole(0, 99), 3], order=0)


@calls("image.stateless_random_contrast image.stateless_random_saturation", loose=50, single=True)
def random_range(d: Draws) -> Call:
    return d.call(image(d), 0.5, 1.5, seed=[d.whole(0, 99), 3], order=0)


@calls("image.stateless_random_flip_left_right image.stateless_random_flip_up_down")
def random_flip(d: Draws) -> Call:
    return d.call(image(d), seed=[d.whole(0, 99), 3], order=0)


@calls("image.stateless_random_crop")
def random_crop(d: Draws) -> Call:
    x = image(d)
    size = [*x.array.shape[:-3], d.whole(1, x.array.shape[-3]), d.whole(1, x.array.shape[-2]), 3]
    return d.call(x, size, seed=[d.whole(0, 99), 3], order=0)


@calls(
    "compat.v1.image.resize_bilinear compat.v1.image.resize_nearest_neighbor compat.v1.image.resize_bicubic", loose=50
)
def first_resize(d: Draws) -> Call:
    x = d.given(np.dtype("float32"), (2, 3, 4, 1), 0.0, 1.0, odd=False)
    return d.call(x, [d.whole(1, 6), d.whole(1, 6)], align_corners=d.optional(True, False), order=1)


@calls("image.rgb_to_yiq image.rgb_to_yuv image.yiq_to_rgb image.yuv_to_rgb", loose=10, single=True)
def other_color_space(d: Draws) -> Call:
    return d.call(image(d, kind=d.pick("float32", "float64")), order=0)


@calls("image.sobel_edges image.image_gradients", loose=10)
def edges(d: Draws) -> Call:
    return d.call(d.given(np.dtype("float32"), (2, d.whole(2, 4), d.whole(2, 4), 1), 0.0, 1.0, odd=False), order=0)


@calls("image.ssim", loose=50, single=True)
def ssim(d: Draws) -> Call:
    x, y = (d.given(np.dtype("float32"), (1, 12, 12, 1), 0.0, 1.0, odd=False) for _ in "xy")
    return d.call(x, y, 1.0, order=0)


@calls("compat.v1.image.resize_area compat.v1.image.resize_images", loose=50)
def more_of_first_resize(d: Draws) -> Call:
    x = d.given(np.dtype("float32"), (2, 3, 4, 1), 0.0, 1.0, odd=False)
    return d.call(x, [d.whole(1, 6), d.whole(1, 6)], align_corners=d.optional(True, False), order=0)
