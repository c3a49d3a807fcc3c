"""`ExtensionType`: users' own types of values, with fields that functions, branches, loops and nests carry as one."""

from __future__ import annotations

import collections.abc as abc
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from inlay.core.tensor import Tensor
from inlay.eager.convert import convert_to_tensor
from inlay.export import export
from inlay.ops import array, math, reductions
from inlay.types import dtypes, nest, shapes
from inlay.types.nest import Composite
from inlay.types.specs import TensorSpec, TypeSpec, spec_of

__all__ = ["BatchableExtensionType", "ExtensionType"]


# ---------------------------------------------------------------- fields


def _leaves(field: Any) -> Iterator[Any]:
    """The tensors and composites of a field, or the specs of them."""
    if isinstance(field, (Tensor, Composite, TensorSpec)):
        yield field
    elif isinstance(field, (tuple, dict)):
        for item in field.values() if isinstance(field, dict) else field:
            yield from _leaves(item)


def _mapped(field: Any, function: Callable[[Any], Any]) -> Any:
    """A field with its tensors and composites, or the specs of them, replaced."""
    if isinstance(field, (Tensor, Composite, TensorSpec)):
        return function(field)
    if isinstance(field, dict):
        return {key: _mapped(item, function) for key, item in field.items()}
    return tuple(_mapped(item, function) for item in field) if isinstance(field, tuple) else field


def _refilled(fields: Sequence[Any], components: Sequence[Any]) -> list[Any]:
    """Fields with other components in place of those of their tensors and composites."""
    rest = iter(components)

    def leaf(old: Any) -> Any:
        if not isinstance(old, Composite):
            return next(rest)
        return old._rebuild([next(rest) for _ in nest.flatten(old, expand_composites=True)])

    return [_mapped(field, leaf) for field in fields]


def _static(field: Any) -> Any:
    """What a field says that no tensor does, as a key."""
    if isinstance(field, (Tensor, TensorSpec)):
        return TensorSpec
    if isinstance(field, Composite):
        return field._kind()
    if isinstance(field, dict):
        return tuple([(key, _static(item)) for key, item in sorted(field.items())])
    return tuple(map(_static, field)) if isinstance(field, tuple) else (type(field), field)


def _fits(kind: Any, value: Any, spec: bool) -> bool:
    """Whether a value is of the declared type as it is."""
    if kind is Tensor or isinstance(kind, TensorSpec):
        return isinstance(value, TensorSpec if spec else Tensor)
    if spec and isinstance(value, TypeSpec):
        wanted = getattr(value, "value_type", None)
        return isinstance(kind, type) and isinstance(wanted, type) and issubclass(wanted, kind)
    return isinstance(kind, type) and type(value) is kind if kind in (int, bool) else _is_instance(kind, value)


def _is_instance(kind: Any, value: Any) -> bool:
    return isinstance(kind, type) and not isinstance(kind, types.GenericAlias) and isinstance(value, kind)


def _converted(kind: Any, value: Any, path: str, spec: bool) -> Any:
    """The value of a field, or of a part of it, as its declaration says; `spec`: in a spec, where tensors have specs.

    Raises:
      TypeError: if it is of another type, or the declaration is none for a field.
    """
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        fitting = [k for k in args if _fits(k, value, spec)] or args
        for choice in fitting:
            try:
                return _converted(choice, value, path, spec)
            except (TypeError, ValueError):
                pass
    elif _fits(kind, value, spec):
        if isinstance(kind, TensorSpec) and not kind.is_compatible_with(value):
            raise TypeError(f"{path}: expected a tensor that satisfies {kind!r}, got {value!r}")
        return value
    elif (kind is Tensor or isinstance(kind, TensorSpec)) and not spec:
        return convert_to_tensor(value, kind.dtype if isinstance(kind, TensorSpec) else None)
    elif kind is shapes.TensorShape:
        return shapes.as_shape(value)
    elif kind is dtypes.DType:
        return dtypes.as_dtype(value)
    elif origin is tuple and isinstance(value, (tuple, list)):
        kinds = args[:1] * len(value) if args[-1] is Ellipsis else args
        if len(kinds) == len(value):
            pairs = enumerate(zip(kinds, value, strict=True))
            return tuple(_converted(k, item, f"{path}[{i}]", spec) for i, (k, item) in pairs)
    elif origin in (abc.Mapping, dict) and isinstance(value, abc.Mapping):
        return {key: _converted(args[1], item, f"{path}[{key!r}]", spec) for key, item in value.items()}
    elif kind is float and type(value) is int:
        return value
    raise TypeError(f"{path}: expected a value of type {kind!r}, got {value!r}")


# ---------------------------------------------------------------- specs


class ExtensionTypeSpec(TypeSpec, Composite):
    """What is known of a value of an `ExtensionType`: a spec for each tensor, the value of every other field.

    The constructor takes the fields, by position or name.
    """

    value_type: ClassVar[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        vars(self).update(self.value_type._bound(args, kwargs))

    def _fields(self) -> list[Any]:
        return [vars(self)[name] for name in self.value_type._declared()]

    def _checked(self) -> None:
        """Gives every field the value that its declaration says, which a constructor of the user's may have left."""
        for name, kind in self.value_type._declared().items():
            vars(self)[name] = _converted(kind, vars(self).get(name), f"{type(self).__qualname__}.{name}", True)

    @property
    def _type_spec(self) -> TypeSpec:
        return self

    def _components(self) -> list[Any]:
        return [part for field in self._fields() for part in nest.flatten(list(_leaves(field)), expand_composites=True)]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return self.value_type._of(_refilled(self._fields(), components))

    def _serialize(self) -> tuple[Any, ...]:
        return tuple((name, vars(self)[name]) for name in self.value_type._declared())

    def _key(self) -> Any:
        return type(self), tuple(map(_static, self._fields())), tuple(self._components())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExtensionTypeSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value (or what its spec says of it) satisfies this spec."""
        other: Any = spec_of(spec_or_value)
        return (
            type(other) is type(self)
            and list(map(_static, other._fields())) == list(map(_static, self._fields()))
            and all(a.is_compatible_with(b) for a, b in zip(self._components(), other._components(), strict=True))
        )

    def most_specific_compatible_type(self, other: TypeSpec) -> TypeSpec:
        """The narrowest spec both satisfy; ValueError if there is none."""
        if type(other) is not type(self) or list(map(_static, other._fields())) != list(map(_static, self._fields())):
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        theirs = iter([leaf for field in other._fields() for leaf in _leaves(field)])
        shared = [_mapped(f, lambda leaf: leaf.most_specific_compatible_type(next(theirs))) for f in self._fields()]
        return self._with(shared)

    def _with(self, fields: Sequence[Any]) -> ExtensionTypeSpec:
        made = type(self).__new__(type(self))
        vars(made).update(zip(self.value_type._declared(), fields, strict=True))
        return made

    def __reduce__(self) -> Any:
        return _spec_again, (self.value_type, self._fields())

    def __repr__(self) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{k}={v!r}' for k, v in self._serialize())})"

    # ---- rows, of types that are declared to have them

    def _batched(self) -> list[Any]:
        if not issubclass(self.value_type, BatchableExtensionType):
            raise ValueError(f"values of {self!r} have no rows: derive their class from BatchableExtensionType")
        return [leaf for field in self._fields() for leaf in _leaves(field)]

    def _row_spec(self) -> ExtensionTypeSpec:
        self._batched()
        return self._with([_mapped(field, _row_spec) for field in self._fields()])

    def _row_count(self, value: Any) -> Any:
        first = next(leaf for field in value._fields() for leaf in _leaves(field))
        return spec_of(first)._row_count(first) if isinstance(first, Composite) else array.shape(first)[0]  # type: ignore[union-attr]

    def _row(self, value: Any, at: Any) -> Any:
        def row(leaf: Any) -> Any:
            return spec_of(leaf)._row(leaf, at) if isinstance(leaf, Composite) else leaf[at]  # type: ignore[union-attr]

        return value._of([_mapped(field, row) for field in value._fields()])

    def _pieces(self, row: Any) -> list[Any]:
        if type(row) is not self.value_type:
            raise TypeError(f"expected a value of {self!r}, got {row!r}")
        out: list[Any] = []
        for spec, leaf in zip(self._batched(), [v for field in row._fields() for v in _leaves(field)], strict=True):
            out += [leaf[None]] if isinstance(spec, TensorSpec) else spec._pieces(leaf)
        return out

    def _piece_specs(self) -> list[TensorSpec]:
        out = []
        for spec in self._batched():
            if isinstance(spec, TensorSpec):
                out.append(TensorSpec(shapes.TensorShape([None]).concatenate(spec.shape), spec.dtype))
            else:
                out += spec._piece_specs()
        return out

    def _of_pieces(self, pieces: Sequence[Any], count: Any) -> Any:
        rest = iter(pieces)

        def joined(spec: Any) -> Any:
            if isinstance(spec, Composite):
                return spec._of_pieces([next(rest) for _ in spec._piece_specs()], count)  # type: ignore[attr-defined]
            return next(rest)

        return self.value_type._of([_mapped(field, joined) for field in self._fields()])


def _row_spec(spec: Any) -> Any:
    return spec._row_spec() if isinstance(spec, Composite) else TensorSpec(spec.shape[1:], spec.dtype)  # type: ignore[attr-defined]


def _spec_again(kind: Any, fields: Sequence[Any]) -> ExtensionTypeSpec:
    made: ExtensionTypeSpec = kind.Spec.__new__(kind.Spec)
    return made._with(fields)


class _SpecMaker(type):
    """The class of specs: the fields that a constructor gave are checked when it is done."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        made._checked()
        return made


# ---------------------------------------------------------------- values


class _Maker(type):
    """The class of extension types: values are checked, and closed, when their constructor is done."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        made = super().__call__(*args, **kwargs)
        made._close()
        return made


@export("experimental.ExtensionType")
class ExtensionType(Composite, metaclass=_Maker):
    """Base of users' own types: a value with fields, some of them tensors, that goes wherever tensors go.

    Fields are declared as those of a dataclass: `values: tf.Tensor`, `name: str = ""`. A field may be a tensor, ragged,
    sparse or of another extension type, a number, text, a shape or a dtype, None, or tuples, mappings (`tuple[T, ...]`,
    `Mapping[str, T]`) and unions of those. What is declared to be a tensor is made one. Fields are not changed later.

    `Spec`, made for each class, describes its values; tensors in it are `TensorSpec`s. A constructor may be written,
    which sets the fields; `__validate__` may be, which is called after any constructor.
    """

    Spec: ClassVar[Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls).get("Spec")
        bases = (ExtensionTypeSpec,) if own is None or issubclass(own, ExtensionTypeSpec) else (own, ExtensionTypeSpec)
        space = {"value_type": cls, "__qualname__": f"{cls.__qualname__}.Spec", "__module__": cls.__module__}
        cls.Spec = _SpecMaker("Spec", bases, space)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in self._bound(args, kwargs).items():
            setattr(self, name, value)

    @classmethod
    def _declared(cls) -> dict[str, Any]:
        """The types of the fields, by name."""
        found = vars(cls).get("_resolved")
        if found is None:
            hints = typing.get_type_hints(cls)
            found = {name: kind for name, kind in hints.items() if typing.get_origin(kind) is not ClassVar}
            cls._resolved = found  # type: ignore[attr-defined]
        return found

    @classmethod
    def _bound(cls, args: Sequence[Any], kwargs: Any) -> dict[str, Any]:
        """Fields by name, from the arguments of a constructor."""
        names = list(cls._declared())
        if len(args) > len(names):
            raise TypeError(f"{cls.__name__} has {len(names)} fields, got {len(args)} positional arguments")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name in given or name not in names:
                many = f"multiple values for argument {name!r}"
                raise TypeError(
                    f"{cls.__name__} got {many if name in given else f'an unexpected keyword argument {name!r}'}"
                )
            given[name] = value
        missing = [name for name in names if name not in given and not hasattr(cls, name)]
        if missing:
            raise TypeError(f"{cls.__name__}: missing a required argument: {', '.join(map(repr, missing))}")
        return {name: given[name] if name in given else getattr(cls, name) for name in names}

    @classmethod
    def _of(cls, fields: Sequence[Any]) -> Any:
        """A value of fields that are taken as they are."""
        made = cls.__new__(cls)
        vars(made).update(zip(cls._declared(), fields, strict=True), _closed=True)
        return made

    def _fields(self) -> list[Any]:
        return [vars(self)[name] for name in self._declared()]

    def _close(self) -> None:
        for name, kind in self._declared().items():
            if name not in vars(self):
                if not hasattr(type(self), name):
                    raise AttributeError(f"the constructor of {type(self).__name__} did not set its field {name!r}")
                vars(self)[name] = getattr(type(self), name)
            vars(self)[name] = _converted(kind, vars(self)[name], f"{type(self).__name__}.{name}", False)
        extra = sorted(vars(self).keys() - self._declared().keys())
        if extra:
            raise AttributeError(f"the constructor of {type(self).__name__} set {extra}, which are no fields of it")
        vars(self)["_closed"] = True
        self.__validate__()

    def __validate__(self) -> None:
        """Raises if the fields do not go together; called after the constructor."""

    def __setattr__(self, name: str, value: Any) -> None:
        if "_closed" in vars(self):
            raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType.")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType.")

    def __repr__(self) -> str:
        pairs = zip(self._declared(), self._fields(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __eq__(self, other: Any) -> Any:
        if type(other) is not type(self) or self._type_spec != other._type_spec:
            return False
        same: Any = True
        for a, b in zip(self._components(), other._components(), strict=True):
            same = math.logical_and(same, reductions.reduce_all(math.equal(a, b)))
        return same

    def __ne__(self, other: Any) -> Any:
        same = self == other
        return not same if isinstance(same, bool) else math.logical_not(same)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return _again, (type(self), self._fields())

    # ---- the protocol of composites (types.nest, session, host)

    @property
    def _type_spec(self) -> TypeSpec:
        made: ExtensionTypeSpec = self.Spec.__new__(self.Spec)
        return made._with([_mapped(field, spec_of) for field in self._fields()])

    def _kind(self) -> Any:
        return type(self), tuple(map(_static, self._fields()))

    def _components(self) -> list[Any]:
        return [part for field in self._fields() for part in nest.flatten(list(_leaves(field)), expand_composites=True)]

    def _rebuild(self, components: Sequence[Any]) -> Any:
        return self._of(_refilled(self._fields(), components))

    def _component_shape(self, found: Sequence[Any]) -> shapes.TensorShape:
        return shapes.TensorShape(None)

    def _session_value(self, found: Sequence[Any]) -> Any:
        return self._rebuild(found)


def _again(kind: Any, fields: Sequence[Any]) -> Any:
    return kind._of(fields)


@export("experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType):
    """An `ExtensionType` whose values have rows, as far as all their tensors do: `map_fn` takes and gives them."""


@export("experimental.extension_type.as_dict")
def as_dict(value: ExtensionType) -> dict[str, Any]:
    """The fields of a value by name."""
    return dict(zip(value._declared(), value._fields(), strict=True))
