"""The conjugate gradient method: systems of equations whose matrix is known by its products alone."""

from __future__ import annotations

from typing import Any, NamedTuple

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.core.context import name_scope
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, complex_numbers, linalg, math, reductions
from inlay._src.ops.joining import concat
from inlay._src.ops.shaping import broadcast_dynamic_shape, broadcast_to
from inlay._src.programs.control.loops import while_loop


class CGState(NamedTuple):
    """The state of the method after some iterations.

    Attributes:
      i: their number, an int32 scalar.
      x: the solution.
      r: the residual, `rhs - A x`.
      p: the direction of the next step.
      gamma: the product of `r` with the preconditioned `r`.
    """

    i: Any
    x: Any
    r: Any
    p: Any
    gamma: Any


def _length(vectors: Any) -> Any:
    """The Euclidean lengths along the last axis, real numbers."""
    return complex_numbers.abs(linalg.norm(vectors, axis=-1))


def _dot(a: Any, b: Any) -> Any:
    return reductions.reduce_sum(complex_numbers.conj(a) * b, axis=-1)


@export("linalg.experimental.conjugate_gradient")
def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """Solves `A x = rhs` for a self-adjoint positive definite `A`.

    Args:
      operator: a `LinearOperator` of shape [..., n, n] with the hints `is_self_adjoint` and `is_positive_definite`.
      rhs: the right-hand sides, [..., n].
      preconditioner: a `LinearOperator` like the inverse of `operator`, or None.
      x: where to begin, [..., n]; zeros if None.
      tol: the iterations end when the norm of every residual is at most `tol` times that of its right-hand side.
      max_iter: their greatest number.
      name: the nodes' scope.

    Returns:
      `(i, x, r, p, gamma)`, see `CGState`.

    Raises:
      ValueError: if the operator lacks one of the hints.
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError("Expected a self-adjoint, positive definite operator.")
    with name_scope(name):
        rhs = convert_to_tensor(rhs)
        batch = broadcast_dynamic_shape(array.shape(rhs)[:-1], operator.batch_shape_tensor())
        if preconditioner is not None:
            batch = broadcast_dynamic_shape(batch, preconditioner.batch_shape_tensor())
        sizes = concat([batch, array.shape(rhs)[-1:]], 0)
        residual = broadcast_to(rhs, sizes)
        least = math.cast(tol, residual.dtype.real_dtype) * _length(residual)
        if x is None:
            x = array.zeros(sizes, rhs.dtype)
        else:
            residual = rhs - operator.matvec(x)

        def preconditioned(vector: Any) -> Any:
            return vector if preconditioner is None else preconditioner.matvec(vector)

        def goes_on(i: Any, state: CGState) -> Any:
            return math.logical_and(i < max_iter, reductions.reduce_any(_length(state.r) > least))

        def step(i: Any, state: CGState) -> tuple[Any, CGState]:
            product = operator.matvec(state.p)
            length = array.expand_dims(state.gamma / _dot(state.p, product), -1)
            residual = state.r - length * product
            towards = preconditioned(residual)
            gamma = _dot(residual, towards)
            direction = towards + array.expand_dims(gamma / state.gamma, -1) * state.p
            return i + 1, CGState(i + 1, state.x + length * state.p, residual, direction, gamma)

        first = preconditioned(residual)
        none = array.constant(0, dtypes.int32)
        _, last = while_loop(goes_on, step, [none, CGState(none, x, residual, first, _dot(residual, first))])
        return last  # type: ignore[no-any-return]
