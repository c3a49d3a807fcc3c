"""`IndexedSlices`: some rows of a larger tensor, as updates of a variable name them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay.core.emit import convert_to_tensor, emit
from inlay.core.opdef import OPS
from inlay.types import dtypes, shapes
from inlay.types.nest import Composite


class IndexedSlices(Composite):
    """Rows of a tensor and where they stand in it.

    Args:
      values: the rows.
      indices: their positions along the first axis; a position may repeat, and then rows add up.
      dense_shape: the shape of the whole tensor; needed to turn this into a tensor.
    """

    __slots__ = ("_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values, self._indices = convert_to_tensor(values), convert_to_tensor(indices)
        self._dense_shape = None if dense_shape is None else convert_to_tensor(dense_shape)

    values = property(lambda self: self._values, doc="The rows.")
    indices = property(lambda self: self._indices, doc="Their positions.")
    dense_shape = property(lambda self: self._dense_shape, doc="The shape of the whole, or None.")
    dtype = property(lambda self: self._values.dtype, doc="The rows' type.")

    @property
    def shape(self) -> shapes.TensorShape:
        """What is known of the whole tensor's shape."""
        if self._dense_shape is None:
            return shapes.TensorShape([None]).concatenate(self._values.shape[1:])
        known = getattr(self._dense_shape, "_value", None)
        return shapes.UNKNOWN if known is None else shapes.TensorShape(known)

    def _components(self) -> Sequence[Any]:
        parts = [self._values, self._indices]
        return parts if self._dense_shape is None else [*parts, self._dense_shape]

    def _rebuild(self, components: Sequence[Any]) -> IndexedSlices:
        return IndexedSlices(*components)

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for which no dense_shape was given: pass dense_shape."
            )
        shape = emit(OPS["Cast"], (self._dense_shape,), {"dtype": dtypes.int32})
        attrs = {"axis": 0, "batch_dims": 0}
        return emit(OPS["GatherGrad"], (shape, self._indices, self._values), attrs, name)

    def __repr__(self) -> str:
        return f"IndexedSlices(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"
