"""The special functions of `tf.math.special` that only SciPy has: they have no XLA form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import same
from inlay._src.ops import math, powers, trigonometry
from inlay._src.ops.array import ones_like, where, zeros_like
from inlay._src.ops.shaping import wide
from inlay._src.ops.special import from_scipy


def _of_scipy(
    name: str,
    says: str,
    function: str,
    slope: Callable[..., Any],
    part: int | None = None,
    domain: Callable[[Any], Any] | None = None,
) -> Any:
    """The op that is a special function of one argument.

    Args:
      name, says: the function's name, its first line.
      function: SciPy's name of it.
      slope: from the argument and the value the derivative.
      part: index among SciPy's results, if there are several.
      domain: where it is defined, if not everywhere that SciPy's is; NaN elsewhere.
    """

    def kernel(xp, x):
        if xp is not np:
            raise errors.UnimplementedError(None, None, f"{name} has no XLA form: call it outside compiled functions")
        values = from_scipy("special", function)(wide(x))
        values = values if part is None else values[part]
        return (values if domain is None else np.where(domain(x), values, np.nan)).astype(x.dtype)

    kernel.__name__, kernel.__doc__ = name, f"{says}, elementwise; SciPy computes it."

    def vjp(op, dy):
        return math.multiply(dy, slope(op.inputs[0], op.outputs[0]))

    op_name = "".join(word.capitalize() for word in name.split("_"))
    return op(op_name, "x:T -> T", types=FLOATS, infer=same, vjp=vjp)(kernel)


def _at_zero(x: Any, limit: float, elsewhere: Callable[[Any], Any]) -> Any:
    """A derivative that divides by `x`, and its limit at 0."""
    zero = math.equal(x, zeros_like(x))
    return where(zero, limit * ones_like(x), elsewhere(where(zero, ones_like(x), x)))


def _circle(x: Any) -> Any:
    return (np.pi / 2) * x * x


dawsn: Any = export("math.special.dawsn")(
    _of_scipy("dawsn", "Dawson's integral", "dawsn", lambda x, y: 1.0 - 2.0 * x * y)
)
expint: Any = export("math.special.expint")(
    _of_scipy(
        "expint",
        "The exponential integral of positive numbers, NaN for negative ones",
        "expi",
        lambda x, y: powers.exp(x) / x,
        domain=lambda x: x >= 0,
    )
)
fresnel_cos: Any = export("math.special.fresnel_cos")(
    _of_scipy("fresnel_cos", "Fresnel's cosine integral", "fresnel", lambda x, y: trigonometry.cos(_circle(x)), part=1)
)
fresnel_sin: Any = export("math.special.fresnel_sin")(
    _of_scipy("fresnel_sin", "Fresnel's sine integral", "fresnel", lambda x, y: trigonometry.sin(_circle(x)), part=0)
)
spence: Any = export("math.special.spence")(
    _of_scipy(
        "spence",
        "Spence's function, a dilogarithm",
        "spence",
        lambda x, y: _at_zero(x - 1.0, -1.0, lambda gap: -powers.log(gap + 1.0) / gap),
    )
)
bessel_j0: Any = export("math.special.bessel_j0")(
    _of_scipy("bessel_j0", "The Bessel function of the first kind of order 0", "j0", lambda x, y: -bessel_j1(x))
)
bessel_j1: Any = export("math.special.bessel_j1")(
    _of_scipy(
        "bessel_j1",
        "The Bessel function of the first kind of order 1",
        "j1",
        lambda x, y: _at_zero(x, 0.5, lambda safe: bessel_j0(safe) - y / safe),
    )
)
bessel_y0: Any = export("math.special.bessel_y0")(
    _of_scipy("bessel_y0", "The Bessel function of the second kind of order 0", "y0", lambda x, y: -bessel_y1(x))
)
bessel_y1: Any = export("math.special.bessel_y1")(
    _of_scipy("bessel_y1", "The Bessel function of the second kind of order 1", "y1", lambda x, y: bessel_y0(x) - y / x)
)
bessel_k0: Any = export("math.special.bessel_k0")(
    _of_scipy(
        "bessel_k0", "The modified Bessel function of the second kind of order 0", "k0", lambda x, y: -bessel_k1(x)
    )
)
bessel_k0e: Any = export("math.special.bessel_k0e")(
    _of_scipy(
        "bessel_k0e",
        "The modified Bessel function of the second kind of order 0 times `exp(x)`",
        "k0e",
        lambda x, y: y - bessel_k1e(x),
    )
)
bessel_k1: Any = export("math.special.bessel_k1")(
    _of_scipy(
        "bessel_k1",
        "The modified Bessel function of the second kind of order 1",
        "k1",
        lambda x, y: -bessel_k0(x) - y / x,
    )
)
bessel_k1e: Any = export("math.special.bessel_k1e")(
    _of_scipy(
        "bessel_k1e",
        "The modified Bessel function of the second kind of order 1 times `exp(x)`",
        "k1e",
        lambda x, y: y * (1.0 - 1.0 / x) - bessel_k0e(x),
    )
)
