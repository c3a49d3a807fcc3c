"""`tf.signal`: Fourier and cosine transforms, windows, spectra."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.cosine_transforms import (
    dct, idct, inverse_mdct, linear_to_mel_weight_matrix, mdct, mfccs_from_log_mel_spectrograms
)
from inlay._src.ops.signal import fftshift, ifftshift, irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d
from inlay._src.ops.signal_windows import (
    hamming_window, hann_window, kaiser_bessel_derived_window, kaiser_window, vorbis_window
)
from inlay._src.ops.spectrograms import frame, inverse_stft, inverse_stft_window_fn, overlap_and_add, stft
__all__ = [
    "dct", "fft", "fft2d", "fft3d", "fftshift", "frame", "hamming_window", "hann_window", "idct", "ifft", "ifft2d",
    "ifft3d", "ifftshift", "inverse_mdct", "inverse_stft", "inverse_stft_window_fn", "irfft", "irfft2d", "irfft3d",
    "kaiser_bessel_derived_window", "kaiser_window", "linear_to_mel_weight_matrix", "mdct",
    "mfccs_from_log_mel_spectrograms", "overlap_and_add", "rfft", "rfft2d", "rfft3d", "stft", "vorbis_window"
]
def fft(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def fft2d(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def fft3d(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def ifft(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def ifft2d(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def ifft3d(input: _TensorLike, name: str | None = None) -> _Tensor: ...
