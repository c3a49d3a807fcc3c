"""`tf.__internal__`: the names that TensorFlow has for libraries built on it, Keras above all."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

_NAMES: dict[str, dict[str, str]] = {
    "": {
        "CompositeTensor": "base.types.nest:Composite",
        "EagerTensor": "core.tensor:EagerTensor",
        "FuncGraph": "core.func_graph:FuncGraph",
    },
    "decorator": {"make_decorator": "tools.unmodified.private:make_decorator"},
    "distribute": {
        "strategy_supports_no_merge_call": "programs.strategies:supports_no_merge_call",
    },
    "distribute.interim": {"maybe_merge_call": "programs.strategies:maybe_merge_call"},
    "eager_context": {
        "eager_mode": "core.modes:eager_mode",
        "graph_mode": "core.modes:graph_mode",
    },
    "smart_cond": {"smart_cond": "tf1.layers.choosing:smart_cond"},
    "tf2": {"enabled": "tools.unmodified.private:enabled"},
    "tracking": {
        "AutoTrackable": "training.auto_trackable:AutoTrackable",
        "Trackable": "core.trackable:Trackable",
        "no_automatic_dependency_tracking": "training.auto_trackable:no_automatic_dependency_tracking",
    },
    "types": {"Tensor": "base.types.attributes:WithOperators"},
}
"""Namespace below `tf.__internal__` -> its names -> the module below `_src` and the name there."""


class Internal(ModuleType):
    """A namespace of `tf.__internal__`.

    Args:
      path: after `tf.__internal__`, "" for itself.
    """

    def __init__(self, path: str) -> None:
        super().__init__(f"inlay.__internal__{path and '.'}{path}", __doc__)
        self._path = path
        below = [other for other in _NAMES if other and other.rpartition(".")[0] == path]
        self.__all__ = sorted([*_NAMES[path], *(other.rpartition(".")[2] for other in below)])

    def __getattr__(self, name: str) -> Any:
        place = _NAMES[self._path].get(name)
        if place is not None:
            module, _, inner = place.partition(":")
            value = getattr(importlib.import_module(f"inlay._src.{module}"), inner)
        elif (path := f"{self._path}.{name}".strip(".")) in _NAMES:
            value = Internal(path)
        else:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        return vars(self).setdefault(name, value)

    def __dir__(self) -> list[str]:
        return list(self.__all__)


_ROOT = Internal("")
__all__ = _ROOT.__all__


def __getattr__(name: str) -> Any:
    return getattr(_ROOT, name)


def __dir__() -> list[str]:
    return dir(_ROOT)
