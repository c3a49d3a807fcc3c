"""`tf.signal`: Fourier transforms."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.ops.signal import fft, ifft
