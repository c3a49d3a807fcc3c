"""Values compared to the bit, and messages about their differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.types import nest
from inlay._src.base.types.nest import Composite
from inlay._src.core.tensor import Tensor

Values = list[Any]
"""The results of one call: NumPy arrays, flat."""


def values_of(result: Any) -> Values:
    """The arrays of a result, flat: tensors, components of composites, Python values."""
    if result is None:
        return []
    return [array_of(part) for part in flat_tensors(result)]


def array_of(value: Any) -> Any:
    """A tensor or a value that a session returned as an array; strings become objects of Python."""
    if isinstance(value, (bytes, str)):
        return np.array(value, object)
    array = np.asarray(value)
    return array.astype(object) if array.dtype.kind in "SU" else array


def flat_tensors(result: Any) -> list[Any]:
    """The leaves of a result, composites taken apart; operations and None are no values."""
    flat: list[Any] = []
    for leaf in nest.flatten(result):
        if leaf is None or not (isinstance(leaf, (Tensor, Composite)) or hasattr(leaf, "dtype") or np.isscalar(leaf)):
            continue
        flat += list(leaf._components()) if isinstance(leaf, Composite) else [leaf]
    return flat


def same(one: Values, other: Values) -> bool:
    """Whether results are equal to the bit; NaN equals NaN."""
    return len(one) == len(other) and all(map(_same, one, other))


def _same(a: Any, b: Any) -> bool:
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.size == 0 or not _differing(a, b).any()


def alike(one: Values, other: Values) -> bool:
    """Whether results have the same number, dtypes and ranks."""
    return [(a.dtype, a.ndim) for a in one] == [(a.dtype, a.ndim) for a in other]


def difference(got: Values, expected: Values, words: str = "expected") -> str:
    """A message about the first difference of two results; `words` come before the expected value."""
    if len(got) != len(expected):
        return f"{len(got)} values, {words} {len(expected)}"
    for i, (a, b) in enumerate(zip(got, expected, strict=True)):
        if _same(a, b):
            continue
        place = f"output {i}" if len(got) > 1 else "the result"
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{place} is {kind(a)}, {words} {kind(b)}"
        if a.ndim == 0:
            return f"{place} is {a[()]!s}, {words} {b[()]!s}"
        index = np.unravel_index(int(np.argmax(_differing(a, b))), a.shape)
        where = ", ".join(str(int(k)) for k in index)
        return f"{place}[{where}] is {a[index]!s}, {words} {b[index]!s}"
    return "no difference"


def _differing(a: Any, b: Any) -> Any:
    """Of each element whether its bits differ; NaN equals NaN."""
    one, other = np.ascontiguousarray(a).reshape(-1), np.ascontiguousarray(b).reshape(-1)
    if a.dtype.kind == "O":
        return np.array([x != y for x, y in zip(one.tolist(), other.tolist(), strict=True)])
    differ = (one.view(np.uint8) != other.view(np.uint8)).reshape(one.size, -1).any(axis=1)
    return differ & ~(_is_nan(one) & _is_nan(other))


def _is_nan(array: Any) -> Any:
    try:
        return np.isnan(array)
    except TypeError:
        return np.zeros(array.shape, bool)


def kind(array: Any) -> str:
    """The dtype and shape of an array: `float32[2,3]`."""
    name = "string" if array.dtype.kind in "OSU" else str(array.dtype)
    return f"{name}[{','.join(map(str, array.shape))}]"


def brief(values: Sequence[Any]) -> str:
    """Values in a few words."""
    return ", ".join(_brief(np.asarray(v)) for v in values) or "nothing"


def _brief(array: Any) -> str:
    if array.size > 6:
        return kind(array)
    return np.array2string(array, separator=", ", threshold=8)
