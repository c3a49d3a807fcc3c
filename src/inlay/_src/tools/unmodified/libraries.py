"""Libraries that know TensorFlow's tensors by the module of their class: under `inlay run` they learn of inlay's."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from inlay._src.core.tensor import EagerTensor, SymbolicTensor
from inlay._src.ops.variables.variable import Variable
from inlay._src.tools.unmodified.adapting import adapted_spec


def _register_with_autoray(module: Any) -> None:
    """`autoray`, on which PennyLane rests, has the functions of a backend for each class of arrays."""
    for cls in (EagerTensor, SymbolicTensor, Variable):
        module.register_backend(cls, "tensorflow")


_LEARNING: dict[str, Callable[[Any], None]] = {"autoray.autoray": _register_with_autoray}
"""A module of a library -> how it learns of our classes, once it is loaded."""


class LibraryFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of `_LEARNING`."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """See `MetaPathFinder.find_spec`."""
        learn = _LEARNING.get(fullname)
        return None if learn is None else adapted_spec(self, fullname, path, target, after=learn)

    def install(self) -> None:
        """Puts the finder before Python's own; libraries that are loaded learn at once."""
        sys.meta_path.insert(0, self)
        for name, learn in _LEARNING.items():
            if name in sys.modules:
                learn(sys.modules[name])
