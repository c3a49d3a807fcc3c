"""`tf.compat.v1.spectral`: Fourier and cosine transforms by their first names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.ops.cosine_transforms import dct, idct
from inlay.signal import fft, fft2d, fft3d, ifft, ifft2d, ifft3d, irfft, irfft2d, irfft3d, rfft, rfft2d, rfft3d
__all__ = [
    "dct", "fft", "fft2d", "fft3d", "idct", "ifft", "ifft2d", "ifft3d", "irfft", "irfft2d", "irfft3d", "rfft",
    "rfft2d", "rfft3d"
]
