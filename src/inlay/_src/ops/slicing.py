"""`slice` and `pad`: each is the gradient of the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.tracebacks import boundary, leave
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.dtypes import NUMBERS
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.attributes import text
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.hints import LoweringHints
from inlay._src.core.opdef import MOST_SIZES, Shapes, partial_shape_value
from inlay._src.core.signature import OneOf
from inlay._src.core.tensor import Tensor
from inlay._src.ops import array, math
from inlay._src.ops.array import shape
from inlay._src.ops.gathering import added_at
from inlay._src.ops.reductions import reduce_sum
from inlay._src.ops.shaping import numbers_of
from inlay._src.ops.stacking import stack

# ---------------------------------------------------------------- slice


def _cut_infer(s: Shapes) -> list[Dims]:
    dims, begin, size = s.dims[0], s.value(1), s.partial_value(2)
    for vector_dims in s.dims[1:]:
        if vector_dims is not None and len(vector_dims) != 1:
            raise ValueError(f"Shape must be rank 1 but is rank {len(vector_dims)}: begin and size are vectors")
    shapes.merge(*s.dims[1:])
    if dims is None:
        return [size if size is not None or begin is None else (None,) * begin.size]
    if size is None:
        return [(None,) * len(dims)]
    if len(size) != len(dims):
        raise ValueError(f"slice needs one size per axis: {len(size)} for a tensor of rank {len(dims)}")
    if s.value(2) is None:
        return [size]
    starts: Any = [None] * len(dims) if begin is None else begin.reshape(-1).tolist()
    rest = [None if d is None or b is None else d - b for d, b in zip(dims, starts, strict=True)]
    out = tuple(r if n is None else n for n, r in zip(size, rest, strict=True))
    for axis, (n, r) in enumerate(zip(out, rest, strict=True)):
        if n is not None and r is not None and (n > r or r < 0):
            raise ValueError(f"slice of {n} from {starts[axis]} leaves axis {axis} of size {dims[axis]}")
    return [out]


def _cut_vjp(op, dy):
    x, begin, _ = op.inputs
    before = math.cast(convert_to_tensor(begin), dtypes.int32)
    after = math.subtract(math.subtract(shape(x), before), shape(dy))
    return pad(dy, stack([before, after], axis=1)), None, None


@op(
    "Slice",
    "input:T, begin:Index, size:Index -> T",
    types={"Index": dtypes.EXACT_INDEX},
    static=("begin", "size"),
    infer=_cut_infer,
    vjp=_cut_vjp,
    lower=LoweringHints(aliases=True),
)
@export("slice")
def slice_(xp, input_, begin, size):
    """A box of a tensor.

    Args:
      input_: the tensor.
      begin: the first index per axis.
      size: the size per axis; -1 is all the rest.
    """
    (starts, first), (sizes, second) = numbers_of(begin), numbers_of(size)
    dims = np.shape(input_)
    if not first == second == (len(dims),):
        raise ValueError(
            f"Expected begin and size arguments to be 1-D tensors of size {len(dims)}, but got shapes "
            f"{list(first)} and {list(second)} instead"
        )
    index = []
    for axis, (b, n, d) in enumerate(zip(starts, sizes, dims, strict=True)):
        if not 0 <= b <= d:
            raise ValueError(f"Expected begin[{axis}] in [0, {d}], but got {b}")
        if n < -1 or b + n > d:
            raise ValueError(f"Expected size[{axis}] in [0, {d - b}], but got {n}")
        index.append(slice(b, d if n == -1 else b + n))
    out = input_[tuple(index)]
    return out if np.ndim(input_) else input_


# ---------------------------------------------------------------- padding


def _pairs(paddings: Any, rank: int) -> list[tuple[int, int]]:
    if paddings.__class__ is list and len(paddings) == rank and all(map(_is_pair, paddings)):
        return [(a, b) for a, b in paddings]
    flat = np.asarray(paddings)
    if flat.shape != (rank, 2) and not (flat.size == 0 and rank == 0):
        if flat.ndim != 2 or flat.shape[1] != 2:
            raise ValueError(f"paddings must be a matrix with 2 columns: got shape {list(flat.shape)}")
        raise ValueError(f"The first dimension of paddings must be the rank of inputs: got {len(flat)} for rank {rank}")
    if (flat < 0).any():
        raise ValueError(f"Paddings must be non-negative, got {flat.tolist()}")
    return [(int(a), int(b)) for a, b in flat.reshape(-1, 2)]


def _is_pair(margins: Any) -> bool:
    """Whether it is a list of two whole numbers that are not negative."""
    if (margins.__class__ is not list and margins.__class__ is not tuple) or len(margins) != 2:
        return False
    before, after = margins
    return before.__class__ is int and after.__class__ is int and before >= 0 and after >= 0


def _pad_infer(s: Shapes) -> list[Dims]:
    dims, rows, paddings = s.dims[0], s.dims[1], s.value(1)
    if rows is not None and len(rows) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(rows)}")
    if rows is not None and rows[1] not in (2, None):
        raise ValueError(f"paddings must be a matrix with 2 columns: got shape {list(rows)}")
    if dims is None:
        return [None if rows is None or rows[0] is None or rows[0] > MOST_SIZES else (None,) * rows[0]]
    if paddings is None:
        margins: Any = partial_shape_value(s.inputs[1], 2 * len(dims))
        sums = zip(dims, margins[::2], margins[1::2], strict=True)
        return [tuple(None if None in terms else sum(terms) for terms in sums)]  # type: ignore[arg-type]
    return [
        tuple(None if d is None else a + d + b for d, (a, b) in zip(dims, _pairs(paddings, len(dims)), strict=True))
    ]


def _inside(dy: Any, x: Any, paddings: Any) -> Any:
    begin = math.cast(convert_to_tensor(paddings), dtypes.int32)[:, 0]
    return slice_(dy, begin, array.shape(x))


def _padded(xp: Any, x: Any, paddings: Any, value: Any) -> Any:
    """`x` with a value around it, for NumPy's arrays zeros if that is None."""
    pairs = _pairs(paddings, x.ndim)
    if xp is not np:
        return xp.pad(x, pairs, constant_values=value) if pairs else x
    sizes = [a + n + b for n, (a, b) in zip(x.shape, pairs, strict=True)]
    if value is None:
        out = np.zeros(sizes, x.dtype)
    else:
        out = np.empty(sizes, x.dtype)
        out.fill(value[()] if isinstance(value, np.ndarray) else value)
    out[tuple([slice(a, a + n) for n, (a, _) in zip(x.shape, pairs, strict=True)])] = x
    return out


@op(
    "Pad",
    "input:T, paddings:Index -> T",
    static=("paddings",),
    infer=_pad_infer,
    vjp=lambda op, dy: (_inside(dy, op.inputs[0], op.inputs[1]), None),
)
def _pad(xp, input, paddings):
    """The tensor with zeros around it."""
    return _padded(xp, input, paddings, b"" if input.dtype == object else None if xp is np else input.dtype.type(0))


def _pad_v2_vjp(op, dy):
    inside = _inside(dy, op.inputs[0], op.inputs[1])
    return inside, None, math.subtract(reduce_sum(dy), reduce_sum(inside))


@op("PadV2", "input:T, paddings:Index, constant_values:T -> T", static=("paddings",), infer=_pad_infer, vjp=_pad_v2_vjp)
def _pad_v2(xp, input, paddings, constant_values):
    """The tensor with a value around it."""
    if np.ndim(constant_values):
        raise ValueError(f"constant_values must be a scalar. Found: {list(np.shape(constant_values))}")
    return _padded(xp, input, paddings, constant_values)


def _mirror(n: int, before: int, after: int, mode: str) -> np.ndarray:
    """The source index of each element of a mirrored axis; `mode` is "REFLECT" or "SYMMETRIC"."""
    limit = n - 1 if mode == "REFLECT" else n
    if before > limit or after > limit:
        raise ValueError(
            f"paddings must be no greater than the dimension size{' minus 1' if mode == 'REFLECT' else ''}: "
            f"{before}, {after} greater than {limit}"
        )
    return np.pad(np.arange(n), (before, after), mode=mode.lower())  # type: ignore[call-overload, no-any-return]


_MIRRORS = {"mode": OneOf(("REFLECT", "SYMMETRIC"))}


@op(
    "MirrorPad",
    "input:T, paddings:Index -> T",
    static=("paddings",),
    infer=_pad_infer,
    attrs=_MIRRORS,
    vjp=lambda op, dy: (_mirror_grad(array.shape(op.inputs[0]), dy, op.inputs[1], mode=op.attrs["mode"]), None),
)
def _mirror_pad(xp, input, paddings, *, mode: str):
    """The tensor continued by its mirror image."""
    out = input
    for axis, (a, b) in enumerate(_pairs(paddings, np.ndim(input))):
        if a or b:
            out = xp.take(out, _mirror(np.shape(input)[axis], a, b, mode), axis=axis)
    return out


@op(
    "MirrorPadGrad",
    "shape:int32, dy:T, paddings:Index -> T",
    types=NUMBERS,
    static=("shape", "paddings"),
    infer=lambda s: [s.partial_value(0)],
    attrs=_MIRRORS,
    vjp=lambda op, ddx: (None, _mirror_pad(ddx, op.inputs[2], mode=op.attrs["mode"]), None),
)
def _mirror_grad(xp, shape, dy, paddings, *, mode: str):
    """The gradient of a mirrored margin, added to the elements that it mirrors."""
    sizes = np.asarray(shape).tolist()
    for axis, (a, b) in enumerate(_pairs(paddings, np.ndim(dy))):
        if sizes[axis] < 0 or sizes[axis] + a + b != np.shape(dy)[axis]:
            raise ValueError(f"paddings {a} and {b} do not fit axis {axis}, which has {np.shape(dy)[axis]} elements")
        if a or b:
            full = (*np.shape(dy)[:axis], sizes[axis], *np.shape(dy)[axis + 1 :])
            dy = added_at(xp, full, (slice(None),) * axis + (_mirror(sizes[axis], a, b, mode),), dy)
    return dy


@export("pad")
@boundary
def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """The tensor with a margin.

    Args:
      tensor: the tensor.
      paddings: a matrix: number of elements before and after, per axis.
      mode: "CONSTANT", "REFLECT" (the edge is not repeated) or "SYMMETRIC" (it is).
      constant_values: the margin's value for "CONSTANT".
      name: the node's name.
    """
    try:
        kind = text(mode, "mode").upper()
        if kind == "CONSTANT":
            if isinstance(constant_values, (int, float, bool)) and constant_values == 0:
                return _pad(tensor, paddings, name=name)
            return _pad_v2(tensor, paddings, constant_values, name=name)
        if kind not in ("REFLECT", "SYMMETRIC"):
            raise ValueError(
                'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
                f"Received `mode` = {kind}"
            )
        return _mirror_pad(tensor, paddings, mode=kind, name=name)
    except Exception as error:
        leave(error)
        raise
