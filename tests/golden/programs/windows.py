"""Windows over images, volumes and sequences: convolution, pooling, dilation, responses; with gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import rows

_PADDINGS = ("SAME", "VALID")


def _numbers(tf: Any, *shape: int) -> Any:
    return tf.constant((np.arange(int(np.prod(shape))) * 7 % 13 - 6.0).reshape(shape) / 4, tf.float32)


def _with_gradients(tf: Any, function: Any, *inputs: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        made = function(*inputs)
        total = tf.reduce_sum(made * made)
    return [made, *tape.gradient(total, inputs)]


@rows(*_PADDINGS)
def convolution_of_volumes(tf: Any, padding: str) -> Any:
    x, w = _numbers(tf, 1, 3, 4, 3, 2), _numbers(tf, 2, 2, 1, 2, 3)
    back = tf.nn.conv3d_transpose(tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], padding), w, x.shape, [1, 1, 2, 1, 1], padding)
    return [back, *_with_gradients(tf, lambda x, w: tf.nn.conv3d(x, w, [1, 1, 2, 1, 1], padding), x, w)]


@rows(*_PADDINGS)
def pooling_of_volumes_and_sequences(tf: Any, padding: str) -> Any:
    x, s = _numbers(tf, 1, 3, 4, 3, 2), _numbers(tf, 2, 5, 2)
    return [
        _with_gradients(tf, lambda x: tf.nn.max_pool3d(x, 2, [1, 1, 2, 1, 1], padding), x),
        _with_gradients(tf, lambda x: tf.nn.avg_pool3d(x, [1, 2, 1, 2, 1], 1, padding), x),
        tf.nn.max_pool(x, 2, 2, padding), tf.nn.avg_pool(s, 2, 1, padding),
        tf.nn.max_pool1d(s, 3, 2, padding), tf.nn.avg_pool1d(s, [2], [2], padding),
    ]  # fmt: skip


@rows(*_PADDINGS)
def convolutions_made_of_others(tf: Any, padding: str) -> Any:
    x, w = _numbers(tf, 1, 5, 4, 2), _numbers(tf, 2, 2, 2, 3)
    s, v = _numbers(tf, 1, 5, 2), _numbers(tf, 2, 2, 3)
    one = tf.nn.conv1d(s, v, 2, padding)
    return [
        _with_gradients(tf, lambda x, w: tf.nn.atrous_conv2d(x, w, 2, padding), x, w),
        tf.nn.atrous_conv2d_transpose(tf.nn.atrous_conv2d(x, w, 2, padding), w, [1, 5, 4, 2], 2, padding),
        tf.nn.separable_conv2d(x, w, _numbers(tf, 1, 1, 6, 2), [1, 1, 1, 1], padding),
        tf.nn.conv1d_transpose(one, v, [1, 5, 2], 2, padding), tf.nn.convolution(s, v, 2, padding),
        tf.nn.conv_transpose(one, v, [1, 5, 2], 2, padding),
    ]  # fmt: skip


def more_batch_dimensions_than_one(tf: Any) -> Any:
    x = _numbers(tf, 2, 3, 4, 4, 1)
    s = _numbers(tf, 2, 2, 5, 1)
    return [tf.nn.conv2d(x, _numbers(tf, 2, 2, 1, 1), 1, "VALID"), tf.nn.conv1d(s, _numbers(tf, 2, 1, 2), 1, "SAME")]


@rows(False, True)
def where_the_greatest_stand(tf: Any, whole: bool) -> Any:
    x = _numbers(tf, 2, 4, 5, 2)
    made = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME", include_batch_in_index=whole)
    one = tf.compat.v1.nn.max_pool_with_argmax(x, [1, 2, 3, 1], [1, 1, 2, 1], "VALID", output_dtype=tf.int32)
    return [*made, *one]


def the_greatest_of_groups_of_channels(tf: Any) -> Any:
    x = _numbers(tf, 1, 2, 3, 6)
    return tf.nn.max_pool2d(x, [1, 1, 1, 3], [1, 1, 1, 3], "SAME")


@rows(*_PADDINGS)
def dilation_and_erosion(tf: Any, padding: str) -> Any:
    x, w = _numbers(tf, 1, 5, 4, 2), _numbers(tf, 2, 3, 2)
    four = {"strides": [1, 2, 1, 1], "padding": padding, "data_format": "NHWC", "dilations": [1, 1, 2, 1]}
    if padding == "VALID":
        four["dilations"] = [1, 2, 1, 1]
    return [
        _with_gradients(tf, lambda x, w: tf.nn.dilation2d(x, w, **four), x, w),
        _with_gradients(tf, lambda x, w: tf.nn.erosion2d(x, w, **four), x, w),
        tf.compat.v1.nn.erosion2d(x, w, [1, 1, 1, 1], [1, 1, 1, 1], padding),
    ]


def responses_beside_neighbours(tf: Any) -> Any:
    x = _numbers(tf, 1, 2, 3, 5)
    plain = tf.nn.local_response_normalization(x)
    return [plain, *_with_gradients(tf, lambda x: tf.nn.lrn(x, 2, 1.5, 0.3, 0.75), x)]


@rows((False, False), (True, False), (False, True), (True, True))
def windows_of_two_sizes(tf: Any, how: Any) -> Any:
    x, ratios = _numbers(tf, 2, 7, 6, 2), [1.0, 1.4, 1.7, 1.0]
    mean, rows_at, columns_at = tf.nn.fractional_avg_pool(x, ratios, *how, seed=5)
    most = tf.nn.fractional_max_pool(x, ratios, *how, seed=5)[0]
    again = tf.nn.fractional_avg_pool(x, ratios, *how, seed=5)[0]
    return [
        mean.shape,
        most.shape,
        rows_at.dtype,
        rows_at[0],
        rows_at[-1],
        columns_at[-1],
        tf.reduce_all(mean == again),
    ]


@rows([0.5, 2.0], [3.0, 1.0], [1.0, 8.0])
def fractions_that_cannot_be(tf: Any, ratios: Any) -> Any:
    try:
        tf.nn.fractional_avg_pool(
            _numbers(tf, 1, 4, 4, 1), [1.0, *ratios, 1.0] if ratios[0] != 3 else [3.0, 1.0, 1.0, 1.0]
        )
    except (ValueError, tf.errors.InvalidArgumentError, tf.errors.UnimplementedError) as error:
        return isinstance(error, tf.errors.UnimplementedError)
    return None
