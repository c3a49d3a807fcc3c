"""`tf.signal`: Fourier transforms."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay.core.tensor import Tensor as _Tensor
from typing import Any as _Any
__all__ = [
    "fft", "ifft"
]
def fft(input: _Any, name: str | None = None) -> _Tensor: ...
def ifft(input: _Any, name: str | None = None) -> _Tensor: ...
