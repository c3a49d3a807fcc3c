"""Gathering and scattering by index."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.misuse import explained
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import Dims, bracketed
from inlay._src.core import context
from inlay._src.core.eager.another_form import another_form
from inlay._src.core.eager.attributes import check_index, integer, whole
from inlay._src.core.eager.convert import convert_to_tensor, get_static_value
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, operand
from inlay._src.core.graph import constant_of
from inlay._src.core.hints import REFUSES_VALUES, InlineKernel, LoweringHints, Name, some_values
from inlay._src.core.opdef import RowGradient, Shapes
from inlay._src.core.tensor import EagerTensor, SymbolicTensor, Tensor
from inlay._src.core.values import MOST_LEVELS, boxed, check_rank
from inlay._src.ops import array, math
from inlay._src.ops.accumulation import combine_points
from inlay._src.ops.joining import along_any, concat, static_int
from inlay._src.ops.reductions import reduce_prod
from inlay._src.ops.shaping import axis_of, sizes_of

ANY_INDEX = {"Index": dtypes.Exact(dtypes.INDEX | {dtypes.int16})}


def _gather_infer(s: Shapes) -> list[Dims]:
    params, indices = s.dims
    if params is None or indices is None:
        return [None]
    axis, batch = _gather_axes(len(params), len(indices), s.attrs["axis"], s.attrs["batch_dims"])
    return [(*params[:axis], *indices[batch:], *params[axis + 1 :])]


def _gather_axes(params: int, indices: int, axis: int, batch_dims: int) -> tuple[int, int]:
    """`axis` and `batch_dims`, counted from the front, of tensors of given ranks."""
    if not -indices <= batch_dims <= indices:
        raise ValueError(
            f"batch_dims = {batch_dims} must be in [{-indices}, {indices}], the indices have rank {indices}"
        )
    if axis >= params:
        raise ValueError(
            f"Shape must be at least rank {axis + 1} but is rank {params}: axis {axis} must be in [-{params}, {params})"
        )
    at, batch = axis_of(axis, params), batch_dims + indices if batch_dims < 0 else batch_dims
    if at < batch:
        raise ValueError(f"batch_dims = {batch} must be less than or equal to axis = {at}")
    return at, batch


def _gather_vjp(op, dy):
    params, indices = op.inputs
    if op.attrs.get("axis", 0) or op.attrs.get("batch_dims", 0):
        return _gather_grad(array.shape(params), indices, dy, **op.attrs), None
    size = array.shape(params)
    rows = array.reshape(dy, concat([[-1], size[1:]], 0))
    return RowGradient(rows, array.reshape(indices, [-1]), size), None


def whole_gradient(rows: RowGradient) -> Any:
    """The gradient as a tensor: rows in place, zeros elsewhere."""
    return _gather_grad(math.cast(rows.size, dtypes.int32), rows.indices, rows.values, axis=0, batch_dims=0)


def _bounds(indices: Any, size: int) -> None:
    numbers = np.asarray(indices)
    if numbers.size and (numbers.min() < 0 or numbers.max() >= size):
        bad = (numbers < 0) | (numbers >= size)
        at = _place(int(np.argmax(bad)), numbers.shape)
        raise ValueError(f"indices{at} = {int(numbers[bad][0])} is not in [0, {size})")


def _place(flat: int, shape: tuple[int, ...]) -> str:
    """Where the element of a number is in an array, as TensorFlow writes it."""
    return bracketed(map(int, np.unravel_index(flat, shape))) if shape else ""


def _gather_written(
    values: Sequence[str], kinds: Sequence[DType], attrs: Mapping[str, Any], name: Name, sole: str
) -> InlineKernel | None:
    """The source of one row: loops take it, by a number."""
    if kinds[0]._kind in "srv" or attrs.get("axis") or attrs.get("batch_dims"):
        return None
    params, index = values
    test = f"{index}.__class__ is {name('i', kinds[1].np.type)} and 0 <= {index} < {params}.shape[0]"
    return InlineKernel(test, f"{params}[{index}].copy()")


@op(
    "GatherV2",
    "params:T, indices:Index -> T",
    types=ANY_INDEX,
    infer=_gather_infer,
    vjp=_gather_vjp,
    lower=LoweringHints(expression=_gather_written, refuses=some_values),
)
def gather_op(xp, params, indices, *, axis=0, batch_dims=0):
    """Slices of `params` along `axis`, in the order of `indices`."""
    if not params.ndim:
        raise ValueError("params must be at least 1 dimensional, got a scalar")
    if axis or batch_dims:
        axis, batch_dims = _gather_axes(params.ndim, indices.ndim, axis, batch_dims)
        if batch_dims and params.shape[:batch_dims] != indices.shape[:batch_dims]:
            raise ValueError(f"the batch axes differ: params {list(params.shape)}, indices {list(indices.shape)}")
    if xp is np:
        if params.ndim + indices.ndim > MOST_LEVELS:
            check_rank(params.ndim - 1 + indices.ndim - batch_dims)
        if not (params.size and indices.size):
            sizes = (*params.shape[:axis], *indices.shape[batch_dims:], *params.shape[axis + 1 :])
            if 0 in sizes:
                return np.empty(sizes, params.dtype)  # nothing is read, wherever the indices point
        if batch_dims:
            _bounds(indices, params.shape[axis])
    if batch_dims or xp is not np:
        return _batched_gather(xp, params, indices, axis, batch_dims) if batch_dims else xp.take(params, indices, axis)
    unsigned = _UNSIGNED.get(indices.dtype)
    try:
        if unsigned is not None:
            out = params.take(indices.view(unsigned), axis)
        elif np.minimum.reduce(indices, axis=None) >= 0:
            out = params.take(indices, axis)
        else:
            raise IndexError
    except IndexError:
        _bounds(indices, params.shape[axis])
        raise
    return out if isinstance(out, np.ndarray) or params.dtype != object else boxed(out)


_UNSIGNED = {np.dtype(f"i{n}"): np.dtype(f"u{n}") for n in (2, 4)}
"""Types of indices -> those in which negative ones are great, and NumPy refuses them as it does other great ones."""


def _batch_index(indices: Any, batch: int) -> tuple[Any, ...]:
    """Index arrays that pair the first `batch` axes of two tensors and read `indices` on the next axis."""
    return (*np.indices(np.shape(indices), sparse=True)[:batch], indices)


def _batched_gather(xp: Any, params: Any, indices: Any, axis: int, batch: int) -> Any:
    moved = xp.moveaxis(params, axis, batch)
    out = moved[_batch_index(indices, batch)]  # batch, indices, axes before `axis`, axes after it
    middle = tuple(range(batch, np.ndim(indices)))
    return xp.moveaxis(out, middle, tuple(k + axis - batch for k in middle))


def _gather_grad_vjp(op, ddx):
    return None, None, gather_op(ddx, op.inputs[1], **op.attrs)


_SIGNATURE_OF_GRADIENT = "shape:int32, indices:Index, dy:T -> T"
_GRADIENT: Any = {
    "types": ANY_INDEX | {"T": dtypes.NUMBERS}, "static": ("shape",), "infer": lambda s: [s.partial_value(0)],
}  # fmt: skip


@op("GatherGrad", _SIGNATURE_OF_GRADIENT, vjp=_gather_grad_vjp, **_GRADIENT)
def _gather_grad(xp, shape, indices, dy, *, axis=0, batch_dims=0):
    """Zeros of `shape` with the slices of `dy` added at `indices`."""
    sizes = tuple(np.asarray(shape).tolist())
    axis, batch_dims = _gather_axes(len(sizes), np.ndim(indices), axis, batch_dims)
    if not batch_dims:
        return added_at(xp, sizes, (slice(None),) * axis + (indices,), dy)
    middle = tuple(range(batch_dims, np.ndim(indices)))
    dy = xp.moveaxis(dy, tuple(k + axis - batch_dims for k in middle), middle)
    moved = (*sizes[:batch_dims], sizes[axis], *sizes[batch_dims:axis], *sizes[axis + 1 :])
    return xp.moveaxis(added_at(xp, moved, _batch_index(indices, batch_dims), dy), batch_dims, axis)


def added_at(xp: Any, sizes: tuple[int, ...], where: Any, values: Any) -> Any:
    """Zeros of shape `sizes` (empty strings) with `values` added at `where`."""
    if xp is np:
        out = np.full(sizes, b"", object) if values.dtype == object else np.zeros(sizes, values.dtype)
        if values.size:
            combine_points(np.add, out, where, values)
        return out
    empty = xp.zeros(sizes, values.dtype).at[where]
    return empty.max(values) if values.dtype == bool else empty.add(values)


def added_nd(xp: Any, sizes: tuple[int, ...], indices: Any, values: Any, batch_dims: int = 0) -> Any:
    """Zeros of shape `sizes` with `values` added at multi-dimensional indices."""
    whole = not batch_dims and not np.shape(indices)[-1]
    out = added_at(xp, (1, *sizes) if whole else sizes, nd_index(indices, batch_dims), values)
    return out[0] if whole else out


@export("gather")
@explained
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int | None = 0,
    name: str | None = None,
) -> Tensor:
    """Slices of `params` along `axis`, in the order of `indices`.

    Args:
      params: the tensor to read.
      indices: integers in [0, size of the axis).
      validate_indices: ignored; indices are always checked.
      axis: the axis; None is the first one after the batch axes.
      batch_dims: number of leading batch axes of both; None is 0.
      name: the node's name.
    """
    batch_dims = 0 if batch_dims is None else batch_dims
    if axis is None:
        if batch_dims.__class__ is not int:
            check_index(batch_dims, "axis")
            batch_dims = whole(batch_dims, "batch_dims")
        if batch_dims < 0 and (answers(indices) or answers(params)):
            batch_dims = _from_end(batch_dims, operand(indices), "batch_dims")
        return gather_op(params, indices, batch_dims, batch_dims, name=name)
    if axis.__class__ is not int:
        check_index(axis, "axis")
        if constant_of(axis) is None:
            if batch_dims:
                raise ValueError("gather with batch_dims needs an axis that is known while the graph is built")
            return _gather_along(convert_to_tensor(params), convert_to_tensor(indices), axis, name)
        axis = static_int(axis, "The axis of gather")
    return gather_op(params, indices, axis, whole(batch_dims, "batch_dims"), name=name)


def _gather_along(params: Tensor, indices: Tensor, axis: Any, name: str | None) -> Any:
    """`gather` along an axis that is known only when it runs."""
    (axis := math.cast(axis, dtypes.int32)).set_shape([])
    flat = array.reshape(indices, [-1])
    (rows,) = along_any(axis, [params], lambda x: [gather(x, flat)], None)
    sizes = array.shape(params)
    axis = array.where(math.less(axis, 0), math.add(axis, array.rank(params)), axis)
    out = array.reshape(rows, concat([sizes[:axis], array.shape(indices), sizes[axis + 1 :]], 0), name=name)
    if params.shape.rank is not None and indices.shape.rank is not None:
        out.set_shape([None] * (params.shape.rank - 1 + indices.shape.rank))
    return out


def _from_end(axis: int, tensor: Tensor, what: str) -> int:
    rank = tensor.shape.rank
    if rank is None or axis < -rank:
        raise ValueError(f"{what} is {axis}, but the tensor has {'unknown rank' if rank is None else f'rank {rank}'}")
    return axis + rank


def _gather_nd_infer(s: Shapes) -> list[Dims]:
    if s.attrs["batch_dims"] < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    params, indices = s.dims
    batch = s.attrs["batch_dims"]
    for dims, what in ((indices, "indices"), (params, "params")):
        if batch and dims is not None and batch >= len(dims):
            raise ValueError(f"Argument `batch_dims` = {batch} must be less than rank(`{what}`) = {len(dims)}")
    if params is None or indices is None:
        return [None]
    shapes.merge(params[:batch], indices[:batch])
    if indices[-1] is None:
        return [None]
    if indices[-1] > len(params) - batch:
        raise ValueError(f"index innermost dimension length must be <= params rank; saw: {indices[-1]}, {len(params)}")
    return [(*indices[:-1], *params[batch + indices[-1] :])]


def nd_index(indices: Any, batch_dims: int = 0) -> tuple[Any, ...]:
    """The last axis of `indices` as index arrays, after those that pair `batch_dims` leading axes.

    Where there are none of either, the index of an axis of size 1 in front of the tensor, which is taken whole.
    """
    if not batch_dims and not np.shape(indices)[-1]:
        return (np.zeros(np.shape(indices)[:-1], np.int64),)
    parts = tuple(indices[..., k] for k in range(np.shape(indices)[-1]))
    if not parts:  # nothing that the numbers of the batch could be stretched to
        return tuple(np.indices(np.shape(indices)[:-1])[:batch_dims])
    return np.indices(np.shape(indices)[:-1], sparse=True)[:batch_dims] + parts if batch_dims else parts


def check_updates(indices: Any, updates: Any, sizes: Any) -> None:
    """Refuses updates of another shape (sizes, some perhaps None) than indices into a tensor of shape `sizes` need.

    Raises:
      ValueError: saying which axes differ.
    """
    outer, depth = len(indices) - 1, indices[-1] if indices else 0
    if depth is None:
        return
    if not shapes.compatible(indices[:-1], updates[:outer]):
        raise ValueError(
            f"Dimensions [0,{outer}) of indices[shape={bracketed(indices)}] must match dimensions [0,{outer}) of "
            f"updates[shape={bracketed(updates)}]"
        )
    if not shapes.compatible(sizes[depth:], updates[outer:]):
        raise ValueError(
            f"Dimensions [{depth},{len(sizes)}) of input[shape={bracketed(sizes)}] must match dimensions "
            f"[{outer},{len(updates)}) of updates[shape={bracketed(updates)}]"
        )


def check_nd(indices: Any, sizes: tuple[int, ...], batch_dims: int = 0, what: str = "shape") -> None:
    """Refuses multi-dimensional indices that point outside a tensor of shape `sizes`, which messages call `what`.

    Raises:
      ValueError: naming the first such index.
    """
    shape = np.shape(indices)
    depth = shape[-1] if shape else 0
    if not shape or depth + batch_dims > len(sizes):
        raise ValueError(f"indices of shape {list(shape)} cannot index a tensor of shape {list(sizes)}")
    flat = np.asarray(indices).reshape(prod(shape[:-1]), depth)
    if flat.size:  # as unsigned numbers, negative ones are great
        greatest = np.maximum.reduce(flat.view(f"u{flat.itemsize}"), 0).tolist()
        if all(map(operator.lt, greatest, sizes[batch_dims:])):
            return
    wrong = (flat < 0) | (flat >= np.asarray(sizes[batch_dims : batch_dims + depth]))
    if wrong.any():
        bad = wrong.any(axis=1)
        k = int(np.argmax(bad))
        at = _place(k, np.shape(indices)[:-1])
        raise ValueError(f"indices{at} = {flat[k].tolist()} does not index into {what} {bracketed(sizes)}")


def _bad_nd(xp: Any, indices: Any, sizes: tuple[int, ...], batch_dims: int, policy: str) -> Any:
    """Where multi-dimensional indices point outside and are ignored; None if they are errors.

    Raises:
      ValueError: for an index outside that is an error, and for a policy that there is not.
    """
    if policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        raise ValueError(f"bad_indices_policy must be DEFAULT, ERROR or IGNORE, got {policy!r}")
    if policy == "IGNORE":
        ends = np.asarray(sizes[batch_dims : batch_dims + np.shape(indices)[-1]])
        return ((indices < 0) | (indices >= ends)).any(-1)
    if xp is np:
        check_nd(indices, sizes, batch_dims, "param shape")
    return None


def _gather_nd_vjp(op, dy):
    params, indices = op.inputs
    dims = convert_to_tensor(indices).shape
    own = op.attrs.get("batch_dims", 0) or op.attrs.get("bad_indices_policy") == "IGNORE"
    if not own and dims.rank == 2 and dims[1] == 1:
        return RowGradient(dy, array.reshape(indices, [-1]), array.shape(params)), None
    return _gather_nd_grad(array.shape(op.inputs[0]), op.inputs[1], dy, **op.attrs), None


@op(
    "GatherNd",
    "params:T, indices:Index -> T",
    types=ANY_INDEX,
    infer=_gather_nd_infer,
    vjp=_gather_nd_vjp,
    lower=REFUSES_VALUES,
)
def _gather_nd(xp, params, indices, *, batch_dims=0, bad_indices_policy=""):
    """Slices of `params` at multi-dimensional indices.

    Args:
      params: the tensor to read.
      indices: integers; the last axis holds one index into the first axes of `params`.
      batch_dims: number of leading batch axes of both.
      bad_indices_policy: "IGNORE" gives zeros for an index outside; any other policy makes it an error.
    """
    if batch_dims < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    if xp is np and not batch_dims and not bad_indices_policy:
        rows = _at_numbers(params, indices)
        if rows is not None:
            return rows
    if np.shape(params)[:batch_dims] != np.shape(indices)[:batch_dims]:
        raise ValueError(f"the batch axes differ: params {list(np.shape(params))}, indices {list(np.shape(indices))}")
    shape, depth = np.shape(params), batch_dims + (np.shape(indices)[-1] if np.ndim(indices) else 0)
    check_rank(np.ndim(indices) - 1 + len(shape) - depth)
    if xp is np and bad_indices_policy != "IGNORE" and 0 in shape[:depth] and np.size(indices):
        raise ValueError(f"Requested more than 0 entries, but params is empty. Params shape: {bracketed(shape)}")
    bad = _bad_nd(xp, indices, shape, batch_dims, bad_indices_policy)
    if bad is not None:
        indices = xp.where(bad[..., None], 0, indices)
    out = (params if batch_dims or np.shape(indices)[-1] else params[None])[nd_index(indices, batch_dims)]
    if bad is not None:
        nothing = np.asarray(b"" if params.dtype == object else 0, params.dtype)
        out = xp.where(bad.reshape(bad.shape + (1,) * (np.ndim(out) - np.ndim(bad))), nothing, out)
    return out if isinstance(out, np.ndarray) or params.dtype != object else boxed(out)


def _at_numbers(params: Any, indices: Any) -> Any:
    """Slices of `params` at indices of several dimensions, by one number each; None if one has none or is outside."""
    sizes, shape = params.shape, indices.shape
    depth = shape[-1] if shape else 0
    if not 0 < depth <= len(sizes) or not (params.size and indices.size and params.flags.c_contiguous):
        return None
    try:  # a fifth of the time of NumPy's index
        numbers = np.ravel_multi_index(tuple([indices[..., k] for k in range(depth)]), sizes[:depth])
    except ValueError:
        return None
    if depth < len(sizes):
        check_rank(len(sizes) - depth + len(shape) - 1)
        return params.reshape(-1, *sizes[depth:]).take(numbers, 0)
    out = params.take(numbers)
    return out if isinstance(out, np.ndarray) or params.dtype != object else boxed(out)


gather_nd: Any = export("gather_nd")(
    another_form(_gather_nd, "params, indices, batch_dims=0, name=None, bad_indices_policy=''", "gather_nd")
)


def _gather_nd_grad_vjp(op, ddx):
    return None, None, gather_nd(ddx, op.inputs[1], **op.attrs)


@op("GatherNdGrad", _SIGNATURE_OF_GRADIENT, vjp=_gather_nd_grad_vjp, **_GRADIENT)
def _gather_nd_grad(xp, shape, indices, dy, *, batch_dims=0, bad_indices_policy=""):
    """Zeros of `shape` with the slices of `dy` added at multi-dimensional indices."""
    sizes = sizes_of(shape)
    bad = _bad_nd(xp, indices, sizes, batch_dims, bad_indices_policy)
    if bad is not None:
        indices = xp.where(bad[..., None], 0, indices)
        dy = xp.where(bad.reshape(bad.shape + (1,) * (np.ndim(dy) - np.ndim(bad))), np.asarray(0, dy.dtype), dy)
    return added_nd(xp, sizes, indices, dy, batch_dims)


def _mask_vjp(op, dy):
    tensor, mask = op.inputs
    axis, rank = op.attrs["axis"], mask.shape.rank
    size = array.shape(tensor)
    where = array.reshape(array.where(mask if rank == 1 else array.reshape(mask, [-1])), [-1])
    if rank == 1:
        return _gather_grad(size, where, dy, axis=axis), None
    flat = concat([size[:axis], [array.size(mask)], size[axis + rank :]], 0)
    return array.reshape(_gather_grad(flat, where, dy, axis=axis), size), None


@op("BooleanMask", "tensor:T, mask:bool -> T", vjp=_mask_vjp)
def _boolean_mask(xp, tensor, mask, *, axis):
    """The slices of `tensor` where `mask` holds, as eager calls make them at once; graphs have ops of TensorFlow's."""
    chosen = np.asarray(mask)
    if chosen.ndim > 1:
        shape = tensor.shape
        tensor = xp.reshape(tensor, (*shape[:axis], chosen.size, *shape[axis + chosen.ndim :]))
        chosen = chosen.reshape(-1)
    return tensor.compress(chosen, axis) if xp is np else xp.compress(chosen, tensor, axis=axis)


@export("boolean_mask")
@explained
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Tensor:
    """The slices of `tensor` where `mask` holds; the masked axes become one."""
    if tensor.__class__ is not EagerTensor or mask.__class__ is not EagerTensor:
        tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask)
    held, dims = tensor.shape._dims, mask.shape._dims
    if not dims:
        raise ValueError("boolean_mask needs a mask of known rank of at least 1")
    rank = len(dims)
    if isinstance(axis, SymbolicTensor):
        if (value := get_static_value(axis)) is None:
            return _masked_at(tensor, mask, axis, name)
        axis = int(value)
    if axis is not None:
        check_index(axis, "axis")
    at = 0 if axis is None else integer(axis, "axis")
    if at < 0:
        at = _from_end(at, tensor, "axis of boolean_mask")
    if mask.dtype is not dtypes.bool_:
        if mask.dtype is dtypes.string:
            raise TypeError("boolean_mask needs a mask of bools or numbers, got string")
        mask = math.cast(mask, dtypes.bool_)
    if held is not None and not shapes.compatible(held[at : at + rank], dims):
        raise ValueError(f"Shapes {tensor.shape[at : at + rank]} and {mask.shape} are incompatible")
    if tensor.__class__ is mask.__class__ is EagerTensor and (context.get() or context.base()).eager:
        return _boolean_mask(tensor, mask, at)
    sizes = array.shape(tensor) if held is None or None in held else list(held)
    masked = sizes[at : at + rank]  # their product, as -1 would stand for any size beside a size of 0
    count = [int(np.prod(masked))] if isinstance(masked, list) else reduce_prod(masked, keepdims=True)
    flat = array.reshape(tensor, _joined([sizes[:at], count, sizes[at + rank :]]))
    return gather_op(flat, array.reshape(array.where(array.reshape(mask, [-1])), [-1]), at, name=name)


def _masked_at(tensor: Any, mask: Any, axis: Any, name: str) -> Any:
    """`boolean_mask` at an axis that is known when it runs."""
    sizes = array.shape(tensor)
    parts = sizes[:axis], sizes[axis : axis + mask.shape.rank], sizes[axis + mask.shape.rank :]
    flat = array.reshape(tensor, [reduce_prod(p) for p in parts])
    where = array.reshape(array.where(array.reshape(mask, [-1])), [-1])
    return array.reshape(gather_op(flat, where, 1), _joined([parts[0], array.shape(where), parts[2]]), name=name)


def _joined(parts: list[Any]) -> Any:
    if all(isinstance(p, list) for p in parts):
        return [size for p in parts for size in p]
    return concat([convert_to_tensor(p, dtypes.int32) for p in parts], 0)
