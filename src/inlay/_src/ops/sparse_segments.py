"""Reductions over segments of chosen rows: `tf.sparse.segment_sum` and its kin, which gather and reduce in one op."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import FLOATS, INDEX, REALS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import RowGradient, Shapes
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, division, gathering, joining, math, powers
from inlay._src.ops.accumulation import combine_at
from inlay._src.ops.segments import unsorted_segment_sum


def _ids(segment_ids: Any, count: int | None) -> tuple[np.ndarray, int]:
    """Checked segment ids, and the number of segments: `count`, or as many as the last id says.

    Raises:
      ValueError: if the ids are no vector in ascending order from 0, or reach `count`.
    """
    ids = np.asarray(segment_ids, np.int64)
    if ids.ndim != 1:
        raise ValueError(f"segment_ids should be a vector, got shape {list(ids.shape)}")
    if ids.size and (ids[0] < 0 or (ids[1:] < ids[:-1]).any()):
        raise ValueError(f"segment ids are not increasing from 0: {ids[:8].tolist()}")
    last = int(ids[-1]) + 1 if ids.size else 0
    if count is not None and last > count:
        raise ValueError(f"segment ids must be < num_segments: {last - 1} is not below {count}")
    return ids, last if count is None else count


def _sums(xp: Any, data: Any, indices: Any, segment_ids: Any, count: int | None) -> tuple[Any, Any]:
    """The sum of the chosen rows of each segment, and how many rows that are."""
    if np.ndim(indices) != 1:
        raise ValueError(f"indices should be a vector, got shape {list(np.shape(indices))}")
    if not np.ndim(data):
        raise ValueError("data must be at least rank 1, got a scalar")
    ids, count = _ids(segment_ids, count)
    if len(ids) != np.shape(indices)[0]:
        raise ValueError(f"segment_ids and indices should have same size, got {len(ids)} and {np.shape(indices)[0]}")
    size, tail = np.shape(data)[0], np.shape(data)[1:]
    if xp is np:
        if len(indices) and not 0 <= indices.min() <= indices.max() < size:
            at = int(np.argmax((indices < 0) | (indices >= size)))
            raise ValueError(f"indices[{at}] == {int(indices[at])} out of range [0, {size})")
        wide = np.float32 if data.dtype.itemsize == 2 and data.dtype.kind not in "iu" else data.dtype
        indices = np.asarray(indices, np.int64)
        out = np.zeros((count, *tail), wide)
        combine_at(np.add, out, ids, data[indices].astype(wide, copy=False))
    else:
        out = xp.zeros((count, *tail), data.dtype).at[ids].add(data[indices])
    return out, np.bincount(ids, minlength=count).astype(np.int64)


def _finished(xp: Any, name: str, data: Any, sums: Any, sizes: Any) -> Any:
    """The sums, or these divided by what the reduction divides by; a segment without rows is 0."""
    if name != "Sum":
        sizes = np.maximum(sizes, 1).reshape(-1, *[1] * (np.ndim(data) - 1))
        sums = sums / (sizes if name == "Mean" else np.sqrt(sizes)).astype(sums.dtype)
    return sums.astype(data.dtype)


def _vjp(name: str) -> Any:
    """The gradient: each chosen row has its segment's, divided as the sum was."""

    def vjp(op: Any, dy: Any) -> Any:
        data, indices, segment_ids = op.inputs[:3]
        if name != "Sum":
            ids = math.cast(segment_ids, dtypes.int32)
            sizes = unsorted_segment_sum(array.ones_like(ids), ids, array.shape(dy)[0])
            sizes = math.cast(math.maximum(sizes, array.ones_like(sizes)), dy.dtype)
            share = gathering.gather(sizes if name == "Mean" else powers.sqrt(sizes), segment_ids)
            ones = array.ones([array.rank(dy) - 1], dtypes.int32)
            share = array.reshape(share, joining.concat([array.shape(share), ones], 0))
            rows = division.real_divide(gathering.gather(dy, segment_ids), share)
        else:
            rows = gathering.gather(dy, segment_ids)
        others = [None] * (len(op.inputs) - 1)
        if op.attrs["sparse_gradient"]:
            return RowGradient(rows, indices, array.shape(data)), *others
        return unsorted_segment_sum(rows, indices, array.shape(data)[0]), *others

    return vjp


def _infer(s: Shapes) -> list[Dims]:
    data, indices, ids = s.dims[:3]
    for dims, what in ((indices, "indices"), (ids, "segment_ids")):
        if dims is not None and len(dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}: {what}")
    shapes.merge(indices, ids)
    if data is None:
        return [None]
    if not data:
        raise ValueError("Shape must be at least rank 1 but is rank 0: data")
    count = None
    if len(s.dims) == 4:
        number = s.value(3)
        if s.dims[3]:
            raise ValueError(f"Shape must be rank 0 but is rank {len(s.dims[3])}: num_segments")
        if number is not None and int(number) < 0:
            raise ValueError("Cannot specify a negative value for num_segments")
        count = None if number is None else int(number)
    return [(count, *data[1:])]


def _declared(name: str) -> tuple[Any, Any]:
    """The ops of one reduction: as many segments as the ids say, and a number of segments."""

    def kernel(xp, data, indices, segment_ids, *, sparse_gradient=False):
        return _finished(xp, name, data, *_sums(xp, data, indices, segment_ids, None))

    def with_number(xp, data, indices, segment_ids, num_segments, *, sparse_gradient=False):
        if np.ndim(num_segments):
            raise ValueError(f"num_segments should be a scalar, not shape {list(np.shape(num_segments))}")
        count = int(np.asarray(num_segments))
        if count < 0:
            raise ValueError(f"num_segments must not be negative, got {count}")
        return _finished(xp, name, data, *_sums(xp, data, indices, segment_ids, count))

    kernel.__doc__ = with_number.__doc__ = f"The {name} of chosen rows of each segment."
    types = {"T": REALS if name == "Sum" else FLOATS, "Index": INDEX, "Id": INDEX}
    common: dict[str, Any] = {
        "types": types,
        "infer": _infer,
        "vjp": _vjp(name),
        "lower": REFUSES_VALUES,
    }
    signature = "data:T, indices:Index, segment_ids:Id"
    kernel.__name__ = f"sparse_segment_{name.lower()}_op"
    with_number.__name__ = f"{kernel.__name__}_numbered"
    plain = op(f"SparseSegment{name}", f"{signature} -> T", static=("segment_ids",), **common)
    numbered = op(
        f"SparseSegment{name}WithNumSegments",
        f"{signature}, num_segments:Number -> T",
        static=("segment_ids", "num_segments"),
        **{**common, "types": {**types, "Number": INDEX}},
    )
    return plain(kernel), numbered(with_number)


_OPS = {name: _declared(name) for name in ("Sum", "Mean", "SqrtN")}


def _reduced(
    reduction: str, data: Any, indices: Any, segment_ids: Any, num_segments: Any, sparse_gradient: Any, name: Any
) -> Any:
    plain, numbered = _OPS[reduction]
    if num_segments is None:
        return plain(data, indices, segment_ids, sparse_gradient=bool(sparse_gradient), name=name)
    return numbered(data, indices, segment_ids, num_segments, sparse_gradient=bool(sparse_gradient), name=name)


_ARGUMENTS = """

    Args:
      data: numbers, [rows, ...]; floating ones where they are divided.
      indices: n integers: which rows of `data` are reduced.
      segment_ids: n integers, sorted, from 0: the segment of each chosen row.
      num_segments: how many rows the result has; as many as the last id says if None.
      name: the node's name.
      sparse_gradient: whether the gradient of `data` is `IndexedSlices`.

    Returns:
      One row for each segment; zeros for one without rows.
    """


def _public(path: str, reduction: str, says: str) -> tuple[Any, Any]:
    """The 2.x and the 1.x function of a reduction, which differ in the order of their arguments."""

    def v2(
        data: Any,
        indices: Any,
        segment_ids: Any,
        num_segments: Any = None,
        name: str | None = None,
        sparse_gradient: bool = False,
    ) -> Tensor:
        return _reduced(reduction, data, indices, segment_ids, num_segments, sparse_gradient, name)

    def v1(
        data: Any,
        indices: Any,
        segment_ids: Any,
        name: str | None = None,
        num_segments: Any = None,
        sparse_gradient: bool = False,
    ) -> Tensor:
        return _reduced(reduction, data, indices, segment_ids, num_segments, sparse_gradient, name)

    for function, called in ((v2, f"segment_{path}"), (v1, f"sparse_segment_{path}")):
        function.__name__ = function.__qualname__ = called
        function.__doc__ = f"{says} of the rows of `data` that `indices` chooses, segment by segment.{_ARGUMENTS}"
    return v2, v1


_sum, _sum_v1 = _public("sum", "Sum", "The sum")
_mean, _mean_v1 = _public("mean", "Mean", "The mean")
_sqrt_n, _sqrt_n_v1 = _public("sqrt_n", "SqrtN", "The sum, divided by the root of their number,")

segment_sum: Any = export("sparse.segment_sum")(_sum)
segment_mean: Any = export("sparse.segment_mean")(_mean)
segment_sqrt_n: Any = export("sparse.segment_sqrt_n")(_sqrt_n)
sparse_segment_sum: Any = export("compat.v1.sparse_segment_sum", "compat.v1.sparse.segment_sum")(_sum_v1)
sparse_segment_mean: Any = export("compat.v1.sparse_segment_mean", "compat.v1.sparse.segment_mean")(_mean_v1)
sparse_segment_sqrt_n: Any = export("compat.v1.sparse_segment_sqrt_n", "compat.v1.sparse.segment_sqrt_n")(_sqrt_n_v1)
