"""The approximate cost of NumPy's loops, which decides from sizes alone the number of threads for an array.

Measured in the cache of one core (AVX-512, NumPy 2). A wrong estimate costs time, never a bit of a result.
"""

from __future__ import annotations

from typing import Any

import numpy as np

QUICK, PASSES, COMPUTED, HALF, COMPLEX = 0.025, 0.05, 0.125, 2.0, 4.0
"""Nanoseconds per byte: one loop at the speed of memory, a few, one that computes; of 16 bits, of complex numbers."""

_QUICK = frozenset({
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.absolute, np.square, np.maximum, np.minimum, np.floor,
    np.ceil, np.rint, np.trunc, np.conjugate, np.equal, np.not_equal, np.less, np.less_equal, np.greater,
    np.greater_equal, np.logical_and, np.logical_or, np.logical_not, np.bitwise_and, np.bitwise_or, np.bitwise_xor,
    np.invert, np.isnan, np.isinf, np.isfinite,
})  # fmt: skip

_COMPILED_WELL = _QUICK | {np.sqrt, np.reciprocal, np.sign}
"""XLA's exponentials, logarithms and `tanh` take one and a half to three times as long as NumPy's; its sines, powers
and `log1p` two to ten times."""


def is_compiled_well(ufunc: Any) -> bool:
    """Whether XLA's loop for the CPU takes no longer than NumPy's."""
    return ufunc in _COMPILED_WELL


def computes_long(kernel: Any) -> bool:
    """Whether a kernel of inlay says that it takes long for an element; those of 64 bits do better than XLA's."""
    return getattr(kernel, "each", 0) >= 1


def is_quick(ufunc: Any) -> bool:
    """Whether a loop of NumPy's is done as soon as its elements are fetched; no kernel of inlay is."""
    return ufunc in _QUICK


def nanoseconds(function: Any, dtype: np.dtype[Any]) -> float:
    """Per element of its result, of an elementwise function.

    Args:
      function: a ufunc, or a kernel of several; it may say what it takes (`blocks.in_blocks`).
      dtype: the type that it computes with.
    """
    each = getattr(function, "each", None)
    if each is not None:
        return each / 4 * dtype.itemsize  # type: ignore[no-any-return]
    if dtype.itemsize == 2 and dtype.kind not in "iu":  # no core computes with these: they are converted
        return HALF * 2
    if function in _QUICK:
        return QUICK * dtype.itemsize
    if not isinstance(function, np.ufunc):
        return PASSES * dtype.itemsize
    return (COMPLEX if dtype.kind == "c" else COMPUTED) * dtype.itemsize
