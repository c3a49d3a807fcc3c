"""Numbers rounded to those that few bits can hold, as floats: the arithmetic of quantization-aware training."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.base.types.shapes import Dims, merge
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import same
from inlay._src.core.signature import OneOf
from inlay._src.core.tensor import Tensor
from inlay._src.ops import math

# ---------------------------------------------------------------- ranges that contain zero


def _levels(num_bits: int, narrow_range: bool) -> tuple[float, float]:
    """The smallest and the greatest whole number of that many bits."""
    if not 2 <= num_bits <= 16:
        raise ValueError(f"num_bits must be between 2 and 16, inclusive, got {num_bits}")
    return float(narrow_range), float(2**num_bits - 1)


def _nudged(xp: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> tuple[Any, Any, Any, Any]:
    """The ends of a range moved so that zero is one of its steps, the length of a step, and how many are below zero.

    Args:
      xp: NumPy or JAX.
      low, high: the ends, float32.
      num_bits: the steps are numbered with that many bits.
      narrow_range: whether their numbers start at 1.
    """
    first, last = (xp.asarray(level, xp.float32) for level in _levels(num_bits, narrow_range))
    step = (high - low) / (last - first)
    zero = first - low / xp.where(step == 0, xp.asarray(1, xp.float32), step)
    zero = xp.clip(xp.floor(zero + xp.asarray(0.5, xp.float32)), first, last)
    return (first - zero) * step, (last - zero) * step, step, zero - first


def _rounded(xp: Any, inputs: Any, low: Any, high: Any, num_bits: int, narrow_range: bool) -> Any:
    """The nearest steps of a range; zeros where both ends are zero."""
    bottom, top, step, below = _nudged(xp, low, high, num_bits, narrow_range)
    steps = (xp.clip(inputs, bottom, top) - bottom) / xp.where(step == 0, xp.asarray(1, xp.float32), step)
    rounded = (xp.floor(steps + xp.asarray(0.5, xp.float32)) - below) * step
    return xp.where((low == 0) & (high == 0), xp.asarray(0, xp.float32), rounded).astype(xp.float32)


def _sides(xp: Any, gradients: Any, inputs: Any, low: Any, high: Any, bits: int, narrow: bool) -> tuple[Any, Any, Any]:
    """The gradients below, inside and above a range; all of them inside where both ends are zero."""
    bottom, top, *_ = _nudged(xp, low, high, bits, narrow)
    empty, zero = (low == 0) & (high == 0), xp.zeros_like(gradients)
    below, above = (inputs < bottom) & ~empty, (inputs > top) & ~empty
    return xp.where(below, gradients, zero), xp.where(below | above, zero, gradients), xp.where(above, gradients, zero)


def _fixed_ends(xp: Any, low: float, high: float) -> tuple[Any, Any]:
    if not low < high:
        raise ValueError(f"min has to be smaller than max, was: {low} >= {high}")
    return xp.asarray(low, xp.float32), xp.asarray(high, xp.float32)


@op(
    "FakeQuantWithMinMaxArgsGradient",
    "gradients:float32, inputs:float32 -> float32",
    infer=lambda s: [merge(*s.dims)],
)
@export("quantization.fake_quant_with_min_max_args_gradient", "compat.v1.fake_quant_with_min_max_args_gradient")
def fake_quant_with_min_max_args_gradient(xp, gradients, inputs, *, min=-6.0, max=6.0, num_bits=8, narrow_range=False):
    """The gradient of `fake_quant_with_min_max_args`: that of the result inside of the range, else 0."""
    return _sides(xp, gradients, inputs, *_fixed_ends(xp, min, max), num_bits, narrow_range)[1]


@op(
    "FakeQuantWithMinMaxArgs",
    "inputs:float32 -> float32",
    infer=same,
    vjp=lambda op, dy: fake_quant_with_min_max_args_gradient(dy, op.inputs[0], **op.attrs),
)
@export("quantization.fake_quant_with_min_max_args", "compat.v1.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(xp, inputs, *, min=-6.0, max=6.0, num_bits=8, narrow_range=False):
    """The nearest of `2 ** num_bits` steps from `min` to `max`, which are moved so that zero is a step."""
    low, high = _fixed_ends(xp, min, max)
    bottom, top, step, below = _nudged(xp, low, high, num_bits, narrow_range)
    first, last = _levels(num_bits, narrow_range)
    steps = (xp.clip(inputs, bottom, top) - bottom) * (xp.asarray(last - first, xp.float32) / (high - low))
    return ((xp.floor(steps + xp.asarray(0.5, xp.float32)) - below) * step).astype(xp.float32)


def _with_channels(inputs: Dims, ends: Dims) -> Dims:
    """The shape of inputs whose last axis has one size with both ends."""
    if inputs is None or ends is None:
        return inputs
    if not inputs:
        raise ValueError("Shape must be at least rank 1 but is rank 0: inputs")
    return (*inputs[:-1], *(merge(inputs[-1:], ends) or ()))


def _sums(xp: Any, parts: tuple[Any, Any, Any], ends: Any) -> tuple[Any, Any, Any]:
    """The gradients of the inputs and of both ends."""
    below, inside, above = parts
    axes = tuple(range(inside.ndim - np.ndim(ends)))
    return inside, xp.sum(below, axis=axes, dtype=xp.float32), xp.sum(above, axis=axes, dtype=xp.float32)


def _check_channels(inputs: Any, *ends: Any) -> None:
    for end in ends:
        if np.ndim(inputs) < 1 or np.shape(end) != np.shape(inputs)[-1:]:
            raise ValueError(
                "min and max have incorrect size, expected that of the last axis of the inputs, got "
                f"{np.shape(end)} and {np.shape(inputs)}"
            )


_ENDS = "inputs:float32, min:float32, max:float32"
_GRADIENTS = f"gradients:float32, {_ENDS} -> float32, float32, float32"


@op(
    "FakeQuantWithMinMaxVarsGradient",
    _GRADIENTS,
    ranks={"min": 0, "max": 0},
    infer=lambda s: [merge(s.dims[0], s.dims[1]), (), ()],
)
@export("quantization.fake_quant_with_min_max_vars_gradient", "compat.v1.fake_quant_with_min_max_vars_gradient")
def fake_quant_with_min_max_vars_gradient(xp, gradients, inputs, min, max, *, num_bits=8, narrow_range=False):
    """The gradients of `fake_quant_with_min_max_vars`: of the inputs inside of the range, of its ends beyond them."""
    return _sums(xp, _sides(xp, gradients, inputs, min, max, num_bits, narrow_range), min)


@op(
    "FakeQuantWithMinMaxVars",
    f"{_ENDS} -> float32",
    ranks={"min": 0, "max": 0},
    infer=lambda s: [s.dims[0]],
    vjp=lambda op, dy: tuple(fake_quant_with_min_max_vars_gradient(dy, *op.inputs, **op.attrs)),
)
@export("quantization.fake_quant_with_min_max_vars", "compat.v1.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(xp, inputs, min, max, *, num_bits=8, narrow_range=False):
    """The nearest of `2 ** num_bits` steps from `min` to `max`, scalars, which are moved so that zero is a step."""
    return _rounded(xp, inputs, min, max, num_bits, narrow_range)


@op(
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    _GRADIENTS,
    ranks={"min": 1, "max": 1},
    infer=lambda s: [merge(s.dims[0], _with_channels(s.dims[1], s.dims[2])), s.dims[2], s.dims[3]],
)
@export(
    "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
    "compat.v1.fake_quant_with_min_max_vars_per_channel_gradient",
)
def fake_quant_with_min_max_vars_per_channel_gradient(
    xp, gradients, inputs, min, max, *, num_bits=8, narrow_range=False
):
    """As `fake_quant_with_min_max_vars_gradient`, with ends for each place in the last axis."""
    _check_channels(inputs, min, max)
    return _sums(xp, _sides(xp, gradients, inputs, min, max, num_bits, narrow_range), min)


@op(
    "FakeQuantWithMinMaxVarsPerChannel",
    f"{_ENDS} -> float32",
    ranks={"min": 1, "max": 1},
    infer=lambda s: [_with_channels(s.dims[0], merge(s.dims[1], s.dims[2]))],
    vjp=lambda op, dy: tuple(fake_quant_with_min_max_vars_per_channel_gradient(dy, *op.inputs, **op.attrs)),
)
@export("quantization.fake_quant_with_min_max_vars_per_channel", "compat.v1.fake_quant_with_min_max_vars_per_channel")
def fake_quant_with_min_max_vars_per_channel(xp, inputs, min, max, *, num_bits=8, narrow_range=False):
    """As `fake_quant_with_min_max_vars`, with a range for each place in the last axis: `min` and `max` are vectors."""
    _check_channels(inputs, min, max)
    return _rounded(xp, inputs, min, max, num_bits, narrow_range)


# ---------------------------------------------------------------- ranges around zero


def _along(xp: Any, ends: Any, rank: int, axis: int) -> Any:
    """Ends shaped so that they stand along an axis; a scalar as it is."""
    return ends if axis < 0 else xp.reshape(ends, [-1 if at == axis else 1 for at in range(rank)])


def _scaled(xp: Any, low: Any, high: Any, first: int, last: int) -> tuple[Any, Any, Any, Any]:
    """(scale, its inverse, both ends): the greatest scale at which a range fits into the numbers `first` to `last`."""
    dtype = low.dtype
    one, most = xp.asarray(1, dtype), xp.asarray(dtypes.as_dtype(dtype).max, dtype)
    number, end = xp.asarray(first, dtype), xp.asarray(last, dtype)
    safe_low, safe_high = (xp.where(value == 0, one, value) for value in (low, high))
    from_low = xp.where(number * low > 0, number / safe_low, most)
    from_high = xp.where(end * high > 0, end / safe_high, most)
    by_low = from_low < from_high
    scale = xp.where(by_low, from_low, from_high)
    inverse = xp.where(by_low, low / (number if first else one), high / end)
    return scale, inverse, xp.where(by_low, low, number * inverse), xp.where(by_low, end * inverse, high)


def _signed_levels(signed: bool, bits: int, narrow: bool) -> tuple[int, int]:
    """The smallest and the greatest number of that many bits."""
    if not 1 <= bits - signed <= 62:
        raise ValueError(f"num_bits is out of range: {bits} with signed_input {signed}")
    return (narrow - 2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)


def _check_range(values: Any, low: Any, high: Any, axis: int) -> None:
    if axis >= np.ndim(values):
        raise ValueError(f"Shape must be at least rank {axis + 1} but is rank {np.ndim(values)}")
    if axis < -1:
        raise ValueError(f"axis should be at least -1, got {axis}")
    wanted = () if axis < 0 else (np.shape(values)[axis],)
    if np.shape(low) != wanted or np.shape(high) != wanted:
        raise ValueError(f"input_min and input_max must have shape {wanted}, got {np.shape(low)} and {np.shape(high)}")


@op(
    "QuantizeAndDequantizeV4Grad",
    "gradients:T, input:T, input_min:T, input_max:T -> T, T, T",
    types=FLOATS,
    infer=lambda s: [merge(s.dims[0], s.dims[1]), s.dims[2], s.dims[3]],
)
def _quantize_gradient(xp, gradients, input, input_min, input_max, *, axis=-1):
    """The gradients of the input inside of the range; those of its ends are zero."""
    low, high = (_along(xp, end, input.ndim, axis) for end in (input_min, input_max))
    inside = (input >= low) & (input <= high)
    return xp.where(inside, gradients, xp.zeros_like(gradients)), xp.zeros_like(input_min), xp.zeros_like(input_max)


@op(
    "QuantizeAndDequantizeV4",
    "input:T, input_min:T, input_max:T -> T",
    types=FLOATS,
    infer=lambda s: [s.dims[0]],
    vjp=lambda op, dy: tuple(_quantize_gradient(dy, *op.inputs, axis=op.attrs["axis"])),
    attrs={"round_mode": OneOf(("HALF_TO_EVEN", "HALF_UP"))},
    lower=REFUSES_VALUES,
)
def _quantize(
    xp, input, input_min, input_max, *, signed_input=True, num_bits=8, range_given=False,
    round_mode="HALF_TO_EVEN", narrow_range=False, axis=-1,
):  # fmt: skip
    """The nearest numbers that few bits can hold, scaled to a range."""
    first, last = _signed_levels(signed_input, num_bits, narrow_range)
    _check_range(input, input_min, input_max, axis)
    low, high = input_min, input_max
    if not range_given:
        others = tuple(at for at in range(input.ndim) if at != axis)
        low, high = xp.min(input, axis=others), xp.max(input, axis=others)
    elif xp is np and (low > high).any():
        raise ValueError(f"Invalid range: input_min {low} > input_max {high}")
    scale, inverse, low, high = (_along(xp, v, input.ndim, axis) for v in _scaled(xp, low, high, first, last))
    values = (xp.clip(input, low, high) if range_given else input) * scale
    half = xp.asarray(0.5, input.dtype)
    return ((xp.rint(values) if round_mode == "HALF_TO_EVEN" else xp.floor(values + half)) * inverse).astype(
        input.dtype
    )


@op(
    "QuantizeAndDequantizeV2",
    "input:T, input_min:T, input_max:T -> T",
    types=FLOATS,
    infer=lambda s: [s.dims[0]],
    vjp=lambda op, dy: (dy, None, None),
    attrs={"round_mode": OneOf(("HALF_TO_EVEN", "HALF_UP"))},
    lower=REFUSES_VALUES,
)
def _quantize_straight_through(
    xp, input, input_min, input_max, *, signed_input=True, num_bits=8, range_given=False,
    round_mode="HALF_TO_EVEN", narrow_range=False, axis=-1,
):  # fmt: skip
    """As `QuantizeAndDequantizeV4`; the gradient passes everywhere."""
    return _quantize.opdef.kernel(
        xp, input, input_min, input_max, signed_input=signed_input, num_bits=num_bits, range_given=range_given,
        round_mode=round_mode, narrow_range=narrow_range, axis=axis,
    )  # fmt: skip


@export("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """The nearest numbers that `num_bits` bits can hold, scaled to a range in which zero stays zero.

    Args:
      input: floating numbers.
      input_min, input_max: the range, scalars; vectors with one entry for each place in `axis`.
      signed_input: whether numbers have a sign.
      num_bits: number of bits.
      range_given: whether the range is that of the arguments and not that of the input.
      round_mode: "HALF_TO_EVEN" or "HALF_UP".
      name: the node's name.
      narrow_range: whether the smallest number of the bits is left out.
      axis: the axis along which ranges differ; None for one range.

    Returns:
      A tensor like `input`; its gradient flows where the input lies between `input_min` and `input_max`.
    """
    settings = (signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return _to_range(_quantize, input, input_min, input_max, name, *settings)


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """`quantize_and_dequantize_v2` with a gradient that passes everywhere.

    Args:
      input: floating numbers.
      input_min, input_max: the range, scalars; vectors with one entry for each place in `axis`.
      signed_input, num_bits, range_given, round_mode, name, narrow_range, axis: see `quantize_and_dequantize_v2`.

    Returns:
      A tensor like `input`; its gradient is that of the result.
    """
    settings = (signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    return _to_range(_quantize_straight_through, input, input_min, input_max, name, *settings)


def _to_range(
    quantized: Any, input: Any, low: Any, high: Any, name: str | None, signed: bool, bits: int, has_range: bool,
    rounding: str, narrow: bool, axis: int | None,
) -> Any:  # fmt: skip
    input = convert_to_tensor(input)
    if axis is None:
        axis = -1
    elif axis < 0:
        if input.shape.rank is None:
            raise ValueError("input should have known rank to use negative axis.")
        axis += input.shape.rank
    ends = (math.cast(convert_to_tensor(end, input.dtype), input.dtype) for end in (low, high))
    return quantized(
        input, *ends, signed_input=signed, num_bits=bits, range_given=has_range, round_mode=rounding,
        narrow_range=narrow, axis=axis, name=name,
    )  # fmt: skip
