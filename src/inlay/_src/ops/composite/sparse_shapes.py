"""Sparse tensors in another shape: the same values at other coordinates."""

from __future__ import annotations

import math as pymath
from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.graph import constant_of
from inlay._src.ops import array, asserting, control, division, joining, math, ranges
from inlay._src.ops import sparse as kernels
from inlay._src.ops.composite.known_sizes import static_shape
from inlay._src.ops.composite.sparse import SparseTensor, checked, reorder
from inlay._src.ops.gathering import gather_op


def counted(axes: Any, count: Any) -> Any:
    """Axes that are not known while a graph is built, counted from the front; refused when it runs if they are not in
    [-count, count)."""
    if not (axes.dtype.is_integer or axes.dtype.is_bool):
        raise TypeError(f"An axis of a SparseTensor must be an integer, got {axes!r}")
    axes = math.cast(axes, dtypes.int32)
    message = "an axis of a SparseTensor must be in [-rank, rank)"
    inside = [
        asserting.assert_greater_equal(axes, math.negative(count), message=message),
        asserting.assert_less(axes, count, message=message),
    ]
    with control.control_dependencies([check for check in inside if check is not None]):
        return division.floormod(axes, count)


@export("sparse.reshape", "sparse_reshape")
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same values in a tensor of another shape, one of whose sizes may be -1.

    Raises:
      ValueError: if both shapes are known and the other one has another number of elements, or two sizes of -1.
    """
    sparse = checked(sp_input, "reshape")
    wanted = math.whole_numbers(shape, dtypes.int64)
    indices, dense_shape = kernels.reshaped(sparse.indices, sparse.dense_shape, wanted)
    reshaped = SparseTensor(indices, sparse.values, dense_shape)
    reshaped.set_shape(_completed(sparse.shape, wanted))
    return reshaped


def _completed(old: TensorShape, wanted: Any) -> TensorShape:
    """The static shape of a shape to reshape to, the size to be inferred included.

    Raises:
      ValueError: if no tensor of shape `old` has such a shape.
    """
    static = static_shape(wanted)
    if static.rank is None or not old.is_fully_defined():
        return static
    constant, sizes = constant_of(wanted), static.as_list()
    if constant is not None and (constant == -1).sum() > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {constant.tolist()}")
    count, product = (pymath.prod(n for n in s if n is not None) for s in (old.as_list(), sizes))
    if sizes.count(None) == 1 and product:
        sizes[sizes.index(None)] = count // product
        product *= count // product
    if None not in sizes and product != count:
        raise ValueError(f"Cannot reshape a tensor with {count} elements to shape {static} ({product} elements).")
    return TensorShape(sizes)


@export("sparse.transpose", "sparse_transpose")
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The axes in the order of `perm`, reversed if it is None; the coordinates come in order."""
    sparse = checked(sp_input, "transpose")
    rank = sparse.shape.rank
    if perm is not None:
        order = convert_to_tensor(perm)
    else:
        count = array.size(sparse.dense_shape) if rank is None else rank
        order = ranges.range_(math.subtract(count, 1), -1, -1)
    if not order.shape.is_compatible_with([rank]):
        raise ValueError(f"transpose needs a permutation of the axes of {sparse!r}, got {perm!r}")
    moved = gather_op(sparse.indices, order, axis=1)
    return reorder(SparseTensor(moved, sparse.values, gather_op(sparse.dense_shape, order)))


@export("sparse.expand_dims")
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """A new dimension of size 1 at `axis`, the last one if it is None."""
    sparse = checked(sp_input, "expand_dims")
    rank = sparse.shape.rank
    at: Any = convert_to_tensor(-1 if axis is None else axis)
    if at.shape.rank not in (None, 0) or not at.dtype.is_integer:
        raise TypeError(f"axis must be one integer, got {axis!r}")
    constant = constant_of(at)
    if rank is None or constant is None:
        at = counted(array.reshape(at, []), math.add(array.size(sparse.dense_shape), 1))
        return widened(sparse.indices, sparse.values, sparse.dense_shape, [at])
    at = joining.static_int(constant, "The axis of expand_dims")
    if not -rank - 1 <= at <= rank:
        raise ValueError(f"axis {at} is not in [{-rank - 1}, {rank}]")
    return widened(sparse.indices, sparse.values, sparse.dense_shape, [at % (rank + 1)])


def widened(indices: Any, values: Any, shape: Any, axes: Sequence[Any]) -> SparseTensor:
    """A sparse tensor with new dimensions of size 1, whose places are given in ascending order."""
    for at in axes:
        column = array.zeros_like(array.expand_dims(values, 1), dtypes.int64)
        indices = joining.concat([indices[:, :at], column, indices[:, at:]], 1)
        shape = joining.concat([shape[:at], np.ones(1, np.int64), shape[at:]], 0)
    return SparseTensor(indices, values, shape)
