"""Encoders that stack values of extension types and unstack them into rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inlay._src.base.export import export
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.ops.composite import fields


@export("experimental.ExtensionTypeBatchEncoder")
class ExtensionTypeBatchEncoder:
    """The default encoder of a `BatchableExtensionType`: it treats each tensor, composite and TensorShape field alike.

    A class of its own, as `__batch_encoder__`, lets an extension type have rows in another form: `encode` gives the
    tensors of a value, which have as many rows as it has, and `decode` makes a value of them.
    """

    def batch(self, spec: Any, batch_size: int | None) -> TypeSpec:
        """The spec of a value whose rows are values of a spec.

        Args:
          spec: that of a row.
          batch_size: the number of rows, or None.
        """

        def batched(leaf: Any) -> Any:
            if isinstance(leaf, Composite):
                return leaf._batched_spec(batch_size)  # type: ignore[attr-defined]
            if isinstance(leaf, TensorShape):
                return TensorShape([batch_size]).concatenate(leaf)
            return TensorSpec(TensorShape([batch_size]).concatenate(leaf.shape), leaf.dtype)

        return spec._with([fields.mapped(field, batched, (TensorShape,)) for field in spec._field_values()])

    def unbatch(self, spec: Any) -> TypeSpec:
        """The spec of a row of a value of a spec.

        Args:
          spec: that of the whole.

        Raises:
          ValueError: if one of its tensors is a scalar.
        """

        def row(leaf: Any) -> Any:
            if isinstance(leaf, Composite):
                return leaf._row_spec()  # type: ignore[attr-defined]
            shape = leaf if isinstance(leaf, TensorShape) else leaf.shape
            if shape.rank == 0:
                raise ValueError(f"a value of {spec!r} has no rows: one of its fields is a scalar")
            inner = TensorShape(None) if shape.rank is None else shape[1:]
            return inner if isinstance(leaf, TensorShape) else TensorSpec(inner, leaf.dtype)

        return spec._with([fields.mapped(field, row, (TensorShape,)) for field in spec._field_values()])

    def encode(self, spec: Any, value: Any, minimum_rank: int = 0) -> Any:
        """A value as a nest of tensors and composites, each with its rows.

        Args:
          spec: the value's.
          value: a value of the extension type.
          minimum_rank: 1 if it should be taken apart.
        """
        return [leaf for field in value._field_values() for leaf in fields.leaves(field)]

    def decode(self, spec: Any, encoded_value: Any) -> Any:
        """The value that was encoded.

        Args:
          spec: its spec.
          encoded_value: a result of `encode`, of the value itself, of the rows of one or of rows put together.
        """
        rest = iter(encoded_value)
        return spec.value_type._of([fields.mapped(field, lambda leaf: next(rest)) for field in spec._field_values()])

    def encoding_specs(self, spec: Any) -> Sequence[Any]:
        """The specs of what `encode` gives for a value of a spec.

        Args:
          spec: the value's.
        """
        return [leaf for field in spec._field_values() for leaf in fields.leaves(field)]
