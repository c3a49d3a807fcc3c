"""Ops applied to linear operators: the products, solutions and decompositions of `tf.linalg` take one for a matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inlay._src.core.eager.emit import answers, spread
from inlay._src.core.values import NoTensorError
from inlay._src.ops.matmul import adjoint


def answer(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], name: str | None) -> Any:
    """The result of `op` on inputs one of which is a linear operator.

    Raises:
      NoTensorError: if the op takes no linear operator.
    """
    rule = _RULES.get(op.name)
    if rule is None:
        operator = next(value for value in spread(inputs) if answers(value))
        raise NoTensorError(f"{op.name} does not take a linear operator, got {operator!r}. Use its to_dense().")
    return rule(attrs, *inputs)


def _product(attrs: Mapping[str, Any], a: Any, b: Any) -> Any:
    if attrs.get("transpose_a") or attrs.get("transpose_b"):
        raise ValueError("Transposing not supported at this time.")
    adjoint_a, adjoint_b = bool(attrs.get("adjoint_a")), bool(attrs.get("adjoint_b"))
    if answers(a):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return adjoint(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))  # x A = (A^H x^H)^H


def _solution(attrs: Mapping[str, Any], matrix: Any, rhs: Any) -> Any:
    if not answers(matrix):
        raise ValueError("Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not supported.")
    return matrix.solve(rhs, adjoint=bool(attrs.get("adjoint")))


def _inverse(attrs: Mapping[str, Any], operator: Any) -> Any:
    inverse = operator.inverse()
    return inverse.adjoint() if attrs.get("adjoint") else inverse


_RULES: dict[str, Callable[..., Any]] = {
    "MatMul": _product,
    "BatchMatMulV2": _product,
    "MatrixSolve": _solution,
    "MatrixInverse": _inverse,
    "MatrixDeterminant": lambda attrs, operator: operator.determinant(),
    "MatrixDiagPartV3": lambda attrs, operator, *rest: operator.diag_part(),
    "Cholesky": lambda attrs, operator: operator.cholesky(),
}
"""Op -> its result, from its attributes and inputs."""
