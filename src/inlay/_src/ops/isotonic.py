"""Isotonic regression: the monotone sequence that is nearest to one."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.types import dtypes
from inlay._src.base.types.shapes import Dims
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import Shapes
from inlay._src.ops import array, gathering, math, ranges, rearranging, segments

_INPUTS = frozenset(
    {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int8, dtypes.int16, dtypes.int32}
    | {dtypes.int64}
)
_PRECISE = {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}


def _pooled(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest sequence that does not rise, and the number of the block that each element is in.

    Adjacent violators are pooled: blocks are on a stack with their sums, and two become one where the later mean is
    the greater.
    """
    sums: list[float] = []
    sizes: list[int] = []
    for value in row.tolist():
        total, size = value, 1
        while sums and total * sizes[-1] > sums[-1] * size:
            total, size = total + sums.pop(), size + sizes.pop()
        sums.append(total)
        sizes.append(size)
    numbers = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return np.divide(sums, sizes)[numbers] if sizes else np.zeros(0), numbers


def _infer(s: Shapes) -> list[Dims]:
    return [s.dims[0], s.dims[0]]


def _vjp(op, dy, _):
    """The mean of the gradient over each block."""
    blocks = op.outputs[1]
    width = array.shape(blocks)[-1]
    rows = array.reshape(blocks, [-1, width])
    lead = array.shape(rows)[0]
    ids = array.reshape(rows + array.expand_dims(ranges.range_(lead), 1) * width, [-1])
    mean = segments.unsorted_segment_mean(array.reshape(dy, [-1]), ids, lead * width)
    back = array.reshape(gathering.gather(mean, ids), array.shape(blocks))
    return (math.cast(back, op.inputs[0].dtype),)


@op(
    "IsotonicRegression",
    "input:T -> output_dtype, int32",
    types=_INPUTS,
    infer=_infer,
    vjp=_vjp,
)
def _regression(xp, input, *, output_dtype=dtypes.float32):
    """The nearest sequences that do not rise, along the last axis, and the number of the block of each element."""
    rows = np.asarray(input)
    width = rows.shape[-1] if rows.ndim else 1
    flat = rows.astype(np.float64).reshape(rows.size // max(width, 1), width)
    fits = [_pooled(row) for row in flat]
    values = np.array([value for value, _ in fits], np.float64).reshape(rows.shape)
    numbers = np.array([number for _, number in fits], np.int32).reshape(rows.shape)
    return values.astype(output_dtype.np), numbers


@export("nn.isotonic_regression")
def isotonic_regression(inputs: Any, decreasing: bool = True, axis: Any = -1) -> tuple[Any, Any]:
    """The monotone sequences that are nearest to those along an axis, by the sum of squares.

    Args:
      inputs: real numbers.
      decreasing: whether sequences must not rise, rather than not fall.
      axis: along which the sequences lie.

    Returns:
      `(output, segments)`: the sequences, floating (float32 for 8- and 16-bit integers, float64 for others), and
      int32 numbers, from 0 along the axis, of the stretches over which a mean was taken. The gradient of `output` is
      the mean over each stretch.

    Raises:
      InvalidArgumentError: for an axis that the inputs do not have, and for other types.
    """
    values = convert_to_tensor(inputs)
    kind = values.dtype
    wide = kind if kind in _PRECISE else dtypes.float32 if kind.size < 4 else dtypes.float64
    rank = values.shape.rank
    if rank is not None and rank > 0 and not -rank <= axis < rank:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. "
            f"Received: dim={axis}",
        )
    last = rank in (None, 0) or axis in (-1, rank - 1)  # type: ignore[operator]
    if not last:
        order = list(range(rank))  # type: ignore[arg-type]
        order[axis], order[-1] = order[-1], order[axis]
        values = rearranging.transpose(values, order)
    if not decreasing:
        values = math.negative(values)
    output, numbers = _regression(values, output_dtype=wide)
    if not decreasing:
        output = math.negative(output)
    if not last:
        output, numbers = rearranging.transpose(output, order), rearranging.transpose(numbers, order)
    return output, numbers
