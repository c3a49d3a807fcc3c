"""`tf.compat.v1.spectral`: Fourier and cosine transforms by their first names."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay._src.base.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "compat.v1.spectral",
    {
        "ops.cosine_transforms": "dct idct",
        "ops.signal": "fft fft2d fft3d ifft ifft2d ifft3d irfft irfft2d irfft3d rfft rfft2d rfft3d",
    },
)
