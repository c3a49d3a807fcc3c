"""Signals cut into frames, their spectra, and back."""

from __future__ import annotations

import math as numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, joining, math, powers, ranges, rearranging, reductions, slicing, stacking
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.signal import irfft, rfft
from inlay._src.ops.signal_windows import hann_window

Window = Callable[..., Any] | None


def scalar(value: Any, name: str) -> Any:
    """A scalar tensor; ValueError for another rank."""
    tensor = convert_to_tensor(value, name=name)
    tensor.shape.assert_has_rank(0)
    return tensor


def known_number(value: Any) -> int | None:
    """A scalar as a number, if it is known.

    Raises:
      TypeError: if it is a text or not finite.
    """
    constant = constant_of(value)
    if constant is not None and constant.dtype == object:
        raise TypeError(f"a number is wanted, got the text {constant.item()!r}")
    if constant is not None and not np.all(np.isfinite(constant)):
        raise TypeError(f"a finite number is wanted, got {constant}")
    return None if constant is None else int(constant)


# ---------------------------------------------------------------- frames


def _frame_dims(x: Any, length: Any, step: Any, pad_end: bool, axis: int) -> list[int | None]:
    dims, size, hop = x.shape.as_list(), known_number(length), known_number(step)
    count = None
    if hop == 0:
        raise errors.InvalidArgumentError(None, None, "Integer division by zero: frame_step is 0")
    if dims[axis] is not None and hop is not None:
        if pad_end:
            count = max(0, -(-dims[axis] // hop))
        elif size is not None:
            count = max(0, (dims[axis] - size + hop) // hop)
    return [*dims[:axis], count, size, *dims[axis:][1:]]


@export("signal.frame")
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Tensor:
    """An axis cut into frames that may overlap.

    Args:
      signal: [..., samples, ...].
      frame_length: samples in a frame.
      frame_step: samples from the start of one frame to that of the next.
      pad_end: whether frames that reach beyond the end are filled up, or left out.
      pad_value: with what.
      axis: the axis.
      name: ignored.

    Returns:
      [..., frames, frame_length, ...].

    Raises:
      ValueError: for a signal without an axis.
    """
    x = convert_to_tensor(signal, name="signal")
    length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
    x.shape.with_rank_at_least(1)
    convert_to_tensor(pad_value, x.dtype if isinstance(pad_value, (int, float)) else None).shape.assert_has_rank(0)
    if x.shape.rank is None:
        return _of_unknown_rank(x, axis, lambda y: frame(y, length, step, pad_end, pad_value, 1))
    at = range(x.shape.rank)[axis]
    dims = _frame_dims(x, length, step, pad_end, at)
    samples = array.shape(x)[at]
    if pad_end:
        count = math.negative(division.floordiv(math.negative(samples), step))
        more = math.maximum(0, length + step * (count - 1) - samples)
        paddings = stacking.stack([stacking.stack([0, more if i == at else 0]) for i in range(x.shape.rank)])
        x = slicing.pad(x, paddings, constant_values=math.cast(pad_value, x.dtype))
    else:
        count = math.maximum(0, 1 + division.floordiv(samples - length, step))
    if at == 0:
        x = array.reshape(x, array.shape(x))  # the gradient of a signal is a tensor, that of gathered rows is not
    starts = array.expand_dims(ranges.range_(count) * step, 1)
    frames = gather_op(x, starts + array.expand_dims(ranges.range_(length), 0), at)
    frames.set_shape(dims)
    return frames


def _of_unknown_rank(x: Any, axis: int, framed: Callable[[Any], Any]) -> Any:
    """Frames of a signal whose rank is known when it runs: the axes before and after the samples' are joined."""
    sizes = array.shape(x)
    at = axis if axis >= 0 else array.rank(x) + axis
    outer, samples, inner = sizes[:at], sizes[at], sizes[at + 1 :]
    flat = array.reshape(x, stacking.stack([reductions.reduce_prod(outer), samples, reductions.reduce_prod(inner)]))
    frames = framed(flat)
    return array.reshape(frames, joining.concat([outer, array.shape(frames)[1:3], inner], 0))


@export("signal.overlap_and_add")
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """Frames put together again: where they overlap, they are added.

    Args:
      signal: [..., frames, frame_length].
      frame_step: samples from the start of one frame to that of the next, an integer.
      name: ignored.

    Returns:
      [..., samples], where there are `(frames - 1) * frame_step + frame_length`.

    Raises:
      ValueError: if `frame_step` is no integer.
    """
    x, step = convert_to_tensor(signal, name="signal"), scalar(frame_step, "frame_step")
    x.shape.with_rank_at_least(2)
    if not step.dtype.is_integer:
        raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
    step = math.cast(step, dtypes.int32)
    whole = array.shape(x)
    outer, frames, length = whole[:-2], whole[-2], whole[-1]
    parts = math.negative(division.floordiv(math.negative(length), step))  # steps that a frame reaches over
    # Each frame as parts of one step, parts of later frames one step further on: a row for each, then their sum.
    rest = stacking.stack([stacking.stack([0, parts]), stacking.stack([0, parts * step - length])])
    none = array.zeros(joining.concat([array.shape(outer), [2]], 0), dtypes.int32)
    x = slicing.pad(x, joining.concat([none, rest], 0))
    x = array.reshape(x, joining.concat([outer, [frames + parts, parts, step]], 0))
    x = _exchanged(x, -3, -2)
    x = array.reshape(x, joining.concat([outer, [(frames + parts) * parts, step]], 0))
    x = x[..., : (frames + parts - 1) * parts, :]
    x = array.reshape(x, joining.concat([outer, [parts, frames + parts - 1, step]], 0))
    x = array.reshape(reductions.reduce_sum(x, -3), joining.concat([outer, [(frames + parts - 1) * step]], 0))
    return x[..., : length + step * (frames - 1)]


def _exchanged(x: Any, one: int, other: int) -> Any:
    rank = array.rank(x)
    order = ranges.range_(rank)
    swapped = array.where(math.equal(order, rank + one), rank + other, order)
    return rearranging.transpose_op(x, array.where(math.equal(order, rank + other), rank + one, swapped))


# ---------------------------------------------------------------- spectra


def _power_of_two(value: Any) -> Any:
    """The least power of 2 that is not less."""
    constant = known_number(value)
    if constant is not None:
        return convert_to_tensor(2 ** numbers.ceil(numbers.log2(constant)) if constant > 0 else 0, value.dtype)
    whole = math.cast(value, dtypes.float32)
    return math.cast(powers.pow(2.0, math.ceil(powers.log(whole) / powers.log(2.0))), value.dtype)


@export("signal.stft")
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: the spectra of frames.

    Args:
      signals: float32 or float64, [..., samples].
      frame_length, frame_step: samples in a frame, and from one start to the next.
      fft_length: length of the transform; the least power of 2 not less than a frame if None.
      window_fn: makes a window of a length and `dtype=`; None takes frames as they are.
      pad_end: whether frames that reach beyond the end are filled up with zeros, or left out.
      name: ignored.

    Returns:
      complex64 or complex128, [..., frames, fft_length // 2 + 1].
    """
    x = convert_to_tensor(signals, name="signals")
    x.shape.with_rank_at_least(1)
    length = scalar(frame_length, "frame_length")
    size = _power_of_two(length) if fft_length is None else convert_to_tensor(fft_length, name="fft_length")
    frames = frame(x, length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return rfft(frames, stacking.stack([size]))


@export("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(
    frame_step: Any, forward_window_fn: Callable[..., Any] = hann_window, name: str | None = None
) -> Callable[..., Any]:
    """The window by which `inverse_stft` gives back the very signal of `stft`.

    Args:
      frame_step: samples from one start to the next.
      forward_window_fn: makes the window of `stft`.
      name: ignored.

    Returns:
      A function of a length and `dtype=`, for `window_fn` of `inverse_stft`.
    """

    def window_fn(frame_length: Any, dtype: Any) -> Any:
        step, length = scalar(frame_step, "frame_step"), scalar(frame_length, "frame_length")
        window = forward_window_fn(length, dtype=dtype)
        parts = math.negative(division.floordiv(math.negative(length), step))
        power = slicing.pad(powers.square(window), stacking.stack([stacking.stack([0, parts * step - length])]))
        sums = reductions.reduce_sum(array.reshape(power, stacking.stack([parts, step])), 0)
        spread = array.reshape(sums + array.zeros(stacking.stack([parts, step]), sums.dtype), [-1])[:length]
        return division.divide_no_nan(window, spread)

    return window_fn


@export("signal.inverse_stft")
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Window = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signal of which `stft` gives these spectra, given the right window (`inverse_stft_window_fn`).

    Args:
      stfts: complex64 or complex128, [..., frames, fft_length // 2 + 1].
      frame_length, frame_step, fft_length: as for `stft`.
      window_fn: makes a window of a length and `dtype=`; None takes frames as they are.
      name: ignored.

    Returns:
      float32 or float64, [..., samples].
    """
    x = convert_to_tensor(stfts, name="stfts")
    x.shape.with_rank_at_least(2)
    length = scalar(frame_length, "frame_length")
    size = _power_of_two(length) if fft_length is None else scalar(fft_length, "fft_length")
    frames = irfft(x, stacking.stack([size]))
    bins = None if frames.shape.rank is None else frames.shape.as_list()[-1]
    frames = frames[..., :length]
    if bins is None or known_number(length) is None or bins < (known_number(length) or 0):
        whole = array.shape(frames)
        more = joining.concat([array.zeros_like(whole[:-1]), math.maximum(0, length - whole[-1:])], 0)
        frames = slicing.pad(frames, stacking.stack([array.zeros_like(whole), more], 1))
    if frames.shape.rank is not None:
        frames.set_shape([*[None] * (frames.shape.rank - 1), known_number(length)])
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=x.dtype.real_dtype)
    return overlap_and_add(frames, frame_step)
