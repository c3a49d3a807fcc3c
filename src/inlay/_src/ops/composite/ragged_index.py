"""`ragged[...]`: rows, slices of rows, and slices inside rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.errors import InvalidArgumentError
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math, ragged, ranges, stacking
from inlay._src.ops.composite.partitioned import Partitioned
from inlay._src.ops.gathering import gather_op
from inlay._src.ops.math import cast
from inlay._src.ops.reductions import reduce_sum


def getitem(value: Partitioned, key: Any) -> Any:
    """`value[key]`: ints, slices, `...` and `tf.newaxis`, one per dimension.

    Raises:
      TypeError: for bounds and steps of slices that are no integers.
      IndexError: for more indices than there are dimensions.
      ValueError: for a single position inside a ragged dimension, where rows may be too short.
    """
    items = list(key) if isinstance(key, (tuple, list)) else [key]
    if items.count(Ellipsis) > 1:
        raise ValueError("an index can only have a single ellipsis ('...')")
    if Ellipsis in items:
        rank = value.shape.rank
        if rank is None:
            raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
        at = items.index(Ellipsis)
        missing = rank - sum(1 for i in items if i is not Ellipsis and i is not None)
        if missing < 0:
            raise IndexError(f"Too many indices for RaggedTensor: {rank - missing} of rank {rank}")
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
        length = inner.shape._dims[0] if inner.shape._dims else None
        return value._over(inner, stacking.stack([array.zeros((), size.dtype), size]), length)
    if isinstance(key, slice):
        return _inner(value if key == slice(None) else _rows_between(value, key), rest)
    if isinstance(key, (list, Tensor)) and getattr(key, "shape", None) not in (None, ()):
        return _inner(gather_rows(value, key), rest)
    splits = value.row_splits
    return _outer(value.values[splits[:-1][key] : splits[1:][key]], rest)


def _rows_between(value: Partitioned, key: slice) -> Partitioned:
    """The rows of a slice; those that stand together are a slice of the values, so that gradients are dense."""
    if not (key.step is None or (isinstance(key.step, int) and key.step == 1)):
        return gather_rows(value, ranges.range_(value.nrows())[key])
    starts, limits = value.row_splits[:-1][key], value.row_splits[1:][key]
    splits = ragged.splits_from_lengths(limits - starts)
    span = slice(reduce_sum(starts[:1]), reduce_sum(limits[-1:]))
    return value._over(value.values[span], splits, value._uniform)


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
        start, stop = (_whole(v, ragged.OPEN, "slice offsets") for v in (key.start, key.stop))
        step = _whole(key.step, 1, "slice strides")
        splits, where = ragged.row_slice(value.row_splits, start, stop, step)
        return value._over(_inner(pick(value.values, where), rest), splits, _sliced_length(value, start, stop, step))
    if value._uniform is not None:
        return _inner(pick(value.values, value.row_splits[:-1] + _inside(key, value)), rest)
    raise ValueError(
        "Cannot index into an inner ragged dimension: rows may be too short. Use a slice, or to_tensor() first."
    )


def _whole(number: Any, missing: int, what: str) -> Any:
    """A bound or step of a slice as int64; `missing` if it is left out."""
    if number is None:
        return missing
    if isinstance(number, Tensor) and number.dtype.is_integer:
        return cast(number, dtypes.int64)
    if not isinstance(number, (int, np.integer)):
        raise TypeError(f"{what} must be integers or None, got {number!r}")
    if what == "slice strides" and number == 0:
        raise InvalidArgumentError(None, None, "slice step cannot be zero")
    return int(number)


def _sliced_length(value: Partitioned, start: Any, stop: Any, step: Any) -> int | None:
    """The length of every row of `value[:, start:stop:step]` if rows and bounds are known to be alike."""
    numbers: list[Any] = [constant_of(v) if isinstance(v, Tensor) else v for v in (start, stop, step)]
    if value._uniform is None or any(n is None for n in numbers):
        return None
    first, last, by = (None if n == ragged.OPEN else int(n) for n in numbers)
    return len(range(*slice(first, last, by).indices(value._uniform)))


def _inside(key: Any, value: Partitioned) -> Any:
    """A position inside rows of one length, counted from their start, in the type of the splits.

    Raises:
      InvalidArgumentError: if rows are not so long.
    """
    length = value._uniform
    constant = constant_of(key) if isinstance(key, Tensor) else key
    if constant is None:
        at = cast(key, value.row_splits.dtype)
        return array.where(math.less(at, array.zeros_like(at)), at + length, at)
    if length is not None and not -length <= constant < length:
        raise InvalidArgumentError(None, None, f"slice index {constant} out of bounds: rows have {length} values")
    return array.constant(int(constant) + (length or 0) * (constant < 0), value.row_splits.dtype)


def pick(values: Any, where: Any) -> Any:
    """The values at positions `where`: elements of a tensor, rows of a ragged one."""
    return gather_rows(values, where) if isinstance(values, Partitioned) else gather_op(values, where)


def gather_rows(value: Partitioned, rows: Any) -> Partitioned:
    """The chosen rows, in the order of the vector `rows`."""
    chosen = convert_to_tensor(rows, dtype_hint=value.row_splits.dtype)
    if chosen.dtype not in dtypes.INDEX:
        raise TypeError(f"rows are chosen by int32 or int64 numbers, got {chosen.dtype.name}")
    chosen = cast(chosen, value.row_splits.dtype)
    splits, where = ragged.row_gather(value.row_splits, chosen)
    return value._over(pick(value.values, where), splits, value._uniform)
