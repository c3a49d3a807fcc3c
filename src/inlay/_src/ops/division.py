"""Division in its forms: real, floor, truncated, without NaN; remainders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.dtypes import REALS, TRAINABLE, DType
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, composites_of, operand
from inlay._src.core.hints import LoweringHints, Refuses
from inlay._src.core.opdef import broadcast, no_gradient
from inlay._src.core.tensor import Tensor
from inlay._src.ops.math import cast, conjugate, multiply, negative
from inlay._src.ops.shaping import number_array, sum_like


def _divide_vjp(op, dy):
    x, y = op.inputs
    over = conjugate(y)
    dy_over = real_divide(dy, over)
    return (
        sum_like(dy_over, x) if op.needs(0) else None,
        sum_like(negative(multiply(dy_over, real_divide(conjugate(x), over))), y) if op.needs(1) else None,
    )


@op(
    "RealDiv",
    "x:T, y:T -> T",
    lower=LoweringHints(ufunc=np.divide, operator="/"),
    types=TRAINABLE,
    infer=broadcast,
    vjp=_divide_vjp,
)
@export("realdiv")
def real_divide(xp, x, y):
    """`x / y` elementwise, for floating and complex types."""
    return xp.divide(x, y)


def integers_but(fine: Callable[[Any], Any]) -> Refuses:
    """A kernel that refuses some integers: those of the second input for which `fine` does not hold."""

    def refuses(kinds: Sequence[DType], constants: Sequence[Any]) -> bool:
        return kinds[0].is_integer and (constants[1] is None or not np.all(fine(np.asarray(constants[1]))))

    return refuses


ZERO_DIVISOR = integers_but(lambda y: y != 0)


def _refuse_zero(xp: Any, x: Any, divisor: Any) -> None:
    if xp is np and divisor.dtype.kind in "iu" and not (divisor.all() if divisor.ndim else divisor) and x.size:
        raise ValueError("Integer division by zero")


def _remainder_vjp(quotient: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def vjp(op, dy):
        x, y = op.inputs
        return sum_like(dy, x), sum_like(negative(multiply(dy, quotient(x, y))), y)

    return vjp


@op(
    "FloorDiv",
    "x:T, y:T -> T",
    types=REALS,
    infer=broadcast,
    vjp=no_gradient,
    lower=LoweringHints(refuses=ZERO_DIVISOR),
    label="floordiv",
)
@export("floordiv", "math.floordiv", "floor_div")
def floordiv(xp, x, y):
    """`x // y` elementwise, rounding towards minus infinity; integers refuse a zero divisor."""
    if np.dtype(x.dtype).kind not in "iu":
        return xp.floor(xp.divide(x, y))
    _refuse_zero(xp, x, y)
    return xp.floor_divide(x, y)


@op(
    "FloorMod",
    "x:T, y:T -> T",
    types=REALS,
    infer=broadcast,
    vjp=_remainder_vjp(floordiv),
    lower=LoweringHints(refuses=ZERO_DIVISOR),
)
@export("floormod", "math.floormod", "mod", "math.mod")
def floormod(xp, x, y):
    """`x % y` elementwise, with the sign of the divisor; integers refuse a zero divisor."""
    _refuse_zero(xp, x, y)
    return xp.mod(x, y)


def _div_no_nan_vjp(op, dy):
    x, y = op.inputs
    cx, cy = conjugate(x), conjugate(y)
    return (
        sum_like(divide_no_nan(dy, cy), x),
        sum_like(negative(multiply(dy, divide_no_nan(divide_no_nan(cx, cy), cy))), y),
    )


@op("DivNoNan", "x:T, y:T -> T", types=TRAINABLE, infer=broadcast, vjp=_div_no_nan_vjp, label="div_no_nan")
def _divide_no_nan(xp, x, y):
    """`x / y` elementwise, and 0 where `y` is 0."""
    if xp is np:
        quotient = x / y
        if np.count_nonzero(y) < y.size:
            quotient = np.where(y, quotient, number_array(0, quotient.dtype))[()]
        return quotient
    zero = xp.equal(y, xp.zeros_like(y))
    return xp.where(zero, xp.zeros_like(x), xp.divide(x, xp.where(zero, xp.ones_like(y), y)))


@export("divide_no_nan", "math.divide_no_nan", "compat.v1.div_no_nan")
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` elementwise, and 0 where `y` is 0; integers give float64 (8- and 16-bit ones float32)."""
    return _divide_no_nan(*_divisible(x, y), name=name)


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """`1 / x` elementwise, and 0 where `x` is 0.

    Args:
      x: floating or complex numbers.
      name: the node's name.

    Raises:
      InvalidArgumentError (eager), TypeError: for integers.
    """
    x = operand(x)
    return _divide_no_nan(convert_to_tensor(1, x.dtype), x, name=name)


def _mul_no_nan_vjp(op, dy):
    x, y = op.inputs
    return sum_like(multiply_no_nan(dy, conjugate(y)), x), sum_like(multiply_no_nan(conjugate(x), dy), y)


@op("MulNoNan", "x:T, y:T -> T", types=TRAINABLE, infer=broadcast, vjp=_mul_no_nan_vjp)
@export("math.multiply_no_nan")
def multiply_no_nan(xp, x, y):
    """`x * y` elementwise, and 0 where `y` is 0 even if `x` is infinite or NaN."""
    product = xp.multiply(x, y)
    return xp.where(xp.equal(y, xp.zeros_like(y)), xp.zeros_like(product), product)


def _truncated(xp: Any, x: Any, y: Any) -> Any:
    """`x / y` rounded towards zero."""
    if np.dtype(x.dtype).kind not in "iu":
        return xp.trunc(xp.divide(x, y))
    _refuse_zero(xp, x, y)
    floored = xp.floor_divide(x, y)
    rest = xp.subtract(x, xp.multiply(floored, y))
    uneven = xp.logical_and(xp.not_equal(rest, xp.zeros_like(rest)), xp.less(xp.bitwise_xor(x, y), xp.zeros_like(rest)))
    return xp.add(floored, uneven.astype(x.dtype))


@op(
    "TruncateDiv",
    "x:T, y:T -> T",
    types=REALS,
    infer=broadcast,
    vjp=no_gradient,
    lower=LoweringHints(refuses=ZERO_DIVISOR),
)
@export("truncatediv")
def truncatediv(xp, x, y):
    """`x / y` elementwise, rounded towards zero as C divides integers."""
    return _truncated(xp, x, y)


@op(
    "TruncateMod",
    "x:T, y:T -> T",
    types=REALS,
    infer=broadcast,
    vjp=_remainder_vjp(truncatediv),
    lower=LoweringHints(refuses=ZERO_DIVISOR),
)
@export("truncatemod")
def truncatemod(xp, x, y):
    """The remainder of `truncatediv`, elementwise; it has the sign of `x`."""
    if np.dtype(x.dtype).kind in "iu":
        return xp.subtract(x, xp.multiply(_truncated(xp, x, y), y))
    return xp.fmod(x, y)


def _divisible(x: Any, y: Any) -> tuple[Any, Any]:
    """Two tensors of one type that has fractions."""
    if answers(x) or answers(y):
        x, y = composites_of(x, y)
    numbers = not hasattr(x, "dtype") or isinstance(x, (np.ndarray, np.generic))
    beside = hasattr(y, "dtype") and not isinstance(y, (np.ndarray, np.generic))
    x = operand(x, dtype=dtypes.as_dtype(y.dtype) if numbers and beside else None, name="truediv/x")
    dtype = x.dtype
    y = operand(y, dtype, name="truediv/y")
    if dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {dtype!r} != {y.dtype!r}.")
    if dtype.is_bool:
        raise TypeError("bool has no quotients: cast `x` and `y` to numbers before they are divided")
    if dtype.is_integer:
        wide = dtypes.float32 if dtype.size < 4 else dtypes.float64
        return cast(x, wide), cast(y, wide)
    return x, y


@export("divide", "math.divide", "truediv", "math.truediv")
def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` elementwise as Python 3 divides: integers give float64 (8- and 16-bit ones float32)."""
    return real_divide(*_divisible(x, y), name="truediv" if name is None else name)


@export("div")
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x / y` as Python 2 divides: integers give the floor. The 1.x name; prefer `divide` or `floordiv`."""
    x = operand(x, getattr(y, "dtype", None))
    return floordiv(x, y, name=name) if dtypes.as_dtype(x.dtype).is_integer else real_divide(x, y, name=name)
