"""Composite values that are made of fields, some of them tensors, and the specs of such values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from inlay._src.base.types import nest, shapes
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.specs import TensorSpec, TypeSpec, spec_of
from inlay._src.ops import array
from inlay._src.ops.composite import fields
from inlay._src.ops.composite.batch_encoder import ExtensionTypeBatchEncoder
from inlay._src.ops.composite.known_sizes import static_size

_PARTIAL = (shapes.TensorShape,)
"""Classes of values of fields that may say more or less of the same."""


def _parts_of(values: Sequence[Any]) -> list[Any]:
    """The tensors, or their specs, in the values of fields, composites taken apart."""
    return [part for value in values for part in nest.flatten(list(fields.leaves(value)), expand_composites=True)]


class FieldedSpec(TypeSpec, Composite):
    """The static description of a value with fields: a spec for each tensor, the value of every other field.

    The constructor takes the fields, by position or name. `value_type` is the class of the values.
    """

    value_type: ClassVar[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not hasattr(self, "value_type"):
            raise TypeError(f"{type(self).__name__} is abstract: a subclass of ExtensionType has a Spec of its own")
        vars(self).update(self.value_type._bound(args, kwargs))

    def _field_values(self) -> list[Any]:
        return [vars(self)[name] for name in self.value_type._declared()]

    @property
    def _type_spec(self) -> TypeSpec:
        return self

    def _components(self) -> list[Any]:
        return _parts_of(self._field_values())

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return self.value_type._of(fields.refilled(self._field_values(), components))

    def _serialize(self) -> tuple[Any, ...]:
        return tuple((name, vars(self)[name]) for name in self.value_type._declared())

    def _key(self) -> Any:
        return type(self), tuple(map(fields.static, self._field_values())), tuple(self._components())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldedSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value (or what its spec says of it) satisfies this spec."""
        other: Any = spec_of(spec_or_value)
        return self._is_like(other) and all(
            one.is_compatible_with(two) for one, two in zip(self._leaf_specs(), other._leaf_specs(), strict=True)
        )

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        """The narrowest spec both satisfy; ValueError if there is none."""
        if not self._is_like(other):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        theirs = iter(other._leaf_specs())  # type: ignore[attr-defined]

        def shared(leaf: Any) -> Any:
            if isinstance(leaf, shapes.TensorShape):
                return leaf.most_specific_compatible_shape(next(theirs))
            return leaf.most_specific_compatible_type(next(theirs))

        return self._with([fields.mapped(field, shared, _PARTIAL) for field in self._field_values()])

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every value that satisfies this spec satisfies `other`."""
        return self._is_like(other) and all(
            one.is_subtype_of(two) for one, two in zip(self._leaf_specs(), other._leaf_specs(), strict=True)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TypeSpec | None:
        """The narrowest spec of which this one and all others are subtypes; None if there is none."""
        if not all(map(self._is_like, others)):
            return None
        columns = zip(self._leaf_specs(), *[other._leaf_specs() for other in others], strict=True)
        wider = [one.most_specific_common_supertype(rest) for one, *rest in columns]
        if any(spec is None for spec in wider):
            return None
        rest = iter(wider)
        return self._with([fields.mapped(field, lambda leaf: next(rest), _PARTIAL) for field in self._field_values()])

    def _is_like(self, other: Any) -> bool:
        """Whether another spec is of the same class and differs only in what its specs and partial shapes say."""
        return type(other) is type(self) and all(
            fields.static(one, _PARTIAL) == fields.static(two, _PARTIAL)
            for one, two in zip(self._field_values(), other._field_values(), strict=True)
        )

    def _leaf_specs(self) -> list[Any]:
        """The specs of tensors and composites among the fields, and the partial shapes."""
        return [leaf for field in self._field_values() for leaf in fields.leaves(field, _PARTIAL)]

    @classmethod
    def from_value(cls, value: Any) -> Self:
        """The spec of a value.

        Args:
          value: of the class that this spec belongs to.
        """
        return value._type_spec

    @classmethod
    def _deserialize(cls, serialization: Any) -> FieldedSpec:
        said = dict(serialization)
        spec: FieldedSpec = cls.__new__(cls)
        return spec._with([said[name] for name in cls.value_type._declared()])

    def _with(self, values: Sequence[Any]) -> FieldedSpec:
        spec = type(self).__new__(type(self))
        vars(spec).update(zip(self.value_type._declared(), values, strict=True), _closed=True)
        return spec

    def __reduce__(self) -> Any:
        return spec_again, (self.value_type, self._field_values())

    def __repr__(self) -> str:
        pairs = [f"{name}={vars(self)[name]!r}" for name in self.value_type._declared()]
        return f"{type(self).__qualname__}({', '.join(pairs)})"

    # ---- rows, of types that are declared to have them

    @property
    def _encoder(self) -> ExtensionTypeBatchEncoder:
        encoder: ExtensionTypeBatchEncoder | None = getattr(self.value_type, "__batch_encoder__", None)
        if encoder is None:
            raise ValueError(f"values of {self!r} have no rows: derive their class from BatchableExtensionType")
        return encoder

    def _row_spec(self) -> Any:
        return self._encoder.unbatch(self)

    def _batched_spec(self, size: int | None) -> Any:
        return self._encoder.batch(self, size)

    def _row_count(self, value: Any) -> Any:
        first = nest.flatten(self._encoder.encode(self, value, 1))[0]
        return first._type_spec._row_count(first) if isinstance(first, Composite) else array.shape(first)[0]  # type: ignore[attr-defined]

    def _row(self, value: Any, at: Any) -> Any:
        def row(leaf: Any) -> Any:
            return leaf._type_spec._row(leaf, at) if isinstance(leaf, Composite) else leaf[at]  # type: ignore[attr-defined]

        encoded = nest.map_structure(row, self._encoder.encode(self, value, 1))
        return self._encoder.decode(self._row_spec(), encoded)

    def _parts(self) -> list[Any]:
        return nest.flatten(self._encoder.encoding_specs(self))

    def _pieces(self, row: Any) -> list[Any]:
        if type(row) is not self.value_type:
            raise TypeError(f"expected a value of {self!r}, got {row!r}")
        out: list[Any] = []
        for spec, leaf in zip(self._parts(), nest.flatten(self._encoder.encode(self, row)), strict=True):
            out += spec._pieces(leaf) if isinstance(spec, Composite) else [leaf[None]]  # type: ignore[attr-defined]
        return out

    def _piece_specs(self) -> list[TensorSpec]:
        out = []
        for spec in self._parts():
            if isinstance(spec, Composite):
                out += spec._piece_specs()  # type: ignore[attr-defined]
            else:
                out.append(TensorSpec(shapes.TensorShape([None]).concatenate(spec.shape), spec.dtype))
        return out

    def _of_pieces(self, pieces: Sequence[Any], count: Any) -> Any:
        rest, size = iter(pieces), static_size(shapes.dimension_value(count))

        def joined(spec: Any) -> Any:
            if isinstance(spec, Composite):
                return spec._of_pieces([next(rest) for _ in spec._piece_specs()], count)  # type: ignore[attr-defined]
            rows = next(rest)
            rows.set_shape(shapes.TensorShape([size]).concatenate(spec.shape))
            return rows

        encoded = nest.map_structure(joined, self._encoder.encoding_specs(self))
        return self._encoder.decode(self._encoder.batch(self, size), encoded)


def spec_again(kind: Any, values: Sequence[Any]) -> FieldedSpec:
    spec: FieldedSpec = kind.Spec.__new__(kind.Spec)
    return spec._with(values)


class Fielded(Composite):
    """Base of values with fields: tensors, variables, composites and static values, in tuples and mappings.

    A subclass has a `Spec`, a `FieldedSpec`, and says what its fields are: `_declared()` names them, `_field_values()`
    gives them, `_of(values)` makes a value of them.
    """

    Spec: ClassVar[Any]

    @classmethod
    def _declared(cls) -> dict[str, Any]:
        """The fields by name."""
        raise NotImplementedError

    @classmethod
    def _of(cls, values: Sequence[Any]) -> Any:
        """A value of fields that are taken as they are."""
        raise NotImplementedError

    def _field_values(self) -> list[Any]:
        """The fields in the order of `_declared`."""
        raise NotImplementedError

    @property
    def _type_spec(self) -> TypeSpec:
        spec: FieldedSpec = self.Spec.__new__(self.Spec)
        return spec._with([fields.mapped(field, spec_of) for field in self._field_values()])

    def _kind(self) -> Any:
        return type(self), tuple(map(fields.static, self._field_values()))

    def _components(self) -> list[Any]:
        return _parts_of(self._field_values())

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return self._of(fields.refilled(self._field_values(), components))

    def _differentiable_parts(self) -> list[Any]:
        return [leaf for field in self._field_values() for leaf in fields.leaves(field)]

    def _with_derivatives(self, derivatives: Sequence[Any]) -> Any:
        rest = iter(derivatives)
        return self._of([fields.mapped(field, lambda _: next(rest)) for field in self._field_values()])

    def _component_shape(self, dims: Sequence[Any]) -> shapes.TensorShape:
        return shapes.TensorShape(None)

    def _session_value(self, components: Sequence[Any]) -> Any:
        return self._rebuild(components)
