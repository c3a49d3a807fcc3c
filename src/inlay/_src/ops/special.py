"""Special functions. On NumPy they are SciPy's, loaded on first use; under XLA, JAX's."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter import xla
from inlay._src.base.interpreter.blocks import in_blocks
from inlay._src.base.types import shapes
from inlay._src.base.types.dtypes import FLOATS, float32, float64
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import operand
from inlay._src.core.opdef import Shapes, broadcast, same
from inlay._src.core.tensor import Tensor
from inlay._src.ops import complex_numbers, math, powers
from inlay._src.ops.array import ones_like, where, zeros_like
from inlay._src.ops.reductions import reduce_sum
from inlay._src.ops.shaping import sum_like, wide

_W = frozenset({float32, float64})


def _function(xp: Any, name: str) -> Any:
    """A special function of the namespace `xp`."""
    return from_scipy("special", name) if xp is np else getattr(xla.special(), name)


def from_scipy(module: str, name: str) -> Any:
    """A function of one of SciPy's modules, which are loaded when they are needed."""
    try:
        library = importlib.import_module(f"scipy.{module}")
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{name} on NumPy arrays needs SciPy, which is not installed: pip install 'inlay[scipy]'"
        ) from error
    return getattr(library, name)


def scipy_is_installed() -> bool:
    """Whether `from_scipy` finds SciPy, for kernels that have another way without it."""
    return importlib.util.find_spec("scipy") is not None


def _call(xp: Any, name: str, *inputs: Any) -> Any:
    """A special function computed in at least 32 bits, in the type of its inputs."""
    return _function(xp, name)(*map(wide, inputs)).astype(inputs[0].dtype)


def _bell(sign: float) -> Any:
    """The gradient of erf (1) and erfc (-1)."""

    def vjp(op, dy):
        x = op.inputs[0]
        slope = math.multiply(math.number_of(sign * 2 / np.sqrt(np.pi), x), powers.exp(math.negative(powers.square(x))))
        return math.multiply(dy, slope)

    return vjp


@op("Erf", "x:T -> T", types=FLOATS, infer=same, vjp=_bell(1))
@export("erf", "math.erf")
@in_blocks(4)
def erf(xp, x):
    """The Gauss error function, elementwise."""
    return _call(xp, "erf", x)


@op("Erfc", "x:T -> T", types=FLOATS, infer=same, vjp=_bell(-1))
@export("erfc", "math.erfc")
@in_blocks(4)
def erfc(xp, x):
    """`1 - erf(x)` elementwise, exact where that is small."""
    return _call(xp, "erfc", x)


def _erfinv_vjp(op, dy):
    y = op.outputs[0]
    return math.multiply(dy, math.multiply(math.number_of(np.sqrt(np.pi) / 2, y), powers.exp(powers.square(y))))


@op("Erfinv", "x:T -> T", types=FLOATS, infer=same, vjp=_erfinv_vjp)
@export("math.erfinv")
@in_blocks(15)
def erfinv(xp, x):
    """The number whose error function is `x`, elementwise."""
    return _call(xp, "erfinv", x)


def _ndtri_vjp(op, dy):
    y = op.outputs[0]
    slope = powers.exp(math.multiply(powers.square(y), math.number_of(0.5, y)))
    return math.multiply(dy, math.multiply(math.number_of(np.sqrt(2 * np.pi), y), slope))


@op("Ndtri", "x:T -> T", types=_W, infer=same, vjp=_ndtri_vjp)
@export("math.ndtri")
@in_blocks(15)
def ndtri(xp, x):
    """The quantile of the standard normal distribution, elementwise."""
    return _call(xp, "ndtri", x)


@export("math.erfcinv")
def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The number whose complementary error function is `x`, elementwise."""
    x = operand(x)
    return math.multiply(ndtri(math.multiply(x, math.number_of(0.5, x))), math.number_of(-np.sqrt(0.5), x), name=name)


@op("Lgamma", "x:T -> T", types=FLOATS, infer=same, vjp=lambda op, dy: math.multiply(dy, digamma(op.inputs[0])))
@export("lgamma", "math.lgamma")
@in_blocks(12)
def lgamma(xp, x):
    """The logarithm of the absolute value of the gamma function, elementwise."""
    return xp.where(xp.isinf(x), xp.abs(x), _call(xp, "gammaln", x))


def _digamma_vjp(op, dy):
    x = op.inputs[0]
    return math.multiply(dy, polygamma(powers.one_like(x), x))


@op("Digamma", "x:T -> T", types=FLOATS, infer=same, vjp=_digamma_vjp)
@export("digamma", "math.digamma")
@in_blocks(10)
def digamma(xp, x):
    """The derivative of `lgamma`, elementwise."""
    return _call(xp, "digamma", x)


def _polygamma_vjp(op, dy):
    a, x = op.inputs
    return None, sum_like(math.multiply(dy, polygamma(math.add(a, powers.one_like(a)), x)), x)


def _powers(n: Any, x: Any) -> Any:
    """`(-1)**(n + 1) * n! * zeta(n + 1, x)`."""
    zeta_of, gamma = _function(np, "zeta"), _function(np, "gamma")
    sign = np.power(-1.0, n + 1.0)
    return sign * gamma(n + 1.0) * zeta_of(n + 1.0, x)


@op("Polygamma", "a:T, x:T -> T", types=_W, infer=broadcast, vjp=_polygamma_vjp)
@export("polygamma", "math.polygamma")
@in_blocks(200)
def polygamma(xp, a, x):
    """The derivative of order `a` of `digamma` at `x`, elementwise; `a` is a whole number."""
    if xp is not np:
        return _function(xp, "polygamma")(a.astype(np.int32), x).astype(x.dtype)
    n = np.asarray(a)
    values = np.where(n == 0, _call(np, "digamma", x), _powers(n, x))
    return np.where((n >= 0) & (n == np.floor(n)), values, np.nan).astype(x.dtype)


def _zeta_vjp(op, dy):
    x, q = op.inputs
    slope = math.multiply(math.negative(x), zeta(math.add(x, powers.one_like(x)), q))
    return None, sum_like(math.multiply(dy, slope), q)


@op("Zeta", "x:T, q:T -> T", types=_W, infer=broadcast, vjp=_zeta_vjp)
@export("zeta", "math.zeta")
@in_blocks(200)
def zeta(xp, x, q):
    """The Hurwitz zeta function, the sum over n of `(q + n)**-x`, elementwise."""
    values = _call(xp, "zeta", x, q)
    # SciPy's sum is NaN where its first term is all that counts.
    return np.where(np.isnan(values) & (x > 100) & (q > 0), np.power(q, -x), values) if xp is np else values


def _betainc_vjp(op, dy):
    a, b, x = op.inputs
    log_beta = math.subtract(math.add(lgamma(a), lgamma(b)), lgamma(math.add(a, b)))
    log_powers = math.add(
        powers.xlog1py(math.subtract(b, powers.one_like(b)), math.negative(x)),
        powers.xlogy(math.subtract(a, powers.one_like(a)), x),
    )
    return None, None, sum_like(math.multiply(dy, powers.exp(math.subtract(log_powers, log_beta))), x)


def _betainc_infer(s: Shapes) -> list[Dims]:
    """The shape that all operands but scalars have; TensorFlow's kernel broadcasts nothing else."""
    merged: Dims = None
    for dims in s.dims:
        if dims != ():
            merged = shapes.merge(merged, dims)
    scalars = sum(dims == () for dims in s.dims)
    unknown = None in s.dims
    return [() if scalars == 3 else None if unknown and scalars == 2 else merged]


@op("Betainc", "a:T, b:T, x:T -> T", types=_W, infer=_betainc_infer, vjp=_betainc_vjp)
@export("betainc", "math.betainc")
@in_blocks(100)
def betainc(xp, a, b, x):
    """The regularized incomplete beta function, elementwise; no gradient reaches `a` and `b`.

    Args:
      a, b, x: floats; those that are no scalars have one shape.
    """
    if len({np.shape(v) for v in (a, b, x) if np.ndim(v)}) > 1:
        raise ValueError(f"Shapes of a, b and x are inconsistent: {[list(np.shape(v)) for v in (a, b, x)]}")
    values = _call(xp, "betainc", a, b, x)
    # The integrals over nothing and over everything are 0 and 1, also where a parameter is NaN.
    whole = (xp.equal(x, 0) | xp.equal(x, 1)) & xp.isnan(values) & ~(xp.less_equal(a, 0) | xp.less_equal(b, 0))
    return xp.where(whole, x, values)


def _i0e_vjp(op, dy):
    x, y = op.inputs[0], op.outputs[0]
    return math.multiply(dy, math.subtract(bessel_i1e(x), math.multiply(complex_numbers.sign(x), y)))


@op("BesselI0e", "x:T -> T", types=FLOATS, infer=same, vjp=_i0e_vjp)
@export("math.bessel_i0e", "math.special.bessel_i0e")
@in_blocks(35)
def bessel_i0e(xp, x):
    """The modified Bessel function of order 0 times `exp(-|x|)`, elementwise."""
    return _call(xp, "i0e", x)


def _i1e_vjp(op, dy):
    x, y = op.inputs[0], op.outputs[0]
    zero = math.equal(x, zeros_like(x))
    inverse = powers.reciprocal(where(zero, ones_like(x), x))
    slope = math.subtract(bessel_i0e(x), math.multiply(y, math.add(complex_numbers.sign(x), inverse)))
    return math.multiply(dy, where(zero, math.multiply(ones_like(x), math.number_of(0.5, x)), slope))


@op("BesselI1e", "x:T -> T", types=FLOATS, infer=same, vjp=_i1e_vjp)
@export("math.bessel_i1e", "math.special.bessel_i1e")
@in_blocks(35)
def bessel_i1e(xp, x):
    """The modified Bessel function of order 1 times `exp(-|x|)`, elementwise."""
    return _call(xp, "i1e", x)


@export("math.bessel_i0", "math.special.bessel_i0")
def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0, elementwise."""
    return math.multiply(bessel_i0e(x), powers.exp(complex_numbers.abs(x)), name=name)


@export("math.bessel_i1", "math.special.bessel_i1")
def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 1, elementwise."""
    return math.multiply(bessel_i1e(x), powers.exp(complex_numbers.abs(x)), name=name)


def _igamma_vjp(sign: float) -> Any:
    """The gradient of the lower (1) and the upper (-1) incomplete gamma function."""

    def vjp(op, dy):
        a, x = op.inputs
        density = math.subtract(powers.xlogy(math.subtract(a, powers.one_like(a)), x), math.add(x, lgamma(a)))
        dy = math.multiply(dy, math.number_of(sign, dy))
        return sum_like(math.multiply(dy, igamma_grad_a(a, x)), a), sum_like(math.multiply(dy, powers.exp(density)), x)

    return vjp


@op("Igamma", "a:T, x:T -> T", types=_W, infer=broadcast, vjp=_igamma_vjp(1))
@export("igamma", "math.igamma")
@in_blocks(60)
def igamma(xp, a, x):
    """The lower regularized incomplete gamma function, elementwise."""
    values = _call(xp, "gammainc", a, x)
    return xp.where(xp.equal(x, 0), xp.zeros_like(values), values)  # also where `a` is 0 or NaN


@op("Igammac", "a:T, x:T -> T", types=_W, infer=broadcast, vjp=_igamma_vjp(-1))
@export("igammac", "math.igammac")
@in_blocks(60)
def igammac(xp, a, x):
    """The upper regularized incomplete gamma function, elementwise."""
    return _call(xp, "gammaincc", a, x)


def _igamma_grad_a_vjp(op, dy):
    raise LookupError(
        "No gradient defined for op type IgammaGradA: the second derivative of igamma and igammac in `a` is not known "
        "to JAX either. Put tf.stop_gradient around `a` if only derivatives in `x` are wanted."
    )


@op("IgammaGradA", "a:T, x:T -> T", types=_W, infer=broadcast, vjp=_igamma_grad_a_vjp)
@in_blocks(200)
def igamma_grad_a(xp, a, x):
    """The derivative of `igamma` in `a`; XLA computes it, also for NumPy arrays."""
    a, x = xp.broadcast_arrays(a, x)
    if xp is not np:
        return xla.lax().igamma_grad_a(a, x)
    # XLA compiles it for each size, which takes a second: the sizes are powers of two.
    room = (0, max(64, 1 << (a.size - 1).bit_length()) - a.size)
    lines = [np.pad(array.reshape(-1), room, constant_values=1) for array in (a, x)]
    with xla.wide_types():
        return np.asarray(xla.lax().igamma_grad_a(*lines))[: a.size].reshape(a.shape)


@op("Sinc", "x:T -> T", types=_W, infer=same)
def sinc(xp, x):
    """`sin(pi x) / (pi x)` elementwise, and 1 at 0. Its gradient is derived from the kernel."""
    return xp.sinc(x)


@export("lbeta", "math.lbeta")
def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the beta function over the last axis of `x`."""
    x = math.float_tensor(x)
    return math.subtract(reduce_sum(lgamma(x), -1), lgamma(reduce_sum(x, -1)), name=name)
