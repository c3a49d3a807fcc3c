"""Mel scales, and cosine transforms: of whole signals, and of frames that overlap by half."""

from __future__ import annotations

import math as numbers
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.eager.attributes import whole
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import (
    array,
    complex_numbers,
    division,
    joining,
    math,
    powers,
    ranges,
    rearranging,
    slicing,
    stacking,
)
from inlay._src.ops.sequences import linspace
from inlay._src.ops.signal import irfft, rfft
from inlay._src.ops.signal_windows import vorbis_window
from inlay._src.ops.spectrograms import Window, frame, known_number, overlap_and_add, scalar
from inlay._src.ops.trigonometry import cos, sin

# ---------------------------------------------------------------- mel scales

_MEL_BREAK, _MEL_Q = 700.0, 1127.0
"""The scale is `1127 * log(1 + hertz / 700)` (HTK)."""


def _mel(hertz: Any) -> Any:
    ratio = division.real_divide(hertz, math.number_of(_MEL_BREAK, hertz))
    return powers.log(ratio + math.number_of(1.0, hertz)) * math.number_of(_MEL_Q, hertz)


def _checked_mel(bins: int, rate: Any, lower: float, upper: float, dtype: dtypes.DType) -> None:
    if whole(bins, "num_mel_bins") <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    frequency = constant_of(convert_to_tensor(rate))
    if frequency is not None and (frequency.ndim or frequency.dtype.kind not in "iuf"):
        raise TypeError(f"sample_rate must be a number, got {rate!r}")
    if frequency is not None and frequency <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {frequency}")
    if frequency is not None and upper > frequency / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got "
            f"{upper} for sample_rate: {frequency}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


@export("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A matrix that takes spectra to a mel scale: triangles, evenly spaced in mel.

    Args:
      num_mel_bins: number of mel bands.
      num_spectrogram_bins: number of frequencies of a spectrum, `fft_length // 2 + 1`.
      sample_rate: samples per second.
      lower_edge_hertz, upper_edge_hertz: the range of the scale.
      dtype: a type of real numbers.
      name: ignored.

    Returns:
      [num_spectrogram_bins, num_mel_bins].

    Raises:
      ValueError: if a number is out of range, or the type is another.
    """
    dtype = dtypes.as_dtype(dtype)
    _checked_mel(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
    lower, upper, rate = (math.cast(v, dtype) for v in (lower_edge_hertz, upper_edge_hertz, sample_rate))
    zero = array.zeros([], dtype)
    frequencies = linspace(zero, division.real_divide(rate, math.two_like(rate)), num_spectrogram_bins)[1:]
    at = array.expand_dims(_mel(frequencies), 1)
    edges = linspace(_mel(lower), _mel(upper), num_mel_bins + 2)
    left, center, right = (array.expand_dims(e, 0) for e in (edges[:-2], edges[1:-1], edges[2:]))
    up, down = division.real_divide(at - left, center - left), division.real_divide(right - at, right - center)
    return slicing.pad(math.maximum(zero, math.minimum(up, down)), [[1, 0], [0, 0]])


@export("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """The mel-frequency cepstral coefficients of logarithmic mel spectra (HTK's scaling).

    Args:
      log_mel_spectrograms: [..., num_mel_bins].
      name: ignored.

    Returns:
      Of the same shape.

    Raises:
      ValueError: if there are no bins.
    """
    x = convert_to_tensor(log_mel_spectrograms)
    if x.shape.rank and x.shape.as_list()[-1] == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {x}")
    cepstra = dct(x, 2)
    count = math.cast(array.shape(x)[-1], cepstra.dtype)
    return division.real_divide(cepstra, powers.sqrt(count * math.two_like(count)))


# ---------------------------------------------------------------- cosine transforms


def _checked_dct(x: Any, kind: int, n: int | None, axis: int, norm: str | None) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if kind not in (1, 2, 3, 4):
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")
    if kind == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if kind == 1 and x.shape.rank and (x.shape.as_list()[-1] or 2) < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")


def _of_length(x: Any, n: int) -> Any:
    """The last axis cut or filled up with zeros to a length."""
    whole = array.shape(x)
    more = joining.concat([array.zeros_like(whole[:-1]), math.maximum(0, n - whole[-1:])], 0)
    return slicing.pad(x, stacking.stack([array.zeros_like(whole), more], 1))[..., :n]


def _turns(count: Any, sign: float) -> Any:
    """`2 * exp(sign * i * pi * k / (2 * count))` for k below `count`, a number of the type of signals."""
    angle = ranges.range_(count) * math.number_of(sign * numbers.pi / 2, count)
    angle = division.real_divide(angle, count)
    two = math.two_like(angle)
    return complex_numbers.complex(two * cos(angle), two * sin(angle))


def _orthogonal(count: Any, first: Any, others: Any) -> Any:
    """Factors: `first` and then `others`."""
    at = ranges.range_(count)
    return array.where(math.equal(at, array.zeros_like(at)), first, others)


def _dct(x: Any, kind: int, norm: str | None) -> Any:
    count = array.shape(x)[-1]
    size = math.cast(count, x.dtype)
    half = math.number_of(0.5, size)
    if kind == 1:
        return complex_numbers.real(rfft(joining.concat([x, x[..., -2:0:-1]], -1)))
    if kind == 2:
        spectrum = rfft(x, stacking.stack([2 * count]))[..., :count]
        coefficients = complex_numbers.real(spectrum * _turns(size, -1.0))
        if norm is None:
            return coefficients
        first = division.real_divide(half, powers.sqrt(size))
        return coefficients * _orthogonal(size, first, first * math.number_of(numbers.sqrt(2.0), size))
    if kind == 3:
        root = powers.sqrt(size)
        scale = size if norm is None else _orthogonal(size, root, root * math.number_of(numbers.sqrt(0.5), size))
        scaled = x * scale
        spectrum = complex_numbers.complex(scaled, array.zeros_like(scaled)) * _turns(size, 1.0)
        return irfft(spectrum, stacking.stack([2 * count]))[..., :count]
    wide = slicing.pad(x, stacking.stack([array.zeros_like(array.shape(x)), _last_only(x, count)], 1))
    coefficients = _dct(wide, 2, None)[..., 1::2]
    if norm is None:
        return coefficients
    return coefficients * division.real_divide(math.number_of(numbers.sqrt(0.5), size), powers.sqrt(size))


def _last_only(x: Any, count: Any) -> Any:
    whole = array.shape(x)
    return joining.concat([array.zeros_like(whole[:-1]), stacking.stack([count])], 0)


@export("signal.dct", "compat.v1.spectral.dct")
def dct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The discrete cosine transform along the last axis, of type I, II, III or IV, as SciPy's.

    Args:
      input: float32 or float64, [..., samples].
      type: 1, 2, 3 or 4.
      n: length of the transform: longer input is cut, shorter input padded with zeros; the whole axis if None.
      axis: -1.
      norm: "ortho", or None for no scaling.
      name: ignored.

    Returns:
      Of the type of `input`, [..., n].

    Raises:
      ValueError, NotImplementedError: for another type, norm or axis.
    """
    x = convert_to_tensor(input)
    _checked_dct(x, type, n, axis, norm)
    return _dct(x if n is None else _of_length(x, n), type, norm)


@export("signal.idct", "compat.v1.spectral.idct")
def idct(
    input: Any, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The inverse of `dct` of a type, up to scaling unless `norm` is "ortho"; arguments as for `dct`."""
    x = convert_to_tensor(input)
    _checked_dct(x, type, n, axis, norm)
    return _dct(x if n is None else _of_length(x, n), {1: 1, 2: 3, 3: 2, 4: 4}[type], norm)


@export("signal.mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Window = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified discrete cosine transform, of frames that overlap by half.

    Args:
      signals: float32 or float64, [..., samples].
      frame_length: samples in a frame, a multiple of 4.
      window_fn: makes a window of a length and `dtype=`; None scales frames by `sqrt(0.5)`.
      pad_end: whether frames that reach beyond the end are filled up with zeros, or left out.
      norm: "ortho", or None for no scaling.
      name: ignored.

    Returns:
      [..., frames, frame_length // 2].

    Raises:
      ValueError: if `frame_length` is known to be no multiple of 4.
    """
    x, length = convert_to_tensor(signals, name="signals"), scalar(frame_length, "frame_length")
    x.shape.with_rank_at_least(1)
    if (known_number(length) or 0) % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = frame(x, length, division.floordiv(length, 2), pad_end)
    if window_fn is None:
        frames = frames * math.number_of(numbers.sqrt(0.5), frames)
    else:
        frames = frames * window_fn(length, dtype=frames.dtype)
    a, b, c, d = joining.split(frames, 4, -1)
    first = math.negative(rearranging.reverse(c, [-1])) - d
    return dct(joining.concat([first, a - rearranging.reverse(b, [-1])], -1), 4, norm=norm)


@export("signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any, window_fn: Window = vorbis_window, norm: str | None = None, name: str | None = None
) -> Tensor:
    """The signal of which `mdct` gives these frames, but for its first and last half frame.

    Args:
      mdcts: [..., frames, frame_length // 2].
      window_fn, norm: as for `mdct`.
      name: ignored.

    Returns:
      [..., samples].
    """
    x = convert_to_tensor(mdcts, name="mdcts")
    x.shape.with_rank_at_least(2)
    half = array.shape(x)[-1]
    coefficients = dct(x, 4, norm=norm)
    if norm is None:
        coefficients = division.real_divide(
            coefficients * math.number_of(0.5, coefficients), math.cast(half, coefficients.dtype)
        )
    one, other = joining.split(coefficients, 2, -1)
    mirrored = [math.negative(rearranging.reverse(part, [-1])) for part in (other, one)]
    frames = joining.concat([other, *mirrored, math.negative(one)], -1)
    if window_fn is None:
        frames = frames * math.number_of(numbers.sqrt(0.5), frames)
    else:
        frames = frames * window_fn(2 * half, dtype=x.dtype)
    return overlap_and_add(frames, half)
