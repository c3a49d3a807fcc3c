"""Gathering and scattering by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay.core.emit import convert_to_tensor, emit
from inlay.core.opdef import OPS, Shapes, op
from inlay.ops import array
from inlay.ops.array import INDEX
from inlay.types import dtypes
from inlay.types.dtypes import ANY
from inlay.types.shapes import Dims


def _gather_infer(s: Shapes) -> list[Dims]:
    params, indices = s.dims
    if params is None or indices is None:
        return [None]
    axis = s.attrs["axis"] % max(len(params), 1)
    return [(*params[:axis], *indices[s.attrs["batch_dims"] :], *params[axis + 1 :])]


def _gather_vjp(op, dy):
    spread = emit(
        OPS["GatherGrad"],
        (array.shape(op.inputs[0]), op.inputs[1], dy),
        {"axis": op.attrs["axis"], "batch_dims": op.attrs["batch_dims"]},
    )
    return spread, None


def _bounds(indices: Any, size: int) -> None:
    flat = np.asarray(indices)
    if flat.size and (flat.min() < 0 or flat.max() >= size):
        bad = int(flat.reshape(-1)[int(np.argmax((flat.reshape(-1) < 0) | (flat.reshape(-1) >= size)))])
        raise ValueError(f"indices = {bad} is not in [0, {size})")


@op("GatherV2", "params:T, indices:Index -> T", types={"T": ANY, "Index": INDEX}, infer=_gather_infer, vjp=_gather_vjp)
def gather_op(xp, params, indices, *, axis=0, batch_dims=0):
    """Slices of `params` along `axis`, in the order of `indices`."""
    axis = axis % np.ndim(params)
    if xp is np:
        _bounds(indices, params.shape[axis])
        if batch_dims:
            return _batched_gather(params, indices, axis, batch_dims)
        out = np.take(params, indices, axis=axis)
        return out if isinstance(out, np.ndarray) or params.dtype != object else _boxed(out)
    if batch_dims:
        raise NotImplementedError("gather with batch_dims is not compiled; run it outside jit_compile")
    return xp.take(params, indices, axis=axis)


def _boxed(item: Any) -> np.ndarray:
    out = np.empty((), object)
    out[()] = item
    return out


def _batched_gather(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    flat_p = params.reshape(-1, *params.shape[batch_dims:])
    flat_i = indices.reshape(-1, *indices.shape[batch_dims:])
    parts = [np.take(p, i, axis=axis - batch_dims) for p, i in zip(flat_p, flat_i, strict=True)]
    return np.stack(parts).reshape(*params.shape[:batch_dims], *np.shape(parts[0]))


def _gather_grad_vjp(op, ddx):
    return None, None, gather_op(ddx, op.inputs[1], axis=op.attrs["axis"], batch_dims=op.attrs["batch_dims"])


@op(
    "GatherGrad",
    "shape:int32, indices:Index, dy:T -> T",
    types={"T": dtypes.NUMBERS, "Index": INDEX},
    static=("shape",),
    infer=lambda s: [s.partial_value(0)],
    vjp=_gather_grad_vjp,
)
def _gather_grad(xp, shape, indices, dy, *, axis=0, batch_dims=0):
    """Zeros of `shape` with the slices of `dy` added at `indices`."""
    sizes = tuple(np.asarray(shape).tolist())
    axis = axis % len(sizes)
    if batch_dims:
        flat_i = np.asarray(indices).reshape(-1, *indices.shape[batch_dims:])
        flat_d = dy.reshape(-1, *dy.shape[batch_dims:])
        parts = [
            _gather_grad_plain(np, sizes[batch_dims:], i, d, axis - batch_dims)
            for i, d in zip(flat_i, flat_d, strict=True)
        ]
        return np.stack(parts).reshape(sizes)
    return _gather_grad_plain(xp, sizes, indices, dy, axis)


def _gather_grad_plain(xp: Any, sizes: tuple[int, ...], indices: Any, dy: Any, axis: int) -> Any:
    where = (slice(None),) * axis + (indices,)
    if xp is np:
        out = np.zeros(sizes, dy.dtype)
        np.add.at(out, where, dy)
        return out
    return xp.zeros(sizes, dy.dtype).at[where].add(dy)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Slices of `params` along `axis`, in the order of `indices`.

    Args:
      params: the tensor to read.
      indices: integers in [0, size of the axis).
      validate_indices: ignored; indices are always checked.
      axis: the axis; None is the first one after the batch axes.
      batch_dims: how many leading axes of both are matched up.
      name: the node's name.
    """
    at = batch_dims if axis is None else int(axis)
    return emit(OPS["GatherV2"], (params, indices), {"axis": at, "batch_dims": batch_dims}, name)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: int | None = None) -> Any:
    """The slices of `tensor` where `mask` holds; the masked axes become one."""
    tensor, mask = convert_to_tensor(tensor), convert_to_tensor(mask)
    rank = mask.shape.rank
    if rank is None or rank == 0:
        raise ValueError("boolean_mask needs a mask of known rank of at least 1")
    at = axis or 0
    sizes = array.shape(tensor)
    flat = array.reshape(tensor, _joined([sizes[:at], [-1], sizes[at + rank :]])) if rank > 1 else tensor
    where = array.reshape(array.where(array.reshape(mask, [-1])), [-1])
    return gather(flat, where, axis=at, name=name)


def _joined(parts: list[Any]) -> Any:
    from inlay.ops.joining import concat

    return concat([convert_to_tensor(p, dtypes.int32) for p in parts], 0)
