"""Sizes held by tensors, as far as they are known while a graph is built."""

from __future__ import annotations

from typing import Any

from inlay._src.base.types import shapes
from inlay._src.base.types.shapes import TensorShape
from inlay._src.core.graph import constant_of
from inlay._src.core.opdef import known_size, partial_shape_value
from inlay._src.core.tensor import SymbolicTensor


def static_size(tensor: Any) -> int | None:
    """A scalar tensor as a size; None for None, and for a value that is not known or negative.

    Args:
      tensor: a scalar of an integer type, or None.
    """
    if tensor is None:
        return None
    if isinstance(tensor, SymbolicTensor):
        return known_size(tensor)
    constant = constant_of(tensor)
    return None if constant is None else int(constant)


def static_shape(tensor: Any) -> TensorShape:
    """A vector of sizes as a partial shape.

    Args:
      tensor: a vector of an integer type.
    """
    constant = constant_of(tensor)
    if constant is not None:
        return TensorShape([None if size < 0 else size for size in constant.reshape(-1).tolist()])
    length = tensor.shape._dims
    size = length[0] if length is not None and len(length) == 1 else None
    if size is None or not isinstance(tensor, SymbolicTensor):
        return TensorShape(None if size is None else [None] * size)
    return shapes.from_dims(partial_shape_value(tensor, size))
