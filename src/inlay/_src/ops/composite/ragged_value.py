"""`RaggedTensorValue`: the result of a session for a RaggedTensor. Arrays only; also how ragged values print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes

__all__ = ["RaggedTensorValue"]


class RaggedBase:
    """Rows of values that may be rows of others themselves: the common base of ragged tensors and their values."""

    __slots__ = ()
    _values: Any
    _row_splits: Any

    @property
    def values(self) -> Any:
        """The rows, one after the other."""
        return self._values

    @property
    def row_splits(self) -> Any:
        """Where rows begin and end: a vector one longer than there are rows."""
        return self._row_splits

    @property
    def flat_values(self) -> Any:
        """The values below all row partitions: a dense tensor or an array."""
        return self._values.flat_values if isinstance(self._values, RaggedBase) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row partitions, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedBase) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of row partitions."""
        return len(self.nested_row_splits)


@export("ragged.RaggedTensorValue")
class RaggedTensorValue(RaggedBase):
    """The value of a RaggedTensor.

    Args:
      values: an array, or a RaggedTensorValue.
      row_splits: a vector: row i is `values[row_splits[i]:row_splits[i + 1]]`.
    """

    __slots__ = ("__dict__", "__weakref__", "_row_splits", "_values")

    def __init__(self, values: Any, row_splits: Any) -> None:
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError(f"`values` must be an array or a RaggedTensorValue, got {type(values).__name__}")
        self._values, self._row_splits = values, np.asarray(row_splits)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the flat values."""
        return self.flat_values.dtype  # type: ignore[no-any-return]

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The sizes; ragged dimensions are None."""
        return (len(self._row_splits) - 1, None, *self._values.shape[1:])

    def to_list(self) -> list[Any]:
        """Nested Python lists."""
        whole = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        ends = self._row_splits.tolist()
        return [whole[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"


def rows_of(value: Any) -> Any:
    """A ragged value as an array: rectangular if it can be, else an object array of rows."""
    if not isinstance(value, RaggedTensorValue):
        return value.copy()
    whole = rows_of(value.values)
    ends = value.row_splits.tolist()
    parts = [whole[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]
    if parts and len({len(p) for p in parts}) == 1:
        return np.stack(parts)
    out = np.empty(len(parts), object)
    for i, part in enumerate(parts):
        out[i] = part
    return out


def text_of(value: Any) -> str:
    """An array of rows as text, as NumPy prints arrays."""

    whole = np.asarray(value)
    if not whole.size:
        return str(whole.tolist())  # NumPy would not say how many rows there are

    def element(item: Any) -> str:
        if isinstance(item, np.ndarray):
            return text_of(item)
        return repr(item) if isinstance(item, bytes) else str(item)

    return np.array2string(whole, separator=", ", formatter={"all": element})  # type: ignore[arg-type]


# ---------------------------------------------------------------- from nested lists


def _is_list(item: Any) -> bool:
    return isinstance(item, (list, tuple)) or (hasattr(item, "ndim") and item.ndim != 0)


def _depths(pylist: Any) -> tuple[int | None, int]:
    """(at what depth the scalars of nested lists stand, None if there are none; the greatest depth of a list)."""
    if not _is_list(pylist):
        return 0, 0
    if isinstance(pylist, np.ndarray) and pylist.dtype != object:
        return (pylist.ndim if pylist.size else None), pylist.ndim
    scalars, deepest = set(), 0
    for item in pylist:
        depth, most = _depths(item)
        deepest = max(deepest, most)
        if depth is not None:
            scalars.add(depth)
    if len(scalars) > 1:
        raise ValueError("all scalar values must have the same nesting depth")
    return (1 + scalars.pop() if scalars else None), 1 + deepest


def _common_shape(items: Any) -> tuple[int, ...]:
    """The shape of every one of `items`, which are nested lists of equal sizes."""

    def shape(item: Any) -> tuple[int, ...]:
        return (len(item), *_common_shape(item)) if _is_list(item) else ()

    sizes = {shape(item) for item in items}
    if len(sizes) > 1:
        raise ValueError("inner values have inconsistent shape")
    return sizes.pop() if sizes else ()


def parsed(
    pylist: Any, ragged_rank: int | None, inner_shape: Any
) -> tuple[Any, tuple[int, ...] | None, list[list[int]] | None]:
    """Nested lists taken apart: (the flat values, their shape, the row lengths of every partition).

    A list without ragged dimensions is returned as it is, with the wanted shape (None: its own) and no lengths.

    Raises:
      ValueError: if scalars are at different depths, or `ragged_rank` and `inner_shape` do not fit.
    """
    inner: Any = None if inner_shape is None else tuple(shapes.as_shape(inner_shape).as_list())
    if ragged_rank is not None and ragged_rank < 0:
        raise ValueError(f"Invalid ragged_rank={ragged_rank}: must be nonnegative")
    depth, most = _depths(pylist)
    if not most:
        if ragged_rank:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank}")
        if inner:
            raise ValueError(f"Invalid pylist={pylist!r}: incompatible with dim(inner_shape)={len(inner)}")
        return pylist, (), None
    if depth is not None and most > depth:
        raise ValueError(f"Invalid pylist={pylist!r}: empty list nesting is greater than scalar value nesting")
    if ragged_rank is None:
        ragged_rank = max(0, most - 1 - len(inner or ()))
    elif inner is not None:
        whole = ragged_rank + 1 + len(inner)
        if most > whole or depth not in (None, whole):
            raise ValueError(
                f"Invalid pylist={pylist!r}: incompatible with ragged_rank={ragged_rank} and "
                f"dim(inner_shape)={len(inner)}"
            )
    if ragged_rank == 0:
        return pylist, inner, None
    if depth is not None and ragged_rank >= depth:
        raise ValueError(
            f"Invalid pylist={pylist!r}, ragged_rank={ragged_rank}: pylist has scalar values depth {depth}, but "
            f"ragged_rank={ragged_rank} requires scalar value depth greater than {ragged_rank}"
        )
    level, lengths = list(pylist), []
    for _ in range(ragged_rank):
        lengths.append([len(row) for row in level])
        level = [item for row in level for item in row]
    return level, (len(level), *(_common_shape(level) if inner is None else inner)), lengths


def partitions(lengths: Sequence[Sequence[int]], row_splits_dtype: Any) -> list[Any]:
    """The row partitions whose rows have the given lengths, outermost first."""
    kind = dtypes.as_dtype(row_splits_dtype).np
    return [np.concatenate([[0], np.cumsum(one, dtype=kind)]).astype(kind) for one in lengths]


@export("ragged.constant_value")
def constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> RaggedTensorValue | Any:
    """Nested lists as a RaggedTensorValue, without a tensor being made.

    Args:
      pylist: lists, tuples or arrays whose scalars all are at the same depth.
      dtype: the type of the array; NumPy chooses if None.
      ragged_rank: number of ragged dimensions; None makes all but the first ragged.
      inner_shape: the uniform shape of the innermost values, if some dimensions are not ragged.
      row_splits_dtype: int32 or int64.

    Returns:
      A RaggedTensorValue; an array if nothing is ragged.

    Raises:
      ValueError: if scalars are at different depths, or `ragged_rank` and `inner_shape` do not fit.
    """
    flat, shape, lengths = parsed(pylist, ragged_rank, inner_shape)
    kind = None if dtype is None else dtype.np if isinstance(dtype, dtypes.DType) else dtypes.numpy_dtype(dtype)
    value: Any = np.array(flat, kind)
    if shape is not None:
        value = value.reshape(shape)
    for splits in reversed(partitions(lengths or (), row_splits_dtype)):
        value = RaggedTensorValue(value, splits)
    return value
