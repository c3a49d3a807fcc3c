"""Joining along an axis and taking apart: `concat` and `split`, each the gradient of the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.misuse import repr_of
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.tuning import TUNING
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.shapes import Dims, bracketed, dimension_value
from inlay._src.core import context
from inlay._src.core.eager.attributes import integer, refuse_number, whole
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import answers, emit
from inlay._src.core.graph import constant_of
from inlay._src.core.hints import REFUSES_VALUES, InlineKernel, LoweringHints, Name
from inlay._src.core.opdef import OPS, Inference, Shapes, known_size, no_gradient, partial_shape_value
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, shaping
from inlay._src.ops.rearranging import transpose_op

_MOST_PARTS = int(dtypes.int32.max)


def _concat_infer(s: Shapes) -> list[Dims]:
    axis, operands = s.attrs["axis"], [d for d in s.dims if d is not None]
    if not operands:
        return [None]
    rank = len(operands[0])
    if rank == 0:
        raise ValueError("Can't concatenate scalars (use tf.stack instead)")
    if not -rank <= axis < rank:
        raise ValueError(f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {axis}")
    at = axis % rank
    merged: Dims = None
    for d in operands:
        if len(d) != rank:
            raise ValueError(f"Shapes must be equal rank, but are {rank} and {len(d)}")
        merged = shapes.merge(merged, (*d[:at], None, *d[at + 1 :]))
    sizes = [None if d is None else d[at] for d in s.dims]
    total = None if None in sizes else sum(x for x in sizes if x is not None)
    assert merged is not None
    return [(*merged[:at], total, *merged[at + 1 :])]


def _concat_vjp(op, dy):
    at, out, start = op.attrs["axis"], [], 0
    for x in op.inputs:
        size = array.shape(x)[at]
        out.append(slice_axis(dy, start, size, at))
        start = start + size
    return out


def _joined_sizes(node: Any, length: int) -> Dims:
    """The statically known elements of a concatenated shape vector."""
    if any(not t._dims or t._dims[0] is None for t in node.inputs):
        return (None,) * length
    return tuple(size for t in node.inputs for size in partial_shape_value(t, t._dims[0]) or ())


def _concat_written(
    values: Sequence[Any], kinds: Sequence[Any], attrs: Mapping[str, Any], name: Name, sole: str
) -> InlineKernel:
    """The source of a concatenation; where it raises, the kernel words the error."""
    return InlineKernel("True", f"{name('f', np.concatenate)}([{', '.join(values)}], {attrs.get('axis', 0)!r})")


@op(
    "ConcatV2", "values:*T -> T", infer=Inference(_concat_infer, _joined_sizes), vjp=_concat_vjp,
    lower=LoweringHints(expression=_concat_written, fresh=True),
)  # fmt: skip
def _concat(xp, values, *, axis=0):
    """Tensors joined along an axis."""
    try:
        return xp.concatenate(values, axis=axis)
    except (ValueError, TypeError):
        if 0 in map(np.ndim, values):
            raise ValueError("ConcatOp : Can't concatenate scalars (use tf.stack instead)") from None
        _check_joined(list(map(np.shape, values)), axis)
        raise


def _check_joined(sizes: list[tuple[int, ...]], axis: int) -> None:
    """ValueError in TensorFlow's words if tensors of these shapes cannot be joined."""
    first = sizes[0]
    for i, other in enumerate(sizes[1:], 1):
        both = f"shape[0] = {bracketed(first)} vs. shape[{i}] = {bracketed(other)}"
        if len(first) != len(other):
            raise ValueError(f"ConcatOp : Ranks of all input tensors should match: {both}")
        for at, (one, two) in enumerate(zip(first, other, strict=True)):
            if one != two and at != axis % len(first):
                raise ValueError(f"ConcatOp : Dimension {at} in both shapes must be equal: {both}")


def slice_axis(value: Any, start: Any, size: Any, axis: int) -> Any:
    """`size` slices of `value` from `start` on, along one axis."""
    part = slice(start, start + size)
    if axis >= 0:
        return convert_to_tensor(value)[(slice(None),) * axis + (part,)]
    return convert_to_tensor(value)[(Ellipsis, part, *(slice(None),) * (-axis - 1))]


def static_int(value: Any, what: str) -> int:
    """An axis or count that must be known while building.

    Raises:
      ValueError: if it is a symbolic tensor without a known value.
      TypeError: if it is text, a fraction, or no scalar.
    """
    if value.__class__ is int:
        return value  # type: ignore[no-any-return]
    try:
        constant = None if answers(value) else constant_of(value)
    except ValueError:  # lists of lists of several lengths
        constant = None
    if constant is None or constant.dtype == object or constant.size != 1:
        raise ValueError(f"{what} must be an integer known while the graph is built, got {repr_of(value)}")
    if constant.dtype.kind in "US":
        raise TypeError(f"{what}: axis must be an int; got str {repr_of(value)}")
    if constant.ndim:
        raise ValueError(f"{what} must be a scalar, got {repr_of(value)}")
    if isinstance(value, Tensor) and not (value.dtype.is_integer or value.dtype.is_bool):
        raise TypeError(f"{what} must be an integer, got {repr_of(value)}")
    return integer(value if isinstance(value, float) else constant, what)


@op(
    "AxisExchanged",
    "axis:Index, rank:int32 -> int32",
    types={"Index": dtypes.INDEX},
    static=("rank",),
    infer=lambda s: [(known_size(s.inputs[1]),)],
    lower=REFUSES_VALUES,
    vjp=no_gradient,
)
def _exchanged(xp, axis, rank):
    """The permutation of a tensor's axes that exchanges the first one and `axis`."""
    if np.size(axis) != 1:
        raise ValueError(f"axis must have exactly one element, got shape {list(np.shape(axis))}")
    count, at = int(rank), xp.reshape(axis, ())
    if xp is np and not -count <= at < count:
        wanted = at + 1 if at >= 0 else -at
        raise ValueError(
            f"Shape must be at least rank {wanted} but is rank {count}: axis {at} is not in [{-count}, {count})"
        )
    at, axes = xp.where(at < 0, at + count, at), xp.arange(count)
    return xp.where(axes == 0, at, xp.where(axes == at, 0, axes)).astype(np.int32)


def along_any(axis: Any, values: Sequence[Any], function: Callable[..., Any], name: str | None) -> list[Any]:
    """The result of `function`, which works along axis 0, applied along an axis that may be known only at run time."""
    exchanged = emit(OPS["AxisExchanged"], (axis, array.rank(convert_to_tensor(values[0]))), {})
    parts = function(*(transpose_op(v, exchanged) for v in values))
    return [transpose_op(part, exchanged, name=name) for part in parts]


def _axis_kind(axis: Any) -> tuple[int | None, bool]:
    """(the rank of an axis, whether it is of an integer type)."""
    if isinstance(axis, np.ndarray):
        return axis.ndim, axis.dtype.kind in "iu"
    tensor = convert_to_tensor(axis)
    return tensor.shape.rank, tensor.dtype in dtypes.INDEX


@export("concat")
@boundary
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Tensors joined along an axis.

    Args:
      values: a list of tensors of one type and, but for that axis, one shape.
      axis: the axis.
      name: the node's name.
    """
    try:
        if not isinstance(values, (list, tuple)):
            values = [values]
        if not values:
            raise ValueError("concat needs at least one tensor, got an empty list")
        axis = int(axis) if axis.__class__ is bool else axis  # True is 1 here, which `gather` refuses
        if axis.__class__ is int and abs(axis) >> 63:
            raise ValueError(f"The axis of concat is an out-of-range integer: {axis}")
        constant = axis if axis.__class__ is int else constant_of(axis)
        rank, integral = (0, True) if axis.__class__ is int else _axis_kind(axis if constant is None else constant)
        if not integral:  # TensorFlow converts the axis of a single tensor itself, and leaves that of several to the op
            wrong = ValueError if len(values) == 1 and hasattr(axis, "dtype") else TypeError
            raise wrong(f"The axis of concat must be int32 or int64, got {repr_of(axis)}: axis must be an int")
        if rank:
            raise ValueError(f"Shape must be rank 0 but is rank {rank}: the axis is a scalar, got {repr_of(axis)}")
        if len(values) == 1:
            return array.identity(values[0], name=name)
        if constant is None:
            return along_any(axis, values, lambda *parts: [concat(parts, 0)], name)[0]
        return _concat(list(values), static_int(axis, "The axis of concat"), name=name)
    except Exception as error:
        leave(error)
        raise


# ---------------------------------------------------------------- splitting


def _split_axis(dims: Dims, axis: int) -> tuple[int, Any]:
    assert dims is not None
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"split axis = {axis} must be in the range [{-len(dims)}, {len(dims)})")
    return axis % len(dims), dims[axis]


def _split_infer(s: Shapes) -> list[Dims]:
    dims, num = s.dims[0], s.attrs["num"]
    if dims is None:
        return [None] * num
    at, size = _split_axis(dims, s.attrs["axis"])
    if size is not None and size % num:
        raise _uneven(num, size, at)
    part = None if size is None else size // num
    return [(*dims[:at], part, *dims[at + 1 :])] * num


def _uneven(num: int, size: int, axis: int) -> ValueError:
    return ValueError(
        f"Dimension size must be evenly divisible by {num} but is {size}: the number of ways to split should evenly "
        f"divide the split dimension, axis {axis}"
    )


def _split_vjp(op, *dys):
    return concat(shaping.with_zeros(dys, op.outputs), op.attrs["axis"])


@op("Split", "value:T -> *T", infer=_split_infer, vjp=_split_vjp, lower=LoweringHints(aliases=True))
def _split(xp, value, *, num, axis=0):
    """Equal parts of a tensor along an axis."""
    shape = value.shape
    at, size = _split_axis(shape, axis)
    part, rest = divmod(size, num)
    if rest:
        raise _uneven(num, size, axis)
    if not at:
        return [value[k : k + part] for k in range(0, size, part)] if part else [value] * num
    if xp is np and 0 < value.size < TUNING.blocked_elements:
        inner = shape[at + 1 :]
        run = part * math.prod(inner) if inner else part
        rows = value.size // (run * num)
        if rows > 1 and run * value.itemsize <= TUNING.split_run_bytes:
            # Each part is copied into one piece: a reader of a view would take each short run by itself.
            parts = value.reshape(rows, num, run).swapaxes(0, 1).copy()
            return list(parts if len(shape) == 2 else parts.reshape(num, *shape[:at], part, *inner))
    before = (slice(None),) * at
    return [value[(*before, slice(k * part, (k + 1) * part))] for k in range(num)]


def _split_v_infer(s: Shapes) -> list[Dims]:
    dims, num, sizes = s.dims[0], s.attrs["num"], s.value(1)
    if sizes is not None:
        _check_part_count(np.size(sizes), num)
    if dims is None:
        return [None] * num
    at = _split_axis(dims, s.attrs["axis"])[0]
    parts = [None] * num if sizes is None else _part_sizes(sizes, dims[at])
    return [(*dims[:at], p, *dims[at + 1 :]) for p in parts]


def _check_part_count(sizes: int, num: int) -> None:
    if sizes != num:
        raise ValueError(f"size_splits has {sizes} sizes, but the split makes {num} parts")


def _part_sizes(sizes: Any, total: int | None) -> list[int | None]:
    parts: list[int | None] = [int(p) for p in np.asarray(sizes).reshape(-1)]
    covered = sum(p for p in parts if p is not None and p >= 0)
    at = next((i for i, p in enumerate(parts) if p is not None and (p < -1 or -1 in parts[:i] and p < 0)), None)
    if at is not None:
        raise ValueError(f"Split size at index {at} must be >= 0. Got: {parts[at]}; only one may be -1, the rest")
    if total is None:
        return [None if p == -1 else p for p in parts]
    if covered != total if -1 not in parts else covered > total:
        raise ValueError(f"can't split axis of size {total} into pieces of size {parts}: they must add up to it")
    return [total - covered if p == -1 else p for p in parts]


@op(
    "SplitV",
    "value:T, size_splits:Index -> *T",
    types={"Index": dtypes.EXACT_INDEX},
    static=("size_splits",),
    infer=_split_v_infer,
    vjp=lambda op, *dys: (_split_vjp(op, *dys), None),
    lower=LoweringHints(aliases=True),
)
def _split_v(xp, value, size_splits, *, num, axis=0):
    """Parts of given sizes of a tensor along an axis."""
    sizes = _part_sizes(size_splits, _split_axis(np.shape(value), axis)[1])
    _check_part_count(len(sizes), num)
    return list(xp.split(value, np.cumsum(sizes[:-1], dtype=np.int64).tolist(), axis=axis))


def _part_count(op_type: str, count: int) -> int:
    if count < 1:
        refuse_number(op_type, "num_split", count, 1, context.executing_eagerly())
    if count > _MOST_PARTS:
        raise ValueError(f"Number of outputs is too big: {count}")
    return count


@export("split")
@boundary
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Parts of `value` along an axis, as a list.

    Args:
      value: the tensor.
      num_or_size_splits: the number of equal parts, or a vector of sizes (one may be -1: the rest).
      axis: the axis.
      num: number of parts, if `num_or_size_splits` is a tensor of unknown length.
      name: the node's name.

    Raises:
      TypeError: if `num` is no integer.
      ValueError: if the number of parts is not known or below 1, or the sizes do not fit.
    """
    try:
        if axis.__class__ is not int and constant_of(axis) is None:
            return along_any(axis, [value], lambda x: split(x, num_or_size_splits, 0, num), name)
        at = static_int(int(axis) if axis.__class__ is bool else axis, "The axis of split")
        is_count = num_or_size_splits.__class__ is int
        constant = None if is_count else constant_of(num_or_size_splits)
        if is_count or (constant is not None and constant.ndim == 0):
            number = int(num_or_size_splits) if num_or_size_splits.__class__ is bool else num_or_size_splits
            count = _part_count("Split", static_int(number, "The number of splits"))
            return _split(value, count, at, name=name)
        sizes = convert_to_tensor(num_or_size_splits)
        if sizes.shape.rank == 0:
            raise ValueError(
                f"The number of splits must be known while the graph is built, got {repr_of(num_or_size_splits)}"
            )
        if num is None:
            if sizes.shape.rank is None or dimension_value(sizes.shape[0]) is None:
                raise ValueError(f"Cannot infer argument `num` from shape {sizes.shape}: `num` must be specified")
            num = dimension_value(sizes.shape[0])
        else:
            num = _part_count("SplitV", whole(num, "num_split"))
        return _split_v(value, sizes if num == 0 else num_or_size_splits, num, at, name=name)
    except Exception as error:
        leave(error)
        raise
