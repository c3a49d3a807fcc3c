"""NumPy's functions element by element: operands get one dtype by its rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay.eager import promotion
from inlay.export import export
from inlay.numpy_functions.creation import asarray, result
from inlay.ops import array as arrays
from inlay.ops import (
    clipping,
    complex_numbers,
    division,
    joining,
    math,
    powers,
    trigonometry,
)
from inlay.ops.matmul import matmul as product
from inlay.types import dtypes


def together(*operands: Any) -> list[Any]:
    """Operands as tensors of one dtype, by NumPy's rule."""
    kind = result(operands)
    return [asarray(x) if kind is None else promotion.converted(x, kind) for x in operands]


def _of_one(function: Callable[..., Any], says: str, floats: bool = False) -> Any:
    """A function of one tensor; `floats`: whole numbers become float64."""

    def of_one(x: Any) -> Any:
        x = asarray(x)
        return function(math.cast(x, dtypes.float64) if floats and (x.dtype.is_integer or x.dtype.is_bool) else x)

    of_one.__doc__ = says
    return of_one


def _of_two(function: Callable[..., Any], says: str, kind: Any = None) -> Any:
    """A function of two tensors, which get one dtype: `kind`, or by NumPy's rule."""

    def of_two(x1: Any, x2: Any) -> Any:
        operands = together(x1, x2) if kind is None else [asarray(x, kind) for x in (x1, x2)]
        return function(*operands)

    of_two.__doc__ = says
    return of_two


absolute: Any = export("experimental.numpy.absolute", "experimental.numpy.abs", "experimental.numpy.fabs")(
    _of_one(complex_numbers.abs, "The absolute value of each element.")
)
square: Any = export("experimental.numpy.square")(_of_one(powers.square, "The square of each element."))
negative: Any = export("experimental.numpy.negative")(_of_one(math.negative, "Each element with the other sign."))
sign: Any = export("experimental.numpy.sign")(_of_one(complex_numbers.sign, "The sign of each element."))
conjugate: Any = export("experimental.numpy.conjugate", "experimental.numpy.conj")(
    _of_one(math.conj, "The conjugate of each element.")
)
real: Any = export("experimental.numpy.real")(_of_one(complex_numbers.real, "The real part of each element."))
imag: Any = export("experimental.numpy.imag")(_of_one(complex_numbers.imag, "The imaginary part of each element."))
logical_not: Any = export("experimental.numpy.logical_not")(
    _of_one(lambda x: math.logical_not(math.cast(x, dtypes.bool_)), "Whether each element is zero.")
)
sqrt: Any = export("experimental.numpy.sqrt")(_of_one(powers.sqrt, "The square root of each element.", floats=True))
exp: Any = export("experimental.numpy.exp")(_of_one(powers.exp, "e to the power of each element.", floats=True))
log: Any = export("experimental.numpy.log")(_of_one(powers.log, "The natural logarithm of each element.", floats=True))
log1p: Any = export("experimental.numpy.log1p")(
    _of_one(powers.log1p, "The natural logarithm of 1 and each element.", floats=True)
)
expm1: Any = export("experimental.numpy.expm1")(
    _of_one(powers.expm1, "e to the power of each element, less 1.", floats=True)
)
reciprocal: Any = export("experimental.numpy.reciprocal")(
    _of_one(powers.reciprocal, "1 divided by each element.", floats=True)
)
floor: Any = export("experimental.numpy.floor")(
    _of_one(math.floor, "The greatest whole number not above each element.", floats=True)
)
ceil: Any = export("experimental.numpy.ceil")(
    _of_one(math.ceil, "The least whole number not below each element.", floats=True)
)
isnan: Any = export("experimental.numpy.isnan")(_of_one(math.is_nan, "Whether each element is NaN.", floats=True))
isinf: Any = export("experimental.numpy.isinf")(_of_one(math.is_inf, "Whether each element is infinite.", floats=True))
isfinite: Any = export("experimental.numpy.isfinite")(
    _of_one(math.is_finite, "Whether each element is finite.", floats=True)
)
sin: Any = export("experimental.numpy.sin")(_of_one(trigonometry.sin, "The sine of each element.", floats=True))
cos: Any = export("experimental.numpy.cos")(_of_one(trigonometry.cos, "The cosine of each element.", floats=True))
tan: Any = export("experimental.numpy.tan")(_of_one(trigonometry.tan, "The tangent of each element.", floats=True))
sinh: Any = export("experimental.numpy.sinh")(
    _of_one(trigonometry.sinh, "The hyperbolic sine of each element.", floats=True)
)
cosh: Any = export("experimental.numpy.cosh")(
    _of_one(trigonometry.cosh, "The hyperbolic cosine of each element.", floats=True)
)
tanh: Any = export("experimental.numpy.tanh")(
    _of_one(trigonometry.tanh, "The hyperbolic tangent of each element.", floats=True)
)
arcsin: Any = export("experimental.numpy.arcsin")(
    _of_one(trigonometry.asin, "The angle whose sine each element is.", floats=True)
)
arccos: Any = export("experimental.numpy.arccos")(
    _of_one(trigonometry.acos, "The angle whose cosine each element is.", floats=True)
)
arctan: Any = export("experimental.numpy.arctan")(
    _of_one(trigonometry.atan, "The angle whose tangent each element is.", floats=True)
)
add: Any = export("experimental.numpy.add")(_of_two(math.add, "The sum, element by element."))
subtract: Any = export("experimental.numpy.subtract")(_of_two(math.subtract, "The difference, element by element."))
multiply: Any = export("experimental.numpy.multiply")(_of_two(math.multiply, "The product, element by element."))
true_divide: Any = export("experimental.numpy.true_divide", "experimental.numpy.divide")(
    _of_two(division.divide, "The quotient, element by element.")
)
floor_divide: Any = export("experimental.numpy.floor_divide")(
    _of_two(division.floordiv, "The quotient rounded down, element by element.")
)
mod: Any = export("experimental.numpy.mod", "experimental.numpy.remainder")(
    _of_two(division.floormod, "The remainder of `floor_divide`, element by element.")
)
power: Any = export("experimental.numpy.power")(
    _of_two(powers.pow, "One to the power of the other, element by element.")
)
maximum: Any = export("experimental.numpy.maximum")(_of_two(math.maximum, "The greater one, element by element."))
minimum: Any = export("experimental.numpy.minimum")(_of_two(math.minimum, "The lesser one, element by element."))
equal: Any = export("experimental.numpy.equal")(_of_two(math.equal, "Whether both are equal, element by element."))
not_equal: Any = export("experimental.numpy.not_equal")(
    _of_two(math.not_equal, "Whether both differ, element by element.")
)
less: Any = export("experimental.numpy.less")(_of_two(math.less, "Whether one is less, element by element."))
less_equal: Any = export("experimental.numpy.less_equal")(
    _of_two(math.less_equal, "Whether one is not greater, element by element.")
)
greater: Any = export("experimental.numpy.greater")(
    _of_two(math.greater, "Whether one is greater, element by element.")
)
greater_equal: Any = export("experimental.numpy.greater_equal")(
    _of_two(math.greater_equal, "Whether one is not less, element by element.")
)
matmul: Any = export("experimental.numpy.matmul")(_of_two(product, "The matrix product."))
logical_and: Any = export("experimental.numpy.logical_and")(
    _of_two(math.logical_and, "Whether both are other than zero, element by element.", dtypes.bool_)
)
logical_or: Any = export("experimental.numpy.logical_or")(
    _of_two(math.logical_or, "Whether one of both is other than zero, element by element.", dtypes.bool_)
)
logical_xor: Any = export("experimental.numpy.logical_xor")(
    _of_two(math.logical_xor, "Whether one of both alone is other than zero, element by element.", dtypes.bool_)
)


@export("experimental.numpy.where")
def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """Elements of one or of another; with a condition alone, where it holds, one tensor for each axis."""
    chosen = asarray(condition, dtypes.bool_)
    if x is None and y is None:
        return joining.unstack(arrays.where(chosen), axis=1)
    return arrays.where(chosen, *together(x, y))


@export("experimental.numpy.clip")
def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """The elements, those outside of two bounds moved to them; None is no bound."""
    if a_min is None or a_max is None:
        bounded = asarray(a) if a_min is None else maximum(a, a_min)
        return bounded if a_max is None else minimum(bounded, a_max)
    return clipping.clip_by_value(*together(a, a_min, a_max))
