"""Functions of whole matrices: the exponential."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from inlay.eager.declaration import op
from inlay.eager.emit import convert_to_tensor
from inlay.export import export
from inlay.ops.array import zeros_like
from inlay.ops.joining import concat, split
from inlay.ops.linalg import X, square_infer, squares
from inlay.ops.matmul import adjoint


def _pade(degree: int) -> tuple[float, ...]:
    """The coefficients of the diagonal Pade approximant of the exponential, lowest power first."""
    return tuple(
        factorial(2 * degree - j) * factorial(degree) / (factorial(2 * degree) * factorial(degree - j) * factorial(j))
        for j in range(degree + 1)
    )


# Bytes of a real number -> the approximant, and the norm up to which it is exact in that type (Higham, 2005).
_APPROXIMANT = {4: (_pade(7), 3.925724783138660), 8: (_pade(13), 5.371920351148152)}
_MOST_SQUARINGS = 32  # where the number depends on values that a compiler does not know


def _expm_vjp(op, dy):
    # The exponential of [[a, d], [0, a]] holds the derivative of that of `a` in the direction `d`, above the diagonal.
    a = adjoint(op.inputs[0])
    block = concat([concat([a, dy], -1), concat([zeros_like(a), a], -1)], -2)
    return split(split(_expm(block), 2, -1)[1], 2, -2)[0]


@op("MatrixExponential", "input:T -> T", types=X, infer=square_infer, vjp=_expm_vjp)
def _expm(xp, input):
    """The exponential of square matrices, by scaling, a Pade approximant, and squaring."""
    squares(input, "exponentiate")
    if not np.size(input):
        return input
    coefficients, reach = _APPROXIMANT[np.finfo(input.dtype).bits // 8]
    norm = xp.max(xp.sum(xp.abs(input), axis=-2), axis=-1)[..., None, None]
    halvings = xp.where((norm > reach) & xp.isfinite(norm), xp.ceil(xp.log2(norm / norm.dtype.type(reach))), 0)
    a = (input * xp.exp2(-halvings)).astype(input.dtype)
    squared, power = xp.matmul(a, a), xp.broadcast_to(xp.eye(a.shape[-1], dtype=a.dtype), a.shape)
    even, odd = xp.zeros_like(a), xp.zeros_like(a)
    for k in range(0, len(coefficients), 2):
        even = even + power * a.dtype.type(coefficients[k])
        odd = odd + power * a.dtype.type(coefficients[k + 1])
        power = xp.matmul(power, squared)
    odd = xp.matmul(a, odd)
    out = xp.linalg.solve(even - odd, even + odd)
    for i in range(int(np.max(halvings)) if xp is np else _MOST_SQUARINGS):
        out = xp.where(i < halvings, xp.matmul(out, out), out)
    return xp.where(xp.isfinite(norm), out, np.nan).astype(input.dtype)


@export("linalg.expm")
def expm(input: Any, name: str | None = None) -> Any:
    """The exponential of square matrices, the sum of their powers over factorials.

    Args:
      input: [..., n, n], of float32, float64 or complex numbers.
      name: the node's name.

    Raises:
      ValueError: for another type.
    """
    input = convert_to_tensor(input)
    if input.dtype not in X["T"]:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {input.dtype.name}")
    return _expm(input, name=name)
