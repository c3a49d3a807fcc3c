"""`tf.math.special`: Bessel functions and integrals."""

# Written by scripts/update_generated.py from the `export` of each name: change that, then run `make generate`.
# fmt: off
# ruff: noqa
from inlay._src.core.tensor import Tensor as _Tensor, TensorLike as _TensorLike
from inlay._src.ops.special import bessel_i0, bessel_i1
from inlay.math import bessel_i0e, bessel_i1e
__all__ = [
    "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e",
    "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence"
]
def bessel_j0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the first kind of order 0, elementwise; SciPy computes it."""
def bessel_j1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the first kind of order 1, elementwise; SciPy computes it."""
def bessel_k0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the second kind of order 0, elementwise; SciPy computes it."""
def bessel_k0e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the second kind of order 0 times `exp(x)`, elementwise; SciPy computes it."""
def bessel_k1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the second kind of order 1, elementwise; SciPy computes it."""
def bessel_k1e(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The modified Bessel function of the second kind of order 1 times `exp(x)`, elementwise; SciPy computes it."""
def bessel_y0(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the second kind of order 0, elementwise; SciPy computes it."""
def bessel_y1(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The Bessel function of the second kind of order 1, elementwise; SciPy computes it."""
def dawsn(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Dawson's integral, elementwise; SciPy computes it."""
def expint(x: _TensorLike, name: str | None = None) -> _Tensor:
    """The exponential integral of positive numbers, NaN for negative ones, elementwise; SciPy computes it."""
def fresnel_cos(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Fresnel's cosine integral, elementwise; SciPy computes it."""
def fresnel_sin(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Fresnel's sine integral, elementwise; SciPy computes it."""
def spence(x: _TensorLike, name: str | None = None) -> _Tensor:
    """Spence's function, a dilogarithm, elementwise; SciPy computes it."""
