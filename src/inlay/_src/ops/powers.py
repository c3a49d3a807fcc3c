"""Powers, exponentials and logarithms, and the sigmoid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.interpreter.blocks import in_blocks
from inlay._src.base.tuning import TUNING
from inlay._src.base.types.dtypes import FLOATS, INDEX, NUMBERS, TRAINABLE, DType
from inlay._src.core.eager.convert import convert_to_tensor, number_like
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import InlineKernel, LoweringHints, Name
from inlay._src.core.opdef import broadcast, same
from inlay._src.core.tensor import Tensor
from inlay._src.ops.array import ones_like, where, zeros_like
from inlay._src.ops.complex_numbers import real
from inlay._src.ops.division import integers_but, real_divide
from inlay._src.ops.elementwise import ufunc_op
from inlay._src.ops.math import (
    add,
    cast,
    conjugate,
    greater,
    multiply,
    negative,
    not_equal,
    number_of,
    subtract,
    two_like,
)
from inlay._src.ops.shaping import number_array, sum_like


def _pow_vjp(op, dy):
    x, y = op.inputs
    dx = None
    if op.needs(0):
        lower = subtract(conjugate(y), one_like(y))
        dx = sum_like(multiply(dy, multiply(conjugate(y), pow(conjugate(x), lower))), x)
    return dx, sum_like(_pow_exponent(op, dy), y) if op.needs(1) else None


def _pow_exponent(op: Any, dy: Any) -> Any:
    """The cotangent of an exponent. The log of a base that is not positive (not zero, if complex) counts as zero."""
    x, z = op.inputs[0], op.outputs[0]
    usable = not_equal(x, zeros_like(x)) if x.dtype.is_complex else greater(x, zeros_like(x))
    safe = where(usable, x, ones_like(x))
    return multiply(multiply(dy, conjugate(z)), where(usable, log(conjugate(safe)), zeros_like(x)))


@op(
    "Pow",
    "x:T, y:T -> T",
    types=NUMBERS,
    infer=broadcast,
    vjp=_pow_vjp,
    lower=LoweringHints(refuses=integers_but(lambda y: y >= 0), fuses=False),
)
@export("pow", "math.pow")
def pow(xp, x, y):
    """`x ** y` elementwise."""
    if xp is np and x.dtype.kind in "iu" and np.any(np.less(y, 0)):
        raise ValueError("Integers to negative integer powers are not allowed")
    if (
        xp is np
        and y.ndim == 0
        and x.dtype.kind == "f"
        and x.dtype.itemsize > 2
        and (product := _PRODUCTS.get(float(y)))
    ):
        return product(x)
    return xp.power(x, y)


def _cubed(x: Any) -> Any:
    return np.multiply(np.multiply(x, x), x)


def _fourth(x: Any) -> Any:
    square = np.multiply(x, x)
    return np.multiply(square, square)


def _root(x: Any) -> Any:
    # A square root differs from the power at two numbers: it is -0.0 at -0.0 and NaN at -inf.
    return np.where(np.isneginf(x), x.dtype.type(np.inf), np.sqrt(np.add(x, x.dtype.type(0.0))))


_PRODUCTS: dict[float, Callable[[Any], Any]] = {0.5: _root, 2.0: np.square, 3.0: _cubed, 4.0: _fourth}
"""Exponents -> what takes a thirtieth of the time of a power, and differs from it by a last bit at most."""


def one_like(x: Any) -> Any:
    return number_like(1, x)


def scaled(dy: Any, factor: Any) -> Any:
    """A holomorphic function's cotangent: `dy` times the conjugate of the derivative."""
    return multiply(dy, conjugate(factor))


def times(slope: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The gradient of a holomorphic function whose derivative is `slope(input, output)`."""
    return lambda op, dy: scaled(dy, slope(op.inputs[0], op.outputs[0]))


def over(slope: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The gradient of a holomorphic function whose derivative is `1 / slope(input, output)`."""
    return lambda op, dy: real_divide(dy, conjugate(slope(op.inputs[0], op.outputs[0])))


square: Callable[..., Any] = export("square", "math.square")(
    ufunc_op("Square", np.square, "`x * x` elementwise.", NUMBERS, times(lambda x, y: multiply(x, two_like(x))))
)
sqrt: Callable[..., Any] = export("sqrt", "math.sqrt")(
    ufunc_op("Sqrt", np.sqrt, "The square root, elementwise.", TRAINABLE, over(lambda x, y: multiply(two_like(y), y)))
)
exp: Callable[..., Any] = export("exp", "math.exp")(
    ufunc_op("Exp", np.exp, "e to the power x, elementwise.", TRAINABLE, times(lambda x, y: y))
)
expm1: Callable[..., Any] = export("expm1", "math.expm1")(
    ufunc_op("Expm1", np.expm1, "`exp(x) - 1` elementwise, exact for small `x`.", TRAINABLE, times(lambda x, y: exp(x)))
)
log: Callable[..., Any] = export("log", "math.log")(
    ufunc_op("Log", np.log, "The natural logarithm, elementwise.", TRAINABLE, over(lambda x, y: x))
)
log1p: Callable[..., Any] = export("log1p", "math.log1p")(
    ufunc_op(
        "Log1p",
        np.log1p,
        "`log(1 + x)` elementwise, exact for small `x`.",
        TRAINABLE,
        over(lambda x, y: add(x, one_like(x))),
    )
)


def _squared_difference_vjp(op, dy):
    x, y = op.inputs
    if x.dtype.is_complex:
        dy = cast(real(dy), x.dtype)  # the result is real
    slope = multiply(dy, multiply(two_like(x), subtract(x, y)))
    return sum_like(slope, x), sum_like(negative(slope), y)


@op("SquaredDifference", "x:T, y:T -> T", types=TRAINABLE | INDEX, infer=broadcast, vjp=_squared_difference_vjp)
@export("squared_difference", "math.squared_difference")
def squared_difference(xp, x, y):
    """`conj(x - y) * (x - y)` elementwise."""
    gap = xp.subtract(x, y)
    return xp.multiply(xp.conjugate(gap), gap)


@export("polyval", "math.polyval")
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The polynomial with coefficients `coeffs` (highest power first) at `x`, elementwise.

    Args:
      coeffs: a list of tensors; empty for the zero polynomial.
      x: where to evaluate.
      name: the node's name.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = convert_to_tensor(x)
    if len(coeffs) == 1:
        return convert_to_tensor(coeffs[0])  # which nothing gives another type
    total = zeros_like(x) if not coeffs else convert_to_tensor(coeffs[0], x.dtype)
    for c in coeffs[1:]:
        total = add(c, multiply(total, x))
    return total


@op(
    "Rsqrt",
    "x:T -> T",
    types=TRAINABLE,
    infer=same,
    vjp=times(lambda x, y: multiply(number_of(-0.5, y), multiply(multiply(y, y), y))),
)
@export("rsqrt", "math.rsqrt")
def rsqrt(xp, x):
    """One over the square root, elementwise."""
    out = xp.reciprocal(xp.sqrt(x))
    # NumPy's complex reciprocal of 0 is NaN in both parts; the result is infinite there, as of real numbers.
    return xp.where(x == 0, xp.asarray(complex(np.inf, np.nan), x.dtype), out) if x.dtype.kind == "c" else out


@op(
    "Reciprocal",
    "x:T -> T",
    types=TRAINABLE,
    infer=same,
    vjp=times(lambda x, y: multiply(number_of(-1, y), multiply(y, y))),
)
@export("reciprocal", "math.reciprocal")
def reciprocal(xp, x):
    """`1 / x` elementwise."""
    return xp.reciprocal(x)


def _nonzero(x: Any) -> Any:
    """1 where `x` is not 0, else 0, in the type of `x`."""
    return cast(not_equal(x, zeros_like(x)), x.dtype)


def _safe_product(xp: Any, x: Any, factor: Any) -> Any:
    """`x * factor`, and 0 where `x` is 0."""
    product = xp.multiply(x, factor)
    return xp.where(xp.equal(x, xp.zeros_like(x)), xp.zeros_like(product), product)


def _xlogy_vjp(op, dy):
    x, y = op.inputs
    return (sum_like(scaled(dy, xlogy(_nonzero(x), y)), x), sum_like(scaled(dy, xdivy(x, y)), y))


@op("Xlogy", "x:T, y:T -> T", types=TRAINABLE, infer=broadcast, vjp=_xlogy_vjp)
@export("math.xlogy")
def xlogy(xp, x, y):
    """`x * log(y)` elementwise, and 0 where `x` is 0."""
    return _safe_product(xp, x, xp.log(y))


def _xlog1py_vjp(op, dy):
    x, y = op.inputs
    return (sum_like(scaled(dy, xlog1py(_nonzero(x), y)), x), sum_like(scaled(dy, xdivy(x, add(y, one_like(y)))), y))


@op("Xlog1py", "x:T, y:T -> T", types=TRAINABLE, infer=broadcast, vjp=_xlog1py_vjp)
@export("math.xlog1py")
def xlog1py(xp, x, y):
    """`x * log(1 + y)` elementwise, and 0 where `x` is 0."""
    return _safe_product(xp, x, xp.log1p(y))


def _xdivy_vjp(op, dy):
    x, y = op.inputs
    return (sum_like(scaled(dy, xdivy(_nonzero(x), y)), x), sum_like(scaled(dy, xdivy(negative(x), square(y))), y))


@op("Xdivy", "x:T, y:T -> T", types=TRAINABLE, infer=broadcast, vjp=_xdivy_vjp)
@export("math.xdivy")
def xdivy(xp, x, y):
    """`x / y` elementwise, and 0 where `x` is 0."""
    return _safe_product(xp, x, xp.reciprocal(y))


_negative, _exp, _add, _divide = np.negative, np.exp, np.add, np.divide


def _sigmoid_of_array(x: np.ndarray, one: np.ndarray) -> np.ndarray:
    """The sigmoid in one array instead of five, which is not one of rank 0."""
    y = _negative(x)
    return _divide(one, _add(_exp(y, y), one, y), y)  # which is quicker than `reciprocal`


def _sigmoid_written(
    values: Sequence[str], kinds: Sequence[DType], attrs: Mapping[str, Any], name: Name, sole: str
) -> InlineKernel:
    """The source of the sigmoid of a small array."""
    (x,) = values
    text = f"{name('f', _sigmoid_of_array)}({x}, {name('n', number_array(1, kinds[0].np))})"
    return InlineKernel(f"0 != {x}.ndim and {x}.size < {TUNING.blocked_elements}", text)


@op(
    "Sigmoid", "x:T -> T", types=TRAINABLE, infer=same, vjp=times(lambda x, y: multiply(y, subtract(one_like(y), y))),
    lower=LoweringHints(expression=_sigmoid_written, fresh=True),
)  # fmt: skip
@export("sigmoid", "math.sigmoid", "nn.sigmoid")
@in_blocks(1)
def sigmoid(xp, x):
    """`1 / (1 + exp(-x))` elementwise."""
    if xp is np and x.ndim:
        return _sigmoid_of_array(x, number_array(1, x.dtype))
    return xp.divide(x.dtype.type(1), xp.add(xp.exp(xp.negative(x)), x.dtype.type(1)))


@op(
    "Softplus",
    "features:T -> T",
    types=FLOATS,
    infer=same,
    vjp=lambda op, dy: multiply(dy, sigmoid(op.inputs[0])),
    lower=LoweringHints(fuses=False),
)
@export("math.softplus", "nn.softplus")
@in_blocks(1.5)
def softplus(xp, features):
    """`log(1 + exp(x))` elementwise."""
    if xp is np and features.size >= TUNING.softplus_loop_elements and features.dtype.itemsize >= 4:
        y = np.abs(features)
        np.log1p(np.exp(np.negative(y, out=y), out=y), out=y)
        return np.add(y, np.maximum(features, features.dtype.type(0)), out=y)
    return xp.logaddexp(features, features.dtype.type(0))


@export("log_sigmoid", "math.log_sigmoid")
def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """`log(sigmoid(x))` elementwise, without overflow."""
    return negative(softplus(negative(x)), name=name)
