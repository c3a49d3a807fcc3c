"""`import tensorflow` answered by inlay, for a while.

    with as_tensorflow():
        import tensorflow as tf        # inlay

A finder stands before Python's own. It answers for TensorFlow's name and whatever is below it, so an installed
TensorFlow is not seen; the modules that the block imported are removed afterwards.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import multiprocessing.pool  # noqa: F401  # TensorFlow imports it, and programs use it without doing so
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING

from inlay._src.base.export import export
from inlay._src.base.interpreter.forking import new_lock
from inlay._src.core.behavior import disable_v2_behavior
from inlay._src.tools.unmodified import names
from inlay._src.tools.unmodified.keras_backend import alias_of, answer_for_keras, withdraw
from inlay._src.tools.unmodified.libraries import LibraryFinder
from inlay._src.tools.unmodified.metadata import TensorFlowDistribution
from inlay._src.tools.unmodified.stand_ins import ModuleStandIn, is_tensorflow, specified

if TYPE_CHECKING:
    from importlib.metadata import Distribution, DistributionFinder

_lock = new_lock()
_standing: list[_Finder] = []


@export("experimental.as_tensorflow")
@contextmanager
def as_tensorflow(v1: bool = False) -> Iterator[ModuleType]:
    """Has `import tensorflow`, and imports of modules below it, find inlay's names within the block.

    `python -m inlay run` runs whole programs so. Behavior is left as it is: a program of TensorFlow 1 also needs
    `inlay.compat.v1.disable_v2_behavior()`.

    Args:
      v1: whether `tensorflow` has the names of 1.x, `tensorflow.compat.v1`'s.

    Yields:
      The module `tensorflow`.

    Raises:
      RuntimeError: if TensorFlow itself was imported in this process, or within another such block.
    """
    finder, libraries = stand_for_tensorflow(v1), LibraryFinder()
    answer_for_keras()
    libraries.install()
    try:
        yield importlib.import_module("tensorflow")
    finally:
        with _lock:
            _standing.remove(finder)
            sys.meta_path.remove(finder)
            sys.meta_path.remove(libraries)
            withdraw()
            for name in [name for name in sys.modules if is_tensorflow(name)]:
                del sys.modules[name]


def stand_for_tensorflow(v1: bool) -> _Finder:
    """Puts a finder that answers for TensorFlow before Python's own.

    Args:
      v1: see `as_tensorflow`.

    Raises:
      RuntimeError: if TensorFlow itself was imported in this process, or such a finder is there.
    """
    finder = _Finder(v1)
    with _lock:
        if _standing:
            raise RuntimeError("inlay stands for TensorFlow already: as_tensorflow is not to be nested")
        if "tensorflow" in sys.modules:
            raise RuntimeError(
                "TensorFlow is imported in this process, so inlay cannot replace it: run the program in its own "
                "process (python -m inlay run), or before anything imports TensorFlow"
            )
        _standing.append(finder)
        sys.meta_path.insert(0, finder)
    return finder


def take_over(v1: bool) -> None:
    """Has inlay stand for TensorFlow for the life of this process; the package that `children` writes calls it.

    Args:
      v1: whether `tensorflow` has the names, and ops the behavior, of 1.x.
    """
    sys.modules.pop("tensorflow", None)  # the package that calls this
    stand_for_tensorflow(v1)
    answer_for_keras()
    LibraryFinder().install()
    if v1:
        disable_v2_behavior()
    importlib.import_module("tensorflow")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and makes stand-ins."""

    def __init__(self, v1: bool) -> None:
        self._v1 = v1

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """See `MetaPathFinder.find_spec`."""
        if not is_tensorflow(fullname):
            return None
        if (alias := alias_of(fullname)) is not None:
            return alias
        namespaces = specified(fullname, self._v1)
        return importlib.machinery.ModuleSpec(fullname, self, origin="inlay", loader_state=namespaces, is_package=True)

    def find_distributions(self, context: DistributionFinder.Context) -> Iterator[Distribution]:
        """The metadata of the package `tensorflow`, for `importlib.metadata`, which calls this."""
        if context.name is None or context.name.lower() == "tensorflow":
            yield TensorFlowDistribution(names.VERSIONS[self._v1])

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """See `Loader.create_module`."""
        return ModuleStandIn(spec.name, spec.loader_state or (), self._v1, importlib.import_module)

    def exec_module(self, module: ModuleType) -> None:
        """See `Loader.exec_module`: its names are found when they are asked for."""
