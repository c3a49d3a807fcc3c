"""TensorSpec: what is known of a tensor before it has a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay.export import export
from inlay.types import dtypes, shapes
from inlay.types.shapes import TensorShape

__all__ = ["TensorSpec", "TypeSpec"]


@export("TypeSpec")
class TypeSpec:
    """Base of the specs: what is known of a value before it exists."""

    __slots__ = ()

    def is_compatible_with(self, value: Any) -> bool:
        """Whether `value` (a spec or a tensor) satisfies this spec."""
        raise NotImplementedError


SPEC_OF: dict[type, Callable[[Any], TypeSpec]] = {}
"""Class of a composite value -> the spec of one; the specs of composites enter themselves."""


@export("TensorSpec")
class TensorSpec(TypeSpec):
    """The dtype and partial shape of a tensor.

    Args:
      shape: anything `TensorShape` accepts; None is unknown rank.
      dtype: anything `as_dtype` accepts.
      name: a label for placeholders made from this spec.
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape, self._dtype, self._name = shapes.as_shape(shape), dtypes.as_dtype(dtype), name

    shape = property(lambda self: self._shape, doc="The partial shape.")
    dtype = property(lambda self: self._dtype, doc="The DType.")
    name = property(lambda self: self._name, doc="The label, or None.")

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """A copy of `spec`, renamed if `name` is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor."""
        return cls(tensor.shape, tensor.dtype, name)

    def is_compatible_with(self, value: Any) -> bool:
        return (
            hasattr(value, "dtype")
            and dtypes.as_dtype(value.dtype) is self._dtype
            and self._shape.is_compatible_with(TensorShape(value.shape))
        )

    def most_specific_compatible_type(self, other: TensorSpec) -> TensorSpec:
        """The narrowest spec both satisfy; ValueError if the dtypes differ."""
        if self._dtype is not other._dtype:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return TensorSpec(self._shape.most_specific_compatible_shape(other._shape), self._dtype)

    def __eq__(self, other: object) -> bool:
        return (
            type(other) is TensorSpec
            and self._shape == other._shape
            and self._dtype is other._dtype
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorSpec, (self._shape, self._dtype, self._name)
