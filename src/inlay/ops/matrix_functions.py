"""Functions of whole matrices: the exponential, the pseudo-inverse."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, some_values
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import math
from inlay.ops.array import shape, zeros_like
from inlay.ops.joining import concat, split
from inlay.ops.linalg import X, square_infer, squares
from inlay.ops.matmul import adjoint, matmul_op
from inlay.ops.reductions import reduce_max
from inlay.types import dtypes
from inlay.types.shapes import Dims


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
    if input.dtype not in X:
        raise ValueError(f"tf.linalg.expm does not support matrices of type {input.dtype.name}")
    return _expm(input, name=name)


def _pinv_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is None:
        return [None]
    return [(*dims[:-2], dims[-1], dims[-2])]


def _pinv_vjp(op, dy):
    # Golub and Pereyra (1973), for matrices whose rank stays.
    a, y = op.inputs[0], op.outputs[0]
    tall = matmul_op(dy, matmul_op(y, y, adjoint_b=True), adjoint_a=True)
    wide = matmul_op(matmul_op(y, y, adjoint_a=True), dy, adjoint_b=True)
    found = math.subtract(tall, matmul_op(a, matmul_op(y, tall)))
    found = math.add(found, math.subtract(wide, matmul_op(matmul_op(wide, y), a)))
    turned = matmul_op(matmul_op(y, dy, adjoint_a=True), y, adjoint_b=True)
    return math.subtract(found, turned), None


@op(
    "PseudoInverse",
    "a:T, rcond:T -> T",
    types=frozenset({dtypes.float32, dtypes.float64}),
    infer=_pinv_infer,
    vjp=_pinv_vjp,
    refuses=some_values,
)
def _pinv(xp, a, rcond):
    """The pseudo-inverse, from singular values above `rcond` times the greatest."""
    if np.ndim(a) < 2:
        raise ValueError(f"Input must have rank >= 2, got shape {list(np.shape(a))}")
    if not np.size(a):
        return xp.swapaxes(a, -1, -2)
    u, s, vh = xp.linalg.svd(a, full_matrices=False)
    cutoff = xp.asarray(rcond * xp.max(s, axis=-1))[..., None]
    s = xp.where(s > cutoff, s, np.inf).astype(a.dtype)
    return xp.matmul(xp.swapaxes(vh, -1, -2) / s[..., None, :], xp.swapaxes(u, -1, -2))


@export("linalg.pinv")
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """The Moore-Penrose pseudo-inverse of matrices.

    Args:
      a: [..., m, n], of float32 or float64.
      rcond: singular values up to this times the greatest count as zero, one number or one per matrix;
        `10 * max(m, n) * eps` if None.
      validate_args: ignored; the rank is always checked.
      name: the node's name.

    Returns:
      [..., n, m].

    Raises:
      TypeError: for another type.
      ValueError: if there is no matrix.
    """
    a = convert_to_tensor(a)
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have float-like `dtype` (saw {a.dtype.name}).")
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.shape.rank}).")
    if rcond is None:
        sides = a.shape[-2:]
        most = max(sides.as_list()) if sides.is_fully_defined() else math.cast(reduce_max(shape(a)[-2:]), a.dtype)
        rcond = 10.0 * most * float(np.finfo(a.dtype.np).eps)
    return _pinv(a, convert_to_tensor(rcond, a.dtype), name=name)
