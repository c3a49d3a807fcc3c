"""NumPy's elementwise functions and comparisons of tensors."""

from __future__ import annotations

from collections.abc import Callable
from math import log, pi
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array as arrays
from inlay._src.ops import bits, complex_numbers, division, math, powers, reductions, slicing, trigonometry
from inlay._src.programs.control.loops import while_loop
from inlay._src.programs.numpy_functions.conversion import (
    described,
    inexact,
    length_of,
    refuse_out,
    tensor_of,
    together,
    truths,
)

# ---------------------------------------------------------------- one operand


def _one(name: str, function: Callable[[Any], Any], floating: bool = False) -> Any:
    """A function of one operand; `floating`: of whole numbers as of floating ones."""

    def of_one(x: Any) -> Tensor:
        tensor = tensor_of(x)
        return function(inexact(tensor) if floating else tensor)

    return described(name, of_one, f"NumPy's `{name}` of each element of `x`, a tensor or a value that becomes one.")


def _cube_root(x: Any) -> Any:
    return complex_numbers.sign(x) * powers.pow(complex_numbers.abs(x), arrays.constant(1 / 3, x.dtype))


def _times(factor: float) -> Callable[[Any], Any]:
    return lambda x: math.multiply(x, arrays.constant(factor, x.dtype))


def _is_below_zero(x: Any) -> Any:
    return math.less(x, 0) if not (x.dtype.is_bool or x.dtype.is_unsigned) else arrays.zeros_like(x, dtypes.bool_)


def _sinc(x: Any) -> Any:
    turned = _times(pi)(arrays.where(math.equal(x, 0), arrays.ones_like(x), x))
    return arrays.where(math.equal(x, 0), arrays.ones_like(x), division.divide(trigonometry.sin(turned), turned))


def _fixed(x: Any) -> Any:
    return arrays.where(math.greater(x, 0), math.floor(x), math.ceil(x))


def _imaginary_is_zero(x: Any) -> Any:
    return math.equal(complex_numbers.imag(x), 0) if x.dtype.is_complex else arrays.ones_like(x, dtypes.bool_)


exp: Any = export("experimental.numpy.exp")(_one("exp", powers.exp, True))
exp2: Any = export("experimental.numpy.exp2")(_one("exp2", lambda x: powers.exp(_times(log(2.0))(x)), True))
expm1: Any = export("experimental.numpy.expm1")(_one("expm1", powers.expm1, True))
log_: Any = export("experimental.numpy.log")(_one("log", powers.log, True))
log1p: Any = export("experimental.numpy.log1p")(_one("log1p", powers.log1p, True))
log2: Any = export("experimental.numpy.log2")(_one("log2", lambda x: powers.log(x) / log(2.0), True))
log10: Any = export("experimental.numpy.log10")(_one("log10", lambda x: powers.log(x) / log(10.0), True))
sqrt: Any = export("experimental.numpy.sqrt")(_one("sqrt", powers.sqrt, True))
cbrt: Any = export("experimental.numpy.cbrt")(_one("cbrt", _cube_root, True))
sin: Any = export("experimental.numpy.sin")(_one("sin", trigonometry.sin, True))
cos: Any = export("experimental.numpy.cos")(_one("cos", trigonometry.cos, True))
tan: Any = export("experimental.numpy.tan")(_one("tan", trigonometry.tan, True))
arcsin: Any = export("experimental.numpy.arcsin")(_one("arcsin", trigonometry.asin, True))
arccos: Any = export("experimental.numpy.arccos")(_one("arccos", trigonometry.acos, True))
arctan: Any = export("experimental.numpy.arctan")(_one("arctan", trigonometry.atan, True))
sinh: Any = export("experimental.numpy.sinh")(_one("sinh", trigonometry.sinh, True))
cosh: Any = export("experimental.numpy.cosh")(_one("cosh", trigonometry.cosh, True))
tanh: Any = export("experimental.numpy.tanh")(_one("tanh", trigonometry.tanh, True))
arcsinh: Any = export("experimental.numpy.arcsinh")(_one("arcsinh", trigonometry.asinh, True))
arccosh: Any = export("experimental.numpy.arccosh")(_one("arccosh", trigonometry.acosh, True))
arctanh: Any = export("experimental.numpy.arctanh")(_one("arctanh", trigonometry.atanh, True))
deg2rad: Any = export("experimental.numpy.deg2rad")(_one("deg2rad", _times(pi / 180), True))
rad2deg: Any = export("experimental.numpy.rad2deg")(_one("rad2deg", _times(180 / pi), True))
sinc: Any = export("experimental.numpy.sinc")(_one("sinc", _sinc, True))
floor: Any = export("experimental.numpy.floor")(_one("floor", math.floor, True))
ceil: Any = export("experimental.numpy.ceil")(_one("ceil", math.ceil, True))
fix: Any = export("experimental.numpy.fix")(_one("fix", _fixed, True))
reciprocal: Any = export("experimental.numpy.reciprocal")(_one("reciprocal", powers.reciprocal, True))
isfinite: Any = export("experimental.numpy.isfinite")(_one("isfinite", math.is_finite, True))
isinf: Any = export("experimental.numpy.isinf")(_one("isinf", math.is_inf, True))
isnan: Any = export("experimental.numpy.isnan")(_one("isnan", math.is_nan, True))
isposinf: Any = export("experimental.numpy.isposinf")(_one("isposinf", lambda x: math.equal(x, np.inf), True))
isneginf: Any = export("experimental.numpy.isneginf")(_one("isneginf", lambda x: math.equal(x, -np.inf), True))
abs_: Any = export("experimental.numpy.abs")(_one("abs", complex_numbers.abs))
absolute: Any = export("experimental.numpy.absolute")(_one("absolute", complex_numbers.abs))
fabs: Any = export("experimental.numpy.fabs")(_one("fabs", complex_numbers.abs))
negative: Any = export("experimental.numpy.negative")(_one("negative", math.negative))
positive: Any = export("experimental.numpy.positive")(_one("positive", arrays.identity))
square: Any = export("experimental.numpy.square")(_one("square", powers.square))
conjugate: Any = export("experimental.numpy.conjugate")(_one("conjugate", math.conj))
conj: Any = export("experimental.numpy.conj")(_one("conj", math.conj))
isreal: Any = export("experimental.numpy.isreal")(_one("isreal", _imaginary_is_zero))
iscomplex: Any = export("experimental.numpy.iscomplex")(
    _one("iscomplex", lambda x: math.logical_not(_imaginary_is_zero(x)))
)
signbit: Any = export("experimental.numpy.signbit")(_one("signbit", _is_below_zero))
logical_not: Any = export("experimental.numpy.logical_not")(_one("logical_not", lambda x: math.logical_not(truths(x))))
bitwise_not: Any = export("experimental.numpy.bitwise_not")(
    _one("bitwise_not", lambda x: math.logical_not(x) if x.dtype.is_bool else bits.invert(x))
)


@export("experimental.numpy.real")
def real(val: Any) -> Tensor:
    """The real part of each element."""
    return complex_numbers.real(tensor_of(val))


@export("experimental.numpy.imag")
def imag(val: Any) -> Tensor:
    """The imaginary part of each element; zeros of real numbers."""
    return complex_numbers.imag(tensor_of(val))


@export("experimental.numpy.angle")
def angle(z: Any, deg: bool = False) -> Tensor:
    """The argument of each element.

    Args:
      z: numbers.
      deg: whether it is given in degrees.
    """
    angles = complex_numbers.angle(inexact(tensor_of(z)))
    return _times(180 / pi)(angles) if deg else angles


@export("experimental.numpy.sign")
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Tensor:
    """The sign of each element.

    Args:
      x: numbers.
      out, where, **kwargs: none of them can be set.

    Raises:
      ValueError: if one of them is.
    """
    refuse_out(out)
    if where is not None or kwargs:
        raise ValueError(f"sign supports no argument but x, got {['where', *kwargs] if where is not None else kwargs}")
    return complex_numbers.sign(tensor_of(x))


@export("experimental.numpy.around", "experimental.numpy.round")
def around(a: Any, decimals: Any = 0) -> Tensor:
    """The elements rounded, halves to the even neighbor.

    Args:
      a: numbers.
      decimals: the number of decimal places; negative ones stand before it.
    """
    tensor = tensor_of(a)
    factor = tensor_of(10.0**decimals, inexact(tensor).dtype)
    rounded = division.divide(math.round(math.multiply(inexact(tensor), factor)), factor)
    return math.cast(rounded, tensor.dtype)


# ---------------------------------------------------------------- two operands


def _two(name: str, function: Callable[[Any, Any], Any], floating: bool = False) -> Any:
    """A function of two operands, which get one dtype; `floating`: of whole numbers as of floating ones."""

    def of_two(x1: Any, x2: Any) -> Tensor:
        operands = together(x1, x2)
        return function(*map(inexact, operands)) if floating else function(*operands)

    return described(
        name, of_two, f"NumPy's `{name}` of `x1` and `x2`, tensors or values that become some, element by element."
    )


def _either(of_truths: Callable[..., Any], of_numbers: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: of_truths(x, y) if x.dtype.is_bool else of_numbers(x, y)


def _of_truths(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: function(truths(x), truths(y))


def _quotient(x: Any, y: Any) -> Any:
    return division.divide(inexact(x), inexact(y)) if x.dtype.is_bool else division.divide(x, y)


def _of_bytes(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """A function that takes truths as numbers of 8 bits."""
    return _either(lambda x, y: function(math.cast(x, dtypes.int8), math.cast(y, dtypes.int8)), function)


def _above_sum(exponent: Callable[[Any], Any], logarithm: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """The logarithm of a sum of powers, without the powers themselves."""

    def added(x: Any, y: Any) -> Any:
        greater = math.maximum(x, y)
        distance = math.negative(complex_numbers.abs(math.subtract(x, y)))
        total = math.add(greater, logarithm(exponent(distance)))
        return arrays.where(math.is_nan(distance), math.add(x, y), total)  # infinities of one sign

    return added


def _heaviside(x: Any, at_zero: Any) -> Any:
    zero = arrays.zeros_like(x)
    above = math.cast(math.greater(x, zero), x.dtype)
    return arrays.where(math.equal(x, zero), math.add(at_zero, zero), math.add(above, arrays.zeros_like(at_zero)))


def _common_divisor(x: Any, y: Any) -> Any:
    """The greatest common divisor by Euclid's steps, of all elements at once.

    Raises:
      ValueError: for other than whole numbers.
    """
    if not x.dtype.is_integer:
        raise ValueError(f"Arguments to gcd must be integers, got {x.dtype.name}.")
    first, second = (complex_numbers.abs(v) if not v.dtype.is_unsigned else v for v in (x, y))
    first, second = math.add(first, arrays.zeros_like(second)), math.add(second, arrays.zeros_like(first))

    def step(a: Any, b: Any) -> Any:
        rest = math.equal(b, 0)
        divisor = arrays.where(rest, arrays.ones_like(b), b)
        return arrays.where(rest, a, b), arrays.where(rest, b, division.floormod(a, divisor))

    return while_loop(lambda a, b: reductions.reduce_any(math.not_equal(b, 0)), step, (first, second))[0]


def _common_multiple(x: Any, y: Any) -> Any:
    divisor = _common_divisor(x, y)
    share = division.floordiv(x, math.maximum(divisor, arrays.ones_like(divisor)))  # the product may be large
    product = math.multiply(share, y)
    return product if product.dtype.is_unsigned else complex_numbers.abs(product)


add: Any = export("experimental.numpy.add")(_two("add", _either(math.logical_or, math.add)))
subtract: Any = export("experimental.numpy.subtract")(_two("subtract", math.subtract))
multiply: Any = export("experimental.numpy.multiply")(_two("multiply", _either(math.logical_and, math.multiply)))
divide: Any = export("experimental.numpy.divide")(_two("divide", _quotient))
true_divide: Any = export("experimental.numpy.true_divide")(_two("true_divide", _quotient))
floor_divide: Any = export("experimental.numpy.floor_divide")(_two("floor_divide", _of_bytes(division.floordiv)))
mod: Any = export("experimental.numpy.mod")(_two("mod", _of_bytes(division.floormod)))
remainder: Any = export("experimental.numpy.remainder")(_two("remainder", _of_bytes(division.floormod)))


@export("experimental.numpy.divmod")
def divmod_(x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """NumPy's `divmod` of `x1` and `x2`, tensors or values that become some, element by element."""
    return floor_divide(x1, x2), remainder(x1, x2)


power: Any = export("experimental.numpy.power")(_two("power", powers.pow))
float_power: Any = export("experimental.numpy.float_power")(_two("float_power", powers.pow))
maximum: Any = export("experimental.numpy.maximum")(_two("maximum", _either(math.logical_or, math.maximum)))
minimum: Any = export("experimental.numpy.minimum")(_two("minimum", _either(math.logical_and, math.minimum)))
arctan2: Any = export("experimental.numpy.arctan2")(_two("arctan2", trigonometry.atan2, True))
hypot: Any = export("experimental.numpy.hypot")(
    _two("hypot", lambda x, y: powers.sqrt(powers.square(x) + powers.square(y)), True)
)
logaddexp: Any = export("experimental.numpy.logaddexp")(_two("logaddexp", _above_sum(powers.exp, powers.log1p), True))
logaddexp2: Any = export("experimental.numpy.logaddexp2")(
    _two(
        "logaddexp2",
        _above_sum(lambda x: powers.exp(_times(log(2.0))(x)), lambda x: _times(1 / log(2.0))(powers.log1p(x))),
        True,
    )
)
heaviside: Any = export("experimental.numpy.heaviside")(_two("heaviside", _heaviside, True))
nextafter: Any = export("experimental.numpy.nextafter")(_two("nextafter", math.nextafter, True))
gcd: Any = export("experimental.numpy.gcd")(_two("gcd", _common_divisor))
lcm: Any = export("experimental.numpy.lcm")(_two("lcm", _common_multiple))
equal: Any = export("experimental.numpy.equal")(_two("equal", math.equal))
not_equal: Any = export("experimental.numpy.not_equal")(_two("not_equal", math.not_equal))
greater: Any = export("experimental.numpy.greater")(_two("greater", _of_bytes(math.greater)))
greater_equal: Any = export("experimental.numpy.greater_equal")(_two("greater_equal", _of_bytes(math.greater_equal)))
less: Any = export("experimental.numpy.less")(_two("less", _of_bytes(math.less)))
less_equal: Any = export("experimental.numpy.less_equal")(_two("less_equal", _of_bytes(math.less_equal)))
logical_and: Any = export("experimental.numpy.logical_and")(_two("logical_and", _of_truths(math.logical_and)))
logical_or: Any = export("experimental.numpy.logical_or")(_two("logical_or", _of_truths(math.logical_or)))
logical_xor: Any = export("experimental.numpy.logical_xor")(_two("logical_xor", _of_truths(math.logical_xor)))
bitwise_and: Any = export("experimental.numpy.bitwise_and")(
    _two("bitwise_and", _either(math.logical_and, bits.bitwise_and))
)
bitwise_or: Any = export("experimental.numpy.bitwise_or")(_two("bitwise_or", _either(math.logical_or, bits.bitwise_or)))
bitwise_xor: Any = export("experimental.numpy.bitwise_xor")(
    _two("bitwise_xor", _either(math.logical_xor, bits.bitwise_xor))
)


@export("experimental.numpy.clip")
def clip(a: Any, a_min: Any, a_max: Any) -> Tensor:
    """The elements, those outside of two bounds moved to them; None is no bound."""
    value, *bounds = together(a, *(bound for bound in (a_min, a_max) if bound is not None))
    if a_min is not None:
        value = math.maximum(value, bounds[0])
    return value if a_max is None else math.minimum(value, bounds[-1])


@export("experimental.numpy.isclose")
def isclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether elements are equal but for a share of the second, or a number.

    Args:
      a, b: numbers.
      rtol: the share.
      atol: the number.
      equal_nan: whether NaN equals NaN.
    """
    first, second = map(inexact, together(a, b))
    size = complex_numbers.abs(second)
    distance = complex_numbers.abs(math.subtract(first, second))
    near = math.less_equal(distance, math.add(_times(rtol)(size), arrays.constant(atol, size.dtype)))
    close = math.logical_or(math.logical_and(near, math.is_finite(size)), math.equal(first, second))
    if not equal_nan:
        return close
    return math.logical_or(close, math.logical_and(math.not_equal(first, first), math.not_equal(second, second)))


@export("experimental.numpy.allclose")
def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether all elements are equal but for a share of the second, or a number: `isclose`."""
    return reductions.reduce_all(isclose(a, b, rtol, atol, equal_nan))


@export("experimental.numpy.array_equal")
def array_equal(a1: Any, a2: Any) -> Tensor:
    """Whether two tensors have one shape and the same elements."""
    first, second = together(a1, a2)
    if not first.shape.is_compatible_with(second.shape):
        return arrays.constant(False)
    sizes, others = arrays.shape(first), arrays.shape(second)
    least = math.minimum(sizes, others)  # both have one rank; where sizes differ, a part is compared in vain
    parts = (slicing.slice_(v, arrays.zeros_like(least), least) for v in (first, second))
    same_sizes = reductions.reduce_all(math.equal(sizes, others))
    return math.logical_and(same_sizes, reductions.reduce_all(math.equal(*parts)))


@export("experimental.numpy.polyval")
def polyval(p: Any, x: Any) -> Tensor:
    """A polynomial, its coefficients from the highest power down, at each element.

    Args:
      p: the coefficients, a vector.
      x: where.
    """
    coefficients, at = together(p, x)
    total = arrays.zeros_like(at)
    for place in range(length_of(coefficients)):
        total = math.add(math.multiply(total, at), coefficients[place])
    return total
