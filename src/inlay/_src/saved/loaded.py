"""The objects of a model that was loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from inlay._src.programs.module import Module


class LoadedObject(Module):
    """An object of a saved model: it has the variables, functions and objects that were saved, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name


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
