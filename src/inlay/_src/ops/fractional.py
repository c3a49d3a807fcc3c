"""Fractional pooling: windows of two sizes, whose order is drawn at random."""

from __future__ import annotations

import math as pymath
from typing import Any

from inlay._src.base import errors
from inlay._src.base.export import export
from inlay._src.base.parameters import described
from inlay._src.base.types import dtypes
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import (
    array,
    cumulative,
    division,
    einsum,
    gathering,
    joining,
    math,
    random,
    ranges,
    reductions,
    sorting,
)


def _drawn(shape: Any, seed: int) -> Any:
    """Numbers between 0 and 1: with a seed the same at every run."""
    if not seed:
        return random.uniform(shape, dtype=dtypes.float64)
    return random.stateless_uniform(shape, [seed, seed], dtype=dtypes.float64)


def _sequence(size: Any, ratio: float, pseudo_random: bool, seed: int) -> Any:
    """Where the windows along a side begin, and where the last one ends: int64, one more than there are windows."""
    count = math.cast(math.floor(math.cast(size, dtypes.float64) / ratio), dtypes.int64)
    size = math.cast(size, dtypes.int64)
    if pseudo_random:
        width = math.cast(size, dtypes.float64) / math.cast(count, dtypes.float64)
        ends = math.ceil(width * (math.cast(ranges.range_(count + 1), dtypes.float64) + _drawn([], seed)))
        return math.cast(ends - ends[0], dtypes.int64)
    least = division.floordiv(size, count)
    larger = math.cast(sorting.argsort(_drawn(array.expand_dims(count, 0), seed)), dtypes.int64) < size - least * count
    return joining.concat([[0], cumulative.cumsum(least + math.cast(larger, dtypes.int64))], 0)


def _windows(value: Any, pooling_ratio: Any, pseudo_random: bool, seed: int) -> tuple[Any, list[Any], list[Any]]:
    """(the images, where the windows of rows and columns begin, their number where it is known)."""
    ratios = [float(r) for r in (pooling_ratio if isinstance(pooling_ratio, (list, tuple)) else [pooling_ratio])]
    ratios = {1: [1.0, ratios[0], ratios[0], 1.0], 2: [1.0, *ratios, 1.0]}.get(len(ratios), ratios)
    if len(ratios) != 4:
        raise ValueError(f"`pooling_ratio` should have 1, 2 or 4 numbers, got {pooling_ratio!r}")
    if any(r < 1 for r in ratios):
        raise ValueError(f"pooling_ratio cannot be smaller than 1, got: {ratios}")
    if ratios[0] != 1 or ratios[3] != 1:
        raise errors.UnimplementedError(
            None, None, "Fractional pooling is not yet supported on the batch nor channel dimension."
        )
    value = convert_to_tensor(value)
    dims, sizes = value.shape.with_rank(4).as_list(), array.shape(value)
    for axis in (1, 2):
        if dims[axis] is not None and ratios[axis] > dims[axis]:
            raise errors.InvalidArgumentError(
                None, None, f"Pooling ratio is higher than input dimension size for dimension {axis}."
            )
    sequences = [_sequence(sizes[axis], ratios[axis], pseudo_random, seed) for axis in (1, 2)]
    counts = [None if dims[axis] is None else pymath.floor(dims[axis] / ratios[axis]) for axis in (1, 2)]
    return value, sequences, counts


def _members(sequence: Any, size: Any, overlapping: bool) -> tuple[Any, Any]:
    """(the first place of each window, the place after its last one)."""
    ends = sequence[1:] + 1 if overlapping else sequence[1:]
    return sequence[:-1], math.minimum(ends, math.cast(size, dtypes.int64))


def _shaped(result: Any, value: Any, counts: list[Any]) -> Any:
    dims = value.shape.as_list()
    result.set_shape([dims[0], *counts, dims[3]])
    return result


@export("nn.fractional_avg_pool")
def fractional_avg_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Any, Any, Any]:
    """The means of windows of two sizes, whose order is drawn at random, so that sides shrink by any ratio.

    Args:
      value: images, [batch, rows, columns, channels].
      pooling_ratio: by how much rows and columns shrink: one number, two, or four of which the outer are 1.
      pseudo_random: whether windows of the two sizes are spread evenly.
      overlapping: whether a window has the first row and column of the next one too.
      seed: a number that makes the choice repeatable; 0 for none.
      name: names the result.

    Returns:
      (the means, where rows are parted, where columns are parted); the latter are int64 vectors.

    Raises:
      ValueError: if a ratio is less than 1.
      InvalidArgumentError: if one is more than the side.
      UnimplementedError: for a ratio of the batch or the channels.
    """
    value, sequences, counts = _windows(value, pooling_ratio, pseudo_random, seed)
    sizes = array.shape(value)
    x = value if value.dtype.is_floating else math.cast(value, dtypes.float64)
    parts = []
    for axis, sequence in zip((1, 2), sequences, strict=True):
        first, end = (array.expand_dims(t, 1) for t in _members(sequence, sizes[axis], overlapping))
        places = math.cast(ranges.range_(sizes[axis]), dtypes.int64)
        inside = math.cast(math.logical_and(places >= first, places < end), x.dtype)
        parts.append(inside / math.cast(end - first, x.dtype))
    mean = einsum.einsum("bijc,ri,sj->brsc", x, *parts)
    return _shaped(math.cast(mean, value.dtype, name=name), value, counts), *sequences  # type: ignore[return-value]


@export("nn.fractional_max_pool")
@described(fractional_avg_pool.__doc__)
def fractional_max_pool(
    value: Any,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> tuple[Any, Any, Any]:
    """The greatest numbers of windows of two sizes, whose order is drawn at random.

    Returns:
      (the greatest numbers, where rows are parted, where columns are parted); the latter are int64 vectors.
    """
    value, sequences, counts = _windows(value, pooling_ratio, pseudo_random, seed)
    pooled, sizes = value, array.shape(value)
    for axis, sequence in zip((1, 2), sequences, strict=True):
        first, end = _members(sequence, sizes[axis], overlapping)
        steps = ranges.range_(reductions.reduce_max(end - first))
        places = math.minimum(array.expand_dims(first, 1) + steps, array.expand_dims(end - 1, 1))
        pooled = reductions.reduce_max(gathering.gather(pooled, places, axis=axis), [axis + 1])
    return _shaped(array.identity(pooled, name=name), value, counts), *sequences  # type: ignore[return-value]
