"""`RaggedTensorValue`: what a session returns for a RaggedTensor. Arrays only; also how ragged values print."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core import values
from inlay.export import export
from inlay.types import dtypes

__all__ = ["RaggedTensorValue"]


class Rows:
    """Rows of values that may be rows of others themselves: what ragged tensors and their values have in common."""

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
        """What is under all row partitions: a dense tensor or an array."""
        return self._values.flat_values if isinstance(self._values, Rows) else self._values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row partitions, outermost first."""
        inner = self._values.nested_row_splits if isinstance(self._values, Rows) else ()
        return (self._row_splits, *inner)

    @property
    def ragged_rank(self) -> int:
        """The number of row partitions."""
        return len(self.nested_row_splits)


@export("ragged.RaggedTensorValue")
class RaggedTensorValue(Rows):
    """The value of a RaggedTensor.

    Args:
      values: an array, or a RaggedTensorValue.
      row_splits: a vector: row i is `values[row_splits[i]:row_splits[i + 1]]`.
    """

    __slots__ = ("_row_splits", "_values")

    def __init__(self, values: Any, row_splits: Any) -> None:
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
        return f"<tf.RaggedTensorValue {text_of(self.to_list())}>"


def rows_of(value: Any) -> Any:
    """A ragged value as an array: rectangular if it can be, else an object array of rows."""
    if not isinstance(value, RaggedTensorValue):
        return value.copy()
    whole = rows_of(value.values)
    ends = value.row_splits.tolist()
    parts = [whole[a:b] for a, b in zip(ends[:-1], ends[1:], strict=True)]
    if parts and len({len(p) for p in parts}) == 1 and not (whole.dtype == object and value.ragged_rank > 1):
        return np.stack(parts)
    out = np.empty(len(parts), object)
    for i, part in enumerate(parts):
        out[i] = part
    return out


def text_of(value: Any, edge: int = 50) -> str:
    """Nested lists as text; the middle of a long list is left out."""
    if not isinstance(value, list):
        return repr(value)
    if len(value) > 2 * edge:
        parts = [*(text_of(v) for v in value[:3]), "...", *(text_of(v) for v in value[-3:])]
    else:
        parts = [text_of(v) for v in value]
    return f"[{', '.join(parts)}]"


# ---------------------------------------------------------------- from nested lists


def levels(pylist: Any) -> int:
    """The depth of nested lists; ValueError where two leaves stand at different depths."""
    if not isinstance(pylist, (list, tuple, np.ndarray)):
        return 0
    if isinstance(pylist, np.ndarray) and pylist.dtype != object:
        return pylist.ndim
    depths = {levels(item): item for item in pylist}
    full = {d for d, item in depths.items() if not _empty(item)}
    if len(full) > 1 or (full and any(d > max(full) for d in depths)):
        raise ValueError("all scalar values must have the same nesting depth")
    return 1 + max(depths, default=0)


def _empty(item: Any) -> bool:
    """Whether nested lists hold no scalar at all."""
    return isinstance(item, (list, tuple, np.ndarray)) and all(_empty(v) for v in item)


def _flattened(pylist: Any, ragged_rank: int) -> tuple[list[Any], list[list[int]]]:
    """(flat values, row lengths per partition) of nested lists."""
    lengths: list[list[int]] = []
    level = list(pylist)
    for _ in range(ragged_rank):
        lengths.append([len(row) for row in level])
        level = [item for row in level for item in row]
    return level, lengths


@export("ragged.constant_value")
def constant_value(
    pylist: Any, dtype: Any = None, ragged_rank: int | None = None, row_splits_dtype: Any = dtypes.int64
) -> Any:
    """Nested lists as a RaggedTensorValue (an array if nothing is ragged)."""
    depth = levels(pylist)
    if depth == 0:
        made = values.to_value(pylist, None if dtype is None else dtypes.as_dtype(dtype))
        return np.asarray(made)
    rank = max(0, depth - 1) if ragged_rank is None else ragged_rank
    if rank >= depth and not _empty(pylist):
        raise ValueError(
            f"Invalid pylist={pylist!r}: its scalars have depth {depth}, but ragged_rank={rank} requires a greater one"
        )
    flat, lengths = _flattened(pylist, rank)
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    made = values.to_value(flat, wanted)
    kind = dtypes.as_dtype(row_splits_dtype).np
    for one in reversed(lengths):
        made = RaggedTensorValue(made, np.concatenate([[0], np.cumsum(one, dtype=kind)]).astype(kind))
    return made
