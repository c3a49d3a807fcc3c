"""Stacking along a new axis and taking apart: `stack` and `unstack`, each the gradient of the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.misuse import explained, repr_of
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims
from inlay._src.core import context
from inlay._src.core.eager.attributes import listed, whole
from inlay._src.core.eager.convert import convert_to_tensor, holds_tensors
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import Inference, Shapes, known_size, partial_shape_value
from inlay._src.core.tensor import EagerTensor, Tensor
from inlay._src.ops import shaping

_MOST_PARTS = int(dtypes.int32.max)


def _pack_infer(s: Shapes) -> list[Dims]:
    merged: Dims = None
    for dims in s.dims:
        merged = shapes.merge(merged, dims)
    if merged is None:
        return [None]
    axis = s.attrs["axis"]
    _check_new_axis(axis, len(merged))
    out = list(merged)
    out.insert(axis if axis >= 0 else axis + len(merged) + 1, len(s.dims))
    return [tuple(out)]


def _check_new_axis(axis: int, rank: int) -> None:
    if not -rank - 1 <= axis <= rank:
        raise ValueError(f"axis = {axis} not in [{-rank - 1}, {rank + 1})")


def _stacked_sizes(node: Any, length: int) -> Dims:
    """The statically known elements of stacked numbers, or of stacked vectors of them."""
    parts = node.inputs
    if node.attrs["axis"]:
        return (None,) * length
    if all(p._dims == () for p in parts):
        return tuple(map(known_size, parts))
    return tuple(size for p in parts for size in partial_shape_value(p, length // len(parts)) or ())


def _pack_vjp(op, dy):
    return unstack(dy, num=len(op.inputs), axis=op.attrs["axis"])


def _alike(values: Sequence[Any]) -> bool:
    """Whether arrays have one shape."""
    shape = values[0].shape
    for value in values:
        if value.shape != shape:
            return False
    return True


@op("Pack", "values:*T -> T", infer=Inference(_pack_infer, _stacked_sizes), vjp=_pack_vjp)
def _pack(xp, values, *, axis=0):
    """Tensors of one shape stacked along a new axis."""
    first = values[0]
    if xp is np and not axis and first.__class__ is np.ndarray and first.ndim and _alike(values):
        return np.concatenate(values).reshape(len(values), *first.shape)  # half the time of `np.stack`
    try:
        return xp.stack(values, axis=axis)
    except ValueError:
        first = np.shape(values[0])
        other = next((k for k, v in enumerate(values) if np.shape(v) != first), None)
        if other is None:
            _check_new_axis(axis, len(first))
            raise
        raise ValueError(
            f"Shapes of all inputs must match: values[0].shape = {list(first)} != values[{other}].shape = "
            f"{list(np.shape(values[other]))}"
        ) from None


@export("stack")
@boundary
def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape stacked along a new axis.

    Args:
      values: a list of tensors, or a tensor whose rows are stacked.
      axis: where the new axis goes.
      name: the node's name.
    """
    try:
        original = values
        if axis.__class__ is not int and axis is not None:
            if isinstance(values, (list, tuple)) and any(map(answers, values)):
                raise TypeError(f"axis must be an int; got {type(axis).__name__}")
            axis = whole(axis, "axis")
        if not isinstance(values, list):
            if axis == 0 and not isinstance(values, tuple) and not answers(values):
                return convert_to_tensor(values, name=name)
            try:  # composites answer for a list of operands; a tuple is one operand
                values = list(listed(values, "values", "pack"))
            except errors.OperatorNotAllowedInGraphError:
                raise TypeError(f"Expected list for 'values' argument to 'pack' Op, not {repr_of(values)}.") from None
        plain = bool(values) and values[0].__class__ is EagerTensor
        if axis == 0 and not plain and not _are_operands(values):
            try:  # a constant, whose type all of them decide
                return convert_to_tensor(original, name=name)
            except (TypeError, ValueError):
                pass  # rows of unequal length: the op says which
        if not values:
            raise ValueError("stack along another axis than 0 needs at least one tensor")
        if axis:
            _check_axis_of_new(axis, values[0])
        return _pack(values, axis, name=name)
    except Exception as error:
        leave(error)
        raise


def _are_operands(values: list[Any]) -> bool:
    """Whether a value has a dtype of its own, as arrays have in graphs; eagerly they are rows of constants."""
    if holds_tensors(values) or any(map(answers, values)):
        return True
    return not context.executing_eagerly() and any(isinstance(v, np.ndarray) for v in values)


@export("parallel_stack")
@explained
def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Tensors of one known shape stacked along a new first axis, in graphs.

    Args:
      values: a list of tensors.
      name: the node's name.

    Raises:
      RuntimeError: eagerly; `stack` works there.
      ValueError: if the shape of the first tensor is not fully known.
    """
    if context.executing_eagerly():
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution: use tf.stack().")
    values = list(listed(values, "values", "ParallelConcat", "N"))
    if not values:
        raise ValueError("parallel_stack() needs one tensor or more")
    first = convert_to_tensor(values[0])
    if not first.shape.is_fully_defined():
        raise ValueError(f"shape attr must be fully defined: the values of parallel_stack have shape {first.shape}")
    return _pack(values, 0, name=name)


def _check_axis_of_new(axis: int, first: Any) -> None:
    """Refuses an axis that tensors of the first one's shape cannot be stacked along."""
    rank = convert_to_tensor(first).shape.rank if not answers(first) else None
    if rank is not None and not -rank - 1 <= axis <= rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank - 1}, {rank + 1})")


def _unpack_infer(s: Shapes) -> list[Dims]:
    dims = s.dims[0]
    if dims is None:
        return [None] * s.attrs["num"]
    axis, count = s.attrs["axis"] % len(dims), s.attrs["num"]
    if dims[axis] not in (None, count):
        raise ValueError(f"Dimension must be {count} but is {dims[axis]}")
    return [dims[:axis] + dims[axis + 1 :]] * count


def _unpack_vjp(op, *dys):
    return stack(shaping.with_zeros(dys, op.outputs), axis=op.attrs["axis"])


def _unpacked_sizes(node: Any, length: int) -> Dims:
    """The statically known elements of the parts of a shape vector."""
    whole = node.inputs[0]
    return partial_shape_value(whole, length) if len(whole._dims or ()) == 1 else (None,) * length


@op(
    "Unpack",
    "value:T -> *T",
    infer=Inference(_unpack_infer, _unpacked_sizes),
    lower=LoweringHints(aliases=True),
    vjp=_unpack_vjp,
)
def _unpack(xp, value, *, num, axis=0):
    """The slices of a tensor along an axis."""
    rank = value.ndim
    if not -rank <= axis < rank:
        raise ValueError(f"axis = {axis} not in [{-rank}, {rank})")
    if value.shape[axis] != num:
        raise ValueError(f"Input shape axis {axis} must equal {num}, got shape {list(value.shape)}")
    moved = xp.moveaxis(value, axis, 0) if axis else value
    if xp is np and moved.ndim > 1:
        return [*moved]
    return [
        moved[i] if moved.dtype != object else np.asarray(moved[i : i + 1]).reshape(moved.shape[1:]) for i in range(num)
    ]


@export("unstack")
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of `value` along `axis`, as a list of `num` tensors (the axis's size if None)."""
    value = convert_to_tensor(value)
    dims, axis = value.shape._dims, whole(axis, "axis")
    if dims is not None and not -len(dims) <= axis < len(dims):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})")
    if num is None:
        if dims is None or dims[axis] is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        num = dims[axis]
    elif (num := whole(num, "num")) not in range(2**31):
        limit = "less than minimum 0" if num < 0 else "out of range"
        raise ValueError(f"Attr 'num' of 'Unpack' Op passed {num} {limit}.")
    return _unpack(value, num, axis, name=name) if num else []
