"""Floating numbers as whole numbers of few bits and the range that these stand for."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import no_gradient
from inlay._src.core.signature import OneOf
from inlay._src.core.tensor import Tensor

TYPES = frozenset({dtypes.qint8, dtypes.quint8, dtypes.qint16, dtypes.quint16, dtypes.qint32})


class QuantizeV2(NamedTuple):
    """The result of `quantize`.

    Attributes:
      output: the whole numbers.
      output_min: the number that the smallest one stands for.
      output_max: the number that the greatest one stands for.
    """

    output: Any
    output_min: Any
    output_max: Any


def _with_zero(low: Any, high: Any, least: float) -> tuple[Any, Any]:
    """A range that contains zero and is not too small.

    Args:
      low, high: the ends, float32.
      least: the smallest size, as a share of the greater end or of 1.
    """
    if (low > high).any():
        raise ValueError("input_max_range must be larger than input_min_range.")
    bottom = np.minimum(low, np.float32(0))
    size = np.maximum(np.float32(1), np.maximum(np.abs(low), np.abs(high))) * np.float32(least)
    return bottom, np.maximum(np.maximum(high, bottom + size), np.float32(0))


def _ends(x: Any, low: Any, high: Any, axis: int) -> tuple[Any, Any]:
    """Both ends of the range as float32: scalars, or vectors with an entry for each place in `axis`."""
    if axis >= x.ndim:
        raise ValueError(f"axis must be less than {x.ndim}, the rank of the input, got {axis}")
    shape = () if axis == -1 else (x.shape[axis],)
    if np.size(low) != np.prod(shape) or np.size(high) != np.prod(shape):
        raise ValueError(f"min_range and max_range must have shape {shape}, got {np.shape(low)} and {np.shape(high)}")
    return np.reshape(np.asarray(low, np.float32), shape), np.reshape(np.asarray(high, np.float32), shape)


def _beside(x: Any, numbers: Any, axis: int) -> Any:
    """Numbers for the places of `axis` in a shape that broadcasts with `x`."""
    return numbers if axis == -1 else numbers.reshape([-1 if at == axis else 1 for at in range(x.ndim)])


def _axis_of(x: Any, axis: int | None) -> int:
    """The attribute `axis` of the ops: -1 for one range."""
    if axis is None or axis >= 0:
        return -1 if axis is None else axis
    if x.shape.rank is None:
        raise ValueError("input should have known rank to use negative axis.")
    return axis % x.shape.rank  # type: ignore[no-any-return]


def _away(values: Any) -> Any:
    """The nearest whole numbers, halves away from zero."""
    return np.copysign(np.floor(np.abs(values) + np.float32(0.5)), values)


def _stored(values: Any, dtype: DType) -> Any:
    """Whole floating numbers in a quantized type; those beyond it become its smallest number, as processors do."""
    with np.errstate(invalid="ignore"):
        return values.astype(dtype.np)


def _combined(x: Any, low: Any, high: Any, dtype: DType) -> Any:
    limits = np.iinfo(dtype.np)
    scale = ((float(limits.max) - float(limits.min)) / (high - low)).astype(np.float32)
    below = np.float32((float(limits.max) - float(limits.min) + 1) / 2 if limits.min else 0)
    return _stored(_away((np.clip(x, low, high) - low) * scale - below), dtype)


def _min_first(x: Any, low: Any, high: Any, dtype: DType) -> Any:
    limits = np.iinfo(dtype.np)
    scale = np.float32(float(limits.max) - float(limits.min)) / (high - low)
    inside = np.clip(x, low, high)
    if dtype is dtypes.quint8:
        return _stored(_away((inside - low) * scale), dtype)
    steps = _away(inside * scale) - (_away(low * scale) - np.float32(limits.min))
    last = np.float32(limits.max)
    return _stored(np.minimum(steps, last if float(last) <= limits.max else np.nextafter(last, np.float32(0))), dtype)


@op(
    "QuantizeV2",
    "input:float32, min_range:float32, max_range:float32 -> T, float32, float32",
    infer=lambda s: [s.dims[0], *(((None,) if s.attrs["axis"] != -1 else (),) * 2)],
    vjp=no_gradient,
    attrs={
        "mode": OneOf(("MIN_COMBINED", "MIN_FIRST", "SCALED")),
        "round_mode": OneOf(("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")),
    },
    lower=REFUSES_VALUES,
)
def _quantize(
    xp, input, min_range, max_range, *, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", narrow_range=False,
    axis=-1, ensure_minimum_range=0.01,
):  # fmt: skip
    """Floating numbers as whole numbers, and the ends of the range that these stand for."""
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise ValueError(f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'.")
    low, high = _ends(input, min_range, max_range, axis)
    low, high = _with_zero(low, high, ensure_minimum_range)
    limits = np.iinfo(T.np)
    if mode == "SCALED":
        first, last = np.float32(limits.min + (narrow_range and limits.min < 0)), np.float32(limits.max)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.minimum(
                np.where(first * low > 0, first / low, np.finfo(np.float32).max),
                np.where(last * high > 0, last / high, np.finfo(np.float32).max),
            ).astype(np.float32)
        low, high = first / scale, last / scale
    ends = [_beside(input, end, axis) for end in (low, high)]
    if mode == "SCALED":
        values = np.clip(input, *ends) * _beside(input, scale, axis)
        numbers = _stored(np.rint(values) if round_mode == "HALF_TO_EVEN" else _away(values), T)
    else:
        numbers = (_combined if mode == "MIN_COMBINED" else _min_first)(input, *ends, T)
    return numbers, np.asarray(low, np.float32), np.asarray(high, np.float32)


@export("quantization.quantize", "compat.v1.quantize")
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeV2:
    """Floating numbers as whole numbers of few bits, which stand for a range.

    Args:
      input: float32.
      min_range, max_range: the range, which is widened to contain zero: scalars, or vectors with an entry for each
        place in `axis`.
      T: qint8, quint8, qint16, quint16 or qint32.
      mode: "MIN_COMBINED" and "MIN_FIRST" divide the range into steps from its smallest number, "SCALED" multiplies.
      round_mode: "HALF_AWAY_FROM_ZERO"; "HALF_TO_EVEN" with the mode "SCALED".
      name: the node's name.
      narrow_range: whether the smallest whole number is left out, with the mode "SCALED".
      axis: the axis along which ranges differ; None for one range.
      ensure_minimum_range: the smallest size of the range, as a share of its greater end or of 1.

    Returns:
      The whole numbers in the shape of `input`, and both ends of the range.

    Raises:
      InvalidArgumentError: for another type or mode, and if the ends are in the wrong order.
      ValueError: for a negative axis of a tensor of unknown rank.
    """
    dtype = dtypes.as_dtype(T)
    if dtype not in TYPES:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"Value for attr 'T' of {dtype.name} is not in the list of allowed values: qint8, quint8, qint32, qint16, "
            "quint16",
        )
    input = convert_to_tensor(input, dtypes.float32)
    return QuantizeV2(
        *_quantize(
            input,
            min_range,
            max_range,
            T=dtype,
            mode=mode,
            round_mode=round_mode,
            narrow_range=narrow_range,
            axis=_axis_of(input, axis),
            ensure_minimum_range=ensure_minimum_range,
            name=name,
        )  # fmt: skip
    )


@export("compat.v1.quantize_v2")
def quantize_v2(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeV2:
    """`tf.quantization.quantize` with another order of arguments.

    Args:
      input: float32.
      min_range, max_range, T, mode, name, round_mode, narrow_range, axis, ensure_minimum_range: see `quantize`.
    """
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis, ensure_minimum_range)


@op(
    "Dequantize",
    "input:T, min_range:float32, max_range:float32 -> dtype",
    types=TYPES,
    infer=lambda s: [s.dims[0]],
    vjp=no_gradient,
    attrs={"mode": OneOf(("MIN_COMBINED", "MIN_FIRST", "SCALED"))},
    lower=REFUSES_VALUES,
)
def _dequantize(xp, input, min_range, max_range, *, dtype, mode="MIN_COMBINED", narrow_range=False, axis=-1):
    """The floating numbers that whole numbers of few bits stand for."""
    if mode == "MIN_FIRST" and axis != -1:
        raise NotImplementedError("MIN_FIRST mode is not implemented for Dequantize with axis != -1.")
    if mode == "MIN_FIRST" and dtype is not dtypes.float32:
        raise ValueError(f"When mode is 'MIN_FIRST', dtype must be float32, got {dtype.name}")
    low, high = (_beside(input, end, axis) for end in _ends(input, min_range, max_range, axis))
    limits = np.iinfo(input.dtype)
    first, last = np.float32(limits.min), np.float32(limits.max)
    if mode == "MIN_COMBINED":
        below = np.float32((float(limits.max) - float(limits.min) + 1) / 2 if limits.min else 0)
        scale = (high - low) / np.float32(float(limits.max) - float(limits.min))
        numbers = (input.astype(np.float32) + below) * scale + low
    elif mode == "MIN_FIRST":
        scale = ((high - low) / (2.0**limits.bits - 1)).astype(np.float32)
        with np.errstate(divide="ignore", invalid="ignore"):
            start = _away(low / scale) * scale
        numbers = np.where(low == high, low, input.astype(np.float32) * scale + (start - first * scale))
    else:
        scale = np.maximum(low / (first + bool(narrow_range)), high / last) if first else high / last
        numbers = input.astype(np.float32) * scale
    return np.asarray(numbers, np.float32).astype(dtype.np)


@export("quantization.dequantize", "compat.v1.dequantize")
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = dtypes.float32,
) -> Tensor:
    """The floating numbers that whole numbers of few bits stand for: `quantize` the other way round.

    Args:
      input: qint8, quint8, qint16, quint16 or qint32.
      min_range, max_range: the range: scalars, or vectors with an entry for each place in `axis`.
      mode: "MIN_COMBINED", "MIN_FIRST" or "SCALED", see `quantize`.
      name: the node's name.
      axis: the axis along which ranges differ; None for one range.
      narrow_range: whether the smallest whole number is left out, with the mode "SCALED".
      dtype: float32 or bfloat16.

    Returns:
      Numbers of `dtype` in the shape of `input`.

    Raises:
      InvalidArgumentError: for another type, mode or axis.
      ValueError: for a negative axis of a tensor of unknown rank.
    """
    if (dtype := dtypes.as_dtype(dtype)) not in (dtypes.float32, dtypes.bfloat16):
        text = f"Value for attr 'dtype' of {dtype.name} is not in the list of allowed values: bfloat16, float"
        raise errors.InvalidArgumentError(None, None, text)
    input = convert_to_tensor(input)
    return _dequantize(
        input, min_range, max_range, dtype=dtype, mode=mode, narrow_range=narrow_range,
        axis=_axis_of(input, axis), name=name,
    )  # fmt: skip
