"""Static information on a `StructuredTensor`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from inlay._src.base.types.shapes import TensorShape
from inlay._src.ops.composite.dynamic_ragged_shape import DynamicRaggedShape


class StructuredSpec:
    """The specs of the fields of a `StructuredTensor`, by name, and that of its shape."""

    value_type: ClassVar[Any]
    _fields: Mapping[str, Any]
    _ragged_shape: Any

    @classmethod
    def _from_fields_and_rank(cls, fields: Mapping[str, Any], rank: int) -> Any:
        """The spec of records, whose fields tell the shape of the whole.

        Raises:
          ValueError: if a field has fewer dimensions.
        """
        whole: Any = None
        for name, spec in fields.items():
            shape = spec._ragged_shape if isinstance(spec, cls) else DynamicRaggedShape.Spec._from_spec(spec)
            if shape.rank is not None and shape.rank < rank:
                raise ValueError(f"Rank of field {name} is {shape.rank}, but must be at least {rank}.")
            shape = shape._truncate(rank)
            whole = shape if whole is None else whole._merge_with(shape)
        return cls(_fields=fields, _ragged_shape=whole)  # type: ignore[call-arg]

    @classmethod
    def _from_shape(cls, shape: Any) -> Any:
        """The spec of records without fields."""
        return cls(_fields={}, _ragged_shape=shape)  # type: ignore[call-arg]

    @property
    def _field_specs(self) -> Mapping[str, Any]:
        """The specs of the fields by name."""
        return self._fields

    @property
    def _shape(self) -> TensorShape:
        """The partial shape of the whole."""
        return self._ragged_shape._to_tensor_shape()  # type: ignore[no-any-return]

    @property
    def shape(self) -> TensorShape:
        """The partial shape of the whole; ragged dimensions are None."""
        return self._shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions of the whole."""
        return self._ragged_shape.rank  # type: ignore[no-any-return]
