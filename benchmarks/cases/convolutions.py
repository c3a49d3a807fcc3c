"""Convolutions, pools and normalized batches through a session: sizes of networks, and their neighbors.

The rows are measured as those of `arrays` are. A gradient in the filters is an op of its own, fed with the gradient of
the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases.arrays import Program, combinations, programs_built

CONVOLUTION, DEPTHWISE, POOL, NORMALIZED = 0.9, 0.8, 0.8, 0.9

Inputs = Callable[[np.random.Generator], list[np.ndarray]]


def _drawn(*shapes: tuple[int, ...], dtype: Any = np.float32) -> Inputs:
    return lambda rand: [rand.standard_normal(shape).astype(dtype) for shape in shapes]


def _convolution(
    name: str,
    images: tuple[int, ...],
    filters: tuple[int, ...],
    step: int = 1,
    dilation: int = 1,
    dtype: Any = np.float32,
    gradient: bool = True,
) -> Program:
    function = {3: "conv1d", 4: "conv2d", 5: "conv3d"}[len(images)]
    strides: Any = step if len(images) < 5 else [1, step, step, step, 1]
    return Program(
        name,
        _title(function, images, filters, step, dtype) + (f", points {dilation} apart" if dilation > 1 else ""),
        _drawn(images, filters, dtype=dtype),
        lambda tf, x, w: getattr(tf.nn, function)(x, w, strides, "SAME", dilations=dilation if dilation > 1 else None),
        gradient,
        CONVOLUTION,
    )


def _filters_gradient(
    name: str, images: tuple[int, ...], filters: tuple[int, ...], step: int = 1, dtype: Any = np.float32
) -> Program:
    outs = (images[0], *(-(-side // step) for side in images[1:3]), filters[-1])
    return Program(
        f"{name}_filters_gradient",
        f"gradient in the filters of {_title('conv2d', images, filters, step, dtype)}",
        _drawn(images, outs, dtype=dtype),
        lambda tf, x, dy: tf.compat.v1.nn.conv2d_backprop_filter(x, filters, dy, [1, step, step, 1], "SAME"),
        goal=CONVOLUTION,
    )


def _depthwise(
    name: str,
    images: tuple[int, ...],
    side: int = 3,
    each: int = 1,
    step: int = 1,
    dtype: Any = np.float32,
    gradient: bool = True,
) -> Program:
    filters = (side, side, images[-1], each)
    return Program(
        name,
        _title("depthwise conv2d", images, filters, step, dtype),
        _drawn(images, filters, dtype=dtype),
        lambda tf, x, w: tf.nn.depthwise_conv2d(x, w, [1, step, step, 1], "SAME"),
        gradient,
        DEPTHWISE,
    )


def _depthwise_filters(name: str, images: tuple[int, ...], step: int = 1) -> Program:
    filters = (3, 3, images[-1], 1)
    outs = (images[0], *(-(-n // step) for n in images[1:3]), images[-1])
    return Program(
        f"{name}_filters_gradient",
        f"gradient in the filters of {_title('depthwise conv2d', images, filters, step)}",
        _drawn(images, outs),
        lambda tf, x, dy: tf.nn.depthwise_conv2d_backprop_filter(x, filters, dy, [1, step, step, 1], "SAME"),
        goal=DEPTHWISE,
    )


def _pool(
    name: str,
    images: tuple[int, ...],
    side: int,
    step: int,
    kind: str = "max_pool2d",
    dtype: Any = np.float32,
    gradient: bool = True,
) -> Program:
    return Program(
        name,
        f"{kind} of {_sizes(images)}, windows of {side}, steps of {step}" + _of_type(dtype),
        _drawn(images, dtype=dtype),
        lambda tf, x: getattr(tf.nn, kind)(x, side, step, "SAME"),
        gradient,
        POOL,
    )


def _fused(name: str, images: tuple[int, ...], training: bool = True) -> Program:
    def body(tf: Any, x: Any, scale: Any, offset: Any) -> Any:
        statistics = {} if training else {"mean": offset, "variance": scale * scale}
        return tf.compat.v1.nn.fused_batch_norm(x, scale, offset, is_training=training, **statistics)[0]

    channels = (images[-1],)
    return Program(
        name,
        f"{name.replace('_', ' ')} of {_sizes(images)}",
        _drawn(images, channels, channels),
        body,
        True,
        NORMALIZED,
    )


def _moments(name: str, images: tuple[int, ...]) -> Program:
    def body(tf: Any, x: Any, scale: Any, offset: Any) -> Any:
        mean, variance = tf.nn.moments(x, list(range(x.shape.rank - 1)))
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)

    channels = (images[-1],)
    return Program(
        name,
        f"{name.replace('_', ' ')} of {_sizes(images)}",
        _drawn(images, channels, channels),
        body,
        True,
        NORMALIZED,
    )


def _title(function: str, images: tuple[int, ...], filters: tuple[int, ...], step: int, dtype: Any = np.float32) -> str:
    steps = f", steps of {step}" if step > 1 else ""
    return f"{function} of {_sizes(images)} by {_sizes(filters)}{steps}{_of_type(dtype)}"


def _of_type(dtype: Any) -> str:
    return "" if dtype is np.float32 else f", {np.dtype(dtype)}"


def _sizes(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


PROGRAMS = (
    _convolution("conv2d_28", (8, 28, 28, 128), (3, 3, 128, 128)),
    _convolution("conv2d_one", (1, 56, 56, 64), (3, 3, 64, 64)),
    _convolution("conv2d_many", (32, 28, 28, 32), (3, 3, 32, 64)),
    _convolution("conv2d_step_2", (8, 56, 56, 64), (3, 3, 64, 128), step=2),
    _convolution("conv2d_dilation_2", (8, 28, 28, 64), (3, 3, 64, 64), dilation=2, gradient=False),  # absent there
    _convolution("conv2d_float64", (8, 28, 28, 32), (3, 3, 32, 32), dtype=np.float64),
    _convolution("conv2d_points", (8, 28, 28, 128), (1, 1, 128, 256), gradient=False),
    _convolution("conv2d_colors", (8, 112, 112, 3), (7, 7, 3, 32), step=2, gradient=False),
    _filters_gradient("conv2d", (8, 64, 64, 16), (3, 3, 16, 16)),
    _filters_gradient("conv2d_28", (8, 28, 28, 128), (3, 3, 128, 128)),
    _filters_gradient("conv2d_one", (1, 56, 56, 64), (3, 3, 64, 64)),
    _filters_gradient("conv2d_many", (32, 28, 28, 32), (3, 3, 32, 64)),
    _filters_gradient("conv2d_step_2", (8, 56, 56, 64), (3, 3, 64, 128), step=2),
    _filters_gradient("conv2d_float64", (8, 28, 28, 32), (3, 3, 32, 32), dtype=np.float64),
    _filters_gradient("conv2d_colors", (8, 112, 112, 3), (7, 7, 3, 32), step=2),
    _convolution("conv1d", (8, 1024, 64), (5, 64, 64)),
    _convolution("conv3d", (2, 16, 32, 32, 16), (3, 3, 3, 16, 16)),
    _convolution("conv3d_step_2", (2, 16, 32, 32, 16), (3, 3, 3, 16, 32), step=2, gradient=False),
    _depthwise("depthwise", (8, 56, 56, 64)),
    _depthwise("depthwise_one", (1, 112, 112, 32)),
    _depthwise("depthwise_many", (32, 14, 14, 256), gradient=False),
    _depthwise("depthwise_step_2", (8, 56, 56, 64), step=2),
    _depthwise("depthwise_5", (8, 28, 28, 128), side=5, gradient=False),
    _depthwise("depthwise_each_2", (8, 28, 28, 64), each=2),
    _depthwise("depthwise_float64", (8, 28, 28, 64), dtype=np.float64, gradient=False),
    _depthwise_filters("depthwise", (8, 56, 56, 64)),
    _depthwise_filters("depthwise_step_2", (8, 56, 56, 64), step=2),
    _pool("max_pool_3", (8, 56, 56, 64), 3, 2),
    _pool("max_pool_3_step_1", (8, 28, 28, 64), 3, 1),
    _pool("max_pool_many", (32, 28, 28, 64), 2, 2),
    _pool("max_pool_float64", (8, 56, 56, 32), 2, 2, dtype=np.float64, gradient=False),
    _pool("avg_pool_3", (8, 56, 56, 64), 3, 2, "avg_pool2d"),
    _fused("fused_batch_norm", (8, 56, 56, 64)),
    _fused("fused_batch_norm_inference", (8, 56, 56, 64), training=False),
    _moments("batch_normalization", (8, 56, 56, 64)),
)

COMBINATIONS = combinations(PROGRAMS)
CASES = programs_built(COMBINATIONS)
