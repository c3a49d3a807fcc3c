"""`tf.signal`: Fourier and cosine transforms, windows, spectra."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.cosine_transforms import (
    dct, idct, inverse_mdct, linear_to_mel_weight_matrix, mdct, mfccs_from_log_mel_spectrograms
)
from inlay._src.ops.signal import fftnd, fftshift, ifftnd, ifftshift, irfftnd, rfftnd
from inlay._src.ops.signal_windows import (
    hamming_window, hann_window, kaiser_bessel_derived_window, kaiser_window, vorbis_window
)
from inlay._src.ops.spectrograms import frame, inverse_stft, inverse_stft_window_fn, overlap_and_add, stft
from typing import Any as _Any
__all__ = [
    "dct", "fft", "fft2d", "fft3d", "fftnd", "fftshift", "frame", "hamming_window", "hann_window", "idct", "ifft",
    "ifft2d", "ifft3d", "ifftnd", "ifftshift", "inverse_mdct", "inverse_stft", "inverse_stft_window_fn", "irfft",
    "irfft2d", "irfft3d", "irfftnd", "kaiser_bessel_derived_window", "kaiser_window", "linear_to_mel_weight_matrix",
    "mdct", "mfccs_from_log_mel_spectrograms", "overlap_and_add", "rfft", "rfft2d", "rfft3d", "rfftnd", "stft",
    "vorbis_window"
]
def fft(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The discrete Fourier transform along the last axis."""
def fft2d(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The discrete Fourier transform along the last two axes."""
def fft3d(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The discrete Fourier transform along the last three axes."""
def ifft(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse of the discrete Fourier transform along the last axis; scaled by 1 / n."""
def ifft2d(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse of the discrete Fourier transform along the last two axes; scaled by 1 / n."""
def ifft3d(input: _TensorLike, name: str | None = None) -> _Tensor:
    """The inverse of the discrete Fourier transform along the last three axes; scaled by 1 / n."""
def irfft(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Tensor:
    """The inverse of `rfft`.

    Args:
      input_tensor: complex64 or complex128, [..., n].
      fft_length: int32 [1], how many real numbers there are; `2 * (n - 1)` along the last axis if None.
      name: the node's name.

    Returns:
      float32 or float64, [..., fft_length].

    Raises:
      ValueError: for another type."""
def irfft2d(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Tensor:
    """The inverse of `rfft2d`.

    Args:
      input_tensor: complex64 or complex128, [..., n].
      fft_length: int32 [2], how many real numbers there are; `2 * (n - 1)` along the last axis if None.
      name: the node's name.

    Returns:
      float32 or float64, [..., fft_length].

    Raises:
      ValueError: for another type."""
def irfft3d(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Tensor:
    """The inverse of `rfft3d`.

    Args:
      input_tensor: complex64 or complex128, [..., n].
      fft_length: int32 [3], how many real numbers there are; `2 * (n - 1)` along the last axis if None.
      name: the node's name.

    Returns:
      float32 or float64, [..., fft_length].

    Raises:
      ValueError: for another type."""
def rfft(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Tensor:
    """The Fourier transform of real numbers along the last axis, without the mirror image that it has.

    Args:
      input_tensor: float32 or float64, [..., n].
      fft_length: int32 [1], how many numbers are transformed: cut, or filled up with zeros; all if None.
      name: the node's name.

    Returns:
      complex64 or complex128, [..., fft_length // 2 + 1].

    Raises:
      ValueError: for another type."""
def rfft2d(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Tensor:
    """The Fourier transform of real numbers along the last two axes, without the mirror image that it has.

    Args:
      input_tensor: float32 or float64, [..., n].
      fft_length: int32 [2], how many numbers are transformed: cut, or filled up with zeros; all if None.
      name: the node's name.

    Returns:
      complex64 or complex128, [..., fft_length // 2 + 1].

    Raises:
      ValueError: for another type."""
def rfft3d(input_tensor: _Any, fft_length: _Any = None, name: str | None = None) -> _Tensor:
    """The Fourier transform of real numbers along the last three axes, without the mirror image that it has.

    Args:
      input_tensor: float32 or float64, [..., n].
      fft_length: int32 [3], how many numbers are transformed: cut, or filled up with zeros; all if None.
      name: the node's name.

    Returns:
      complex64 or complex128, [..., fft_length // 2 + 1].

    Raises:
      ValueError: for another type."""
