"""Reductions over segments: rows that share an id are reduced to one row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import EXACT_INDEX, INDEX, NUMBERS, REALS, DType
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import Shapes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, complex_numbers, division, gathering, joining, math, powers
from inlay._src.ops.accumulation import combine_at, combine_sorted
from inlay._src.ops.special import from_scipy, scipy_is_installed


def _sorted_infer(s: Shapes) -> list[Dims]:
    data = s.dims[0]
    if data is None:
        return [None]
    if not data:
        raise ValueError("data must have at least one axis, got a scalar")
    return [(None, *data[1:])]  # as TensorFlow's, also of ids that are constant


def _unsorted_infer(s: Shapes) -> list[Dims]:
    data, ids, count = s.dims[0], s.dims[1], s.value(2)
    if data is None or ids is None:
        return [None]
    if len(data) < len(ids):
        raise ValueError(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
    shapes.merge(data[: len(ids)], ids)
    if count is not None and count < 0:
        raise ValueError(f"Dimension size must be non-negative, got {int(count)}")
    return [(None if count is None else int(count), *data[len(ids) :])]


def _rows(ids: Any) -> tuple[np.ndarray, int]:
    """Sorted segment ids, checked, and how many segments they name."""
    ids = np.asarray(ids)
    if ids.ndim != 1:
        raise ValueError(f"segment_ids should be a vector, got shape {list(ids.shape)}")
    if ids.size and (ids[0] < 0 or (ids[1:] < ids[:-1]).any()):
        at = int(np.argmax(np.diff(ids, prepend=0) < 0))
        after = f" after {int(ids[at - 1])}" if at else ""
        raise ValueError(f"segment ids are not increasing from 0: segment_ids[{at}] = {int(ids[at])}{after}")
    return ids, int(ids[-1]) + 1 if ids.size else 0


def _added_rows(rows: np.ndarray, values: np.ndarray, count: int) -> np.ndarray | None:
    """Rows of zeros to which values were added, as by `combine_at`; None where that is as fast.

    A matrix with a column for each index, and a 1 in it at that row, is SciPy's product's way to add row after row,
    and the numbers of a place meet in the same order.

    Args:
      rows: a vector of indices that are in range.
      values: one row for each index.
      count: the number of rows of the result.
    """
    width = values[:1].size
    if width < TUNING.added_columns or values.size < TUNING.added_elements or values.dtype.char not in "fd":
        return None
    if max(count, len(rows)) >= 1 << 31 or not scipy_is_installed():
        return None
    parts = np.ones(len(rows), values.dtype), rows.astype(np.int32), np.arange(len(rows) + 1, dtype=np.int32)
    matrix = from_scipy("sparse", "csc_array")(parts, shape=(count, len(rows)))
    product: np.ndarray = matrix @ np.ascontiguousarray(values.reshape(-1, width))
    return product.reshape(count, *values.shape[1:])


def _scatter(xp: Any, how: str, data: Any, ids: Any, count: int, start: Any, combine: Any = combine_at) -> Any:
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
        if where.size and where.min() < 0:
            keep = where >= 0
            where, flat = where[keep], flat[keep]
        if how == "add" and combine is combine_at:
            total = _added_rows(where, flat, count)
            if total is not None:
                return total
        out = np.full((count, *tail), start, data.dtype)
        combine({"add": np.add, "multiply": np.multiply, "max": np.maximum, "min": np.minimum}[how], out, where, flat)
        return out
    where = xp.where(where < 0, count, where)  # out of range: dropped
    base = xp.full((count, *tail), start, data.dtype)
    return getattr(base.at[where], how)(flat, mode="drop")


def _limits(data: Any) -> tuple[Any, Any]:
    """The least and the greatest number of the type of `data`."""
    dtype = dtypes.FROM_NUMPY[np.dtype(data.dtype)]
    return dtype.min, dtype.max


def _number_of(count: Any) -> int:
    if np.ndim(count):
        raise ValueError(f"num_segments should be a scalar, not shape {list(np.shape(count))}")
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


# ---------------------------------------------------------------- gradients, for sorted ids and for any


def _again(op: Any, name: str, values: Any) -> Any:
    """Another reduction, the sum or the product, over the segments of `op`."""
    return SEGMENTS[name, len(op.inputs) == 3](values, *op.inputs[1:])


def _sum_vjp(op, dy):
    ids = convert_to_tensor(op.inputs[1])
    return (gathering.gather(dy, ids), None) if len(op.inputs) == 2 else (_chosen(dy, ids), None, None)


def _mean_vjp(op, dy):
    data, ids = op.inputs
    size = _again(op, "Sum", array.ones_like(complex_numbers.real(data)))
    size = math.cast(math.maximum(size, array.ones_like(size)), dy.dtype)
    return gathering.gather(division.real_divide(dy, size), ids), None


def _extreme_vjp(op, dy):
    """Rows that equal their segment's extreme share its gradient."""
    data, ids, y = op.inputs[0], convert_to_tensor(op.inputs[1]), op.outputs[0]
    chosen = math.cast(math.equal(data, _chosen(y, ids)), data.dtype)
    chosen = math.multiply(chosen, _chosen(array.ones_like(y), ids))  # a row left out may equal the zero it met
    share = division.divide_no_nan(dy, _again(op, "Sum", chosen))
    return math.multiply(chosen, _chosen(share, ids)), *[None] * (len(op.inputs) - 1)


def _product_vjp(op, dy):
    """Right also where a row is 0."""
    x, ids, y = op.inputs[0], convert_to_tensor(op.inputs[1]), op.outputs[0]
    zero = math.equal(x, array.zeros_like(x))
    number = _again(op, "Sum", math.cast(zero, x.dtype))
    without = _again(op, "Prod", array.where(zero, array.ones_like(x), x))
    several = math.greater(complex_numbers.real(number), array.zeros_like(complex_numbers.real(number)))
    # With a zero in the segment only that row's gradient survives, and with two none does.
    alone = array.where(math.equal(number, array.ones_like(number)), without, array.zeros_like(without))
    others = array.where(
        zero, _chosen(alone, ids), division.divide_no_nan(_chosen(array.where(several, array.zeros_like(y), y), ids), x)
    )
    grad = math.multiply(_chosen(dy, ids), math.conjugate(others))
    return grad, *[None] * (len(op.inputs) - 1)


# ---------------------------------------------------------------- the family


def _zero_where_empty(xp: Any, rows: Any, sizes: np.ndarray) -> Any:
    return xp.where(sizes == 0, xp.zeros_like(rows), rows)


def _averaged(xp: Any, rows: Any, sizes: np.ndarray) -> Any:
    sizes = np.maximum(sizes, 1).astype(rows.dtype)
    if np.dtype(rows.dtype).kind in "iu":  # towards zero
        return xp.where(rows < 0, -(-rows // sizes), rows // sizes)
    return xp.divide(rows, sizes)


class _SegmentReduction(NamedTuple):
    """The reduction of a segment, its initial value, and the result of an empty segment (sorted ids, any ids)."""

    says: str
    how: str
    start: Callable[[Any], Any]
    empty: tuple[str, str]
    types: frozenset[DType]
    vjp: Any
    finish: Callable[..., Any] | None = None


_REDUCTIONS = {
    "Sum": _SegmentReduction("sum", "add", lambda data: 0, ("0", "0"), NUMBERS, _sum_vjp),
    "Prod": _SegmentReduction("product", "multiply", lambda data: 1, ("1", "1"), NUMBERS, _product_vjp),
    "Mean": _SegmentReduction("mean", "add", lambda data: 0, ("0", "0"), NUMBERS, _mean_vjp, _averaged),
    "Max": _SegmentReduction(
        "greatest",
        "max",
        lambda data: _limits(data)[0],
        ("0", "the type's lowest number"),
        REALS,
        _extreme_vjp,
        _zero_where_empty,
    ),
    "Min": _SegmentReduction(
        "least",
        "min",
        lambda data: _limits(data)[1],
        ("0", "the type's highest number"),
        REALS,
        _extreme_vjp,
        _zero_where_empty,
    ),
}

SEGMENTS: dict[tuple[str, bool], Any] = {}
"""(name of the reduction, whether the ids come in any order) -> its function."""


def _sorted(name: str) -> Any:
    """The function that reduces segments whose ids are sorted."""
    reduction = _REDUCTIONS[name]

    def kernel(xp, data, segment_ids):
        ids, count = _rows(segment_ids)
        start = reduction.start(data)
        if reduction.finish is _zero_where_empty and not np.issubdtype(data.dtype, np.integer):
            start = np.inf if start > 0 else -np.inf  # the extreme of a segment of infinities is infinite
        rows = _scatter(xp, reduction.how, data, ids, count, start, combine_sorted)
        if reduction.finish is None:
            return rows
        return reduction.finish(xp, rows, np.bincount(ids, minlength=count).reshape(-1, *[1] * (np.ndim(data) - 1)))

    kernel.__name__ = f"segment_{name.lower()}"
    kernel.__doc__ = f"""The {reduction.says} of each segment; an empty segment is {reduction.empty[0]}.

    Args:
      data: {"numbers" if reduction.types is NUMBERS else "real numbers"}, [n, ...].
      segment_ids: n integers, sorted, from 0.
    """
    declared = op(
        f"Segment{name}",
        "data:T, segment_ids:Index -> T",
        types={"T": reduction.types, "Index": EXACT_INDEX},
        static=("segment_ids",),
        ranks={"segment_ids": 1},
        infer=_sorted_infer,
        vjp=reduction.vjp,
    )
    return SEGMENTS.setdefault((name, False), declared(kernel))


_IDS = dtypes.Exact(INDEX | {dtypes.int16})


def _unsorted(name: str) -> Any:
    """The function that reduces segments whose ids come in any order."""
    reduction = _REDUCTIONS[name]

    def kernel(xp, data, segment_ids, num_segments):
        return _scatter(xp, reduction.how, data, segment_ids, _number_of(num_segments), reduction.start(data))

    kernel.__name__ = f"unsorted_segment_{name.lower()}"
    kernel.__doc__ = f"""The {reduction.says} of each segment; an empty segment is {reduction.empty[1]}.

    Args:
      data: {"numbers" if reduction.types is NUMBERS else "real numbers"}; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: how many rows the result has.
    """
    declared = op(
        f"UnsortedSegment{name}",
        "data:T, segment_ids:Index, num_segments:Size -> T",
        types={"T": reduction.types, "Index": _IDS if name == "Sum" else EXACT_INDEX, "Size": INDEX},
        static=("num_segments",),
        ranks={"num_segments": 0},
        infer=_unsorted_infer,
        vjp=reduction.vjp,
        lower=REFUSES_VALUES,
    )
    return SEGMENTS.setdefault((name, True), declared(kernel))


segment_sum: Any = export("segment_sum", "math.segment_sum")(_sorted("Sum"))
segment_mean: Any = export("segment_mean", "math.segment_mean")(_sorted("Mean"))
segment_max: Any = export("segment_max", "math.segment_max")(_sorted("Max"))
segment_min: Any = export("segment_min", "math.segment_min")(_sorted("Min"))
segment_prod: Any = export("segment_prod", "math.segment_prod")(_sorted("Prod"))
unsorted_segment_sum: Any = export("unsorted_segment_sum", "math.unsorted_segment_sum")(_unsorted("Sum"))
unsorted_segment_max: Any = export("unsorted_segment_max", "math.unsorted_segment_max")(_unsorted("Max"))
unsorted_segment_min: Any = export("unsorted_segment_min", "math.unsorted_segment_min")(_unsorted("Min"))
unsorted_segment_prod: Any = export("unsorted_segment_prod", "math.unsorted_segment_prod")(_unsorted("Prod"))


def _per_segment(data: Any, segment_ids: Any, num_segments: Any, share: Callable[[Any], Any], name: str | None) -> Any:
    """The sums divided by what `share` makes of the numbers of rows, which are at least 1."""
    if answers(data) and hasattr(data, "flat_values"):  # as TensorFlow has it, nothing by nothing is NaN
        size = unsorted_segment_sum(array.ones_like(data), segment_ids, num_segments)
        return division.divide(unsorted_segment_sum(data, segment_ids, num_segments), share(size), name=name)
    data, ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
    size = unsorted_segment_sum(array.ones_like(complex_numbers.real(data)), ids, num_segments)
    total = unsorted_segment_sum(data, ids, num_segments)
    size = share(math.maximum(size, array.ones_like(size)))
    return division.divide(total, math.cast(size, data.dtype) if data.dtype.is_complex else size, name=name)


@export("unsorted_segment_mean", "math.unsorted_segment_mean")
def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment; a segment without rows is 0.

    Args:
      data: floating numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: number of rows of the result.
      name: the node's name.
    """
    return _per_segment(data, segment_ids, num_segments, array.identity, name)


@export("unsorted_segment_sqrt_n", "math.unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment divided by the root of their number.

    Args:
      data: floating numbers; its first axes are those of `segment_ids`.
      segment_ids: integers below `num_segments`; rows with a negative one are left out.
      num_segments: number of rows of the result.
      name: the node's name.
    """
    return _per_segment(data, segment_ids, num_segments, powers.sqrt, name)
