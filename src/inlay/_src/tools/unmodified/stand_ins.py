"""Modules of TensorFlow whose names are inlay's."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from inlay._src.base.export import MIRRORS
from inlay._src.tools.unmodified import names


def is_tensorflow(module: str) -> bool:
    """Whether a module is TensorFlow, or below it."""
    return module.partition(".")[0] == "tensorflow"


def specified(module: str, v1: bool) -> list[str]:
    """The namespaces of a module of TensorFlow.

    Args:
      module, v1: as for `names.spaces`.

    Raises:
      ModuleNotFoundError: if it has no place here. It has no name, so that `from tensorflow import lite` raises it and
        not "cannot import name".
    """
    namespaces = names.spaces(module, v1)
    if namespaces is None or isinstance(namespaces, names.Absent):
        why = f": {namespaces.advice}" if namespaces else names.why_not(module, v1)
        raise ModuleNotFoundError(f"{module} is not here{why}")
    return namespaces


_VERSIONED = frozenset(
    f"tensorflow.{path}"
    for path in ("compat", "compat.v1", "compat.v2", "version", "compat.v1.version", "compat.v2.version")
)
"""Modules that have the version of TensorFlow, and what holds such."""


class ModuleStandIn(ModuleType):
    """A module of TensorFlow, whose names are ours.

    Args:
      name: "tensorflow.python.ops.math_ops".
      places: the namespaces in which they are looked for, in order.
      v1: whether TensorFlow is 1.x.
      load: gives the module of a name.
    """

    def __init__(self, name: str, places: Sequence[str], v1: bool, load: Callable[[str], ModuleType]) -> None:
        super().__init__(name, f"inlay in place of {name}.")
        self.__path__: list[str] = []
        MIRRORS.add(self)
        self._places, self._v1, self._load = list(places), v1, load
        if self._places and self._places[0] in ("", "compat.v1", "compat.v2"):
            self.__version__ = names.VERSIONS[v1]
            self.VERSION = names.VERSIONS[v1]
            self.__file__ = sys.modules["inlay"].__file__
        elif self._places == ["version"]:
            self.VERSION = names.VERSIONS[v1]

    def __getattr__(self, name: str) -> Any:
        if name == "__internal__" and self._places[:1] == [""]:
            return names.find(name, [""])
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name, obj=self)
        if (whole := names.WHOLE.get(self.__name__)) is not None:
            return getattr(importlib.import_module(f"inlay._src.{whole}"), name)
        below = f"{self.__name__}.{name}"
        if below in _VERSIONED:  # our own namespaces tell our own version
            return self._load(below)
        try:
            return vars(self).setdefault(name, names.find(name, self._places))
        except AttributeError as error:
            if names.is_private(below) and isinstance(names.spaces(below, self._v1), list):
                return self._load(below)  # `tf.python.framework`, which nobody imported
            text = f"{below} is not here{names.advice(error, self.__name__, name)}"
            raise AttributeError(text, name=name, obj=self) from None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *names.listed(self._places)})


class StandIns:
    """Stand-ins that `sys.modules` does not have.

    Args:
      v1: whether TensorFlow is 1.x.
    """

    def __init__(self, v1: bool) -> None:
        self._v1, self._modules = v1, dict[str, ModuleStandIn]()

    def load(self, name: str) -> ModuleType:
        """The module of a name, "tensorflow.python.eager".

        Raises:
          ModuleNotFoundError: if it has no place here.
        """
        module = self._modules.get(name)
        if module is None:
            module = ModuleStandIn(name, specified(name, self._v1), self._v1, self.load)
            module = self._modules.setdefault(name, module)
        return module
