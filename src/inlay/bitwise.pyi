"""`tf.bitwise`: the bits of integers."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
__all__ = [
    "bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "population_count", "right_shift"
]
def bitwise_and(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x & y` of integers, elementwise."""
def bitwise_or(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x | y` of integers, elementwise."""
def bitwise_xor(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x ^ y` of integers, elementwise."""
def invert(x: _TensorLike, name: str | None = None) -> _Tensor:
    """`~x` of integers, elementwise."""
def left_shift(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x << y` of integers, elementwise: by 0 to the width of the type less one, to which `y` is clipped."""
def population_count(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The number of bits set in each integer, in two's complement."""
def right_shift(x: _TensorLike, y: _TensorLike, name: str | None = None) -> _Tensor:
    """`x >> y` of integers, elementwise; the sign is kept: by 0 to the width of the type less one, to which `y` is clipped."""
