"""Windows by which frames of signals are multiplied."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import DType
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor
from inlay._src.ops import activations, array, cumulative, division, joining, math, powers, ranges, trigonometry
from inlay._src.ops.special import bessel_i0e


def _length(window_length: Any, dtype: DType) -> Any:
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    length = convert_to_tensor(window_length, dtypes.int32, name="window_length")
    length.shape.assert_has_rank(0)
    return length


def _raised_cosine(window_length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    dtype = dtypes.as_dtype(dtype)
    length = _length(window_length, dtype)
    ahead = math.cast(convert_to_tensor(periodic, dtypes.bool_), dtypes.int32) * (1 - division.floormod(length, 2))
    last = math.cast(math.maximum(length + ahead - 1, 1), dtype)  # a window of length 1 has a 1
    turns = math.cast(ranges.range_(length), dtype) * math.number_of(2 * np.pi, last)
    wave = trigonometry.cos(division.real_divide(turns, last))
    window = math.number_of(a, wave) - math.number_of(b, wave) * wave
    return array.where(math.equal(length, 1), array.ones_like(window), window)


@export("signal.hann_window")
def hann_window(
    window_length: Any, periodic: bool = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window by Hann, a raised cosine.

    Args:
      window_length: its length, a scalar.
      periodic: whether it is one period, for spectra, or symmetric, for filters.
      dtype: float16, float32, float64 or bfloat16.
      name: ignored.

    Returns:
      [window_length].

    Raises:
      ValueError: for another type.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@export("signal.hamming_window")
def hamming_window(
    window_length: Any, periodic: bool = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window by Hamming, a cosine raised to 0.54; arguments and result as for `hann_window`."""
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@export("signal.kaiser_window")
def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A window by Kaiser.

    Args:
      window_length: its length, a scalar.
      beta: the shape parameter; a larger one narrows the window.
      dtype: float16, float32, float64 or bfloat16.
      name: ignored.

    Returns:
      [window_length].

    Raises:
      ValueError: for another type.
    """
    dtype = dtypes.as_dtype(dtype)
    length = _length(window_length, dtype)
    half = (math.cast(length, dtypes.float32) - 1.0) / 2.0
    places = math.cast(math.cast(ranges.range_(length), dtypes.float32) - half, dtype)
    beta, half = math.cast(beta, dtype), math.cast(math.maximum(half, 0.5), dtype)
    inside = activations.relu(math.number_of(1.0, beta) - powers.square(division.real_divide(places, half)))
    height = beta * powers.sqrt(inside)
    return powers.exp(height - beta) * division.real_divide(bessel_i0e(height), bessel_i0e(beta))


@export("signal.kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of the modified cosine transform that follows from Kaiser's; arguments as for `kaiser_window`."""
    dtype = dtypes.as_dtype(dtype)
    length = _length(window_length, dtype)
    sums = cumulative.cumsum(kaiser_window(division.floordiv(length, 2) + 1, beta, dtype))
    half = powers.sqrt(division.real_divide(sums[:-1], sums[-1]))
    return joining.concat([half, half[::-1]], 0)


@export("signal.vorbis_window")
def vorbis_window(window_length: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """The window of Vorbis, for the modified cosine transform; arguments as for `hann_window`."""
    dtype = dtypes.as_dtype(dtype)
    length = _length(window_length, dtype)
    places = math.cast(ranges.range_(length), dtype)
    places = places + math.number_of(0.5, places)
    inner = trigonometry.sin(division.real_divide(places * math.number_of(np.pi, places), math.cast(length, dtype)))
    return trigonometry.sin(math.number_of(np.pi / 2.0, inner) * powers.square(inner))
