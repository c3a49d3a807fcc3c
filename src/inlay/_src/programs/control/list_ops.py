"""Ops on lists that graphs of TensorFlow need and `TensorArray` does not: lists that grow and shrink at their end."""

from __future__ import annotations

from typing import Any

import numpy as np

from inlay._src.core.eager.declaration import op
from inlay._src.core.eager.emit import emit
from inlay._src.core.opdef import OPS, no_gradient, scalar
from inlay._src.programs.control.items import Items, index_of
from inlay._src.programs.control.tensor_array import TensorArray

DECLARED_BY = TensorArray
"""The class whose module declares the other ops on lists."""


def _resized_like(op: Any, dy: Any) -> Any:
    return emit(OPS["TensorListResize"], (dy, emit(OPS["TensorListLength"], (op.inputs[0],)))), None


@op("TensorListResize", "items:variant, size:int32 -> variant", infer=scalar, vjp=_resized_like)
def _resized(xp: Any, items: Items, size: Any) -> Items:
    """The list with another number of places: the last ones are left out, or new ones are empty."""
    count = index_of(size)
    if count < 0:
        raise ValueError(f"TensorListSlice expects size to be non-negative. Got: {count}")
    return items.shorter(count) if count < len(items) else items.longer(count)


@op("TensorListElementShape", "items:variant -> shape_type", infer=lambda s: [None], vjp=no_gradient)
def _element_shape(xp: Any, items: Items, *, shape_type: Any) -> Any:
    """The shape of the items; -1 if there is none."""
    written = next((item for item in items if item is not None), None)
    return np.array(-1 if written is None else np.shape(written), shape_type.np)


@op("TensorListItemLengths", "items:variant -> int64", infer=lambda s: [(None,)], vjp=no_gradient)
def item_lengths(xp: Any, items: Items) -> Any:
    """The first size of each item; 0 where nothing was written."""
    return np.array([0 if item is None else len(item) for item in items], np.int64)
