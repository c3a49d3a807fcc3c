"""Nodes of preprocessing layers: buckets, distinct elements along an axis, projected images."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.base.types import dtypes
from inlay._src.ops import array, gathering, math, rearranging, reductions, sorting
from inlay._src.ops.image_projection import projected
from inlay._src.ops.segments import unsorted_segment_sum
from inlay._src.programs.graph_def.composing import as_functions
from inlay._src.programs.graph_def.reading import READERS, NodeMessage


def _bucketized(node: NodeMessage) -> Any:
    """The number of boundaries that are not above each element."""
    (x,) = node.inputs
    boundaries = array.constant(np.asarray(node.attrs["boundaries"], np.float32).astype(np.float64))
    places = sorting.searchsorted(boundaries, array.reshape(math.cast(x, dtypes.float64), [-1]), "right")
    return array.reshape(places, array.shape(x))


def _distinct(node: NodeMessage) -> list[Any]:
    """The distinct elements along an axis, or of a vector, in order of first sight, and the number of each element."""
    x, axes = node.inputs[0], node.value(1, "axis").ravel().tolist()
    if len(axes) > 1:
        raise ValueError(f"axis: expected one number or none, got {axes}")
    if not axes:
        return list(sorting.unique(x, node.attrs["out_idx"]))
    if x.shape.rank is None:
        raise ValueError("the rank of its input is not known while the graph is built")
    if not -x.shape.rank <= axes[0] < x.shape.rank:
        raise ValueError(f"axis has to be between [{-x.shape.rank}, {x.shape.rank}), got {axes[0]}")
    axis = axes[0] % x.shape.rank
    order = [axis, *(i for i in range(x.shape.rank) if i != axis)]
    sizes = gathering.gather(array.shape(x), order)
    rows = array.reshape(rearranging.transpose(x, order), [sizes[0], reductions.reduce_prod(sizes[1:])])
    first, number = sorting.first_rows(rows)
    return [gathering.gather(x, first, axis=axis), math.cast(number, node.attrs["out_idx"])]


def _counted(node: NodeMessage) -> list[Any]:
    """As `_distinct`, and how often each distinct element occurs."""
    distinct, number = _distinct(node)
    axes = node.value(1, "axis").ravel().tolist()
    count = array.shape(distinct)[axes[0] if axes else 0]
    return [distinct, number, unsorted_segment_sum(array.ones_like(number), number, count)]


def _projected(node: NodeMessage) -> Any:
    """Images seen through transforms; the second version has no value outside of them."""
    images, transforms, output_shape, *fill = node.inputs
    sizes = transforms.shape.as_list() if transforms.shape.rank == 2 else [None, None]
    if (
        transforms.shape.rank not in (None, 2)
        or sizes[1] not in (None, 8)
        or sizes[0] not in (None, 1, images.shape[0])
    ):
        raise ValueError(
            f"Input transform should be num_images x 8 or 1 x 8, got {transforms.shape} for {images.shape}"
        )
    fill_value = fill[0] if fill else array.constant(0.0)
    return projected(images, transforms, output_shape, fill_value, node.attrs["interpolation"], node.attrs["fill_mode"])


READERS["Bucketize"] = as_functions(_bucketized)
READERS.update({"UniqueV2": as_functions(_distinct), "UniqueWithCountsV2": as_functions(_counted)})
READERS.update(dict.fromkeys(("ImageProjectiveTransformV2", "ImageProjectiveTransformV3"), as_functions(_projected)))
