"""The special functions of `tf.math.special` that only SciPy has: they have no XLA form."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from inlay import errors
from inlay.core.opdef import same
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import math, powers, trigonometry
from inlay.ops.array import ones_like, where, zeros_like
from inlay.ops.shaping import wide
from inlay.types.dtypes import FLOATS


def _of_scipy(op_name: str, name: str, says: str, values: Callable[[Any, Any], Any], slope: Callable[..., Any]) -> Any:
    """The op that is a special function of one argument.

    Args:
      op_name, name, says: the op type, the function's name, its first line.
      values: from SciPy's module and an array the values.
      slope: from the argument and the value the derivative.
    """

    def kernel(xp, x):
        if xp is not np:
            raise errors.UnimplementedError(None, None, f"{name} has no XLA form: call it outside compiled functions")
        return values(importlib.import_module("scipy.special"), wide(x)).astype(x.dtype)

    kernel.__doc__ = f"{says}, elementwise; SciPy computes it."

    def vjp(op, dy):
        return math.multiply(dy, slope(op.inputs[0], op.outputs[0]))

    return op(op_name, "x:T -> T", types=FLOATS, infer=same, vjp=vjp, public=name)(kernel)


def _at_zero(x: Any, limit: float, elsewhere: Callable[[Any], Any]) -> Any:
    """A derivative that divides by `x`, and its limit at 0."""
    zero = math.equal(x, zeros_like(x))
    return where(zero, limit * ones_like(x), elsewhere(where(zero, ones_like(x), x)))


def _circle(x: Any) -> Any:
    return (np.pi / 2) * x * x


dawsn = export("math.special.dawsn")(
    _of_scipy("Dawsn", "dawsn", "Dawson's integral", lambda s, x: s.dawsn(x), lambda x, y: 1.0 - 2.0 * x * y)
)
expint = export("math.special.expint")(
    _of_scipy("Expint", "expint", "The exponential integral", lambda s, x: s.expi(x), lambda x, y: powers.exp(x) / x)
)
fresnel_cos = export("math.special.fresnel_cos")(
    _of_scipy(
        "FresnelCos",
        "fresnel_cos",
        "Fresnel's cosine integral",
        lambda s, x: s.fresnel(x)[1],
        lambda x, y: trigonometry.cos(_circle(x)),
    )
)
fresnel_sin = export("math.special.fresnel_sin")(
    _of_scipy(
        "FresnelSin",
        "fresnel_sin",
        "Fresnel's sine integral",
        lambda s, x: s.fresnel(x)[0],
        lambda x, y: trigonometry.sin(_circle(x)),
    )
)
spence = export("math.special.spence")(
    _of_scipy(
        "Spence",
        "spence",
        "Spence's function, a dilogarithm",
        lambda s, x: s.spence(x),
        lambda x, y: _at_zero(x - 1.0, -1.0, lambda gap: -powers.log(gap + 1.0) / gap),
    )
)
bessel_j0: Any = export("math.special.bessel_j0")(
    _of_scipy(
        "BesselJ0",
        "bessel_j0",
        "The Bessel function of the first kind of order 0",
        lambda s, x: s.j0(x),
        lambda x, y: -bessel_j1(x),
    )
)
bessel_j1: Any = export("math.special.bessel_j1")(
    _of_scipy(
        "BesselJ1",
        "bessel_j1",
        "The Bessel function of the first kind of order 1",
        lambda s, x: s.j1(x),
        lambda x, y: _at_zero(x, 0.5, lambda safe: bessel_j0(safe) - y / safe),
    )
)
bessel_y0: Any = export("math.special.bessel_y0")(
    _of_scipy(
        "BesselY0",
        "bessel_y0",
        "The Bessel function of the second kind of order 0",
        lambda s, x: s.y0(x),
        lambda x, y: -bessel_y1(x),
    )
)
bessel_y1: Any = export("math.special.bessel_y1")(
    _of_scipy(
        "BesselY1",
        "bessel_y1",
        "The Bessel function of the second kind of order 1",
        lambda s, x: s.y1(x),
        lambda x, y: bessel_y0(x) - y / x,
    )
)
bessel_k0: Any = export("math.special.bessel_k0")(
    _of_scipy(
        "BesselK0",
        "bessel_k0",
        "The modified Bessel function of the second kind of order 0",
        lambda s, x: s.k0(x),
        lambda x, y: -bessel_k1(x),
    )
)
bessel_k0e: Any = export("math.special.bessel_k0e")(
    _of_scipy(
        "BesselK0e",
        "bessel_k0e",
        "The modified Bessel function of the second kind of order 0 times `exp(x)`",
        lambda s, x: s.k0e(x),
        lambda x, y: y - bessel_k1e(x),
    )
)
bessel_k1: Any = export("math.special.bessel_k1")(
    _of_scipy(
        "BesselK1",
        "bessel_k1",
        "The modified Bessel function of the second kind of order 1",
        lambda s, x: s.k1(x),
        lambda x, y: -bessel_k0(x) - y / x,
    )
)
bessel_k1e: Any = export("math.special.bessel_k1e")(
    _of_scipy(
        "BesselK1e",
        "bessel_k1e",
        "The modified Bessel function of the second kind of order 1 times `exp(x)`",
        lambda s, x: s.k1e(x),
        lambda x, y: y * (1.0 - 1.0 / x) - bessel_k0e(x),
    )
)
