"""Reductions over segments: rows that share an id are reduced to one row."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.opdef import Shapes, some_values
from inlay.eager.convert import convert_to_tensor
from inlay.eager.declaration import op
from inlay.export import export
from inlay.ops import array, complex_numbers, division, gathering, joining, math, powers, ranges, reductions
from inlay.types import dtypes
from inlay.types.dtypes import INDEX, NUMBERS, REALS
from inlay.types.shapes import Dims

_N = {"T": NUMBERS, "Index": INDEX}
_R = {"T": REALS, "Index": INDEX}
_COUNT = {**_N, "Size": INDEX}
_COUNT_REAL = {**_R, "Size": INDEX}


def _sorted_infer(s: Shapes) -> list[Dims]:
    data, ids = s.dims[0], s.value(1)
    if data is None:
        return [None]
    return [(None if ids is None else (int(ids[-1]) + 1 if ids.size else 0), *data[1:])]


def _unsorted_infer(s: Shapes) -> list[Dims]:
    data, ids, count = s.dims[0], s.dims[1], s.value(2)
    if data is None or ids is None:
        return [None]
    return [(None if count is None else int(count), *data[len(ids) :])]


def _rows(ids: Any) -> tuple[np.ndarray, int]:
    """Sorted segment ids, checked, and how many segments they name."""
    ids = np.asarray(ids)
    if ids.ndim != 1:
        raise ValueError(f"segment_ids should be a vector, got shape {list(ids.shape)}")
    wrong = np.diff(ids, prepend=0) < 0
    if wrong.any():
        at = int(np.argmax(wrong))
        after = f" after {int(ids[at - 1])}" if at else ""
        raise ValueError(f"segment ids are not increasing from 0: segment_ids[{at}] = {int(ids[at])}{after}")
    return ids, int(ids[-1]) + 1 if ids.size else 0


def _scatter(xp: Any, how: str, data: Any, ids: Any, count: int, start: Any) -> Any:
    """Rows of `data` combined at `ids` into `count` rows that begin as `start`; negative ids are left out."""
    rank = np.ndim(ids)
    if tuple(np.shape(data)[:rank]) != tuple(np.shape(ids)):
        raise ValueError(
            f"data.shape = {list(np.shape(data))} does not start with segment_ids.shape = {list(np.shape(ids))}"
        )
    tail = np.shape(data)[rank:]
    flat, where = xp.reshape(data, (int(np.size(ids)), *tail)), xp.reshape(ids, (-1,))
    if xp is np:
        if where.size and where.max() >= count:
            raise ValueError(f"segment_ids: {int(where.max())} is out of range [0, {count})")
        keep = where >= 0
        out = np.full((count, *tail), start, data.dtype)
        ufunc = {"add": np.add, "multiply": np.multiply, "max": np.maximum, "min": np.minimum}[how]
        ufunc.at(out, where[keep], flat[keep])
        return out
    where = xp.where(where < 0, count, where)  # out of range: dropped
    base = xp.full((count, *tail), start, data.dtype)
    return getattr(base.at[where], how)(flat, mode="drop")


def _limits(data: Any) -> tuple[Any, Any]:
    """The least and the greatest number of the type of `data`."""
    return dtypes.FROM_NUMPY[np.dtype(data.dtype)].limits


def _number_of(count: Any) -> int:
    value = int(np.asarray(count))
    if value < 0:
        raise ValueError(f"Input num_segments == {value} must not be negative.")
    return value


def _chosen(value: Any, ids: Any) -> Any:
    """The row of each id, zero for negative ids."""
    sizes = array.shape(value)
    nothing = array.fill(joining.concat([[1], sizes[1:]], 0), array.zeros([], value.dtype))
    last = math.cast(sizes[0], ids.dtype)
    safe = array.where(math.less(ids, array.zeros_like(ids)), last, ids)
    return gathering.gather(joining.concat([value, nothing], 0), safe)


# ---------------------------------------------------------------- sorted ids

SORTED: Any = {"static": ("segment_ids",), "infer": _sorted_infer}


@op(
    "SegmentSum",
    "data:T, segment_ids:Index -> T",
    types=_N,
    vjp=lambda op, dy: (gathering.gather(dy, op.inputs[1]), None),
    **SORTED,
)
@export("segment_sum", "math.segment_sum")
def segment_sum(xp, data, segment_ids):
    """The sum of the rows of each segment; a segment without rows is 0.

    Args:
      data: numbers, [n, ...].
      segment_ids: n integers, sorted, from 0.
    """
    ids, count = _rows(segment_ids)
    return _scatter(xp, "add", data, ids, count, 0)


def _counts(ids: Any, count: int) -> np.ndarray:
    return np.maximum(np.bincount(ids, minlength=count), 1)


def _segment_mean_vjp(op, dy):
    data, ids = op.inputs
    size = segment_sum(array.ones_like(data), ids)
    share = division.real_divide(dy, math.maximum(size, array.ones_like(size)))
    return gathering.gather(share, ids), None


@op(
    "SegmentMean",
    "data:T, segment_ids:Index -> T",
    types={"T": REALS, "Index": INDEX},
    vjp=_segment_mean_vjp,
    **SORTED,
)
@export("segment_mean", "math.segment_mean")
def segment_mean(xp, data, segment_ids):
    """The mean of the rows of each segment; a segment without rows is 0.

    Args:
      data: real numbers, [n, ...].
      segment_ids: n integers, sorted, from 0.
    """
    ids, count = _rows(segment_ids)
    total = _scatter(xp, "add", data, ids, count, 0)
    size = _counts(ids, count).astype(data.dtype).reshape(-1, *[1] * (np.ndim(data) - 1))
    return xp.floor_divide(total, size) if np.dtype(data.dtype).kind in "iu" else xp.divide(total, size)


def _share_of_extreme(op: Any, dy: Any, unsorted: bool) -> Any:
    """Rows that equal their segment's extreme share its gradient."""
    data, ids, y = op.inputs[0], convert_to_tensor(op.inputs[1]), op.outputs[0]
    chosen = math.cast(math.equal(data, _chosen(y, ids)), data.dtype)
    if unsorted:
        chosen = math.multiply(chosen, _chosen(array.ones_like(y), ids))  # a row left out may equal the zero it met
        number = unsorted_segment_sum(chosen, ids, op.inputs[2])
    else:
        number = segment_sum(chosen, ids)
    share = division.divide_no_nan(dy, number)
    grad = math.multiply(chosen, _chosen(share, ids))
    return (grad, None, None) if unsorted else (grad, None)


@op(
    "SegmentMax",
    "data:T, segment_ids:Index -> T",
    types=_R,
    vjp=lambda op, dy: _share_of_extreme(op, dy, False),
    **SORTED,
)
@export("segment_max", "math.segment_max")
def segment_max(xp, data, segment_ids):
    """The greatest of the rows of each segment; a segment without rows is 0.

    Args:
      data: real numbers, [n, ...].
      segment_ids: n integers, sorted, from 0.
    """
    ids, count = _rows(segment_ids)
    return _emptied(xp, _scatter(xp, "max", data, ids, count, _limits(data)[0]), ids, count)


@op(
    "SegmentMin",
    "data:T, segment_ids:Index -> T",
    types=_R,
    vjp=lambda op, dy: _share_of_extreme(op, dy, False),
    **SORTED,
)
@export("segment_min", "math.segment_min")
def segment_min(xp, data, segment_ids):
    """The least of the rows of each segment; a segment without rows is 0.

    Args:
      data: real numbers, [n, ...].
      segment_ids: n integers, sorted, from 0.
    """
    ids, count = _rows(segment_ids)
    return _emptied(xp, _scatter(xp, "min", data, ids, count, _limits(data)[1]), ids, count)


def _emptied(xp: Any, rows: Any, ids: np.ndarray, count: int) -> Any:
    empty = (np.bincount(ids, minlength=count) == 0).reshape(-1, *[1] * (np.ndim(rows) - 1))
    return xp.where(empty, xp.zeros_like(rows), rows)


def _product_vjp(op: Any, dy: Any, product: Any, total: Any) -> Any:
    """The gradient of a product of rows, right also where one of them is 0."""
    x, ids, y = op.inputs[0], convert_to_tensor(op.inputs[1]), op.outputs[0]
    zero = math.equal(x, array.zeros_like(x))
    number = total(math.cast(zero, x.dtype))
    without = product(array.where(zero, array.ones_like(x), x))
    several = math.greater(complex_numbers.real(number), array.zeros_like(complex_numbers.real(number)))
    # With a zero in the segment only that row's gradient survives, and with two none does.
    alone = array.where(math.equal(number, array.ones_like(number)), without, array.zeros_like(without))
    others = array.where(
        zero,
        _chosen(alone, ids),
        division.divide_no_nan(_chosen(array.where(several, array.zeros_like(y), y), ids), x),
    )
    return math.multiply(_chosen(dy, ids), math.conjugate(others))


def _segment_prod_vjp(op, dy):
    ids = op.inputs[1]
    return _product_vjp(op, dy, lambda v: segment_prod(v, ids), lambda v: segment_sum(v, ids)), None


@op("SegmentProd", "data:T, segment_ids:Index -> T", types=_N, vjp=_segment_prod_vjp, **SORTED)
@export("segment_prod", "math.segment_prod")
def segment_prod(xp, data, segment_ids):
    """The product of the rows of each segment; a segment without rows is 1.

    Args:
      data: numbers, [n, ...].
      segment_ids: n integers, sorted, from 0.
    """
    ids, count = _rows(segment_ids)
    return _scatter(xp, "multiply", data, ids, count, 1)


# ---------------------------------------------------------------- ids in any order

UNSORTED: Any = {"static": ("num_segments",), "infer": _unsorted_infer, "refuses": some_values}


@op(
    "UnsortedSegmentSum",
    "data:T, segment_ids:Index, num_segments:Size -> T",
    types=_COUNT,
    vjp=lambda op, dy: (_chosen(dy, convert_to_tensor(op.inputs[1])), None, None),
    **UNSORTED,
)
@export("unsorted_segment_sum", "math.unsorted_segment_sum")
def unsorted_segment_sum(xp, data, segment_ids, num_segments):
    """The sum of the rows of each segment; a segment without rows is 0, rows with a negative id are left out.

    Args:
      data: numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`.
      num_segments: how many rows the result has.
    """
    return _scatter(xp, "add", data, segment_ids, _number_of(num_segments), 0)


@op(
    "UnsortedSegmentMax",
    "data:T, segment_ids:Index, num_segments:Size -> T",
    types=_COUNT_REAL,
    vjp=lambda op, dy: _share_of_extreme(op, dy, True),
    **UNSORTED,
)
@export("unsorted_segment_max", "math.unsorted_segment_max")
def unsorted_segment_max(xp, data, segment_ids, num_segments):
    """The greatest of the rows of each segment; a segment without rows is the type's lowest number.

    Args:
      data: real numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has.
    """
    return _scatter(xp, "max", data, segment_ids, _number_of(num_segments), _limits(data)[0])


@op(
    "UnsortedSegmentMin",
    "data:T, segment_ids:Index, num_segments:Size -> T",
    types=_COUNT_REAL,
    vjp=lambda op, dy: _share_of_extreme(op, dy, True),
    **UNSORTED,
)
@export("unsorted_segment_min", "math.unsorted_segment_min")
def unsorted_segment_min(xp, data, segment_ids, num_segments):
    """The least of the rows of each segment; a segment without rows is the type's highest number.

    Args:
      data: real numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has.
    """
    return _scatter(xp, "min", data, segment_ids, _number_of(num_segments), _limits(data)[1])


def _unsorted_prod_vjp(op, dy):
    _, ids, count = op.inputs
    return (
        _product_vjp(
            op, dy, lambda v: unsorted_segment_prod(v, ids, count), lambda v: unsorted_segment_sum(v, ids, count)
        ),
        None,
        None,
    )


@op(
    "UnsortedSegmentProd",
    "data:T, segment_ids:Index, num_segments:Size -> T",
    types=_COUNT,
    vjp=_unsorted_prod_vjp,
    **UNSORTED,
)
@export("unsorted_segment_prod", "math.unsorted_segment_prod")
def unsorted_segment_prod(xp, data, segment_ids, num_segments):
    """The product of the rows of each segment; a segment without rows is 1.

    Args:
      data: numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has.
    """
    return _scatter(xp, "multiply", data, segment_ids, _number_of(num_segments), 1)


def _segment_sizes(data: Any, ids: Any, count: Any) -> Any:
    """How many rows each segment has, at least 1, in the shape of the sums."""
    size = unsorted_segment_sum(array.ones_like(data), ids, count)
    return math.maximum(size, array.ones_like(size))


@export("unsorted_segment_mean", "math.unsorted_segment_mean")
def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The mean of the rows of each segment; a segment without rows is 0.

    Args:
      data: floating numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has.
      name: the node's name.
    """
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    total = unsorted_segment_sum(data, ids, num_segments)
    return division.divide(total, _segment_sizes(data, ids, num_segments), name=name)


@export("unsorted_segment_sqrt_n", "math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Any:
    """The sum of the rows of each segment divided by the root of their number.

    Args:
      data: floating numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has.
      name: the node's name.
    """
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    total = unsorted_segment_sum(data, ids, num_segments)
    return division.divide(total, powers.sqrt(_segment_sizes(data, ids, num_segments)), name=name)


# ---------------------------------------------------------------- counting


@export("bincount", "math.bincount")
def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    axis: Any = None,
    binary_output: bool = False,
) -> Any:
    """How often each whole number from 0 occurs in `arr`, or the sum of the weights at its places.

    Args:
      arr: integers that are not negative.
      weights: numbers of the shape of `arr`.
      minlength: the least length of the result.
      maxlength: the greatest; larger numbers are left out.
      dtype: the type of the counts; weights have their own.
      name: the node's name.
      axis: None or 0 counts everything; -1 counts each row of a matrix by itself.
      binary_output: whether to say 1 for "occurs" instead of counting.
    """
    arr = convert_to_tensor(arr)
    if axis not in (None, 0, -1):
        raise ValueError(f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported.")
    if not arr.dtype.is_integer:
        raise TypeError(f"bincount counts integers, got {arr.dtype.name}")
    ids = math.cast(arr, dtypes.int64)
    size = math.maximum(math.add(reductions.reduce_max(ids), 1), 0)
    if minlength is not None:
        size = math.maximum(size, math.cast(minlength, dtypes.int64))
    if maxlength is not None:
        size = math.minimum(size, math.cast(maxlength, dtypes.int64))
    kind = dtypes.as_dtype(dtype)
    values = math.cast(array.ones_like(ids), kind) if weights is None else convert_to_tensor(weights)
    ids = array.where(math.less(ids, size), ids, math.negative(array.ones_like(ids)))
    if axis == -1 and arr.shape.rank == 2:
        rows = array.expand_dims(ranges.range_(math.cast(array.shape(arr)[0], dtypes.int64)), -1)
        inside = math.greater_equal(ids, array.zeros_like(ids))
        ids = array.where(inside, math.add(ids, math.multiply(rows, size)), ids)
        total = math.multiply(size, math.cast(array.shape(arr)[0], dtypes.int64))
        counts = array.reshape(unsorted_segment_sum(values, ids, total), joining.stack([-1, size]))
    else:
        counts = unsorted_segment_sum(values, ids, size)
    if binary_output:
        counts = math.minimum(counts, array.ones_like(counts))
    return array.identity(counts, name=name)


@export("confusion_matrix", "math.confusion_matrix")
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """How often each label (row) was predicted as each class (column).

    Args:
      labels, predictions: class numbers, of one shape.
      num_classes: how many classes; as many as occur if None.
      weights: how much each pair counts; 1 if None.
      dtype: the type of the result.
      name: the node's name.
    """
    rows = array.reshape(math.cast(labels, dtypes.int64), [-1])
    columns = array.reshape(math.cast(predictions, dtypes.int64), [-1])
    if num_classes is None:
        top = math.maximum(reductions.reduce_max(rows), reductions.reduce_max(columns))
        count = math.add(top, 1)
    else:
        count = math.cast(num_classes, dtypes.int64)
    kind = dtypes.as_dtype(dtype)
    values = array.ones_like(rows) if weights is None else array.reshape(convert_to_tensor(weights), [-1])
    flat = math.add(math.multiply(rows, count), columns)
    counted = unsorted_segment_sum(math.cast(values, kind), flat, math.multiply(count, count))
    return array.reshape(counted, joining.stack([count, count]), name=name)


__all__ = [
    "bincount",
    "confusion_matrix",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
]
