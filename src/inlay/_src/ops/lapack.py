"""Triangular systems that LAPACK is not asked about: with zeros on the diagonal, or right-hand sides not finite."""

from __future__ import annotations

import numpy as np


def substituted(matrix: np.ndarray, rhs: np.ndarray, lower: bool) -> np.ndarray:
    """The solution of triangular systems row by row, with infinities of `rhs` and of zeros on the diagonal."""
    side = matrix.shape[-1]
    lead = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    out = np.array(np.broadcast_to(rhs, (*lead, *rhs.shape[-2:])))
    with np.errstate(all="ignore"):
        for i in range(side) if lower else reversed(range(side)):
            solved = slice(0, i) if lower else slice(i + 1, side)
            product = np.matmul(matrix[..., i : i + 1, solved], out[..., solved, :])[..., 0, :]
            out[..., i, :] = (out[..., i, :] - product) / matrix[..., i, i, None]
    return out
