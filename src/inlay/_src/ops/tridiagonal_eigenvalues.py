"""Eigenvalues of Hermitian tridiagonal matrices."""

from __future__ import annotations

from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types.dtypes import TRAINABLE
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.ops import complex_numbers, diagonals, eigenvalues, gathering, math, matmul


@export("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Eigenvalues, in rising order, of the Hermitian tridiagonal matrix with two given diagonals, and eigenvectors.

    Args:
      alpha: n floating or complex numbers: the diagonal, of which the real part is read.
      beta: n - 1 numbers of that type: the diagonal above it; the one below is its conjugate.
      eigvals_only: whether eigenvectors are left out.
      select: "a" for all eigenvalues, "i" for those numbered `select_range`, "v" for those of its interval.
      select_range: the numbers of the first and the last eigenvalue (from 0), or the two ends of an interval, which
        belong to it; for "a" None.
      tol: accepted and not used: the eigenvalues are as exact as their type.
      name: the node's name.

    Returns:
      The eigenvalues, real; or these and the eigenvectors as the columns of a matrix.

    Raises:
      TypeError: if the types differ, or are not floating or complex.
      ValueError: if `select` is unknown.
      InvalidArgumentError: if `select_range` is empty.
    """
    alpha, beta = convert_to_tensor(alpha), convert_to_tensor(beta)
    if alpha.dtype is not beta.dtype or alpha.dtype not in TRAINABLE:
        raise TypeError(
            f"eigh_tridiagonal takes floating or complex numbers of one type, got {alpha.dtype.name} and "
            f"{beta.dtype.name}"
        )
    if select not in ("a", "i", "v"):
        raise ValueError(f"'select must have a value in {{'a', 'i', 'v'}}, got {select!r}.")
    if select != "a":
        first, last = map(constant_of, select_range)  # tensors that a graph does not know are not compared
        if first is not None and last is not None and (first > last if select == "i" else first >= last):
            raise errors.InvalidArgumentError(None, None, f"Got empty interval in select_range: {select_range}.")
    diagonal = math.cast(complex_numbers.real(alpha), alpha.dtype)
    below = matmul.adjoint(diagonals.diag_op(beta, 1))
    matrix = math.add(diagonals.diag_op(diagonal), below)  # of which the lower triangle is read
    values, vectors = eigenvalues.eigh(matrix)
    values = complex_numbers.real(values)
    if select == "i":
        first, last = select_range
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    elif select == "v":
        low, high = (math.cast(end, values.dtype) for end in select_range)
        inside = math.logical_and(math.greater_equal(values, low), math.less_equal(values, high))
        values = gathering.boolean_mask(values, inside)
        vectors = gathering.boolean_mask(vectors, inside, axis=1)
    return values if eigvals_only else (values, vectors)
