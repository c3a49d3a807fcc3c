"""`ExtensionType`: users' own types of values, with fields that functions, branches, loops and nests carry as one."""

from __future__ import annotations

import re
import weakref
from collections.abc import Sequence
from typing import Any, ClassVar

from inlay._src.base.export import export
from inlay._src.base.types import structured
from inlay._src.base.types.specs import TypeSpec
from inlay._src.core.eager.convert import convert_to_tensor
from inlay._src.ops import array, math, reductions
from inlay._src.ops.composite import fields
from inlay._src.ops.composite.batch_encoder import ExtensionTypeBatchEncoder
from inlay._src.ops.composite.fielded import Fielded, FieldedSpec, spec_again

__all__ = ["BatchableExtensionType", "ExtensionType"]


# ---------------------------------------------------------------- specs


@export("experimental.ExtensionTypeSpec")
class ExtensionTypeSpec(FieldedSpec):
    """The static description of a value of an `ExtensionType`: a spec for each tensor, the value of every other field.

    The constructor takes the fields, by position or name.
    """

    def _checked(self) -> None:
        """Gives every field the value that its declaration says, which a constructor of the user's may have left."""
        for name, kind in self.value_type._declared().items():
            vars(self)[name] = fields.converted(kind, vars(self).get(name), f"{type(self).__qualname__}.{name}", True)
        vars(self)["_closed"] = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_closed" in vars(self):
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionTypeSpec."
            )
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionTypeSpec.")


class _SpecMaker(type):
    """The class of specs: the fields that a constructor gave are checked when it is done."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        value = super().__call__(*args, **kwargs)
        value._checked()
        return value


# ---------------------------------------------------------------- values


class _Maker(type):
    """The class of extension types: values are checked, and closed, when their constructor is done."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls in (ExtensionType, BatchableExtensionType):
            raise AssertionError(
                f"Cannot create an instance of {cls.__name__} because {cls.__name__} is an abstract base class."
            )
        try:
            cls._declared()  # type: ignore[attr-defined]
        except NameError as error:
            raise TypeError(f"{cls.__name__}: Unresolved forward reference {error.name!r}") from None
        value = super().__call__(*args, **kwargs)
        value._close()
        return value


@export("experimental.ExtensionType")
class ExtensionType(Fielded, metaclass=_Maker):
    """Base of users' own types: a value with fields, some of them tensors, that goes wherever tensors go.

    Fields are declared as those of a dataclass: `values: tf.Tensor`, `name: str = ""`. A field may be a tensor, ragged,
    sparse or of another extension type, a number, text, a shape or a dtype, None, or tuples, mappings (`tuple[T, ...]`,
    `Mapping[str, T]`) and unions of those. A value for a field that is declared to be a tensor is converted to one.
    Fields are not changed later.

    `Spec`, made for each class, describes its values; tensors in it are `TensorSpec`s. A constructor may be written,
    which sets the fields; `__validate__` may be, which is called after any constructor.
    """

    Spec: ClassVar[Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls).get("Spec")
        if own is not None and not isinstance(own, type):
            raise ValueError(f"{cls.__name__}.Spec must be a nested class; got {own}.")
        if own is not None and own.__bases__ not in ((object,), (TypeSpec,)):
            raise ValueError(f"{cls.__name__}.Spec must be directly subclassed from tf.TypeSpec.")
        fields.checked_names(cls)
        bases: tuple[type, ...] = (ExtensionTypeSpec,) if own is None else (own, ExtensionTypeSpec)
        if own is not None and own.__bases__ == (TypeSpec,):
            own_members = {name: value for name, value in vars(own).items() if name not in ("__dict__", "__weakref__")}
            bases = (type(own.__name__, (), own_members), ExtensionTypeSpec)
        space = {"value_type": cls, "__qualname__": f"{cls.__qualname__}.Spec", "__module__": cls.__module__}
        cls.Spec = _SpecMaker(f"{cls.__name__}.Spec", bases, space)
        try:
            declared = cls._declared()
        except NameError:  # of a class that is defined later
            declared = {}
        for name, kind in declared.items():
            if hasattr(cls, name):
                fields.converted(kind, getattr(cls, name), f"default value for {name}", False)
        if isinstance(label := vars(cls).get("__name__"), str):
            _register(label, cls)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in self._bound(args, kwargs).items():
            setattr(self, name, value)

    @classmethod
    def _declared(cls) -> dict[str, Any]:
        """The types of the fields, by name."""
        declared = vars(cls).get("_resolved")
        if declared is None:
            declared = fields.declared_types(cls)
            cls._resolved = declared  # type: ignore[attr-defined]
        return declared

    @classmethod
    def _bound(cls, args: Sequence[Any], kwargs: Any) -> dict[str, Any]:
        """Fields by name, from the arguments of a constructor."""
        names = list(cls._declared())
        if len(args) > len(names):
            raise TypeError(f"{cls.__name__} has {len(names)} fields, got {len(args)} positional arguments")
        bound = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name in bound or name not in names:
                many = f"multiple values for argument {name!r}"
                raise TypeError(
                    f"{cls.__name__} got {many if name in bound else f'an unexpected keyword argument {name!r}'}"
                )
            bound[name] = value
        missing = [name for name in names if name not in bound and not hasattr(cls, name)]
        if missing:
            raise TypeError(f"{cls.__name__}: missing a required argument: {', '.join(map(repr, missing))}")
        return {name: bound[name] if name in bound else getattr(cls, name) for name in names}

    @classmethod
    def _of(cls, values: Sequence[Any]) -> Any:
        """A value of fields that are taken as they are."""
        value = cls.__new__(cls)
        vars(value).update(zip(cls._declared(), values, strict=True), _closed=True)
        return value

    def _field_values(self) -> list[Any]:
        return [vars(self)[name] for name in self._declared()]

    def _close(self) -> None:
        for name, kind in self._declared().items():
            if name not in vars(self):
                if not hasattr(type(self), name):
                    raise AttributeError(f"the constructor of {type(self).__name__} did not set its field {name!r}")
                vars(self)[name] = getattr(type(self), name)
            vars(self)[name] = fields.converted(kind, vars(self)[name], f"{type(self).__name__}.{name}", False)
        extra = sorted(vars(self).keys() - self._declared().keys())
        if extra:
            raise AttributeError(f"the constructor of {type(self).__name__} set {extra}, which are not its fields")
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
        pairs = zip(self._declared(), self._field_values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in pairs)})"

    def __eq__(self, other: Any) -> Any:
        if type(other) is not type(self) or self._kind() != other._kind():
            return False
        same: Any = True
        for a, b in zip(self._components(), other._components(), strict=True):
            if a.shape.is_fully_defined() and b.shape.is_fully_defined() and a.shape != b.shape:
                return convert_to_tensor(False)
            same = math.logical_and(same, _alike(a, b))
        return same

    def __ne__(self, other: Any) -> Any:
        same = self == other
        return not same if isinstance(same, bool) else math.logical_not(same)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        return _again, (type(self), self._field_values())


def _alike(one: Any, two: Any) -> Any:
    """Whether two tensors have the same shape and values; they may have other shapes when a graph runs."""
    if one.shape == two.shape and one.shape.is_fully_defined():
        return reductions.reduce_all(math.equal(one, two))
    sizes = _common_prefix(array.shape(one), array.shape(two))
    flat = _common_prefix(array.reshape(one, [-1]), array.reshape(two, [-1]))
    shaped = math.logical_and(math.equal(array.rank(one), array.rank(two)), reductions.reduce_all(math.equal(*sizes)))
    return math.logical_and(shaped, reductions.reduce_all(math.equal(*flat)))


def _common_prefix(one: Any, two: Any) -> list[Any]:
    """Two vectors, the longer one cut to the length of the other."""
    length = math.minimum(array.size(one), array.size(two))
    return [one[:length], two[:length]]


def _again(kind: Any, values: Sequence[Any]) -> Any:
    return kind._of(values)


@export("experimental.BatchableExtensionType")
class BatchableExtensionType(ExtensionType):
    """An `ExtensionType` whose values have rows: datasets stack them and take them apart, `map_fn` maps over them.

    `__batch_encoder__`, an `ExtensionTypeBatchEncoder`, says how. Without one of the class's own, every tensor and
    composite has as many rows as the value, and so has a shape.
    """

    __batch_encoder__: ClassVar[ExtensionTypeBatchEncoder] = ExtensionTypeBatchEncoder()


# ---------------------------------------------------------------- saved


_REGISTERED: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
"""Classes that functions are saved with, by the name that they gave themselves as `__name__`."""


def _register(label: str, cls: Any) -> None:
    if not re.fullmatch(r"(\w+\.)+\w+", f"{label}.Spec"):
        raise ValueError(
            f"{cls.__name__}: Registered name must have the form '{{project_name}}.{{type_name}}', got {label!r}"
        )
    taken = _REGISTERED.get(label)
    if taken is not None and (taken.__module__, taken.__qualname__) != (cls.__module__, cls.__qualname__):
        raise ValueError(
            f"Name {label}.Spec has already been registered for class {taken.__module__}.{taken.__name__}."
        )
    _REGISTERED[label] = cls


def registered_type(label: str) -> Any:
    """The class that gave itself a name; None if there is none."""
    return _REGISTERED.get(label)


def registered_label(cls: Any) -> str | None:
    """The name that a class gave itself; None without one."""
    return next((label for label, other in _REGISTERED.items() if other is cls), None)


def _restored(label: str, values: dict[str, Any]) -> ExtensionTypeSpec:
    """The spec of a registered class, or, where that is not defined here, of a class with fields of the same names."""
    cls: Any = _REGISTERED.get(label)
    if cls is None or list(cls._declared()) != list(values):
        if not all(name.isidentifier() and not name.startswith("_") for name in values):
            raise ValueError(f"the fields of {label!r} have names that no field has: {list(values)}")
        cls = _Maker("AnonymousExtensionType", (ExtensionType,), {})
        cls._resolved = dict.fromkeys(values, Any)
    spec: ExtensionTypeSpec = spec_again(cls, [fields.frozen(value) for value in values.values()])  # type: ignore[assignment]
    return spec


structured.EXTENSIONS["extension"] = _restored


@export("experimental.extension_type.as_dict")
def as_dict(value: ExtensionType) -> dict[str, Any]:
    """The fields of a value by name."""
    return dict(zip(value._declared(), value._field_values(), strict=True))
