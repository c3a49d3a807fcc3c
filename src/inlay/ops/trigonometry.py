"""Trigonometric and hyperbolic functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import broadcast, same
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops.division import real_divide
from inlay.ops.math import add, conjugate, multiply, negative, subtract
from inlay.ops.powers import one_like, reciprocal, rsqrt, scaled, square
from inlay.ops.shaping import sum_like
from inlay.types.dtypes import FLOATS, TRAINABLE


@op(
    "Sin",
    "x:T -> T",
    ufunc=np.sin,
    types=TRAINABLE,
    infer=same,
    vjp=lambda op, dy: multiply(dy, cos(conjugate(op.inputs[0]))),
)
@export("sin", "math.sin")
def sin(xp, x):
    """The sine of an angle in radians, elementwise."""
    return xp.sin(x)


@op(
    "Cos",
    "x:T -> T",
    ufunc=np.cos,
    types=TRAINABLE,
    infer=same,
    vjp=lambda op, dy: negative(multiply(dy, sin(conjugate(op.inputs[0])))),
)
@export("cos", "math.cos")
def cos(xp, x):
    """The cosine of an angle in radians, elementwise."""
    return xp.cos(x)


def _tanh_vjp(op, dy):
    y = conjugate(op.outputs[0])
    return multiply(dy, subtract(one_like(y), square(y)))


@op("Tanh", "x:T -> T", ufunc=np.tanh, types=TRAINABLE, infer=same, vjp=_tanh_vjp)
@export("tanh", "math.tanh", "nn.tanh")
def tanh(xp, x):
    """The hyperbolic tangent, elementwise."""
    return xp.tanh(x)


def _one_less_square(x: Any) -> Any:
    return subtract(one_like(x), square(x))


def _angle_op(name: str, slope: Any) -> Any:
    """A declaration of an elementwise holomorphic function; `slope(op)` is its derivative."""
    return op(name, "x:T -> T", types=TRAINABLE, infer=same, vjp=lambda op, dy: scaled(dy, slope(op)))


@_angle_op("Tan", lambda op: add(one_like(op.outputs[0]), square(op.outputs[0])))
@export("tan", "math.tan")
def tan(xp, x):
    """The tangent of an angle in radians, elementwise."""
    return xp.tan(x)


@_angle_op("Asin", lambda op: rsqrt(_one_less_square(op.inputs[0])))
@export("asin", "math.asin")
def asin(xp, x):
    """The angle whose sine is `x`, in radians, elementwise."""
    return xp.arcsin(x)


@_angle_op("Acos", lambda op: negative(rsqrt(_one_less_square(op.inputs[0]))))
@export("acos", "math.acos")
def acos(xp, x):
    """The angle whose cosine is `x`, in radians, elementwise."""
    return xp.arccos(x)


@_angle_op("Atan", lambda op: reciprocal(add(one_like(op.inputs[0]), square(op.inputs[0]))))
@export("atan", "math.atan")
def atan(xp, x):
    """The angle whose tangent is `x`, in radians, elementwise."""
    return xp.arctan(x)


@_angle_op("Sinh", lambda op: cosh(op.inputs[0]))
@export("sinh", "math.sinh")
def sinh(xp, x):
    """The hyperbolic sine, elementwise."""
    return xp.sinh(x)


@_angle_op("Cosh", lambda op: sinh(op.inputs[0]))
@export("cosh", "math.cosh")
def cosh(xp, x):
    """The hyperbolic cosine, elementwise."""
    return xp.cosh(x)


@_angle_op("Asinh", lambda op: reciprocal(cosh(op.outputs[0])))
@export("asinh", "math.asinh")
def asinh(xp, x):
    """The number whose hyperbolic sine is `x`, elementwise."""
    return xp.arcsinh(x)


@_angle_op("Acosh", lambda op: reciprocal(sinh(op.outputs[0])))
@export("acosh", "math.acosh")
def acosh(xp, x):
    """The number whose hyperbolic cosine is `x`, elementwise."""
    return xp.arccosh(x)


@_angle_op("Atanh", lambda op: reciprocal(_one_less_square(op.inputs[0])))
@export("atanh", "math.atanh")
def atanh(xp, x):
    """The number whose hyperbolic tangent is `x`, elementwise."""
    return xp.arctanh(x)


def _atan2_vjp(op, dy):
    y, x = op.inputs
    scaled = real_divide(dy, add(square(x), square(y)))
    return sum_like(multiply(scaled, x), y), sum_like(negative(multiply(scaled, y)), x)


@op("Atan2", "y:T, x:T -> T", types=FLOATS, infer=broadcast, vjp=_atan2_vjp)
@export("atan2", "math.atan2")
def atan2(xp, y, x):
    """The angle of the point (x, y), in radians between -pi and pi, elementwise."""
    return xp.arctan2(y, x)
