"""The objects of a model that was loaded."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from inlay._src.base import errors
from inlay._src.core.pictured import Pictured
from inlay._src.programs.module import Module


def _saved_or_own(name: str) -> Any:
    """A property of `Module` that an object of the model may have under the same name."""
    own = getattr(Module, name)
    return property(lambda self: vars(self)[name] if name in vars(self) else own.fget(self), doc=own.__doc__)


class LoadedObject(Pictured, Module):
    """An object of a saved model: it has the variables, functions and objects that were saved, as attributes.

    Attributes:
      slots: (name, number of a variable) -> the variable that an optimizer keeps for it.
    """

    _picture_kind = "saved_model"
    name = _saved_or_own("name")
    variables = _saved_or_own("variables")
    trainable_variables = _saved_or_own("trainable_variables")
    non_trainable_variables = _saved_or_own("non_trainable_variables")
    submodules = _saved_or_own("submodules")

    def __init__(self, name: str) -> None:
        self._name = name

    @functools.cached_property
    def slots(self) -> dict[Any, Any]:
        return {}


class LoadedCallable(LoadedObject):
    """An object of a saved model that can be called, as the saved one could."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return vars(self)["__call__"](*args, **kwargs)


class Signatures(Mapping[str, Any]):
    """The signatures of a model: name -> a function of keyword arguments that gives a dict of tensors."""

    def __init__(self, functions: Mapping[str, Any]) -> None:
        self._functions = dict(functions)

    def __getitem__(self, name: str) -> Any:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def __repr__(self) -> str:
        return f"Signatures({self._functions})"


class LoadedResource:
    """An object that functions of a model made.

    Attributes:
      resource_handle: its handle; None if the model does not say how it is made.
    """

    def __init__(self, resource_handle: Any) -> None:
        self.resource_handle: Any = resource_handle


class AbsentTrace:
    """A trace of a model that cannot be made here: a call says why.

    Args:
      name: its name.
      reason: the reason.
    """

    def __init__(self, name: str, reason: str) -> None:
        self._name, self._reason = name, reason

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise errors.UnimplementedError(None, None, f"{self._name} cannot run here: {self._reason}")

    def __repr__(self) -> str:
        return f"<AbsentTrace {self._name}: {self._reason}>"
