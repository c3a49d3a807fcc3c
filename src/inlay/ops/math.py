"""Arithmetic, comparison, logic and elementwise mathematics."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.dispatch import answers
from inlay.core.opdef import broadcast, op, same
from inlay.ops.shaping import sum_like
from inlay.types import dtypes
from inlay.types.dtypes import COMPLEX, FLOATS, NUMBERS, REALS, SIGNED_INTS, TRAINABLE

N = {"T": NUMBERS}
R = {"T": REALS}
F = {"T": TRAINABLE}
SIGNED = {"T": TRAINABLE | SIGNED_INTS}


def _conj(x: Any) -> Any:
    """The complex conjugate: TensorFlow's gradients of holomorphic functions multiply by it."""
    return conj(x) if x.dtype.is_complex else x


# ---------------------------------------------------------------- arithmetic


def _add_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(dy, y)


@op("AddV2", "x:T, y:T -> T", types={"T": NUMBERS | {dtypes.string}}, infer=broadcast, vjp=_add_vjp)
def add(xp, x, y):
    """`x + y` elementwise; strings are joined."""
    return xp.add(x, y)


def _subtract_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(negative(dy), y)


@op("Sub", "x:T, y:T -> T", types=N, infer=broadcast, vjp=_subtract_vjp)
def subtract(xp, x, y):
    """`x - y` elementwise."""
    return xp.subtract(x, y)


def _multiply_vjp(op, dy):
    x, y = op.inputs
    return sum_like(multiply(dy, _conj(y)), x), sum_like(multiply(dy, _conj(x)), y)


@op("Mul", "x:T, y:T -> T", types=N, infer=broadcast, vjp=_multiply_vjp)
def multiply(xp, x, y):
    """`x * y` elementwise."""
    return xp.multiply(x, y)


def _divide_vjp(op, dy):
    x, y = op.inputs
    y = _conj(y)
    return sum_like(real_divide(dy, y), op.inputs[0]), sum_like(
        negative(multiply(dy, real_divide(real_divide(_conj(x), y), y))), op.inputs[1]
    )


@op("RealDiv", "x:T, y:T -> T", types=F, infer=broadcast, vjp=_divide_vjp)
def real_divide(xp, x, y):
    """`x / y` elementwise, for floating and complex types."""
    return xp.divide(x, y)


@op("FloorDiv", "x:T, y:T -> T", types=R, infer=broadcast, differentiable=False)
def floordiv(xp, x, y):
    """`x // y` elementwise, rounding towards minus infinity; integers refuse a zero divisor."""
    if xp is np and np.dtype(x.dtype).kind in "iu" and not np.all(y):
        raise ValueError("Integer division by zero")
    return xp.floor_divide(x, y)


def _floormod_vjp(op, dy):
    x, y = op.inputs
    return sum_like(dy, x), sum_like(negative(multiply(dy, floordiv(x, y))), y)


@op("FloorMod", "x:T, y:T -> T", types=R, infer=broadcast, vjp=_floormod_vjp)
def floormod(xp, x, y):
    """`x % y` elementwise, with the sign of the divisor; integers refuse a zero divisor."""
    if xp is np and np.dtype(x.dtype).kind in "iu" and not np.all(y):
        raise ValueError("Integer division by zero")
    return xp.mod(x, y)


def _pow_vjp(op, dy):
    from inlay.ops.array import ones_like, where, zeros_like

    x, y = op.inputs
    z = op.outputs[0]
    one = ones_like(y)
    dx = multiply(dy, multiply(_conj(y), pow(_conj(x), subtract(_conj(y), one))))
    # log of a base that is not positive (not zero, for complex numbers) is left out of the exponent's gradient.
    usable = not_equal(x, zeros_like(x)) if x.dtype.is_complex else greater(x, zeros_like(x))
    safe = where(usable, x, ones_like(x))
    dlog = where(usable, log(_conj(safe)), zeros_like(x))
    return sum_like(dx, x), sum_like(multiply(multiply(dy, _conj(z)), dlog), y)


@op("Pow", "x:T, y:T -> T", types=N, infer=broadcast, vjp=_pow_vjp)
def pow(xp, x, y):
    """`x ** y` elementwise."""
    if xp is np and np.dtype(x.dtype).kind in "iu" and np.any(np.less(y, 0)):
        raise ValueError("Integers to negative integer powers are not allowed")
    return xp.power(x, y)


@op("Neg", "x:T -> T", types=N, infer=same, vjp=lambda op, dy: negative(dy))
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
    types={"T": FLOATS | SIGNED_INTS},
    infer=same,
    vjp=lambda op, dy: multiply(dy, sign(op.inputs[0])),
)
def real_abs(xp, x):
    """`|x|` elementwise, for real types."""
    return xp.abs(x)


@op("Sign", "x:T -> T", types=SIGNED, infer=same, differentiable=False)
def sign(xp, x):
    """-1, 0 or 1 elementwise; `x / |x|` for complex numbers."""
    return xp.sign(x)


@op(
    "Square",
    "x:T -> T",
    types=N,
    infer=same,
    vjp=lambda op, dy: multiply(dy, multiply(_conj(op.inputs[0]), _two(op.inputs[0]))),
)
def square(xp, x):
    """`x * x` elementwise."""
    return xp.square(x)


def _two(x: Any) -> Any:
    from inlay.core.emit import convert_to_tensor

    return convert_to_tensor(2, x.dtype)


def _one(x: Any) -> Any:
    from inlay.core.emit import convert_to_tensor

    return convert_to_tensor(1, x.dtype)


@op(
    "Sqrt",
    "x:T -> T",
    types=F,
    infer=same,
    vjp=lambda op, dy: real_divide(dy, multiply(_two(dy), _conj(op.outputs[0]))),
)
def sqrt(xp, x):
    """The square root, elementwise."""
    return xp.sqrt(x)


@op("Exp", "x:T -> T", types=F, infer=same, vjp=lambda op, dy: multiply(dy, _conj(op.outputs[0])))
def exp(xp, x):
    """e to the power x, elementwise."""
    return xp.exp(x)


@op("Log", "x:T -> T", types=F, infer=same, vjp=lambda op, dy: real_divide(dy, _conj(op.inputs[0])))
def log(xp, x):
    """The natural logarithm, elementwise."""
    return xp.log(x)


@op("Sin", "x:T -> T", types=F, infer=same, vjp=lambda op, dy: multiply(dy, cos(_conj(op.inputs[0]))))
def sin(xp, x):
    """The sine of an angle in radians, elementwise."""
    return xp.sin(x)


@op("Cos", "x:T -> T", types=F, infer=same, vjp=lambda op, dy: negative(multiply(dy, sin(_conj(op.inputs[0])))))
def cos(xp, x):
    """The cosine of an angle in radians, elementwise."""
    return xp.cos(x)


def _tanh_vjp(op, dy):
    y = _conj(op.outputs[0])
    return multiply(dy, subtract(_one(y), square(y)))


@op("Tanh", "x:T -> T", types=F, infer=same, vjp=_tanh_vjp)
def tanh(xp, x):
    """The hyperbolic tangent, elementwise."""
    return xp.tanh(x)


def _maximum_vjp(op, dy):
    from inlay.ops.array import where, zeros_like

    x, y = op.inputs
    zero = zeros_like(dy)
    first = greater_equal(x, y)
    return sum_like(where(first, dy, zero), x), sum_like(where(first, zero, dy), y)


@op("Maximum", "x:T, y:T -> T", types=R, infer=broadcast, vjp=_maximum_vjp)
def maximum(xp, x, y):
    """The greater of two, elementwise; where equal, the gradient goes to `x`."""
    return xp.maximum(x, y)


def _minimum_vjp(op, dy):
    from inlay.ops.array import where, zeros_like

    x, y = op.inputs
    zero = zeros_like(dy)
    first = less_equal(x, y)
    return sum_like(where(first, dy, zero), x), sum_like(where(first, zero, dy), y)


@op("Minimum", "x:T, y:T -> T", types=R, infer=broadcast, vjp=_minimum_vjp)
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


@op("Less", "x:T, y:T -> bool", types=R, infer=broadcast, differentiable=False)
def less(xp, x, y):
    """`x < y` elementwise."""
    return xp.less(x, y)


@op("LessEqual", "x:T, y:T -> bool", types=R, infer=broadcast, differentiable=False)
def less_equal(xp, x, y):
    """`x <= y` elementwise."""
    return xp.less_equal(x, y)


@op("Greater", "x:T, y:T -> bool", types=R, infer=broadcast, differentiable=False)
def greater(xp, x, y):
    """`x > y` elementwise."""
    return xp.greater(x, y)


@op("GreaterEqual", "x:T, y:T -> bool", types=R, infer=broadcast, differentiable=False)
def greater_equal(xp, x, y):
    """`x >= y` elementwise."""
    return xp.greater_equal(x, y)


@op("LogicalAnd", "x:bool, y:bool -> bool", infer=broadcast)
def logical_and(xp, x, y):
    """`x and y` elementwise."""
    return xp.logical_and(x, y)


@op("LogicalOr", "x:bool, y:bool -> bool", infer=broadcast)
def logical_or(xp, x, y):
    """`x or y` elementwise."""
    return xp.logical_or(x, y)


@op("LogicalNot", "x:bool -> bool", infer=same)
def logical_not(xp, x):
    """`not x` elementwise."""
    return xp.logical_not(x)


# ---------------------------------------------------------------- types


def _cast_vjp(op, dy):
    return cast_op(dy, op.inputs[0].dtype) if op.inputs[0].dtype.is_trainable and dy.dtype.is_trainable else None


@op("Cast", "x:S -> dtype", types={"S": dtypes.DENSE - {dtypes.string}}, infer=same, vjp=_cast_vjp)
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
    from inlay.core.emit import convert_to_tensor

    wanted = dtypes.as_dtype(dtype)
    x = x if answers(x) else convert_to_tensor(x, name="x")
    return x if x.dtype is wanted else cast_op(x, wanted, name=name)


def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """`x / y` elementwise as Python 3 divides: integers give float64 (8- and 16-bit ones float32)."""
    from inlay.core.emit import convert_to_tensor

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
    from inlay.core.emit import convert_to_tensor

    x = x if answers(x) else convert_to_tensor(x)
    return complex_abs(x, name=name) if x.dtype.is_complex else real_abs(x, name=name)


def _complex_abs_vjp(op, dy):
    return multiply(cast(dy, op.inputs[0].dtype), sign(op.inputs[0]))


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
