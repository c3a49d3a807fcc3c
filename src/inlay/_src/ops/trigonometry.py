"""Trigonometric and hyperbolic functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types.dtypes import FLOATS, TRAINABLE
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import broadcast
from inlay._src.ops.division import real_divide
from inlay._src.ops.elementwise import ufunc_op
from inlay._src.ops.math import add, multiply, negative, subtract
from inlay._src.ops.powers import one_like, reciprocal, rsqrt, square, times
from inlay._src.ops.shaping import sum_like


def _function(name: str, ufunc: Any, doc: str, slope: Callable[[Any, Any], Any]) -> Any:
    """The public function of a ufunc whose derivative is `slope(input, output)`."""
    return ufunc_op(name, ufunc, f"{doc}, elementwise.", TRAINABLE, times(slope))


def _one_less_square(x: Any) -> Any:
    return subtract(one_like(x), square(x))


def _one_and_square(x: Any) -> Any:
    return add(one_like(x), square(x))


sin: Any = export("sin", "math.sin")(_function("Sin", np.sin, "The sine of an angle in radians", lambda x, y: cos(x)))
cos: Any = export("cos", "math.cos")(
    _function("Cos", np.cos, "The cosine of an angle in radians", lambda x, y: negative(sin(x)))
)
tan: Any = export("tan", "math.tan")(
    _function("Tan", np.tan, "The tangent of an angle in radians", lambda x, y: _one_and_square(y))
)
asin: Any = export("asin", "math.asin")(
    _function("Asin", np.arcsin, "The angle whose sine is `x`, in radians", lambda x, y: rsqrt(_one_less_square(x)))
)
acos: Any = export("acos", "math.acos")(
    _function(
        "Acos",
        np.arccos,
        "The angle whose cosine is `x`, in radians",
        lambda x, y: negative(rsqrt(_one_less_square(x))),
    )
)
atan: Any = export("atan", "math.atan")(
    _function(
        "Atan", np.arctan, "The angle whose tangent is `x`, in radians", lambda x, y: reciprocal(_one_and_square(x))
    )
)
sinh: Any = export("sinh", "math.sinh")(_function("Sinh", np.sinh, "The hyperbolic sine", lambda x, y: cosh(x)))
cosh: Any = export("cosh", "math.cosh")(_function("Cosh", np.cosh, "The hyperbolic cosine", lambda x, y: sinh(x)))
tanh: Any = export("tanh", "math.tanh", "nn.tanh")(
    _function("Tanh", np.tanh, "The hyperbolic tangent", lambda x, y: _one_less_square(y))
)
asinh: Any = export("asinh", "math.asinh")(
    _function("Asinh", np.arcsinh, "The number whose hyperbolic sine is `x`", lambda x, y: reciprocal(cosh(y)))
)
acosh: Any = export("acosh", "math.acosh")(
    _function("Acosh", np.arccosh, "The number whose hyperbolic cosine is `x`", lambda x, y: reciprocal(sinh(y)))
)
atanh: Any = export("atanh", "math.atanh")(
    _function(
        "Atanh", np.arctanh, "The number whose hyperbolic tangent is `x`", lambda x, y: reciprocal(_one_less_square(x))
    )
)


def _atan2_vjp(op, dy):
    y, x = op.inputs
    scaled = real_divide(dy, add(square(x), square(y)))
    return sum_like(multiply(scaled, x), y), sum_like(negative(multiply(scaled, y)), x)


@op("Atan2", "y:T, x:T -> T", types=FLOATS, infer=broadcast, vjp=_atan2_vjp)
@export("atan2", "math.atan2")
def atan2(xp, y, x):
    """The angle of the point (x, y), in radians between -pi and pi, elementwise."""
    return xp.arctan2(y, x)
