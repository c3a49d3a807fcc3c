"""Modules of other libraries that are changed when their own loaders have loaded them.

sys.meta_path:  a finder of inlay -> the finder that finds the module -> its loader, in an `AdaptingLoader`
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

Change = Callable[[ModuleType], None]


class AdaptingLoader(importlib.abc.Loader):
    """Loads a module by its own loader, and changes it.

    Args:
      loader: its own.
      before: called with the module before it runs.
      after: called with the module once it is loaded.
    """

    def __init__(self, loader: Any, before: Change | None, after: Change | None) -> None:
        self._loader, self._before, self._after = loader, before, after

    def __getattr__(self, name: str) -> Any:  # `get_source` and its like, of which tracebacks and tools know
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """See `Loader.create_module`."""
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        """See `Loader.exec_module`."""
        if self._before is not None:
            self._before(module)
        self._loader.exec_module(module)
        if self._after is not None:
            self._after(module)


def adapted_spec(
    finder: Any,
    fullname: str,
    path: Sequence[str] | None,
    target: ModuleType | None,
    before: Change | None = None,
    after: Change | None = None,
) -> importlib.machinery.ModuleSpec | None:
    """The spec of a module as the finders behind one have it, with a loader that changes the module.

    Args:
      finder: the finder, in `sys.meta_path`.
      fullname, path, target: as for `MetaPathFinder.find_spec`.
      before, after: as for `AdaptingLoader`.
    """
    for other in sys.meta_path[sys.meta_path.index(finder) + 1 :]:
        spec = other.find_spec(fullname, path, target)
        if spec is not None:
            if spec.loader is not None:
                spec.loader = AdaptingLoader(spec.loader, before, after)
            return spec
    return None
