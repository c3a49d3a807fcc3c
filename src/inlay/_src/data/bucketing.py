"""Padded batches of elements of similar length: `bucket_by_sequence_length`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import export
from inlay._src.base.types import dtypes, nest
from inlay._src.base.types.shapes import TensorShape
from inlay._src.data.grouping import group_by_window
from inlay._src.data.node import Node
from inlay._src.data.pipeline import applied
from inlay._src.ops import array, asserting, math
from inlay._src.ops.control import control_dependencies
from inlay._src.ops.gathering import gather
from inlay._src.ops.reductions import reduce_min
from inlay._src.ops.stacking import stack


def bucket_by_sequence_length(
    source: Node,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
    name: str | None = None,
) -> Node:
    """Groups elements of similar length into padded batches.

    Args:
      element_length_func: takes an element; returns its length, an int32 scalar.
      bucket_boundaries: for each bucket but the last, the least length of the next bucket.
      bucket_batch_sizes: the batch size of each bucket, one more than there are boundaries.
      padded_shapes, padding_values: see `padded_batch`.
      pad_to_bucket_boundary: whether unknown sizes are padded to the boundary of the bucket minus 1 rather than to the
        longest element.
      no_padding: whether elements are stacked without padding.
      drop_remainder: whether to drop batches that are smaller.

    Raises:
      ValueError: if there is not one size more than boundaries.
      InvalidArgumentError: during iteration, if `pad_to_bucket_boundary` is set and the length of an element is not
        below the last boundary.
    """
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
            f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
        )
    limits = np.iinfo(np.int32)
    lowest = np.array([limits.min, *bucket_boundaries], np.int32)
    highest = np.array([*bucket_boundaries, limits.max], np.int32)
    sizes = np.array(bucket_batch_sizes, np.int64)
    spec = source.element.spec

    @functools.wraps(element_length_func)
    def bucket(*parts: Any) -> Any:
        length = math.cast(element_length_func(*parts), dtypes.int32)
        here = math.logical_and(math.less_equal(lowest, length), math.less(length, highest))
        return reduce_min(array.where(here)[:, 0])

    def stacked(at: Any, group: Any) -> Any:
        size = gather(sizes, at)
        if no_padding:
            return group.batch(size, drop_remainder=drop_remainder)
        shapes = padded_shapes
        if shapes is None:
            shapes = nest.map_structure(lambda s: s.shape, spec)
        if pad_to_bucket_boundary:
            message = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
            check = asserting.assert_less(at, np.int64(len(bucket_boundaries)), message=message)
            with control_dependencies([check]):
                edge = array.identity(gather(highest.astype(np.int64), at)) - 1
            flat = [_to_boundary(s, edge) for s in nest.flatten_up_to(spec, shapes)]
            shapes = nest.pack_sequence_as(spec, flat)
        return group.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

    return group_by_window(source, bucket, stacked, window_size_func=lambda at: gather(sizes, at))


applied_bucket_by_sequence_length: Any = export(
    "data.experimental.bucket_by_sequence_length", "contrib.data.bucket_by_sequence_length"
)(applied(bucket_by_sequence_length))


def _to_boundary(shape: Any, edge: Any) -> Any:
    """A padded shape whose unknown sizes are a number that the graph computes."""
    sizes = TensorShape(shape).as_list()
    if all(n not in (None, -1) for n in sizes):
        return sizes
    return stack([edge if n in (None, -1) else np.int64(n) for n in sizes])
