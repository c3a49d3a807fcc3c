"""The fields of extension types: the types that can be declared, and conversion of values to them."""

from __future__ import annotations

import collections.abc as abc
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from inlay._src.base.export import defining_module
from inlay._src.base.types import dtypes, nest, shapes
from inlay._src.base.types.attributes import WithOperators
from inlay._src.base.types.nest import Composite
from inlay._src.base.types.shapes import TensorShape
from inlay._src.base.types.specs import TensorSpec, TypeSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.core.tensor import Tensor

# ---------------------------------------------------------------- their parts

_LEAVES = (WithOperators, Composite, TensorSpec)
"""Classes of the parts of fields that hold tensors: tensors and variables, composites, and the specs of them."""


class ImmutableDict(abc.Mapping[Any, Any]):
    """A field that is a mapping: it cannot be changed.

    Args:
      content: a mapping, or pairs of keys and values.
    """

    __slots__ = ("_content",)

    def __init__(self, content: Any = ()) -> None:
        self._content = dict(content)

    def __getitem__(self, key: Any) -> Any:
        return self._content[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._content)

    def __len__(self) -> int:
        return len(self._content)

    def __hash__(self) -> int:
        return hash(tuple(self._content.items()))

    def __repr__(self) -> str:
        return f"ImmutableDict({self._content!r})"


def leaves(field: Any, more: tuple[type, ...] = ()) -> Iterator[Any]:
    """The tensors and composites of a field, or the specs of them, and its values of the classes `more`."""
    if isinstance(field, (*_LEAVES, *more)):
        yield field
    elif isinstance(field, (tuple, ImmutableDict)):
        for item in [field[key] for key in _ordered(field)] if isinstance(field, ImmutableDict) else field:
            yield from leaves(item, more)


def frozen(field: Any) -> Any:
    """A field that was read from a file, with its mappings immutable, as those of every field."""
    if isinstance(field, dict):
        return ImmutableDict({key: frozen(item) for key, item in field.items()})
    return tuple(map(frozen, field)) if type(field) is tuple else field


def _ordered(field: abc.Mapping[Any, Any]) -> list[Any]:
    """The keys of a mapping in the order in which nests have them."""
    try:
        return sorted(field)
    except TypeError:
        return list(field)


def mapped(field: Any, function: Callable[[Any], Any], more: tuple[type, ...] = ()) -> Any:
    """A field with its tensors and composites, or the specs of them, replaced, and its values of the classes `more`."""
    if isinstance(field, (*_LEAVES, *more)):
        return function(field)
    if isinstance(field, ImmutableDict):
        entries = {key: mapped(field[key], function, more) for key in _ordered(field)}
        return ImmutableDict({key: entries[key] for key in field})
    return tuple(mapped(item, function, more) for item in field) if isinstance(field, tuple) else field


def refilled(fields: Sequence[Any], components: Sequence[Any]) -> list[Any]:
    """Fields with other components in place of those of their tensors and composites."""
    rest = iter(components)

    def leaf(old: Any) -> Any:
        if not isinstance(old, Composite):
            return next(rest)
        return old._rebuild([next(rest) for _ in nest.flatten(old, expand_composites=True)])

    return [mapped(field, leaf) for field in fields]


def static(field: Any, but: tuple[type, ...] = ()) -> Any:
    """The part of a field that is in no tensor, as a key; of its values of the classes `but` only their class."""
    if isinstance(field, Composite):
        return field._kind()
    if isinstance(field, _LEAVES):
        return TensorSpec
    if isinstance(field, ImmutableDict):
        return tuple([(key, static(item, but)) for key, item in sorted(field.items())])
    if isinstance(field, tuple):
        return tuple([static(item, but) for item in field])
    return type(field) if isinstance(field, but) else (type(field), field)


# ---------------------------------------------------------------- their declarations

_RESERVED = frozenset({"self", "Spec", "value_type", *dir(TypeSpec), *dir(Composite)} - set(dir(object))) | {
    "_from_components",
    "_to_components",
    "_shape_invariant_to_type_spec",
    "_consumers",
}


def checked_names(cls: type) -> None:
    """Raises ValueError for a field of a name that is taken, and for a value of the class that is no field."""
    try:
        declared = inspect.get_annotations(cls)
    except NameError:  # from Python 3.14 on: a class that is not defined yet
        return
    label = f"The field annotations for {cls.__name__} are invalid."
    for name in declared:
        if name in _RESERVED or name.startswith("_tf_extension_type"):
            raise ValueError(f"{label} Field '{name}' is reserved.")
    for name, value in vars(cls).items():
        if name in _RESERVED and name != "Spec" and not name.startswith("__"):
            raise ValueError(f"{label} Field '{name}' is reserved.")
        described = callable(value) or isinstance(value, (property, classmethod, staticmethod))
        if name not in declared and not described and not (name.startswith("__") and name.endswith("__")):
            if name not in ("Spec", "_abc_impl"):
                raise ValueError(f"{label} Field {name} is missing a type annotation.")


def declared_types(cls: type) -> dict[str, Any]:
    """The types of the fields of a class by name.

    Raises:
      TypeError: for a type that no field can have.
      NameError: for one that is not defined yet.
    """
    # Classes of ours are named after namespaces, where the names that their annotations use are not found.
    ours = [defining_module(base) for base in cls.__mro__ if defining_module(base) != base.__module__]
    names = {name: value for module in ours for name, value in vars(sys.modules[module]).items()}
    hints = typing.get_type_hints(cls, localns=names or None)
    hints = {name: kind for name, kind in hints.items() if typing.get_origin(kind) is not ClassVar}
    for name, kind in hints.items():
        _check(name, kind)
    return hints


_PLAIN = (int, float, str, bytes, bool, None, type(None), dtypes.DType)


def _check(name: str, kind: Any, key: bool = False) -> None:
    """Raises TypeError for a declaration that is none of a field; `key`: of the keys of a mapping."""
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if kind in _PLAIN:
        return
    if origin in (typing.Union, types.UnionType):
        parts: Sequence[Any] = args
    elif origin is tuple:
        parts = [arg for arg in args if arg is not Ellipsis]
    elif origin is abc.Mapping:
        _check(name, args[0], True)
        parts = args[1:]
    elif isinstance(kind, type) and (issubclass(kind, (Tensor, Composite)) or kind is TensorShape):
        if not key:
            return
        raise TypeError(f"In field '{name}': Mapping had a key {kind.__name__!r} with type 'type'")
    else:
        shown = repr(kind.__name__) if isinstance(kind, type) and origin is None else repr(kind)
        raise TypeError(f"In field '{name}': Unsupported type annotation {shown}")
    for part in parts:
        _check(name, part, key)


# ---------------------------------------------------------------- their values


def _fits(kind: Any, value: Any, spec: bool) -> bool:
    """Whether a value is of the declared type as it is."""
    if kind is Any:
        return True
    if kind is Tensor:
        return isinstance(value, TensorSpec if spec else Tensor)
    if spec and isinstance(value, TypeSpec):
        wanted = getattr(value, "value_type", None)
        return isinstance(kind, type) and isinstance(wanted, type) and issubclass(wanted, kind)
    return isinstance(kind, type) and not isinstance(kind, types.GenericAlias) and isinstance(value, kind)


def converted(kind: Any, value: Any, path: str, spec: bool) -> Any:
    """The value of a field, or of a part of it, as its declaration says; `spec`: in a spec, where tensors have specs.

    Raises:
      TypeError: if it is of another type.
    """
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        fitting = [k for k in args if _fits(k, value, spec)] or args
        for choice in fitting:
            try:
                return converted(choice, value, path, spec)
            except (TypeError, ValueError):
                pass
    elif _fits(kind, value, spec):
        return value
    elif kind is Tensor and not spec:
        try:
            return convert_to_tensor(value)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{path}: expected a Tensor, got {type(value).__name__!r}") from error
    elif kind is TensorShape:
        return shapes.as_shape(value)
    elif kind is dtypes.DType:
        return dtypes.as_dtype(value)
    elif origin is tuple and isinstance(value, (tuple, list)):
        kinds = args[:1] * len(value) if args[-1] is Ellipsis else args
        if len(kinds) == len(value):
            pairs = enumerate(zip(kinds, value, strict=True))
            return tuple(converted(k, item, f"{path}[{i}]", spec) for i, (k, item) in pairs)
    elif origin is abc.Mapping and isinstance(value, abc.Mapping):
        keys = [converted(args[0], key, f"key of {path}", spec) for key in value]
        items = [converted(args[1], item, f"{path}[{key!r}]", spec) for key, item in value.items()]
        return ImmutableDict(zip(keys, items, strict=True))
    raise TypeError(f"{path}: expected a value of type {kind!r}, got {value!r}")
