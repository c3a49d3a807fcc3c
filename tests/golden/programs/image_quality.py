"""How alike images are, their edges and colours, with gradients, shapes and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows

_RNG = np.random.RandomState(2)
_ONE = _RNG.rand(2, 24, 21, 3).astype(np.float32)
_OTHER = np.clip(_ONE + 0.2 * _RNG.randn(2, 24, 21, 3), 0, 1).astype(np.float32)


def _differentiated(tf: Any, call: Any) -> Any:
    x = tf.constant(_ONE)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
        loss = tf.reduce_sum(y)
    spec = tf.TensorSpec([None, None, None, 3], tf.float32)
    return [y, tf.reduce_sum(tf.abs(tape.gradient(loss, x)), [1, 2]), tf.function(call, input_signature=[spec])(x)]


def structural_similarity(tf: Any) -> Any:
    s = tf.image.ssim
    whole = (np.round(_ONE * 255).astype(np.uint8), np.round(_OTHER * 255).astype(np.uint8))
    return [
        _differentiated(tf, lambda x: s(x, _OTHER, 1.0)), s(*whole, 255), s(_ONE, _ONE, 1.0),
        s(_ONE, _OTHER, 1.0, filter_size=5, filter_sigma=2.0, k1=0.02, k2=0.05),
        s(_ONE, _OTHER, 1.0, filter_size=7, return_index_map=True).shape, s(_ONE[0], _OTHER[0], 1.0),
        s(_ONE[:, None], _OTHER[None, :1], 1.0), refused(lambda: s(_ONE, _OTHER[:, :20], 1.0)),
        refused(lambda: s(_ONE, _OTHER[:, :, :, :2], 1.0)), refused(lambda: s(_ONE, _OTHER, 1.0, filter_size=30)),
        refused(lambda: s(_ONE[0, 0], _OTHER[0, 0], 1.0)), tf.image.psnr(_ONE, _OTHER, 1.0),
    ]  # fmt: skip


def similarity_on_several_scales(tf: Any) -> Any:
    s = tf.image.ssim_multiscale
    return [
        _differentiated(tf, lambda x: s(x, _OTHER, 1.0, (0.4, 0.6), filter_size=7)),
        s(_ONE, _OTHER, 1.0, (0.2, 0.3, 0.5), filter_size=3), refused(lambda: s(_ONE, _OTHER, 1.0)),
        s(np.tile(_ONE, [1, 9, 9, 1]), np.tile(_OTHER, [1, 9, 9, 1]), 1.0),
    ]  # fmt: skip


def edges(tf: Any) -> Any:
    x = tf.constant(_ONE[:, :4, :5])
    down, right = tf.image.image_gradients(x)
    traced = tf.function(tf.image.sobel_edges).get_concrete_function(tf.TensorSpec([None, 4, None, 3]))
    return [
        down, right, tf.image.sobel_edges(x), tf.image.image_gradients(tf.cast(x * 255, tf.int32))[0],
        traced.outputs[0].shape, refused(lambda: tf.image.image_gradients(x[0])),
    ]  # fmt: skip


@rows("yuv", "yiq")
def colours_by_brightness(tf: Any, space: str) -> Any:
    there, back = getattr(tf.image, f"rgb_to_{space}"), getattr(tf.image, f"{space}_to_rgb")
    found = there(_ONE[:, :2, :2])
    return [found, back(found), there(tf.constant(_ONE[0, 0], tf.float64)), found.shape]
