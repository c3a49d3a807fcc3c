"""Statistics of batches, and batches normalized by them, as networks use them."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.attributes import integer, wholes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, math, powers, reductions, tiling
from inlay._src.ops.image_checks import refusal
from inlay._src.ops.shaping import axis_of, ensure_shape

_LEAST_EPSILON = 1.001e-5
"""The least number that TensorFlow's kernels add to a variance."""


@export("nn.batch_normalization")
def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Tensor:
    """`scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`.

    Args:
      x: floating numbers.
      mean, variance: moments to normalize by; they broadcast against `x`.
      offset, scale: tensors that broadcast against `x`, or None.
      variance_epsilon: a small number that keeps the root from 0.
      name: the node's name.
    """
    with name_scope(name, "batchnorm"):
        x = math.float_tensor(x)
        variance = convert_to_tensor(variance, dtype_hint=x.dtype)
        inverse = powers.rsqrt(variance + math.number_of(variance_epsilon, variance))
        if scale is not None:
            inverse = inverse * scale
        moved = mean * inverse
        base = -moved if offset is None else offset - moved
        inverse, base = math.cast(inverse, x.dtype), math.cast(base, x.dtype)
        columns = columns_of_lines(x) if inverse.shape == base.shape == x.shape[-1:] else 1
        if columns == 1:
            return x * inverse + base
        inverse, base = tiling.tile(inverse, [columns]), tiling.tile(base, [columns])
        lines = array.reshape(x, [-1, columns * x.shape[-1]])
        return array.reshape(lines * inverse + base, array.shape(x))


def columns_of_lines(x: Tensor) -> int:
    """The number of columns of a large tensor that one line has, so that NumPy repeats a row of channels less often.

    It is 1 if the tensor is small, its shape is not known, or its rows are long.
    """
    sizes: list[Any] = x.shape.as_list() if x.shape.is_fully_defined() else []
    small = len(sizes) < 2 or prod(sizes) < TUNING.blocked_elements
    return 1 if small or sizes[-1] > TUNING.sum_short_row else int(sizes[-2])


@export("compat.v1.nn.fused_batch_norm")
def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: Any = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: Any = 1.0,
) -> tuple[Any, Any, Any]:
    """`scale * (x - mean) / sqrt(variance + epsilon) + offset` for each channel.

    Args:
      x: images or volumes, with channels last, or second if `data_format` begins with "NC".
      scale, offset: one float32 for each channel.
      mean, variance: one float32 for each channel: the moments to normalize by; while training the moving
        statistics.
      epsilon: a small number that keeps the root from 0; at least 1.001e-5.
      data_format: "NHWC", "NCHW", "NDHWC" or "NCDHW".
      is_training: whether to normalize by the mean and variance of `x`.
      name: names the operations.
      exponential_avg_factor: weight of the batch statistics of `x` in the moving ones; with 1 the moving ones are
        ignored.

    Returns:
      `(normalized, mean, variance)`: while training the new statistics, where a variance is that of the whole of which
      `x` is a sample (its sum is divided by `n - 1`); else those given.

    Raises:
      ValueError: if statistics are needed and missing.
    """
    if not is_training and (mean is None or variance is None):
        raise ValueError("fused_batch_norm with is_training=False normalizes by `mean` and `variance`: give both")
    with name_scope(name, "FusedBatchNorm"):
        x = convert_to_tensor(x)
        if x.shape.rank is None:
            x = ensure_shape(x, [None] * len(data_format))
        wide = math.cast(x, dtypes.float32) if x.dtype.size == 2 else x
        scale, offset = (convert_to_tensor(v, wide.dtype) for v in (scale, offset))
        channel = 1 if data_format.startswith("NC") else x.shape.rank - 1
        for each, what in ((scale, "scale"), (offset, "offset")):
            if not each.shape.is_compatible_with(x.shape[channel : channel + 1]):
                raise refusal(f"{what} must have one number for each channel of x, {x.shape}, got shape {each.shape}")
        axes = [axis for axis in range(x.shape.rank) if axis != channel]
        columns = columns_of_lines(wide) if channel == x.shape.rank - 1 else 1
        if not is_training:
            mean, variance = (convert_to_tensor(v, wide.dtype) for v in (mean, variance))
            columns = columns if mean.shape == variance.shape == x.shape[channel:] else 1
        lines = array.reshape(wide, [-1, columns * x.shape[-1]]) if columns > 1 else wide

        def along(values: Any) -> Any:
            return tiling.tile(values, [columns]) if columns > 1 else _along(values, wide, channel)

        if is_training:
            middle = reductions.reduce_mean(wide, axes)
            centered = lines - along(middle)
            squares = powers.square(centered)
            spread = reductions.reduce_mean(array.reshape(squares, x.shape) if columns > 1 else squares, axes)
            count = math.cast(division.floordiv(array.size(wide), array.size(middle)), wide.dtype)
            whole = spread * count / math.maximum(count - 1.0, 1.0)
            new = middle, whole
            if not (isinstance(exponential_avg_factor, (int, float)) and exponential_avg_factor == 1.0):
                if mean is None or variance is None:
                    raise ValueError("fused_batch_norm with exponential_avg_factor needs `mean` and `variance` so far")
                old = (convert_to_tensor(v, wide.dtype) for v in (mean, variance))
                new = tuple(a + (b - a) * exponential_avg_factor for a, b in zip(old, new, strict=True))  # type: ignore[assignment]
        else:
            middle, spread = new = mean, variance
            centered = None
        least = max(epsilon, _LEAST_EPSILON) if isinstance(epsilon, (int, float)) else epsilon
        factor, base = along(scale * powers.rsqrt(spread + least)), along(offset)
        if centered is None:  # last, so that all steps over the images follow each other and are fused
            center = along(middle)
            centered = lines - center
        y = centered * factor + base
        return math.cast(array.reshape(y, x.shape) if columns > 1 else y, x.dtype), *new


def _along(values: Any, x: Any, channel: int) -> Any:
    """One value for each channel, in a shape that broadcasts against `x`."""
    behind = x.shape.rank - 1 - channel
    return array.reshape(values, [-1] + [1] * behind) if behind else values


@export("nn.weighted_moments")
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The mean and the variance over `axes`, where each element counts as often as its weight says.

    Args:
      x: floating numbers.
      axes: a list of axes.
      frequency_weights: weights that broadcast against `x`.
      keepdims: whether reduced axes stay, with size 1.
      name: names the operations.

    Returns:
      `(mean, variance)`; 0 where the weights add up to 0.
    """
    with name_scope(name, "weighted_moments"):
        x = convert_to_tensor(x)
        wide = math.cast(x, dtypes.float32) if x.dtype.size == 2 else x
        weights = math.cast(frequency_weights, wide.dtype)
        total = reductions.reduce_sum(weights + array.zeros_like(wide), axes, True)
        mean = division.divide_no_nan(reductions.reduce_sum(weights * wide, axes, True), total)
        gaps = reductions.reduce_sum(weights * powers.squared_difference(wide, mean), axes, True)
        variance = division.divide_no_nan(gaps, total)
        if not keepdims:
            mean, variance = (array.squeeze(v, axes) for v in (mean, variance))
        return math.cast(mean, x.dtype), math.cast(variance, x.dtype)


weighted_moments_v1: Any = export("compat.v1.nn.weighted_moments")(
    another_form(
        weighted_moments,
        "x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None",
        keep_dims="keepdims",
    )
)


@export("nn.sufficient_statistics")
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Any, Any, Any, Any]:
    """The statistics from which `normalize_moments` computes mean and variance.

    Args:
      x: a tensor.
      axes: a list of axes.
      shift: a number near the mean, for digits; None is 0.
      keepdims: whether reduced axes stay, with size 1.
      name: names the operations.

    Returns:
      The number of summed elements; the sum of `x - shift`; that of its squares; and `shift`.
    """
    with name_scope(name, "sufficient_statistics"):
        x = convert_to_tensor(x, name="x")
        if not isinstance(axes, (list, tuple)):
            raise TypeError(f"Expected list for 'axes' argument, not {axes!r}.")
        axes, rank = wholes(axes, "axes", integer), x.shape.rank
        if rank is not None:
            axes = sorted({axis_of(axis, rank) for axis in axes})
        sizes = [None if rank is None else x.shape.as_list()[axis] for axis in axes]
        if None in sizes:
            count = math.cast(reductions.reduce_prod([array.shape(x)[axis] for axis in axes]), x.dtype)
        else:
            count = convert_to_tensor(np.prod(sizes), x.dtype)  # type: ignore[arg-type]
        moved, squares = x, powers.square(x)
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            moved, squares = x - shift, powers.squared_difference(x, shift)
        sums = (reductions.reduce_sum(v, axes, keepdims) for v in (moved, squares))
        return count, *sums, shift  # type: ignore[return-value]


sufficient_statistics_v1: Any = export("compat.v1.nn.sufficient_statistics")(
    another_form(
        sufficient_statistics,
        "x, axes, shift=None, keep_dims=None, name=None, keepdims=None",
        keep_dims="keepdims",
    )
)


@export("nn.normalize_moments")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Mean and variance of what `sufficient_statistics` gives.

    Args:
      counts: number of summed elements.
      mean_ss, variance_ss: the sums.
      shift: shift that was subtracted before; None is 0.
      name: names the operations.

    Returns:
      `(mean, variance)`.
    """
    with name_scope(name, "normalize"):
        one = division.real_divide(powers.one_like(convert_to_tensor(counts)), counts)
        moved = math.multiply(mean_ss, one)
        mean = moved if shift is None else moved + shift
        return mean, math.multiply(variance_ss, one) - powers.square(moved)


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`batch_normalization` of images.

    Args:
      input: images, [batch, rows, columns, channels].
      mean, variance: the moments of the channels, vectors.
      beta: an offset for each channel.
      gamma: a scale for each channel.
      variance_epsilon: a small number that keeps the root from 0.
      scale_after_normalization: whether `gamma` is used.
      name: the node's name.
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


batch_norm_with_global_normalization_v1: Any = export("compat.v1.nn.batch_norm_with_global_normalization")(
    another_form(
        batch_norm_with_global_normalization,
        "t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None, scale_after_normalization=None, "
        "name=None, input=None, mean=None, variance=None",
        "batch_norm_with_global_normalization",
        t="input",
        m="mean",
        v="variance",
    )
)
