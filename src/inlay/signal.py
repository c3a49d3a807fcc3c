"""`tf.signal`: Fourier and cosine transforms, windows, spectra."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
from inlay.export import namespace as _namespace

__all__, __dir__, __getattr__ = _namespace(
    "signal",
    ("ops.cosine_transforms", "ops.signal", "ops.signal_windows", "ops.spectrograms"),
)
