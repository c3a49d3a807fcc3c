"""TensorSpec: what is known of a tensor before it has a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inlay.export import Declared, export
from inlay.types import dtypes, shapes
from inlay.types.attributes import read_only
from inlay.types.dtypes import DType
from inlay.types.shapes import TensorShape

__all__ = ["TensorSpec", "TypeSpec"]


@export("TypeSpec")
class TypeSpec:
    """Base of the specs: what is known of a value before it exists.

    Subclasses define `_serialize()`: the arguments of their constructor. One that describes values of several tensors
    also defines `_to_components(value)` and `_from_components(nest of tensors)`; the class of the values has a property
    `_type_spec`. See `ExtensionType` for types that need none of this.
    """

    __slots__ = ()

    def _serialize(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value (or what its spec says of it) satisfies this spec."""
        spec = spec_of(spec_or_value)
        if type(spec) is not type(self):
            return False
        return _fit(self._serialize(), spec._serialize())

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        """The narrowest spec both satisfy; ValueError if there is none."""
        if type(other) is not type(self):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return type(self)(*_shared(self._serialize(), other._serialize()))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._serialize() == self._serialize()

    def __hash__(self) -> int:
        return hash((type(self), self._serialize()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._serialize()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._serialize()))})"


def _fit(wanted: Any, got: Any) -> bool:
    """Whether a part of what a spec says is satisfied by that of another."""
    if isinstance(wanted, (TensorShape, TypeSpec)):
        return wanted.is_compatible_with(got)
    if isinstance(wanted, (list, tuple)) and type(wanted) is type(got) and len(wanted) == len(got):
        return all(_fit(a, b) for a, b in zip(wanted, got, strict=True))
    if isinstance(wanted, dict) and isinstance(got, dict) and wanted.keys() == got.keys():
        return all(_fit(a, got[key]) for key, a in wanted.items())
    return bool(wanted == got)


def _shared(one: Any, two: Any) -> Any:
    """What parts of what two specs say have in common; ValueError if they contradict one another."""
    if isinstance(one, TensorShape):
        return one.most_specific_compatible_shape(two)
    if isinstance(one, TypeSpec):
        return one.most_specific_compatible_type(two)
    if type(one) in (list, tuple) and type(one) is type(two) and len(one) == len(two):
        return type(one)(_shared(a, b) for a, b in zip(one, two, strict=True))
    if isinstance(one, dict) and isinstance(two, dict) and one.keys() == two.keys():
        return {key: _shared(a, two[key]) for key, a in one.items()}
    if one != two:
        raise ValueError(f"No TypeSpec is compatible with both {one} and {two}")
    return one


SPEC_OF: dict[type, Callable[[Any], TypeSpec]] = Declared()
"""Class of a composite value -> the spec of one; the specs of composites enter themselves."""


def spec_of(value: Any) -> TypeSpec | None:
    """A spec itself, or that of a tensor or composite; None for anything else."""
    if isinstance(value, TypeSpec):
        return value
    make = SPEC_OF.get(type(value))
    if make is not None:
        return make(value)
    if hasattr(type(value), "_type_spec") and isinstance(own := getattr(value, "_type_spec", None), TypeSpec):
        return own
    if isinstance(getattr(value, "dtype", None), dtypes.DType) and hasattr(value, "shape"):
        return TensorSpec(value.shape, value.dtype)
    return None


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

    shape: TensorShape = read_only(lambda self: self._shape, doc="The partial shape.")
    dtype: DType = read_only(lambda self: self._dtype, doc="The DType.")
    name: str | None = read_only(lambda self: self._name, doc="The label, or None.")

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """A copy of `spec`, renamed if `name` is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor; its name, unless one is given, is that of the node of a graph's tensor."""
        node = None if hasattr(tensor, "numpy") else getattr(tensor, "op", None)
        return cls(tensor.shape, tensor.dtype, name or getattr(node, "name", None))

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        return (
            hasattr(spec_or_tensor, "dtype")
            and dtypes.as_dtype(spec_or_tensor.dtype) is self._dtype
            and self._shape.is_compatible_with(TensorShape(spec_or_tensor.shape))
        )

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._name

    def most_specific_compatible_type(self, other: TypeSpec) -> TensorSpec:
        """The narrowest spec both satisfy, without a name; ValueError if the dtypes differ."""
        if not isinstance(other, TensorSpec) or self._dtype is not other._dtype:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return TensorSpec(self._shape.most_specific_compatible_shape(other._shape), self._dtype)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"
