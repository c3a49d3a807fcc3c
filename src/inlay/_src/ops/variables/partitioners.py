"""Partitioners of 1.x: functions that say into how many parts a variable is cut."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, shapes
from inlay._src.ops.variables.partitioned import checked_counts
from inlay._src.ops.variables.scope import get_variable, variable_scope
from inlay._src.ops.variables.variable import Variable

Partitioner = Callable[..., list[int]]


def _along(axis: int, count: Callable[[list[int], int], int], string_bytes: int = 0) -> Partitioner:
    """A partitioner of one axis; `count` gets the shape and the bytes of an element."""

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        whole, kind = shapes.as_shape(shape), dtypes.as_dtype(dtype)
        if not whole.is_fully_defined():
            raise ValueError(f"Shape is not fully defined: {whole}")
        if whole.rank is None or axis >= whole.rank:
            raise ValueError(f"Cannot partition along axis {axis} when shape is only {whole}")
        sizes: list[int] = whole.as_list()  # type: ignore[assignment]
        counts = [1] * len(sizes)
        counts[axis] = count(sizes, string_bytes if kind is dtypes.string else kind.size)
        return counts

    return partitioner


@export("fixed_size_partitioner")
def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """A partitioner that cuts `axis` into at most `num_shards` parts."""
    return _along(axis, lambda sizes, _: min(num_shards, sizes[axis]))


@export("variable_axis_size_partitioner")
def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Partitioner:
    """A partitioner that cuts `axis` into parts of at most `max_shard_bytes` bytes.

    Args:
      max_shard_bytes: the limit; a slice that is larger is a part of its own.
      axis: the dimension that is cut.
      bytes_per_string_element: the unit of a string.
      max_shards: the most parts.

    Raises:
      ValueError: if a number is less than 1.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError("max_shard_bytes and bytes_per_string_element must be positive")
    if max_shards is not None and max_shards < 1:
        raise ValueError(f"max_shards must be positive, got {max_shards}")

    def count(sizes: list[int], element: int) -> int:
        a_slice = element * math.prod(sizes) // max(sizes[axis], 1)
        shards = math.ceil(sizes[axis] / max(1, max_shard_bytes // max(a_slice, 1)))
        return max(1, shards if max_shards is None else min(max_shards, shards))

    return _along(axis, count, bytes_per_string_element)


@export("min_max_variable_partitioner")
def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Partitioner:
    """A partitioner that cuts `axis` into parts of at least `min_slice_size` bytes.

    Args:
      max_partitions: the most parts.
      axis: the dimension that is cut.
      min_slice_size: the fewest bytes of a part.
      bytes_per_string_element: the unit of a string.

    Raises:
      ValueError: if a number is less than 1, or `axis` negative.
    """
    if axis < 0 or max_partitions < 1 or min_slice_size < 1:
        raise ValueError("axis must not be negative, max_partitions and min_slice_size must be positive")

    def count(sizes: list[int], element: int) -> int:
        fit = math.ceil(element * math.prod(sizes) / min_slice_size)
        return max(1, min(sizes[axis], max_partitions, fit))

    return _along(axis, count, bytes_per_string_element)


@export("create_partitioned_variables")
def create_partitioned_variables(
    shape: Any,
    slicing: Sequence[int],
    initializer: Any,
    dtype: Any = dtypes.float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Variable]:
    """The variables that are the parts of one.

    Args:
      shape: the whole's shape.
      slicing: the number of parts along each dimension; more than 1 along at most one.
      initializer: an initializer, a function of the shape of a part, or the first value of the whole.
      dtype: the type; that of `initializer` if it is a tensor.
      trainable, collections: as for `get_variable`.
      name: names the whole; "PartitionedVariable" by default, made unique.
      reuse: as for `variable_scope`.

    Returns:
      The parts.

    Raises:
      ValueError: if the shape cannot be cut so.
    """
    counts = checked_counts([int(c) for c in slicing], shapes.as_shape(shape).as_list())  # type: ignore[arg-type]
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        whole: Any = get_variable(
            "",
            shape=shape if callable(initializer) else None,
            dtype=dtype if callable(initializer) else getattr(initializer, "dtype", None),
            initializer=initializer,
            trainable=trainable,
            partitioner=lambda **_: counts,
            collections=collections,
        )
    return list(whole)
