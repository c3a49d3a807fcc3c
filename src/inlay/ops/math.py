"""Arithmetic, comparison, logic and elementwise mathematics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay.core.opdef import Refuses, broadcast, partial_shape_value, same
from inlay.core.tensor import EagerTensor
from inlay.core.values import scalar_string
from inlay.eager.declaration import op
from inlay.eager.dispatch import answers
from inlay.eager.emit import convert_to_tensor
from inlay.eager.opfunction import number_like
from inlay.ops.shaping import sum_like
from inlay.types import dtypes
from inlay.types.dtypes import COMPLEX, FLOATS, NUMBERS, REALS, SIGNED_INTS, TRAINABLE, DType

N = {"T": NUMBERS}
R = {"T": REALS}
F = {"T": TRAINABLE}
SIGNED = {"T": TRAINABLE | SIGNED_INTS}


def _conj(x: Any) -> Any:
    """The complex conjugate: TensorFlow's gradients of holomorphic functions multiply by it."""
    return conj(x) if x.dtype._kind == "c" else x


# ---------------------------------------------------------------- arithmetic


def _add_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(dy, y)


@op(
    "AddV2",
    "x:T, y:T -> T",
    ufunc=np.add,
    operator="+",
    types={"T": NUMBERS | {dtypes.string}},
    infer=broadcast,
    vjp=_add_vjp,
)
def add(xp, x, y):
    """`x + y` elementwise; strings are joined."""
    out = xp.add(x, y)
    return scalar_string(out) if out.__class__ is bytes else out  # NumPy unpacks an object of rank 0


def _subtract_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(negative(dy), y) if op.needs(1) else None


@op("Sub", "x:T, y:T -> T", ufunc=np.subtract, operator="-", types=N, infer=broadcast, vjp=_subtract_vjp)
def subtract(xp, x, y):
    """`x - y` elementwise."""
    return xp.subtract(x, y)


def _multiply_vjp(op, dy):
    x, y = op.inputs
    return (
        sum_like(multiply(dy, _conj(y)), x) if op.needs(0) else None,
        sum_like(multiply(dy, _conj(x)), y) if op.needs(1) else None,
    )


@op("Mul", "x:T, y:T -> T", ufunc=np.multiply, operator="*", types=N, infer=broadcast, vjp=_multiply_vjp)
def multiply(xp, x, y):
    """`x * y` elementwise."""
    return xp.multiply(x, y)


def _divide_vjp(op, dy):
    x, y = op.inputs
    over = _conj(y)
    dy_over = real_divide(dy, over)
    return (
        sum_like(dy_over, x) if op.needs(0) else None,
        sum_like(negative(multiply(dy_over, real_divide(_conj(x), over))), y) if op.needs(1) else None,
    )


@op("RealDiv", "x:T, y:T -> T", ufunc=np.divide, operator="/", types=F, infer=broadcast, vjp=_divide_vjp)
def real_divide(xp, x, y):
    """`x / y` elementwise, for floating and complex types."""
    return xp.divide(x, y)


def _integers_but(fine: Callable[[Any], Any]) -> Refuses:
    """A kernel that refuses some integers: those of the second input for which `fine` does not hold."""

    def refuses(kinds: Sequence[DType], known: Sequence[Any]) -> bool:
        return kinds[0].is_integer and (known[1] is None or not np.all(fine(np.asarray(known[1]))))

    return refuses


_ZERO_DIVISOR = _integers_but(lambda y: y != 0)


@op("FloorDiv", "x:T, y:T -> T", types=R, infer=broadcast, differentiable=False, refuses=_ZERO_DIVISOR)
def floordiv(xp, x, y):
    """`x // y` elementwise, rounding towards minus infinity; integers refuse a zero divisor."""
    if xp is np and np.dtype(x.dtype).kind in "iu" and not np.all(y):
        raise ValueError("Integer division by zero")
    return xp.floor_divide(x, y)


def _floormod_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(negative(multiply(dy, floordiv(x, y))), y)


@op("FloorMod", "x:T, y:T -> T", types=R, infer=broadcast, vjp=_floormod_vjp, refuses=_ZERO_DIVISOR)
def floormod(xp, x, y):
    """`x % y` elementwise, with the sign of the divisor; integers refuse a zero divisor."""
    if xp is np and np.dtype(x.dtype).kind in "iu" and not np.all(y):
        raise ValueError("Integer division by zero")
    return xp.mod(x, y)


def _pow_vjp(op, dy):
    x, y = op.inputs
    dx = None
    if op.needs(0):
        lower = subtract(_conj(y), _one(y))
        dx = sum_like(multiply(dy, multiply(_conj(y), pow(_conj(x), lower))), x)
    return dx, sum_like(_pow_exponent(op, dy), y) if op.needs(1) else None


def _pow_exponent(op: Any, dy: Any) -> Any:
    """The cotangent of an exponent. The log of a base that is not positive (not zero, if complex) counts as zero."""
    from inlay.ops.array import ones_like, where, zeros_like

    x, z = op.inputs[0], op.outputs[0]
    usable = not_equal(x, zeros_like(x)) if x.dtype.is_complex else greater(x, zeros_like(x))
    safe = where(usable, x, ones_like(x))
    return multiply(multiply(dy, _conj(z)), where(usable, log(_conj(safe)), zeros_like(x)))


@op("Pow", "x:T, y:T -> T", types=N, infer=broadcast, vjp=_pow_vjp, refuses=_integers_but(lambda y: y >= 0))
def pow(xp, x, y):
    """`x ** y` elementwise."""
    if xp is np and x.dtype.kind in "iu" and np.any(np.less(y, 0)):
        raise ValueError("Integers to negative integer powers are not allowed")
    return xp.power(x, y)


@op("Neg", "x:T -> T", ufunc=np.negative, operator="-", types=N, infer=same, vjp=lambda op, dy: negative(dy))
def negative(xp, x):
    """`-x` elementwise."""
    return xp.negative(x)


@op("Conj", "input:T -> T", types=N, infer=same, vjp=lambda op, dy: conj(dy))
def conj(xp, input):
    """The complex conjugate; real numbers are unchanged."""
    return xp.conjugate(input)


@op(
    "Abs",
    "x:T -> T",
    ufunc=np.abs,
    types={"T": FLOATS | SIGNED_INTS},
    infer=same,
    vjp=lambda op, dy: multiply(dy, sign(op.inputs[0])),
)
def real_abs(xp, x):
    """`|x|` elementwise, for real types."""
    return xp.abs(x)


def _sign_vjp(op, dy):
    from inlay.ops.array import zeros_like

    x, y = op.inputs[0], op.outputs[0]
    if not x.dtype.is_complex:
        return zeros_like(x)
    along = cast(real(multiply(conj(y), dy)), x.dtype)  # what changes the modulus changes nothing here
    return divide_no_nan(subtract(dy, multiply(y, along)), cast(complex_abs(x), x.dtype))


@op("Sign", "x:T -> T", types=SIGNED, infer=same, vjp=_sign_vjp)
def sign(xp, x):
    """-1, 0 or 1 elementwise; `x / |x|` for complex numbers."""
    return xp.sign(x)


@op(
    "Square",
    "x:T -> T",
    ufunc=np.square,
    types=N,
    infer=same,
    vjp=lambda op, dy: multiply(dy, multiply(_conj(op.inputs[0]), _two(op.inputs[0]))),
)
def square(xp, x):
    """`x * x` elementwise."""
    return xp.square(x)


def _two(x: Any) -> Any:
    return number_like(2, x)


def _one(x: Any) -> Any:
    return number_like(1, x)


@op(
    "Sqrt",
    "x:T -> T",
    ufunc=np.sqrt,
    types=F,
    infer=same,
    vjp=lambda op, dy: real_divide(dy, multiply(_two(dy), _conj(op.outputs[0]))),
)
def sqrt(xp, x):
    """The square root, elementwise."""
    return xp.sqrt(x)


@op("Exp", "x:T -> T", ufunc=np.exp, types=F, infer=same, vjp=lambda op, dy: multiply(dy, _conj(op.outputs[0])))
def exp(xp, x):
    """e to the power x, elementwise."""
    return xp.exp(x)


@op("Log", "x:T -> T", ufunc=np.log, types=F, infer=same, vjp=lambda op, dy: real_divide(dy, _conj(op.inputs[0])))
def log(xp, x):
    """The natural logarithm, elementwise."""
    return xp.log(x)


@op("Sin", "x:T -> T", ufunc=np.sin, types=F, infer=same, vjp=lambda op, dy: multiply(dy, cos(_conj(op.inputs[0]))))
def sin(xp, x):
    """The sine of an angle in radians, elementwise."""
    return xp.sin(x)


@op(
    "Cos",
    "x:T -> T",
    ufunc=np.cos,
    types=F,
    infer=same,
    vjp=lambda op, dy: negative(multiply(dy, sin(_conj(op.inputs[0])))),
)
def cos(xp, x):
    """The cosine of an angle in radians, elementwise."""
    return xp.cos(x)


def _tanh_vjp(op, dy):
    y = _conj(op.outputs[0])
    return multiply(dy, subtract(_one(y), square(y)))


@op("Tanh", "x:T -> T", ufunc=np.tanh, types=F, infer=same, vjp=_tanh_vjp)
def tanh(xp, x):
    """The hyperbolic tangent, elementwise."""
    return xp.tanh(x)


def _chosen(op: Any, dy: Any, first: Any) -> tuple[Any, Any]:
    """`dy` to the first input where that was taken, else to the second."""
    from inlay.ops.array import where

    x, y = op.inputs
    zero = number_like(0, dy)
    return (
        sum_like(where(first, dy, zero), x) if op.needs(0) else None,
        sum_like(where(first, zero, dy), y) if op.needs(1) else None,
    )


def _maximum_vjp(op, dy):
    return _chosen(op, dy, greater_equal(*op.inputs))


@op("Maximum", "x:T, y:T -> T", ufunc=np.maximum, types=R, infer=broadcast, vjp=_maximum_vjp)
def maximum(xp, x, y):
    """The greater of two, elementwise; where equal, the gradient goes to `x`."""
    return xp.maximum(x, y)


def _minimum_vjp(op, dy):
    return _chosen(op, dy, less_equal(*op.inputs))


@op("Minimum", "x:T, y:T -> T", ufunc=np.minimum, types=R, infer=broadcast, vjp=_minimum_vjp)
def minimum(xp, x, y):
    """The lesser of two, elementwise; where equal, the gradient goes to `x`."""
    return xp.minimum(x, y)


# ---------------------------------------------------------------- comparison and logic


@op("Equal", "x:T, y:T -> bool", types={"T": dtypes.DENSE}, infer=broadcast, differentiable=False)
def equal(xp, x, y):
    """`x == y` elementwise."""
    return xp.equal(x, y) if x.dtype != object else np.equal(x, y).astype(bool)


@op("NotEqual", "x:T, y:T -> bool", types={"T": dtypes.DENSE}, infer=broadcast, differentiable=False)
def not_equal(xp, x, y):
    """`x != y` elementwise."""
    return xp.not_equal(x, y) if x.dtype != object else np.not_equal(x, y).astype(bool)


@op("Less", "x:T, y:T -> bool", operator="<", types=R, infer=broadcast, differentiable=False)
def less(xp, x, y):
    """`x < y` elementwise."""
    return xp.less(x, y)


@op("LessEqual", "x:T, y:T -> bool", operator="<=", types=R, infer=broadcast, differentiable=False)
def less_equal(xp, x, y):
    """`x <= y` elementwise."""
    return xp.less_equal(x, y)


@op("Greater", "x:T, y:T -> bool", operator=">", types=R, infer=broadcast, differentiable=False)
def greater(xp, x, y):
    """`x > y` elementwise."""
    return xp.greater(x, y)


@op("GreaterEqual", "x:T, y:T -> bool", operator=">=", types=R, infer=broadcast, differentiable=False)
def greater_equal(xp, x, y):
    """`x >= y` elementwise."""
    return xp.greater_equal(x, y)


@op("LogicalAnd", "x:bool, y:bool -> bool", infer=broadcast, differentiable=False)
def logical_and(xp, x, y):
    """`x and y` elementwise."""
    return xp.logical_and(x, y)


@op("LogicalOr", "x:bool, y:bool -> bool", infer=broadcast, differentiable=False)
def logical_or(xp, x, y):
    """`x or y` elementwise."""
    return xp.logical_or(x, y)


@op("LogicalNot", "x:bool -> bool", infer=same, differentiable=False)
def logical_not(xp, x):
    """`not x` elementwise."""
    return xp.logical_not(x)


@op("IsNan", "x:T -> bool", types={"T": FLOATS}, infer=same, differentiable=False)
def is_nan(xp, x):
    """Whether an element is not a number."""
    return xp.isnan(x)


@op("IsInf", "x:T -> bool", types={"T": FLOATS}, infer=same, differentiable=False)
def is_inf(xp, x):
    """Whether an element is infinite."""
    return xp.isinf(x)


@op("IsFinite", "x:T -> bool", types={"T": FLOATS}, infer=same, differentiable=False)
def is_finite(xp, x):
    """Whether an element is neither infinite nor NaN."""
    return xp.isfinite(x)


@op("ApproximateEqual", "x:T, y:T -> bool", types=N, infer=broadcast, differentiable=False)
def approximate_equal(xp, x, y, *, tolerance=1e-5):
    """Whether `|x - y| < tolerance`, elementwise."""
    return xp.less(xp.abs(xp.subtract(x, y)), tolerance)


# ---------------------------------------------------------------- rounding


def _step(name: str) -> Any:
    """A declaration of a function that is constant between jumps: nothing flows back."""
    return op(name, "x:T -> T", types={"T": FLOATS}, infer=same, differentiable=False)


@_step("Floor")
def floor(xp, x):
    """The greatest whole number not above `x`, elementwise."""
    return xp.floor(x)


@_step("Ceil")
def ceil(xp, x):
    """The least whole number not below `x`, elementwise."""
    return xp.ceil(x)


@_step("Rint")
def rint(xp, x):
    """The nearest whole number, halves to the even one, elementwise."""
    return xp.rint(x)


@op("Round", "x:T -> T", types=N, infer=same, differentiable=False)
def round(xp, x):
    """The nearest whole number, halves to the even one, elementwise; integers are unchanged."""
    kind = np.dtype(x.dtype).kind
    return x if kind in "iu" else xp.rint(x) if kind != "c" else xp.round(x)


# ---------------------------------------------------------------- more arithmetic


def _scaled(dy: Any, factor: Any) -> Any:
    """A holomorphic function's cotangent: `dy` times the conjugate of the derivative."""
    return multiply(dy, _conj(factor))


def _number(value: Any, like: Any) -> Any:
    return convert_to_tensor(value, like.dtype)


def _squared_difference_vjp(op, dy):
    x, y = op.inputs
    if x.dtype.is_complex:
        dy = cast(real(dy), x.dtype)  # the result is real
    slope = multiply(dy, multiply(_two(x), subtract(x, y)))
    return sum_like(slope, x), sum_like(negative(slope), y)


@op("SquaredDifference", "x:T, y:T -> T", types=N, infer=broadcast, vjp=_squared_difference_vjp)
def squared_difference(xp, x, y):
    """`conj(x - y) * (x - y)` elementwise."""
    gap = xp.subtract(x, y)
    return xp.multiply(xp.conjugate(gap), gap)


def _div_no_nan_vjp(op, dy):
    x, y = op.inputs
    cx, cy = _conj(x), _conj(y)
    return (
        sum_like(divide_no_nan(dy, cy), x),
        sum_like(negative(multiply(dy, divide_no_nan(divide_no_nan(cx, cy), cy))), y),
    )


@op("DivNoNan", "x:T, y:T -> T", types=F, infer=broadcast, vjp=_div_no_nan_vjp)
def divide_no_nan(xp, x, y):
    """`x / y` elementwise, and 0 where `y` is 0."""
    zero = xp.equal(y, xp.zeros_like(y))
    return xp.where(zero, xp.zeros_like(x), xp.divide(x, xp.where(zero, xp.ones_like(y), y)))


def _mul_no_nan_vjp(op, dy):
    x, y = op.inputs
    return sum_like(multiply_no_nan(dy, _conj(y)), x), sum_like(multiply_no_nan(_conj(x), dy), y)


@op("MulNoNan", "x:T, y:T -> T", types=F, infer=broadcast, vjp=_mul_no_nan_vjp)
def multiply_no_nan(xp, x, y):
    """`x * y` elementwise, and 0 where `y` is 0 even if `x` is infinite or NaN."""
    product = xp.multiply(x, y)
    return xp.where(xp.equal(y, xp.zeros_like(y)), xp.zeros_like(product), product)


def _truncated(xp: Any, x: Any, y: Any) -> Any:
    """`x / y` rounded towards zero."""
    if np.dtype(x.dtype).kind not in "iu":
        return xp.trunc(xp.divide(x, y))
    if xp is np and not np.all(y):
        raise ValueError("Integer division by zero")
    floored = xp.floor_divide(x, y)
    rest = xp.subtract(x, xp.multiply(floored, y))
    uneven = xp.logical_and(xp.not_equal(rest, xp.zeros_like(rest)), xp.less(xp.bitwise_xor(x, y), xp.zeros_like(rest)))
    return xp.add(floored, uneven.astype(x.dtype))


@op("TruncateDiv", "x:T, y:T -> T", types=R, infer=broadcast, differentiable=False, refuses=_ZERO_DIVISOR)
def truncatediv(xp, x, y):
    """`x / y` elementwise, rounded towards zero as C divides integers."""
    return _truncated(xp, x, y)


def _truncatemod_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(negative(multiply(dy, truncatediv(x, y))), y)


@op("TruncateMod", "x:T, y:T -> T", types=R, infer=broadcast, vjp=_truncatemod_vjp, refuses=_ZERO_DIVISOR)
def truncatemod(xp, x, y):
    """The remainder of `truncatediv`, elementwise; it has the sign of `x`."""
    if np.dtype(x.dtype).kind in "iu":
        return xp.subtract(x, xp.multiply(_truncated(xp, x, y), y))
    return xp.fmod(x, y)


@op("AddN", "inputs:*T -> T", types=N, infer=broadcast, vjp=lambda op, dy: [dy] * len(op.inputs))
def _add_n(xp, inputs):
    """The sum of tensors of one shape."""
    total = inputs[0]
    for other in inputs[1:]:
        if np.shape(other) != np.shape(total):
            raise ValueError(f"Shapes must be equal, but are {list(np.shape(total))} and {list(np.shape(other))}")
        total = xp.add(total, other)
    return total


def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of a list of tensors of one shape and type.

    Args:
      inputs: the tensors.
      name: the node's name.

    Raises:
      ValueError: if the list is empty or shapes differ.
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs must be a non-empty list of tensors of one shape and type")
    return _add_n(list(inputs), name=name)


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Any:
    """`add_n`, with the result's shape and type stated if wanted.

    Args:
      inputs: tensors of one shape and type.
      shape: the shape they have.
      tensor_dtype: the type they have.
      name: the node's name.

    Raises:
      TypeError: if a tensor is of another type.
    """
    total = add_n(inputs, name)
    if tensor_dtype is not None and total.dtype is not dtypes.as_dtype(tensor_dtype):
        raise TypeError(f"accumulate_n: tensors are {total.dtype.name}, but tensor_dtype is {tensor_dtype}")
    if shape is not None:
        total.set_shape(shape)
    return total


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """`t` with every element below `clip_value_min` raised to it and every one above `clip_value_max` lowered to it."""
    return maximum(minimum(t, clip_value_max), clip_value_min, name=name)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """The polynomial with coefficients `coeffs` (highest power first) at `x`, elementwise.

    Args:
      coeffs: a list of tensors; empty for the zero polynomial.
      x: where to evaluate.
      name: the node's name.
    """
    from inlay.ops.array import zeros_like

    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = convert_to_tensor(x)
    total = zeros_like(x) if not coeffs else convert_to_tensor(coeffs[0], x.dtype)
    for c in coeffs[1:]:
        total = add(c, multiply(total, x))
    return total


# ---------------------------------------------------------------- powers, exponentials, logarithms


def _power_vjp(factor: float, power: int) -> Any:
    """The gradient `factor * y**power` of an output y."""

    def vjp(op, dy):
        y = op.outputs[0]
        slope = y
        for _ in range(power - 1):
            slope = multiply(slope, y)
        return _scaled(dy, multiply(_number(factor, y), slope))

    return vjp


@op("Rsqrt", "x:T -> T", types=F, infer=same, vjp=_power_vjp(-0.5, 3))
def rsqrt(xp, x):
    """One over the square root, elementwise."""
    return xp.reciprocal(xp.sqrt(x))


@op("Reciprocal", "x:T -> T", types=F, infer=same, vjp=_power_vjp(-1, 2))
def reciprocal(xp, x):
    """`1 / x` elementwise."""
    return xp.reciprocal(x)


@op("Expm1", "x:T -> T", types=F, infer=same, vjp=lambda op, dy: _scaled(dy, exp(op.inputs[0])))
def expm1(xp, x):
    """`exp(x) - 1` elementwise, exact for small `x`."""
    return xp.expm1(x)


@op(
    "Log1p",
    "x:T -> T",
    types=F,
    infer=same,
    vjp=lambda op, dy: real_divide(dy, _conj(add(op.inputs[0], _one(op.inputs[0])))),
)
def log1p(xp, x):
    """`log(1 + x)` elementwise, exact for small `x`."""
    return xp.log1p(x)


def _nonzero(x: Any) -> Any:
    """1 where `x` is not 0, else 0, in the type of `x`."""
    from inlay.ops.array import zeros_like

    return cast(not_equal(x, zeros_like(x)), x.dtype)


def _safe_product(xp: Any, x: Any, factor: Any) -> Any:
    """`x * factor`, and 0 where `x` is 0."""
    product = xp.multiply(x, factor)
    return xp.where(xp.equal(x, xp.zeros_like(x)), xp.zeros_like(product), product)


def _xlogy_vjp(op, dy):
    x, y = op.inputs
    return (
        sum_like(_scaled(dy, xlogy(_nonzero(x), y)), x),
        sum_like(_scaled(dy, xdivy(x, y)), y),
    )


@op("Xlogy", "x:T, y:T -> T", types=F, infer=broadcast, vjp=_xlogy_vjp)
def xlogy(xp, x, y):
    """`x * log(y)` elementwise, and 0 where `x` is 0."""
    return _safe_product(xp, x, xp.log(y))


def _xlog1py_vjp(op, dy):
    x, y = op.inputs
    return (
        sum_like(_scaled(dy, xlog1py(_nonzero(x), y)), x),
        sum_like(_scaled(dy, xdivy(x, add(y, _one(y)))), y),
    )


@op("Xlog1py", "x:T, y:T -> T", types=F, infer=broadcast, vjp=_xlog1py_vjp)
def xlog1py(xp, x, y):
    """`x * log(1 + y)` elementwise, and 0 where `x` is 0."""
    return _safe_product(xp, x, xp.log1p(y))


def _xdivy_vjp(op, dy):
    x, y = op.inputs
    return (
        sum_like(_scaled(dy, xdivy(_nonzero(x), y)), x),
        sum_like(_scaled(dy, xdivy(negative(x), square(y))), y),
    )


@op("Xdivy", "x:T, y:T -> T", types=F, infer=broadcast, vjp=_xdivy_vjp)
def xdivy(xp, x, y):
    """`x / y` elementwise, and 0 where `x` is 0."""
    return _safe_product(xp, x, xp.reciprocal(y))


def _sigmoid_vjp(op, dy):
    y = op.outputs[0]
    return _scaled(dy, multiply(y, subtract(_one(y), y)))


@op("Sigmoid", "x:T -> T", types=F, infer=same, vjp=_sigmoid_vjp)
def sigmoid(xp, x):
    """`1 / (1 + exp(-x))` elementwise."""
    return xp.reciprocal(xp.add(xp.exp(xp.negative(x)), xp.ones_like(x)))


@op(
    "Softplus",
    "features:T -> T",
    types={"T": FLOATS},
    infer=same,
    vjp=lambda op, dy: multiply(dy, sigmoid(op.inputs[0])),
)
def softplus(xp, features):
    """`log(1 + exp(x))` elementwise."""
    return xp.logaddexp(features, xp.zeros_like(features))


def log_sigmoid(x: Any, name: str | None = None) -> Any:
    """`log(sigmoid(x))` elementwise, without overflow."""
    return negative(softplus(negative(x)), name=name)


# ---------------------------------------------------------------- trigonometry


def _one_less_square(x: Any) -> Any:
    return subtract(_one(x), square(x))


def _angle_op(name: str, slope: Any) -> Any:
    """A declaration of an elementwise holomorphic function; `slope(op)` is its derivative."""
    return op(name, "x:T -> T", types=F, infer=same, vjp=lambda op, dy: _scaled(dy, slope(op)))


@_angle_op("Tan", lambda op: add(_one(op.outputs[0]), square(op.outputs[0])))
def tan(xp, x):
    """The tangent of an angle in radians, elementwise."""
    return xp.tan(x)


@_angle_op("Asin", lambda op: rsqrt(_one_less_square(op.inputs[0])))
def asin(xp, x):
    """The angle whose sine is `x`, in radians, elementwise."""
    return xp.arcsin(x)


@_angle_op("Acos", lambda op: negative(rsqrt(_one_less_square(op.inputs[0]))))
def acos(xp, x):
    """The angle whose cosine is `x`, in radians, elementwise."""
    return xp.arccos(x)


@_angle_op("Atan", lambda op: reciprocal(add(_one(op.inputs[0]), square(op.inputs[0]))))
def atan(xp, x):
    """The angle whose tangent is `x`, in radians, elementwise."""
    return xp.arctan(x)


@_angle_op("Sinh", lambda op: cosh(op.inputs[0]))
def sinh(xp, x):
    """The hyperbolic sine, elementwise."""
    return xp.sinh(x)


@_angle_op("Cosh", lambda op: sinh(op.inputs[0]))
def cosh(xp, x):
    """The hyperbolic cosine, elementwise."""
    return xp.cosh(x)


@_angle_op("Asinh", lambda op: reciprocal(cosh(op.outputs[0])))
def asinh(xp, x):
    """The number whose hyperbolic sine is `x`, elementwise."""
    return xp.arcsinh(x)


@_angle_op("Acosh", lambda op: reciprocal(sinh(op.outputs[0])))
def acosh(xp, x):
    """The number whose hyperbolic cosine is `x`, elementwise."""
    return xp.arccosh(x)


@_angle_op("Atanh", lambda op: reciprocal(_one_less_square(op.inputs[0])))
def atanh(xp, x):
    """The number whose hyperbolic tangent is `x`, elementwise."""
    return xp.arctanh(x)


def _atan2_vjp(op, dy):
    y, x = op.inputs
    scaled = real_divide(dy, add(square(x), square(y)))
    return sum_like(multiply(scaled, x), y), sum_like(negative(multiply(scaled, y)), x)


@op("Atan2", "y:T, x:T -> T", types={"T": FLOATS}, infer=broadcast, vjp=_atan2_vjp)
def atan2(xp, y, x):
    """The angle of the point (x, y), in radians between -pi and pi, elementwise."""
    return xp.arctan2(y, x)


# ---------------------------------------------------------------- complex numbers


@op(
    "Real",
    "input:T -> Tout",
    types={"T": COMPLEX},
    infer=same,
    aliases=True,
    vjp=lambda op, dy: cast(dy, op.inputs[0].dtype),
)
def _real(xp, input, *, Tout):
    """The real part."""
    return xp.real(input)


@op(
    "Imag",
    "input:T -> Tout",
    types={"T": COMPLEX},
    infer=same,
    aliases=True,
    vjp=lambda op, dy: multiply(cast(dy, op.inputs[0].dtype), _number(1j, op.inputs[0])),
)
def _imag(xp, input, *, Tout):
    """The imaginary part."""
    return xp.imag(input)


def _angle_vjp(op, dy):
    z = op.inputs[0]
    turned = multiply(z, _number(1j, z))
    return divide_no_nan(multiply(turned, cast(dy, z.dtype)), multiply(z, conj(z)))


@op("Angle", "input:T -> Tout", types={"T": COMPLEX}, infer=same, vjp=_angle_vjp)
def _angle(xp, input, *, Tout):
    """The argument of a complex number, in radians."""
    return xp.angle(input)


@op(
    "Complex",
    "real:T, imag:T -> Tout",
    types={"T": frozenset({dtypes.float32, dtypes.float64})},
    infer=broadcast,
    vjp=lambda op, dy: (sum_like(real(dy), op.inputs[0]), sum_like(imag(dy), op.inputs[1])),
)
def _complex(xp, real, imag, *, Tout):
    """`real + 1j * imag`."""
    parts = xp.stack(xp.broadcast_arrays(real, imag), axis=-1)
    if xp is np:
        return np.ascontiguousarray(parts).view(Tout.np)[..., 0]
    return parts[..., 0].astype(Tout.np) + parts[..., 1].astype(Tout.np) * Tout.np.type(1j)


def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """`real + 1j * imag` elementwise: complex64 of float32 parts, complex128 of float64 parts."""
    real = convert_to_tensor(real)
    imag = convert_to_tensor(imag, dtype_hint=real.dtype)
    if real.dtype is not imag.dtype or real.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} {imag.dtype.name}. They must be "
            "consistent, and one of [tf.float32, tf.float64]"
        )
    return _complex(real, imag, dtypes.complex64 if real.dtype is dtypes.float32 else dtypes.complex128, name=name)


def real(input: Any, name: str | None = None) -> Any:
    """The real part elementwise; real numbers are unchanged."""
    input = convert_to_tensor(input)
    return _real(input, input.dtype.real_dtype, name=name) if input.dtype.is_complex else input


def imag(input: Any, name: str | None = None) -> Any:
    """The imaginary part elementwise; zero for real numbers."""
    from inlay.ops.array import zeros_like

    input = convert_to_tensor(input)
    return _imag(input, input.dtype.real_dtype, name=name) if input.dtype.is_complex else zeros_like(input)


def angle(input: Any, name: str | None = None) -> Any:
    """The argument elementwise, in radians: 0 or pi for real numbers."""
    from inlay.ops.array import ones_like, where, zeros_like

    input = convert_to_tensor(input)
    if input.dtype.is_complex:
        return _angle(input, input.dtype.real_dtype, name=name)
    half_turn = multiply(ones_like(input), _number(np.pi, input))
    return where(less(input, zeros_like(input)), half_turn, zeros_like(input))


# ---------------------------------------------------------------- types


def _cast_vjp(op, dy):
    return cast_op(dy, op.inputs[0].dtype) if op.inputs[0].dtype.is_trainable and dy.dtype.is_trainable else None


@op(
    "Cast",
    "x:S -> dtype",
    types={"S": dtypes.DENSE - {dtypes.string}},
    infer=same,
    vjp=_cast_vjp,
    sizes=lambda node, length: partial_shape_value(node.inputs[0], length),
)
def cast_op(xp, x, *, dtype):
    """`x` converted elementwise; fractions and imaginary parts are dropped where the type has none."""
    if np.dtype(x.dtype).kind == "c" and not dtype.is_complex:
        x = xp.real(x)
    if xp is np:
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(x).astype(dtype.np)[()]
    return x.astype(dtype.np)


def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """`x` as another type; unchanged if it has that type already.

    Args:
      x: a tensor or anything `convert_to_tensor` accepts.
      dtype: the wanted type.
      name: the node's name.

    Returns:
      A tensor of the same shape.
    """
    wanted = dtypes.as_dtype(dtype)
    x = x if answers(x) else convert_to_tensor(x, name="x")
    return x if x.dtype is wanted else cast_op(x, wanted, name=name)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """`x / y` elementwise as Python 3 divides: integers give float64 (8- and 16-bit ones float32)."""
    if not hasattr(x, "dtype") and hasattr(y, "dtype"):
        x = convert_to_tensor(x, dtypes.as_dtype(y.dtype))
    x = x if answers(x) else convert_to_tensor(x)
    y = y if answers(y) else convert_to_tensor(y, dtype_hint=x.dtype)
    if x.dtype.is_integer or x.dtype.is_bool:
        if x.dtype is not y.dtype:
            raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
        wide = dtypes.float32 if x.dtype.size < 4 else dtypes.float64
        x, y = cast(x, wide), cast(y, wide)
    return real_divide(x, y, name=name)


def abs(x: Any, name: str | None = None) -> Any:
    """`|x|` elementwise; for complex numbers the modulus, a real number."""
    if x.__class__ is not EagerTensor and not answers(x):
        x = convert_to_tensor(x)
    return complex_abs(x, name=name) if x.dtype._kind == "c" else real_abs(x, name=name)


def _complex_abs_vjp(op, dy):
    z, modulus = op.inputs[0], op.outputs[0]
    return multiply(cast(divide_no_nan(dy, modulus), z.dtype), z)


@op("ComplexAbs", "x:T -> Tout", types={"T": COMPLEX}, infer=same, vjp=_complex_abs_vjp, public="complex_abs_op")
def complex_abs_op(xp, x, *, Tout=None):
    """The modulus of a complex number."""
    return xp.abs(x)


def complex_abs(x: Any, name: str | None = None) -> Any:
    """The modulus of a complex number."""
    return complex_abs_op(x, x.dtype.real_dtype, name=name)


# ---------------------------------------------------------------- bits

_BITS = {"T": dtypes.INTS}


@op("BitwiseAnd", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
def bitwise_and(xp, x, y):
    """`x & y` of integers, elementwise."""
    return xp.bitwise_and(x, y)


@op("BitwiseOr", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
def bitwise_or(xp, x, y):
    """`x | y` of integers, elementwise."""
    return xp.bitwise_or(x, y)


@op("BitwiseXor", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
def bitwise_xor(xp, x, y):
    """`x ^ y` of integers, elementwise."""
    return xp.bitwise_xor(x, y)


@op("Invert", "x:T -> T", types=_BITS, infer=same, differentiable=False)
def invert(xp, x):
    """`~x` of integers, elementwise."""
    return xp.invert(x)


def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Any:
    """Whether exactly one of two holds, elementwise."""
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


@op("LeftShift", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
def left_shift(xp, x, y):
    """`x << y` of integers, elementwise."""
    return xp.left_shift(x, y)


@op("RightShift", "x:T, y:T -> T", types=_BITS, infer=broadcast, differentiable=False)
def right_shift(xp, x, y):
    """`x >> y` of integers, elementwise; the sign is kept."""
    return xp.right_shift(x, y)


@op("PopulationCount", "x:T -> uint8", types=_BITS, infer=same, differentiable=False)
def population_count(xp, x):
    """The number of bits set in each integer, in two's complement."""
    unsigned = np.dtype(f"u{np.dtype(x.dtype).itemsize}")
    return xp.bitwise_count(x.view(unsigned)).astype(np.uint8)


@op(
    "NextAfter",
    "x1:T, x2:T -> T",
    types={"T": frozenset({dtypes.float32, dtypes.float64})},
    infer=broadcast,
    differentiable=False,
)
def nextafter(xp, x1, x2):
    """The number next to `x1` in the direction of `x2`, elementwise."""
    return xp.nextafter(x1, x2)


# ---------------------------------------------------------------- scaling, and 1.x names


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """`scalar * x`, where `scalar` has rank 0.

    Raises:
      ValueError: if `scalar` is known to have another rank.
    """
    x = convert_to_tensor(x)
    scalar = convert_to_tensor(scalar, x.dtype)
    if scalar.shape.rank not in (0, None):
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    return multiply(scalar, x, name=name)


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """`value` as another type, with what is outside that type's range moved to its ends.

    Args:
      value: real numbers.
      dtype: the wanted type.
      name: the node's name.
    """
    value, wanted = convert_to_tensor(value), dtypes.as_dtype(dtype)
    infinite = value.dtype.is_floating and wanted.is_integer
    if infinite or _plain(value.dtype.min) < _plain(wanted.min):
        value = maximum(value, convert_to_tensor(_inside(wanted.min, value.dtype, wanted), value.dtype))
    if infinite or _plain(value.dtype.max) > _plain(wanted.max):
        value = minimum(value, convert_to_tensor(_inside(wanted.max, value.dtype, wanted), value.dtype))
    return cast(value, wanted, name=name)


def _plain(number: Any) -> int | float:
    """A number of any type as one of Python's, which compare exactly."""
    return number if isinstance(number, int) else float(number)


def _inside(end: Any, kind: Any, wanted: Any) -> Any:
    """The number of type `kind` nearest to an end of `wanted`'s range, and inside it."""
    if not kind.is_floating:
        return int(end)
    with np.errstate(over="ignore"):
        number = np.float64(end).astype(kind.np)
    if not _plain(wanted.min) <= float(number) <= _plain(wanted.max):
        number = np.nextafter(number, kind.np.type(0))
    return float(number)


def float_tensor(value: Any) -> Any:
    """`value` as a tensor; whole numbers written in Python become float32, everything else keeps its type."""
    tensor = convert_to_tensor(value)
    return (
        convert_to_tensor(value, dtypes.float32) if tensor.dtype.is_integer and not hasattr(value, "dtype") else tensor
    )


def div(x: Any, y: Any, name: str | None = None) -> Any:
    """`x / y` as Python 2 divides: integers give the floor. The 1.x name; prefer `divide` or `floordiv`."""
    x = convert_to_tensor(x, dtype_hint=getattr(y, "dtype", None))
    return floordiv(x, y, name=name) if x.dtype.is_integer else real_divide(x, y, name=name)
