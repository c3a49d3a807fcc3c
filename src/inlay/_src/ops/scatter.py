"""Writing slices at indices, and taking tensors apart and together by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import ANY, NUMBERS, REALS, DType
from inlay._src.base.types.shapes import Dims, TensorShape
from inlay._src.core import context
from inlay._src.core.eager.attributes import listed, whole
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.graph import constant_of
from inlay._src.core.hints import REFUSES_VALUES
from inlay._src.core.opdef import OPS, Shapes
from inlay._src.core.tensor import SymbolicTensor, Tensor
from inlay._src.ops import array, division, math, ranges, sequences
from inlay._src.ops.gathering import ANY_INDEX, added_nd, check_nd, check_updates, gather, gather_nd, nd_index
from inlay._src.ops.joining import concat
from inlay._src.ops.shaping import sizes_of, with_zeros


def check_rows(indices: Any, updates: Any, shape: TensorShape) -> None:
    """Refuses symbolic updates whose static shape is neither a scalar's nor that of the rows at `indices`.

    Args:
      indices: the rows, an integer tensor.
      updates: a tensor.
      shape: the static shape of the updated variable.

    Raises:
      ValueError: if the shapes differ.
    """
    if isinstance(updates, SymbolicTensor) and updates.shape.rank:
        rows = indices.shape.concatenate(shape[1:])
        if not rows.is_compatible_with(updates.shape):
            raise ValueError(
                f"Shapes must be equal, got updates of shape {updates.shape} for rows of shape {rows}: "
                "indices.shape + variable.shape[1:]"
            )


def _scatter_infer(s: Shapes) -> list[Dims]:
    sizes, (indices, updates, length) = s.partial_value(2), s.dims
    if length is not None and len(length) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(length)}: the shape to scatter into is a vector")
    if sizes is not None and indices is not None and updates is not None:
        check_updates(indices, updates, sizes)
    return [sizes]


@op(
    "ScatterNd",
    "indices:Index, updates:T, shape:Index -> T",
    types=ANY_INDEX | {"T": NUMBERS | {dtypes.bool_, dtypes.string}},
    static=("shape",),
    infer=_scatter_infer,
    vjp=lambda op, dy: (None, gather_nd(dy, op.inputs[0]), None),
    lower=REFUSES_VALUES,
)
@export("scatter_nd", "compat.v1.manip.scatter_nd")
def scatter_nd(xp, indices, updates, shape):
    """Zeros of `shape` with `updates` added at `indices` (an index that occurs twice adds twice)."""
    if np.ndim(shape) != 1:
        raise ValueError(f"Shape must be a vector, got {shape}")
    sizes = sizes_of(shape)
    check_updates(np.shape(indices), np.shape(updates), sizes)
    if 0 in sizes and np.size(indices) and np.size(updates):
        raise ValueError(f"Indices and updates specified for empty output of shape {list(sizes)}")
    if xp is np:
        check_nd(indices, sizes)
    return added_nd(xp, sizes, indices, updates)


def _written(xp: Any, how: str, tensor: Any, indices: Any, updates: Any) -> Any:
    if not np.ndim(indices):
        raise ValueError("Indices shape must have rank at least one. Found: []")
    check_updates(np.shape(indices), np.shape(updates), np.shape(tensor))
    if not np.size(indices):
        if np.size(updates):
            raise ValueError(f"Indices and updates specified for empty output: {np.shape(indices)} {np.shape(updates)}")
        return xp.array(tensor)
    where = nd_index(indices)
    if xp is not np:
        at = tensor.at[where]
        return {"set": at.set, "add": at.add, "subtract": at.subtract, "minimum": at.min, "maximum": at.max}[how](
            updates
        )
    check_nd(indices, np.shape(tensor))
    out = np.array(tensor)
    if how == "set":
        out[where] = updates
    else:
        getattr(np, how).at(out, where, updates)
    return out


def _writing_infer(s: Shapes) -> list[Dims]:
    tensor, indices, updates = s.dims
    if tensor is not None and indices is not None and updates is not None:
        check_updates(indices, updates, tensor)
    return [tensor]


def _writing(name: str, kinds: frozenset[DType], vjp: Callable[..., Any]) -> Callable[..., Any]:
    """A declaration of an op that writes slices of a tensor of some types."""
    types = ANY_INDEX | {"T": kinds}
    return op(
        name,
        "tensor:T, indices:Index, updates:T -> T",
        types=types,
        infer=_writing_infer,
        vjp=vjp,
        lower=REFUSES_VALUES,
    )


def _update_vjp(op, dy):
    _, indices, updates = op.inputs
    return tensor_scatter_nd_update(dy, indices, array.zeros_like(updates)), None, gather_nd(dy, indices)


@_writing("TensorScatterUpdate", ANY, _update_vjp)
@export("tensor_scatter_nd_update", "compat.v1.tensor_scatter_update")
def tensor_scatter_nd_update(xp, tensor, indices, updates):
    """`tensor` with the slices at `indices` replaced by `updates`."""
    return _written(xp, "set", tensor, indices, updates)


@_writing("TensorScatterAdd", NUMBERS, lambda op, dy: (dy, None, gather_nd(dy, op.inputs[1])))
@export("tensor_scatter_nd_add", "compat.v1.tensor_scatter_add")
def tensor_scatter_nd_add(xp, tensor, indices, updates):
    """`tensor` with `updates` added to the slices at `indices`."""
    return _written(xp, "add", tensor, indices, updates)


@_writing("TensorScatterSub", NUMBERS, lambda op, dy: (dy, None, math.negative(gather_nd(dy, op.inputs[1]))))
@export("tensor_scatter_nd_sub", "compat.v1.tensor_scatter_sub")
def tensor_scatter_nd_sub(xp, tensor, indices, updates):
    """`tensor` with `updates` subtracted from the slices at `indices`."""
    return _written(xp, "subtract", tensor, indices, updates)


def _extreme_vjp(op, dy):
    """Elements and updates that equal the extreme share its gradient."""
    tensor, indices, updates = op.inputs
    out = op.outputs[0]
    selected = math.cast(math.equal(tensor, out), dy.dtype)
    chosen = math.cast(math.equal(updates, gather_nd(out, indices)), dy.dtype)
    share = division.real_divide(
        dy, math.add(selected, scatter_nd(indices, chosen, array.shape(tensor, indices.dtype)))
    )
    return math.multiply(share, selected), None, math.multiply(gather_nd(share, indices), chosen)


@_writing("TensorScatterMin", REALS, _extreme_vjp)
@export("tensor_scatter_nd_min")
def tensor_scatter_nd_min(xp, tensor, indices, updates):
    """`tensor` with the slices at `indices` replaced by the lesser of them and `updates`."""
    return _written(xp, "minimum", tensor, indices, updates)


@_writing("TensorScatterMax", REALS, _extreme_vjp)
@export("tensor_scatter_nd_max")
def tensor_scatter_nd_max(xp, tensor, indices, updates):
    """`tensor` with the slices at `indices` replaced by the greater of them and `updates`."""
    return _written(xp, "maximum", tensor, indices, updates)


# ---------------------------------------------------------------- partition and stitch


def _partition_infer(s: Shapes) -> list[Dims]:
    data, parts = s.dims
    if data is not None and parts is not None:
        shapes.merge(data[: len(parts)], parts)
    rest: Dims = None if data is None or parts is None else (None, *data[len(parts) :])
    return [rest] * s.attrs["num"]


def _partition_vjp(op, *dys):
    data, parts = op.inputs
    where = array.reshape(ranges.range_(array.size(parts)), array.shape(parts))
    places = dynamic_partition(where, parts, op.attrs["num"])
    return array.reshape(dynamic_stitch(places, with_zeros(dys, op.outputs)), array.shape(data)), None


@op(
    "DynamicPartition",
    "data:T, partitions:int32 -> *T",
    infer=_partition_infer,
    vjp=_partition_vjp,
    lower=REFUSES_VALUES,
)
def _dynamic_partition(xp, data, partitions, *, num):
    """The slices of `data` by partition number."""
    flat = np.asarray(partitions).reshape(-1)
    rank = np.ndim(partitions)
    if np.shape(data)[:rank] != np.shape(partitions):
        raise ValueError(
            f"data.shape must start with partitions.shape, got data.shape = {list(np.shape(data))}, partitions.shape = "
            f"{list(np.shape(partitions))}"
        )
    if flat.size and (flat.min() < 0 or flat.max() >= num):
        raise ValueError(f"partitions holds {int(flat[(flat < 0) | (flat >= num)][0])}, which is not in [0, {num})")
    rows = xp.reshape(data, (flat.size, *np.shape(data)[rank:]))
    return [rows[flat == k] for k in range(num)]


@export("dynamic_partition")
def dynamic_partition(data: Any, partitions: Any, num_partitions: int, name: str | None = None) -> list[Any]:
    """The slices of `data` sorted into `num_partitions` tensors.

    Args:
      data: the tensor.
      partitions: int32; its shape is the first axes of `data`, its values say where each slice goes.
      num_partitions: number of tensors to make.
      name: the node's name.
    """
    count = whole(num_partitions, "num_partitions")
    if count < 1:
        raise ValueError(f"Attr 'num_partitions' of 'DynamicPartition' Op passed {count} less than minimum 1.")
    return emit(OPS["DynamicPartition"], (data, partitions), {"num": count}, name)  # type: ignore


def _stitch_infer(s: Shapes) -> list[Dims]:
    places, (where, data) = s.value(0), s.dims
    if where is not None and data is not None:
        shapes.merge(data[:1], where)
    rows = None if places is None else int(places.max(initial=-1)) + 1
    return [None if s.dims[1] is None else (rows, *s.dims[1][1:])]


@op(
    "Stitch",
    "indices:int32, data:T -> T",
    infer=_stitch_infer,
    vjp=lambda op, dy: (None, _stitch_pull(op, dy)),
    lower=REFUSES_VALUES,
)
def _stitch(xp, indices, data):
    """Rows of `data` put at `indices`; of several rows for one place, the last."""
    where = np.asarray(indices)
    if np.shape(data)[:1] != where.shape:
        raise ValueError(f"{where.size} indices for {np.shape(data)[0]} rows: there must be one for each row of data")
    if where.size and where.min() < 0:
        raise ValueError(f"indices[{int(np.argmin(where))}] is negative")
    rows = int(where.max()) + 1 if where.size else 0
    last = np.zeros(rows, np.int64) - 1
    last[where] = np.arange(where.size)
    if data.dtype == object:
        out = np.full((rows, *data.shape[1:]), b"", object)
        out[where] = data
        return out
    empty = last < 0
    taken = xp.take(data, np.maximum(last, 0), axis=0) if where.size else xp.zeros((0, *np.shape(data)[1:]), data.dtype)
    return xp.where(empty.reshape([-1] + [1] * (np.ndim(data) - 1)), xp.zeros((), data.dtype), taken)


def _stitch_pull(op, dy):
    indices, data = op.inputs
    order = ranges.range_(array.shape(data)[0])
    mine = math.equal(gather(_stitch(indices, order), indices), order)
    part = gather(dy, indices)
    column = sequences.column_shape(math.subtract(array.rank(data), 1))
    return array.where(array.reshape(mine, column), part, array.zeros_like(part))


@export("dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """The slices of several tensors in one, each at its index; the later one wins.

    Args:
      indices: a list of int32 tensors.
      data: a list of tensors; the shape of each starts with that of its indices.
      name: the node's name.
    """
    indices, data = list(listed(indices, "indices", "dynamic_stitch")), list(listed(data, "data", "dynamic_stitch"))
    if len(indices) != len(data) or not indices:
        raise ValueError(f"dynamic_stitch needs as many indices as data, and one at least: {len(indices)}, {len(data)}")
    where, rows = [], []
    for i, d in zip(indices, data, strict=True):
        i, d = convert_to_tensor(i, dtypes.int32), convert_to_tensor(d)
        if None not in (i.shape.rank, d.shape.rank) and not d.shape[: i.shape.rank].is_compatible_with(i.shape):
            text = f"data[i].shape must start with indices[i].shape: got {d.shape} and {i.shape}"
            raise errors.InvalidArgumentError(None, None, text) if context.executing_eagerly() else ValueError(text)
        rank = array.rank(i) if i.shape.rank is None else i.shape.rank
        where.append(array.reshape(i, [-1]))
        rows.append(d if i.shape.rank == 1 else array.reshape(d, concat([[array.size(i)], array.shape(d)[rank:]], 0)))
    constants = [constant_of(i) for i in indices]
    if all(k is not None for k in constants):
        where = [np.concatenate([np.reshape(k, -1) for k in constants]).astype(np.int32)]  # type: ignore[arg-type]
    places = where[0] if len(where) == 1 else concat(where, 0)
    return _stitch(places, concat(rows, 0), name=name)
