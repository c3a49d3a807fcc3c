"""`ragged[...]`: rows, slices of rows, and slices inside rows."""

from __future__ import annotations

from typing import Any

from inlay.composite.partitioned import Partitioned
from inlay.core.graph import constant_of
from inlay.core.tensor import Tensor
from inlay.eager.convert import convert_to_tensor
from inlay.ops import array, joining, ragged, ranges
from inlay.ops.gathering import gather_op
from inlay.ops.math import cast
from inlay.ops.reductions import reduce_sum
from inlay.types import dtypes


def getitem(value: Partitioned, key: Any) -> Any:
    """`value[key]`: ints, slices, `...` and `tf.newaxis`, one per dimension.

    Raises:
      ValueError: for a single position inside a ragged dimension, where rows may be too short.
    """
    items = list(key) if isinstance(key, tuple) else [key]
    if items.count(Ellipsis) > 1:
        raise ValueError("an index can only have a single ellipsis ('...')")
    if Ellipsis in items:
        rank = value.shape.rank
        if rank is None:
            raise ValueError("Ellipsis not supported for unknown shape Partitioneds")
        at = items.index(Ellipsis)
        missing = rank - sum(1 for i in items if i is not Ellipsis and i is not None)
        items[at : at + 1] = [slice(None)] * missing
    return _outer(value, items)


def _outer(value: Any, items: list[Any]) -> Any:
    """Indexes the first dimension of `value` by the first item, and so on."""
    if not items:
        return value
    if not isinstance(value, Partitioned):
        return value[tuple(items)]
    key, rest = items[0], items[1:]
    if key is None:
        inner = _outer(value, rest)
        size = inner.nrows() if isinstance(inner, Partitioned) else array.shape(inner, dtypes.int64)[0]
        known = inner.shape._dims[0] if inner.shape._dims else None
        return value._over(inner, joining.stack([array.zeros((), size.dtype), size]), known)
    if isinstance(key, slice):
        return _inner(value if key == slice(None) else _rows_between(value, key), rest)
    if isinstance(key, (list, Tensor)) and getattr(key, "shape", None) not in (None, ()) or isinstance(key, list):
        return _inner(gather_rows(value, key), rest)
    splits = value.row_splits
    return _outer(value.values[splits[:-1][key] : splits[1:][key]], rest)


def _rows_between(value: Partitioned, key: slice) -> Partitioned:
    """The rows of a slice; those that stand together are a slice of the values, so that gradients are dense."""
    if not (key.step is None or (isinstance(key.step, int) and key.step == 1)):
        return gather_rows(value, ranges.range_(value.nrows())[key])
    starts, limits = value.row_splits[:-1][key], value.row_splits[1:][key]
    splits = ragged.splits_from_lengths(limits - starts)
    kept = slice(reduce_sum(starts[:1]), reduce_sum(limits[-1:]))
    return value._over(value.values[kept], splits, value._uniform)


def _inner(value: Any, items: list[Any]) -> Any:
    """Indexes the dimensions after the first."""
    if not items:
        return value
    if not isinstance(value, Partitioned):
        return value[(slice(None), *items)]
    key, rest = items[0], items[1:]
    if key is None:
        size = value.nrows()
        return value._over(_inner(value, rest), ranges.range_(size + 1), 1)
    if isinstance(key, slice):
        if key == slice(None):
            return value.with_values(_inner(value.values, rest)) if rest else value
        start, stop = (ragged.OPEN if v is None else cast(v, dtypes.int64) for v in (key.start, key.stop))
        splits, where = ragged.row_slice(value.row_splits, start, stop, step=_step(key.step))
        return value._over(_inner(pick(value.values, where), rest), splits)
    if value._uniform is not None:
        starts = value.row_splits[:-1]
        at = key + value._uniform if isinstance(key, int) and key < 0 else key
        return _inner(pick(value.values, starts + at), rest)
    raise ValueError(
        "Cannot index into an inner ragged dimension: rows may be too short. Use a slice, or to_tensor() first."
    )


def _step(step: Any) -> int:
    known = 1 if step is None else constant_of(step) if isinstance(step, Tensor) else step
    if known is None:
        raise ValueError("slices inside rows need a step that is known while the graph is built")
    return int(known)


def pick(values: Any, where: Any) -> Any:
    """The values at positions `where`: elements of a tensor, rows of a ragged one."""
    return gather_rows(values, where) if isinstance(values, Partitioned) else gather_op(values, where)


def gather_rows(value: Partitioned, rows: Any) -> Partitioned:
    """The chosen rows, in the order of the vector `rows`."""
    chosen = cast(convert_to_tensor(rows, dtype_hint=value.row_splits.dtype), value.row_splits.dtype)
    splits, where = ragged.row_gather(value.row_splits, chosen)
    return value._over(pick(value.values, where), splits, value._uniform)
