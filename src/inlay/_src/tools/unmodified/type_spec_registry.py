"""`tensorflow.python.framework.type_spec_registry`: the names under which specs are written into models of Keras."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from inlay._src.base.export import lookup as public_object
from inlay._src.base.types.specs import TypeSpec
from inlay._src.ops.composite.extension_type import registered_label, registered_type

_OURS = {
    f"tf.{name}": name
    for name in ("TensorSpec", "RaggedTensorSpec", "SparseTensorSpec", "IndexedSlicesSpec", "NoneTensorSpec")
}
_BY_NAME: dict[str, Any] = {}


def register(name: str) -> Callable[[Any], Any]:
    """A decorator that gives a class of specs a name.

    Args:
      name: of the form "{project_name}.{type_name}".

    Raises:
      TypeError, ValueError: if it has another form or is another class's, or the class is no `TypeSpec`.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if not re.fullmatch(r"(\w+\.)+\w+", name):
        raise ValueError(
            f"Registered name must have the form '{{project_name}}.{{type_name}}' (e.g. 'my_project.MyTypeSpec'); got "
            f"{name!r}."
        )

    def registered(cls: Any) -> Any:
        if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
        if cls in _BY_NAME.values():
            raise ValueError(f"Class {cls.__module__}.{cls.__name__} has already been registered.")
        if name in _BY_NAME or name in _OURS:
            raise ValueError(f"Name {name} has already been registered.")
        _BY_NAME[name] = cls
        return cls

    return registered


def get_name(cls: Any) -> str:
    """The name of a class of specs.

    Args:
      cls: a subclass of `TypeSpec`.

    Raises:
      TypeError: if it is none.
      ValueError: if it has no name.
    """
    if not (isinstance(cls, type) and issubclass(cls, TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    for name, registered in _BY_NAME.items():
        if registered is cls:
            return name
    name = f"tf.{cls.__name__}"
    if name in _OURS and public_object(_OURS[name]) is cls:
        return name
    label = registered_label(getattr(cls, "value_type", None))
    if label is None:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return f"{label}.Spec"


def lookup(name: str) -> Any:
    """The class of specs of a name.

    Args:
      name: as `get_name` gives it.

    Raises:
      TypeError, ValueError: if it is no name, or no class's.
    """
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name in _OURS:
        return public_object(_OURS[name])
    cls = registered_type(name.removesuffix(".Spec")) if name.endswith(".Spec") else None
    spec = _BY_NAME.get(name) if cls is None else cls.Spec
    if spec is None:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return spec
