"""Functions as they are saved: `PortableBody`, what makes one (`packed`), and what makes functions of it (`opened`).

    packed(function) ─▶ data       the pickle; empty for a function that is saved by its import name
                        arrays     the memory of large captured arrays, each once, named by its digest
                        variables  what the function is bound to again
                        manifest   what is said of it
                        digest     over all that decides what runs

Nothing here reads a pickle but `opened`, and that only after `Trust` allowed the digest, or, for a function that is
saved by name, the name.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import io
import os
import pickle
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base import errors
from inlay._src.base.export import defining_module
from inlay._src.base.interpreter.forking import new_rlock
from inlay._src.base.tuning import TUNING
from inlay._src.core.portability import REBOUND
from inlay._src.host.bodies import manifest as manifests
from inlay._src.host.bodies.manifest import NAME, PYTHON, VALUE, BodyManifest
from inlay._src.host.bodies.pickling import blamed, in_place, pickler_class, reduced_code
from inlay._src.host.bodies.trust import Trust, covers


class Stored(NamedTuple):
    """The memory of a captured array.

    Attributes:
      digest: SHA-256 of the bytes, hexadecimal.
      memory: the bytes, as a vector of uint8; it may be mapped from a file.
    """

    digest: str
    memory: np.ndarray

    @staticmethod
    def of(memory: Any) -> Stored:
        """Bytes with their digest."""
        vector = np.frombuffer(memory, np.uint8)
        return Stored(hashlib.sha256(vector.data).hexdigest(), vector)


@dataclass(frozen=True, slots=True, eq=False)
class PortableBody:
    """A function as it is saved.

    Attributes:
      manifest: its manifest.
      data: the pickle, of a tuple of parts of which the first is the function; empty if it is saved by name.
      arrays: the memory of arrays that the pickle refers to.
      variables: the variables of the function that was packed; empty for a body that was read.
      digest: SHA-256 over all that decides what runs, hexadecimal.
    """

    manifest: BodyManifest
    data: bytes
    arrays: tuple[Stored, ...] = ()
    variables: tuple[Any, ...] = ()
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        whole = hashlib.sha256(b"inlay body 1\0")
        for part in (self.manifest.binding(), self.data, "".join(a.digest for a in self.arrays).encode()):
            whole.update(len(part).to_bytes(8, "little"))
            whole.update(part)
        object.__setattr__(self, "digest", whole.hexdigest())

    @property
    def label(self) -> str:
        """The function's name and definition, as the manifest has it."""
        return self.manifest.label

    @property
    def nbytes(self) -> int:
        """The bytes of the pickle and of the arrays."""
        return len(self.data) + sum(array.memory.nbytes for array in self.arrays)


# ---------------------------------------------------------------- packing

_REGISTERING = new_rlock()


@contextmanager
def _by_value(by_name: Iterable[str]) -> Iterator[None]:
    """In the block functions and classes of modules that are not installed are pickled by value."""
    import cloudpickle

    with _REGISTERING:
        registered = cloudpickle.list_registry_pickle_by_value()
        local = [
            module
            for name, module in list(sys.modules.items())
            if not manifests.installed(name)  # the first test is cached and true for nearly all
            and isinstance(module, types.ModuleType)
            and name == getattr(module, "__name__", None)
            and name not in registered
            and not any(covers(entry, name) for entry in by_name)
        ]
        for module in local:
            cloudpickle.register_pickle_by_value(module)
        try:
            yield
        finally:
            for module in local:
                cloudpickle.unregister_pickle_by_value(module)


def _without_folder(code: types.CodeType) -> types.CodeType:
    """Code whose file is named so that it is the same wherever it was saved, and that no file is taken for it."""
    file = code.co_filename
    return code if file.startswith("<") else code.replace(co_filename=f"<{os.path.basename(file)}>")


@functools.cache
def _saving_pickler() -> Any:
    """The class that pickles what is saved: it also notes modules, and puts arrays and variables beside."""

    class SavingPickler(pickler_class()):  # type: ignore[misc]
        def __init__(self, file: io.BytesIO) -> None:
            self.beside: list[np.ndarray] = []
            super().__init__(file, protocol=5, buffer_callback=lambda b: in_place(b.raw(), self.beside))
            self.variables: list[Any] = []
            self.modules: set[str] = set()

        def persistent_id(self, value: Any) -> Any:
            if not isinstance(value, tuple(REBOUND)):
                return None
            at = next((i for i, v in enumerate(self.variables) if v is value), len(self.variables))
            if at == len(self.variables):
                self.variables.append(value)
            return at

        def reducer_override(self, value: Any) -> Any:
            if (
                value.__class__ is np.ndarray
                and value.nbytes >= TUNING.stored_array_bytes
                and not value.dtype.hasobject
            ):
                if not (value.flags.c_contiguous or value.flags.f_contiguous):  # else NumPy puts it into the pickle
                    return np.ascontiguousarray(value).__reduce_ex__(5)
            if isinstance(value, types.CodeType):
                return reduced_code(self, _without_folder(value))
            if isinstance(value, types.FunctionType):  # cloudpickle would add `__file__` and `__path__`
                space = {k: value.__globals__[k] for k in ("__package__", "__name__") if k in value.__globals__}
                self.globals_ref.setdefault(id(value.__globals__), space)
            reduced = super().reducer_override(value)
            if isinstance(value, types.ModuleType):
                self.modules.add(value.__name__)
            elif reduced is NotImplemented and isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
                self.modules.add(value.__module__ or "builtins")
            return reduced

    return SavingPickler


def packed(
    value: Callable[..., Any] | tuple[Any, ...], label: str = "", declared: str = "", by_name: Sequence[str] = ()
) -> PortableBody:
    """A function as it is saved.

    Functions of installed packages are saved by name if they can be imported; those of the program, its modules
    included, by value.

    Args:
      value: the function, or a tuple of it and of what else is to travel in the same pickle.
      label: its name and definition; "" takes its name.
      declared: see `BodyManifest`.
      by_name: modules and packages of the program that are saved by name all the same: the loading program has them.

    Raises:
      InvalidArgumentError, TypeError: if it refers to something that cannot travel.
    """
    parts = value if isinstance(value, tuple) else (value,)
    label = label or getattr(parts[0], "__qualname__", None) or repr(parts[0])
    names = [_import_name(part, by_name) for part in parts]
    if all(names):
        import_names = tuple(str(name) for name in names)
        modules = sorted({name.partition(":")[0] for name in import_names})
        manifest = BodyManifest(
            label, NAME, import_names, PYTHON, declared, 0, tuple(modules), manifests.packages_of(modules)
        )
        return PortableBody(manifest, b"")
    file = io.BytesIO()
    with _by_value(by_name):
        pickler = _saving_pickler()(file)
        try:
            pickler.dump(parts)
        except Exception as error:
            whole = parts[0] if len(parts) == 1 else parts
            text = f"{label} cannot be saved: {blamed(whole, error, _saving_pickler())}"
            raise errors.refused(errors.InvalidArgumentError, TypeError, text) from error
    used = set(pickler.modules).union(*(manifests.imports_in(f.__code__) for f in pickler.functions))
    imports = sorted(name for name in used if name.partition(".")[0] not in ("builtins", "cloudpickle", "inlay"))
    manifest = BodyManifest(
        label, VALUE, (), PYTHON, declared, len(pickler.variables), tuple(imports), manifests.packages_of(imports),
        manifests.sources_of(pickler.functions),
    )  # fmt: skip
    return PortableBody(manifest, file.getvalue(), tuple(map(Stored.of, pickler.beside)), tuple(pickler.variables))


def _import_name(value: Any, by_name: Sequence[str]) -> str | None:
    """`module:qualname` of what is saved by name; None for all else."""
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not callable(value) or not isinstance(module, str) or not isinstance(name, str):
        return None
    if module == "__main__" or module not in sys.modules or "<" in name:
        return None
    if not manifests.installed(module) and not any(covers(entry, module) for entry in by_name):
        return None
    return f"{module}:{name}" if _walk(sys.modules[module], name) is value else None


def _walk(module: Any, name: str) -> Any:
    """The object of a qualified name in a module; None if the module does not define it."""
    value: Any = module
    for part in name.split("."):
        if value is module and module.__name__.partition(".")[0] == "inlay":  # a namespace loads its names on access
            value = getattr(value, part, None)
        else:
            value = vars(value).get(part) if isinstance(value, (type, types.ModuleType)) else None
        if isinstance(value, types.ModuleType):
            return None
    if isinstance(value, (type, types.FunctionType)) and defining_module(value) == module.__name__ != value.__module__:
        return value  # saved under its name before it was named after its namespace
    own = getattr(value, "__module__", None) == module.__name__ and getattr(value, "__qualname__", None) == name
    return value if own else None


# ---------------------------------------------------------------- opening


def opened(body: PortableBody, trust: Any, variables: Sequence[Any] = ()) -> tuple[Any, ...]:
    """The parts of a saved function; this runs what the body says, if it may.

    Args:
      body: the body.
      trust: the functions that may run: see `Trust.of`.
      variables: the variables that the function is bound to.

    Returns:
      The function and what else was packed with it.

    Raises:
      PermissionDeniedError: if nothing says that it may run.
      FailedPreconditionError: if another Python pickled it.
      InvalidArgumentError: if it is bound to another number of variables.
      DataLossError: if its bytes are no body.
      NotFoundError: for an import name that stands for nothing here.
    """
    Trust.of(trust).check([body])
    said = body.manifest
    if said.kind == NAME:
        return tuple(map(_imported, said.names))
    runs_here(body)
    if len(variables) != said.variables:
        raise errors.InvalidArgumentError(
            None, None, f"{said.label} is bound to {said.variables} variables, got {len(variables)}"
        )
    try:
        parts = _Opener(body, variables).load()
    except Exception as error:
        raise errors.DataLossError(
            None, None, f"The saved function {said.label} cannot be opened: {type(error).__name__}: {error}"
        ) from error
    if not isinstance(parts, tuple) or not parts:
        raise errors.DataLossError(None, None, f"The saved function {said.label} holds no function")
    return parts


def runs_here(body: PortableBody) -> None:
    """Refuses the body of another Python: its pickle holds that one's bytecode, and reading it may crash this one.

    Raises:
      FailedPreconditionError: if it is.
    """
    if body.manifest.kind == VALUE and body.manifest.python != PYTHON:
        raise errors.FailedPreconditionError(
            None,
            None,
            f"{body.label} was saved by {body.manifest.python}, and this is {PYTHON}: a function that is saved by "
            "value runs in the same minor version only. Load it there, or save it again here from its source; a "
            "function that is saved by import name has no such limit",
        )


class _Opener(pickle.Unpickler):
    def __init__(self, body: PortableBody, variables: Sequence[Any]) -> None:
        super().__init__(io.BytesIO(body.data), buffers=[array.memory for array in body.arrays])
        self._variables = variables

    def persistent_load(self, pid: Any) -> Any:
        return self._variables[pid]


def _imported(name: str) -> Any:
    module, _, qualname = name.partition(":")
    try:
        function = _walk(importlib.import_module(module), qualname)
    except ImportError as error:
        raise errors.NotFoundError(None, None, f"the function {name} is saved by its name, but {error}") from error
    if function is None:
        raise errors.NotFoundError(
            None, None, f"the function {name} is saved by its name, but there is none defined in {module} of that name"
        )
    return function
