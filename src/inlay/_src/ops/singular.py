"""Singular values of matrices as kernels take them: NaN for a matrix that is not finite."""

from __future__ import annotations

from typing import Any

import numpy as np


def singular(xp: Any, x: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """`xp.linalg.svd`, all of whose results are NaN for matrices that hold NaN or an infinity.

    Args:
      xp: NumPy, or JAX's NumPy.
      x: matrices, [..., m, n].
      full_matrices, compute_uv: as in NumPy.

    Returns:
      `(u, s, vh)`, or the singular values alone.

    Raises:
      numpy.linalg.LinAlgError: if finite numbers do not converge.
    """
    svd: Any = xp.linalg.svd
    if xp is not np or np.ndim(x) < 2:
        return svd(x, full_matrices=full_matrices, compute_uv=compute_uv)
    finite = np.isfinite(x).all(axis=(-2, -1))
    if finite.all():
        return svd(x, full_matrices=full_matrices, compute_uv=compute_uv)
    # LAPACK may go round for ever with an infinity.
    factors = svd(np.where(finite[..., None, None], x, 0), full_matrices, compute_uv)
    parts = [np.where(np.expand_dims(finite, _axes(finite, p)), p, p.dtype.type(np.nan)) for p in _several(factors)]
    return parts if compute_uv else parts[0]


def _several(factors: Any) -> Any:
    return factors if isinstance(factors, tuple) else (factors,)


def _axes(finite: Any, part: Any) -> tuple[int, ...]:
    """The axes that `finite`, one truth per matrix, lacks beside a result."""
    return tuple(range(-1, finite.ndim - part.ndim - 1, -1))
