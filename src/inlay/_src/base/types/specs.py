"""TensorSpec: the properties of a tensor before it has a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from inlay._src.base.export import Declared, export
from inlay._src.base.types import dtypes, shapes
from inlay._src.base.types.attributes import read_only
from inlay._src.base.types.dtypes import DType
from inlay._src.base.types.shapes import TensorShape

__all__ = ["TensorSpec", "TypeSpec"]


@export("TypeSpec", "compat.v1.data.experimental.Structure")
class TypeSpec:
    """Base of the specs: the properties of a value before it exists.

    Subclasses define `_serialize()`: the arguments of their constructor, or of `_deserialize` where that is written
    too. One that describes values of several tensors also defines `_to_components(value)` and
    `_from_components(nest of tensors)`; the class of the values has a property `_type_spec`. See `ExtensionType` for
    types that need none of this.
    """

    __slots__ = ()

    def _serialize(self) -> tuple[Any, ...]:
        raise NotImplementedError

    @classmethod
    def _deserialize(cls, serialization: Any) -> TypeSpec:
        """A spec from what `_serialize` of another one gave."""
        return cls(*serialization)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value (or what its spec says of it) satisfies this spec."""
        spec = spec_of(spec_or_value)
        if type(spec) is not type(self):
            return False
        return _fit(self._serialize(), spec._serialize())

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value that satisfies this spec satisfies `other`."""
        return type(other) is type(self) and _narrower(self._serialize(), other._serialize())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TypeSpec | None:
        """The narrowest spec of which this one and all others are subtypes; None if there is none."""
        if any(type(other) is not type(self) for other in others):
            return None
        try:
            return self._deserialize(_common(self._serialize(), [other._serialize() for other in others]))
        except _NothingCommon:
            return None

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        """The narrowest spec both satisfy; ValueError if there is none."""
        if type(other) is not type(self):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return self._deserialize(_shared(self._serialize(), other._serialize()))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _hashable(other._serialize()) == _hashable(self._serialize())

    def __hash__(self) -> int:
        return hash((type(self), _hashable(self._serialize())))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._deserialize, (self._serialize(),)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._serialize()))})"


def _hashable(part: Any) -> Any:
    """A key that compares and hashes as a part of a spec."""
    if isinstance(part, np.ndarray):
        return np.ndarray, part.shape, _hashable(part.tolist())
    if isinstance(part, dict):
        return dict, tuple([(key, _hashable(part[key])) for key in sorted(part)])
    if isinstance(part, (list, tuple)):
        return _container(part), tuple([_hashable(item) for item in part])
    return part


def _container(part: Any) -> Any:
    """The class of a list or tuple; the name of a class of named tuples, which may have been defined again."""
    kind = type(part)
    return (kind.__name__, part._fields) if hasattr(part, "_fields") else kind


def _children(part: Any) -> tuple[Any, list[Any]] | None:
    """The key of a container, equal if items may be compared, and the items; None for another part."""
    if isinstance(part, (list, tuple)):
        return (_container(part), len(part)), list(part)
    if isinstance(part, dict):
        return (dict, sorted(part)), [part[key] for key in sorted(part)]
    return None


def _packed(like: Any, items: Sequence[Any]) -> Any:
    """A container like another one, of other items in the order of `_children`."""
    if isinstance(like, dict):
        by_key = dict(zip(sorted(like), items, strict=True))
        return {key: by_key[key] for key in like}
    return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)


def _fit(wanted: Any, got: Any) -> bool:
    """Whether a part of what a spec says is satisfied by that of another."""
    if isinstance(wanted, (TensorShape, TypeSpec)):
        return wanted.is_compatible_with(got)
    one, two = _children(wanted), _children(got)
    if one is not None and two is not None:
        return one[0] == two[0] and all(map(_fit, one[1], two[1]))
    return bool(_hashable(wanted) == _hashable(got))


def _narrower(one: Any, two: Any) -> bool:
    """Whether a part of what a spec says is a subtype of that of another."""
    if isinstance(one, (TensorShape, TypeSpec)):
        return one.is_subtype_of(two)
    first, second = _children(one), _children(two)
    if first is not None and second is not None:
        return first[0] == second[0] and all(map(_narrower, first[1], second[1]))
    return bool(_hashable(one) == _hashable(two))


class _NothingCommon(Exception):
    """Two specs have no common supertype."""


def _common(one: Any, others: Sequence[Any]) -> Any:
    """The supertype of parts of what several specs say; _NothingCommon if there is none."""
    if isinstance(one, (TensorShape, TypeSpec)):
        wider = one.most_specific_common_supertype(others)
        if wider is None:
            raise _NothingCommon
        return wider
    first, rest = _children(one), [_children(other) for other in others]
    if first is not None and all(part is not None and part[0] == first[0] for part in rest):
        columns = zip(first[1], *[part[1] for part in rest if part is not None], strict=True)
        return _packed(one, [_common(item, more) for item, *more in columns])
    if any(_hashable(one) != _hashable(other) for other in others):
        raise _NothingCommon
    return one


def _shared(one: Any, two: Any) -> Any:
    """The common part of two specs; ValueError if they contradict one another."""
    if isinstance(one, TensorShape):
        return one.most_specific_compatible_shape(two)
    if isinstance(one, TypeSpec):
        return one.most_specific_compatible_type(two)
    first, second = _children(one), _children(two)
    if first is not None and second is not None and first[0] == second[0]:
        return _packed(one, list(map(_shared, first[1], second[1])))
    if _hashable(one) != _hashable(two):
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


@export("TensorSpec", "contrib.framework.TensorSpec")
class TensorSpec(TypeSpec):
    """The dtype and partial shape of a tensor.

    Args:
      shape: anything `TensorShape` accepts; None is unknown rank.
      dtype: anything `as_dtype` accepts.
      name: a label for placeholders made from this spec.
    """

    __slots__ = ("__dict__", "__weakref__", "_dtype", "_name", "_shape")

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

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._serialize() == self._serialize()

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor that satisfies this spec satisfies `other`; a name is of subtypes of the same name."""
        return (
            isinstance(other, TensorSpec)
            and self._name in (None, other._name)
            and self._dtype is other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorSpec | None:
        """The narrowest spec of which this one and all others are subtypes; None if dtypes or names differ."""
        if any(not isinstance(o, TensorSpec) or (o._dtype, o._name) != (self._dtype, self._name) for o in others):
            return None
        shape = self._shape.most_specific_common_supertype([other._shape for other in others])
        return TensorSpec(shape, self._dtype, self._name)

    def most_specific_compatible_type(self, other: TypeSpec) -> TensorSpec:
        """The narrowest spec both satisfy; ValueError if the dtypes or the names differ."""
        if not isinstance(other, TensorSpec) or self._dtype is not other._dtype or self._name != other._name:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return TensorSpec(self._shape.most_specific_compatible_shape(other._shape), self._dtype, self._name)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"
