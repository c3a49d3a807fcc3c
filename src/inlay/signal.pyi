"""`tf.signal`: Fourier transforms."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
__all__ = [
    "fft", "ifft"
]
def fft(input: _TensorLike, name: str | None = None) -> _Tensor: ...
def ifft(input: _TensorLike, name: str | None = None) -> _Tensor: ...
