"""Keras 3 with inlay as its TensorFlow.

    import inlay as tf
    tf.keras.Sequential([...])

Keras imports `tensorflow` in its TensorFlow backend, in its layers and in its utilities. A finder before Python's own
answers for Keras's modules alone. Each module is loaded by its own loader, and has an `__import__` among its builtins
that gives a stand-in (`ModuleStandIn`) for `tensorflow` and for modules below it. So `sys.modules` has no `tensorflow`,
and no other package sees one. A few modules of Keras ask for TensorFlow in another way than by an import statement:
`_ADAPTED` lists them, with the change to each once it is loaded.

    sys.meta_path:  KerasFinder -> the finder that finds the module -> its loader, wrapped
    keras.*         __builtins__["__import__"]("tensorflow...") -> StandIns -> the namespaces of inlay
"""

from __future__ import annotations

import builtins
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

from inlay._src.base.interpreter.forking import new_lock
from inlay._src.tools.unmodified.adapting import adapted_spec
from inlay._src.tools.unmodified.stand_ins import ModuleStandIn, StandIns, is_tensorflow

VERSIONS = "3.15"
"""The releases of Keras that the suite runs: this one, with any last part."""
PUBLIC = "keras._tf_keras.keras"
"""The package of Keras that is TensorFlow's `tf.keras`."""
_lock = new_lock()


def _as_it_is(name: str) -> Callable[..., Any]:
    """A builtin function as it is when it is called: programs replace those that read and write."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return getattr(builtins, name)(*args, **kwargs)

    return functools.wraps(getattr(builtins, name))(call)


_REPLACED = {name: _as_it_is(name) for name in ("input", "open", "print")}


class KerasFinder(importlib.abc.MetaPathFinder):
    """Finds modules of Keras, and gives them inlay for TensorFlow.

    Args:
      forced: whether Keras is on TensorFlow whatever its configuration file says.

    Attributes:
      forced: see above.
      stand_ins: the modules that Keras has for TensorFlow's.
      builtins: the builtins of Keras's modules.
    """

    def __init__(self, forced: bool) -> None:
        self.forced, self.stand_ins = forced, StandIns(v1=False)
        self.builtins: dict[str, Any] = {**vars(builtins), **_REPLACED, "__import__": self._import}

    def _import(
        self, name: str, globals: Any = None, locals: Any = None, fromlist: Sequence[str] = (), level: int = 0
    ) -> ModuleType:
        if level or not is_tensorflow(name):
            return __import__(name, globals, locals, fromlist, level)
        module = self.stand_ins.load(name)
        return module if fromlist else self.stand_ins.load("tensorflow")

    def import_module(self, name: str, package: str | None = None) -> ModuleType:
        """`importlib.import_module` as Keras's modules have it."""
        return self.stand_ins.load(name) if is_tensorflow(name) else importlib.import_module(name, package)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """See `MetaPathFinder.find_spec`."""
        if (alias := alias_of(fullname)) is not None:
            return alias
        if fullname.partition(".")[0] != "keras":
            return None
        adapt = _ADAPTED.get(fullname)
        after = None if adapt is None else lambda module: adapt(module, self)
        return adapted_spec(self, fullname, path, target, self._prepare, after)

    def _prepare(self, module: ModuleType) -> None:
        vars(module)["__builtins__"] = self.builtins


# ---------------------------------------------------------------- Keras's other ways to TensorFlow


def _choose_backend(module: ModuleType, finder: KerasFinder) -> None:
    """`keras.src.backend.config`, which read the variable of the environment and the configuration file."""
    if finder.forced:
        vars(module)["_BACKEND"] = "tensorflow"
    elif module.backend() != "tensorflow":
        sys.meta_path.remove(finder)


def _import_lazily(module: ModuleType, finder: KerasFinder) -> None:
    """`keras.src.utils.module_utils`, whose lazy modules call `importlib.import_module`."""
    vars(module)["importlib"] = SimpleNamespace(import_module=finder.import_module)


def _know_datasets(module: ModuleType, finder: KerasFinder) -> None:
    """`data_adapters` and `dataset_utils`, which know datasets by the names of their classes and modules."""
    tf = finder.stand_ins.load("tensorflow")
    _know(module, "is_tf_dataset", lambda value: isinstance(value, tf.data.Dataset))


def _know_tensors(module: ModuleType, finder: KerasFinder) -> None:
    """`data_adapter_utils`, which knows tensors in the same way."""
    tf = finder.stand_ins.load("tensorflow")
    every = (tf.Tensor, tf.RaggedTensor, tf.SparseTensor)
    _know(module, "is_tensorflow_tensor", lambda value: isinstance(value, every))
    _know(module, "is_tensorflow_ragged", lambda value: isinstance(value, tf.RaggedTensor))
    _know(module, "is_tensorflow_sparse", lambda value: isinstance(value, tf.SparseTensor))


def _know_ragged(module: ModuleType, finder: KerasFinder) -> None:
    """`keras.src.utils.tf_utils`, which knows ragged tensors in the same way."""
    tf = finder.stand_ins.load("tensorflow")
    _know(module, "is_ragged_tensor", lambda value: isinstance(value, tf.RaggedTensor))


def _know(module: ModuleType, name: str, predicate: Callable[[Any], bool]) -> None:
    """Replaces a predicate of a module.

    Raises:
      AttributeError: if the module has none of the name: it is another release than those of `VERSIONS`.
    """
    predicate.__name__ = predicate.__qualname__ = getattr(module, name).__name__
    vars(module)[name] = predicate


_ADAPTED: dict[str, Callable[[ModuleType, KerasFinder], None]] = {
    "keras.src.backend.config": _choose_backend,
    "keras.src.utils.module_utils": _import_lazily,
    "keras.src.trainers.data_adapters": _know_datasets,
    "keras.src.utils.dataset_utils": _know_datasets,
    "keras.src.utils.tf_utils": _know_ragged,
    "keras.src.trainers.data_adapters.data_adapter_utils": _know_tensors,
}
"""A module of Keras -> the change to it once it is loaded."""


# ---------------------------------------------------------------- loading


def answer_for_keras(forced: bool = False) -> None:
    """From now on Keras finds inlay for TensorFlow, if it is not loaded yet.

    Args:
      forced: see `KerasFinder`.
    """
    with _lock:
        finder = next((f for f in sys.meta_path if isinstance(f, KerasFinder)), None)
        if finder is None and "keras" not in sys.modules:
            finder = KerasFinder(forced)
            sys.meta_path.insert(0, finder)
        if finder is not None:
            finder.forced |= forced


def withdraw() -> None:
    """Keras finds inlay no more, unless it is loaded."""
    with _lock:
        if "keras" not in sys.modules:
            sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, KerasFinder)]


def load() -> ModuleType:
    """Keras, on inlay: the package that TensorFlow has as `tf.keras`.

    Raises:
      ImportError: if Keras is not installed, is of another release than `VERSIONS`, was imported before on another
        backend, if the environment names another backend, or if TensorFlow itself is imported.
    """
    _check_release()
    wanted = os.environ.get("KERAS_BACKEND")
    if wanted and wanted != "tensorflow" and "keras" not in sys.modules:
        raise ImportError(
            f"tf.keras is Keras on inlay, and the variable KERAS_BACKEND of the environment says {wanted!r}: take it "
            "away, or import keras itself for that backend"
        )
    if not isinstance(sys.modules.get("tensorflow"), (ModuleStandIn, type(None))):
        raise ImportError(
            "TensorFlow itself is imported in this process, and Keras would have tensors of both: use "
            "tensorflow.keras, or leave the import of tensorflow out"
        )
    answer_for_keras(forced=True)
    keras = importlib.import_module("keras")
    if not any(isinstance(f, KerasFinder) for f in sys.meta_path) or keras.config.backend() != "tensorflow":
        backend = keras.config.backend()
        on = "TensorFlow itself" if backend == "tensorflow" else f"the backend {backend!r}"
        raise ImportError(
            f"Keras was imported in this process before tf.keras was asked for, and is on {on}: ask for tf.keras "
            "first (`import inlay as tf; keras = tf.keras`), or run the program with `inlay run`"
        )
    return importlib.import_module(PUBLIC)


def take_place(name: str) -> None:
    """Has the name of a module stand for Keras's package for TensorFlow.

    Args:
      name: "inlay.keras" or "tensorflow.keras".

    Raises:
      ImportError: as for `load`.
    """
    sys.modules[name] = load()


class _Alias(importlib.abc.Loader):
    """Loads the module of Keras that another name stands for.

    Args:
      name: the module's own name.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """See `Loader.create_module`: there is one already, which must keep its own spec."""

    def exec_module(self, module: ModuleType) -> None:
        """See `Loader.exec_module`."""
        load()
        sys.modules[module.__name__] = importlib.import_module(self._name)


def alias_of(name: str) -> importlib.machinery.ModuleSpec | None:
    """The spec of a module whose name begins with `inlay.keras.` or `tensorflow.keras`; None for another one."""
    parts = name.split(".")
    if parts[1:2] != ["keras"] or parts[0] not in ("inlay", "tensorflow") or name == "inlay.keras":
        return None
    return importlib.machinery.ModuleSpec(name, _Alias(".".join([PUBLIC, *parts[2:]])), is_package=True)


def _check_release() -> None:
    try:
        release = importlib.metadata.version("keras")
    except importlib.metadata.PackageNotFoundError:
        raise ImportError("tf.keras needs Keras 3: pip install 'inlay[keras]'") from None
    if not f"{release}.".startswith(f"{VERSIONS}."):
        raise ImportError(
            f"tf.keras works with Keras {VERSIONS}, and {release} is installed: pip install 'keras=={VERSIONS}.*'"
        )
