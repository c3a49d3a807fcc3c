"""Where a name is public: said where it is defined, and nowhere else.

    @export("math.erf", "compat.v1.erf")
    def erf(x): ...

    float32 = export("float32", "dtypes.float32")(DType(...))

A path is what a user writes after `tf.`. `scripts/update_generated.py` reads these calls, without running them, and
writes for each namespace the module (`inlay/math.py` and so on) that says which modules define its names, its stub,
the reference and the list of public names.
"""

from __future__ import annotations

import copyreg
import functools
import gc
import importlib
import inspect
import os
import pkgutil
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from inlay._src.base.foreign_names import FOREIGN, attach
from inlay._src.base.former_names import present_name
from inlay._src.base.misuse import explain_methods, explained, shown, written

K = TypeVar("K")
T = TypeVar("T")

_PUBLIC: dict[str, Any] = {}
"""Path -> what is public there, of the modules that are loaded, in the order in which they said so."""
_PACKAGES: dict[str, Mapping[str, str]] = {}
"""Namespace -> names that are modules of other libraries -> the module that loads each; of those that are loaded."""
_ABSENT: dict[str, Mapping[str, str]] = {}
"""Namespace -> TensorFlow's names that are not there -> what to do instead; of those that are loaded."""


_PLAIN = tuple(
    f"inlay._src.{name}"
    for name in (
        *("base.interpreter.caches", "base.protos", "core.eager", "host"),
        *("programs.conversion", "programs.program"),
        *(f"core.{name}" for name in ("context", "func_graph", "modes", "opdef", "tables", "tensor", "values")),
        *(f"base.types.{name}" for name in ("dtypes", "nest", "shapes", "structured", "template")),
        *(f"ops.{name}" for name in ("array", "elementwise", "gathering", "indexing", "joining", "math", "matmul")),
        *(f"ops.{name}" for name in ("operators", "rearranging", "reductions", "shaping", "slicing", "stacking")),
        "programs.functions.function",
    )
)
"""Packages and modules with what is called often and checks its arguments itself: one more frame would cost there."""
_PLAIN_METHODS = frozenset(
    {
        *("Graph.add", "Graph.claim_name", "Operation.__init__", "Session.run"),
        *(f"Variable.{name}" for name in ("__init__", "__getitem__", "assign", "assign_add", "assign_sub")),
        *(f"Variable.{name}" for name in ("numpy", "read_value", "value")),
    }
)
"""Methods of other modules of which the same is true."""
_PLAIN_PACKAGES = tuple(f"{name}." for name in _PLAIN)


def _is_explained(value: Any) -> bool:
    if isinstance(value, type) and issubclass(value, BaseException):
        return False
    module = defining_module(value)
    return module.startswith("inlay._src.") and module not in _PLAIN and not module.startswith(_PLAIN_PACKAGES)


def export(*paths: str) -> Callable[[T], T]:
    """Says under which paths a function, a class or a value is public.

    Args:
      paths: string literals, such as "abs", "math.abs", "compat.v1.nn.relu"; the first is where it is at home. A name
        that is public at top level is so in `compat.v1` and `compat.v2` too, unless another one claims that path.

    Returns:
      A decorator that leaves what it decorates as it is, but for what an argument causes that it cannot do with: that
      names the argument (`misuse`).
    """

    def exported(value: T) -> T:
        if isinstance(value, type):
            for cls in filter(_is_explained, value.__mro__):
                explain_methods(cls, _PLAIN_METHODS)
            if vars(object)["__repr__"] is getattr(value, "__repr__", None) and _is_own(value):
                value.__repr__ = _described  # type: ignore[assignment]
            attach(value, paths[0])
        elif isinstance(value, FunctionType) and _is_explained(value):
            value = explained(value)  # type: ignore[assignment]
        _name_publicly(value, paths[0])
        _PUBLIC.update(dict.fromkeys(paths, value))
        return value

    return exported


def _is_own(cls: type) -> bool:
    """Whether a class is the library's, and no protocol."""
    return cls.__module__.partition(".")[0] == "inlay" and not getattr(cls, "_is_protocol", False)


class _Rendering(threading.local):
    """Attributes: active: whether the thread computes the `repr` of an object, whose parts show their classes alone."""

    active: bool = False


_rendering = _Rendering()


def _described(self: Any) -> str:
    """The `repr` of an object whose class has none: its class, and the constructor's arguments that it keeps."""
    kind = type(self)
    if _rendering.active:  # objects may hold one another, or one several times
        return f"<{kind.__name__}>"
    fields = {name.lstrip("_"): value for name, value in getattr(self, "__dict__", {}).items()}
    try:
        names = [name for name in inspect.signature(kind).parameters if name in fields]
    except (TypeError, ValueError):
        names = []
    _rendering.active = True
    try:
        arguments = ", ".join(f"{name}={shown(fields[name])}" for name in names if fields[name] is not None)
    finally:
        _rendering.active = False
    return f"<{kind.__name__}({arguments})>" if len(arguments) <= _LONGEST_REPR else f"<{kind.__name__}>"


_LONGEST_REPR = 400
"""Characters of the arguments in a `repr`; with more there are none."""

_DEFINED: dict[Any, str] = {}
"""Exported class or function -> the module that defines it; its `__module__` names the public namespace."""


def _name_publicly(value: Any, path: str) -> None:
    """Names a class or a function by its first public path, for `repr`, `help`, tracebacks and pickles."""
    if not isinstance(value, (type, FunctionType)) or value.__module__.partition(".")[0] != "inlay":
        return  # what another package defines keeps its name
    if value in _DEFINED:
        return  # what another module exports again is named where it is defined
    space, _, name = path.rpartition(".")
    module = f"inlay.{space}" if space else "inlay"
    if module not in sys.modules:  # cloudpickle takes a class by value whose module is not loaded
        importlib.import_module(module)
    _DEFINED.setdefault(value, value.__module__)
    value.__module__, value.__name__, value.__qualname__ = module, name, name
    if isinstance(value, FunctionType) and (inner := written(value)) is not value:
        _DEFINED.setdefault(inner, inner.__module__)
        inner.__module__, inner.__name__, inner.__qualname__ = module, name, name


def defining_module(value: Any) -> str:
    """The name of the module that defines a class or a function, also if it is named after its public namespace."""
    return _DEFINED.get(value, value.__module__)


def replace(exported: Any, replacement: Any) -> None:
    """A decorator further out made something else of what was exported last: that is public in its place."""
    first = ""
    for path in reversed(_PUBLIC):
        if _PUBLIC[path] is not exported and written(_PUBLIC[path]) is not exported:
            break
        _PUBLIC[path], first = replacement, path
    if first:
        _name_publicly(replacement, first)


def lookup(path: str) -> Any:
    """The public object at a path, such as "math.add"; None if nothing is."""
    space, _, name = path.rpartition(".")
    try:
        return getattr(public(space), name)
    except (AttributeError, ModuleNotFoundError):
        return None


MIRRORS: weakref.WeakSet[ModuleType] = weakref.WeakSet()
"""Modules that keep public objects which they looked up: `replace_everywhere` changes these too."""


def replace_everywhere(exported: Any, replacement: Any) -> bool:
    """Replaces an exported object by another one, also in namespaces that hold it already.

    Returns:
      Whether it was public anywhere.
    """
    paths = [path for path, value in _PUBLIC.items() if value is exported]
    _PUBLIC.update(dict.fromkeys(paths, replacement))
    for space in _BELOW:
        loaded = vars(sys.modules[f"inlay.{space or 'api'}"])
        for name in [name for name, value in loaded.items() if value is exported]:
            loaded[name] = replacement
    for module in (sys.modules["inlay"], *MIRRORS):
        front = vars(module)
        for name in [name for name, value in front.items() if value is exported]:
            front[name] = replacement
    return bool(paths)


OPERATORS = "inlay._src.ops"
"""The module that gives tensors their operators: it is loaded before any name is."""
_BELOW: dict[str, tuple[str, ...]] = {}
"""Namespace that was loaded -> the namespaces right below it."""
_HOMES: dict[str, dict[str, str]] = {}
"""Namespace that was loaded -> its own names -> the modules that define them."""


class Declared(dict[K, T]):
    """A table that modules fill when they are loaded. `[]` loads the module that declares a key. `in`, `get`, `len` and
    iteration see the keys of the modules that are loaded, and load none.

    Args:
      name: of the table in the generated `declaring_modules.txt`, which says the module of each key; "" if the keys are
        no text, and every module is loaded for one that is not there.
    """

    __slots__ = ("_name",)

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self._name = name

    def __missing__(self, key: K) -> T:
        if self._name:
            _load(OPERATORS, declaring_modules()[self._name][str(key)])
        if key not in self:  # it takes several modules
            load_all()
        if key not in self:
            raise KeyError(key)
        return self[key]

    def find(self, key: K) -> T | None:
        """The entry of a key, whose module is loaded; None if there is none."""
        try:
            return self[key]
        except KeyError:
            return None


@functools.cache
def declaring_modules() -> Mapping[str, Mapping[str, str]]:
    """Name of a table -> its keys -> the module that declares each."""
    tables: dict[str, dict[str, str]] = {}
    for line in data_file("inlay._src.base", "declaring_modules.txt").splitlines()[1:]:
        place, _, keys = line.partition(": ")
        table, _, module = place.partition(" ")
        tables.setdefault(table, {}).update(dict.fromkeys(keys.split(), module))
    return tables


def data_file(package: str, name: str) -> str:
    """The text of a file that is installed beside the modules of a package."""
    data = pkgutil.get_data(package, name)  # `importlib.resources` takes 40 ms to load
    if data is None:
        raise FileNotFoundError(f"{package} has no file {name!r}: install inlay again")
    return data.decode("utf-8")


def load_all() -> None:
    """Loads every module that defines a public name, or that declares what a table holds."""
    todo = [""]
    while todo:
        path = todo.pop()
        importlib.import_module(f"inlay.{path or 'api'}")
        _load(*[f"inlay._src.{module}" for module in dict.fromkeys(_HOMES.get(path, {}).values())])
        todo += [f"{path}.{name}" if path else name for name in _BELOW.get(path, ())]
    _load(*dict.fromkeys(module for table in declaring_modules().values() for module in table.values()))


_LOADING = threading.RLock()
"""Held while modules load: two threads that load modules which need one another would see half of one. A fork waits for
it, so a child never finds a module half loaded by a thread that it does not have."""
os.register_at_fork(before=_LOADING.acquire, after_in_parent=_LOADING.release, after_in_child=_LOADING.release)


def _load(*modules: str) -> None:
    """Loads modules. Nothing is collected meanwhile: they make much and drop little, and collections walk all of it."""
    with _LOADING:
        collecting = gc.isenabled()
        gc.disable()
        try:
            for module in modules:
                importlib.import_module(module)
        finally:
            if collecting:
                gc.enable()


def pickled(value: Any) -> Any:
    """The parts that something is pickled as, which a module tells `copyreg` that may not have been loaded.

    Raises:
      TypeError: if none does.
    """
    load_all()
    parts = copyreg.dispatch_table.get(type(value))
    if parts is None:
        raise TypeError(f"cannot pickle '{type(value).__name__}' object")
    return parts(value)


def namespace(
    path: str,
    names: Mapping[str, str] | None = None,
    *,
    below: tuple[str, ...] = (),
    continues: str | None = None,
    packages: Mapping[str, str] | None = None,
    absent: Mapping[str, str] | None = None,
) -> tuple[list[str], Callable[[], list[str]], Callable[[str], Any]]:
    """Gives the module of a namespace its names: each loads the module that defines it when it is asked for.

    Args:
      path: the path after `tf.`; "" is the top level, which is the module `inlay.api`.
      names: a module below `_src` -> the names that it defines here, divided by spaces.
      below: the namespaces right below it.
      continues: the namespace whose names it has too, where it has none of its own.
      packages: names of modules of other libraries -> the module that loads each. Nothing but a lookup loads them:
        `__all__` and `load_all` leave them out.
      absent: TensorFlow's names that are not here -> what to do instead.

    Returns:
      `__all__`, `__dir__` and `__getattr__` of that module.
    """
    _BELOW[path] = below
    homes = _HOMES[path] = {name: module for module, listed in (names or {}).items() for name in listed.split()}
    base = None if continues is None else importlib.import_module(f"inlay.{continues or 'api'}")
    inherited = frozenset(() if base is None else base.__all__)
    own = sys.modules[f"inlay.{path or 'api'}"]
    space = vars(own)
    others = _PACKAGES[path] = {**({} if continues is None else _PACKAGES[continues]), **(packages or {})}
    elsewhere = _ABSENT[path] = {**({} if continues is None else _ABSENT[continues]), **(absent or {})}
    if not continues and continues is not None:  # `compat.v1.__version__`, as of the top level
        space["__version__"] = vars(sys.modules["inlay"])["__version__"]
    foreign = FOREIGN.get(path if continues is None else continues, {})
    every = sorted({*below, *homes, *inherited})  # a package of inlay that is a namespace too has its modules besides

    def find(name: str) -> Any:
        if name in homes:
            _load(OPERATORS, f"inlay._src.{homes[name]}")
            return space.setdefault(name, _PUBLIC[f"{path}.{name}" if path else name])
        if name in below:
            return importlib.import_module(f"inlay.{path}.{name}" if path else f"inlay.{name}")
        if name in inherited:
            return space.setdefault(name, getattr(base, name))
        if name in others:
            return importlib.import_module(others[name])
        if name[:1] == "_" != name[1:2] and (former := present_name(own.__name__)):  # pickled before modules moved
            return getattr(importlib.import_module(former), name)
        reason = elsewhere.get(name) or foreign.get(name) or ("" if path else _in_v1(name))
        text = f"module '{own.__name__}' has no attribute {name!r}"
        if reason:  # no name, which Python would fill in: it would derive a suggestion besides
            raise AttributeError(f"{text}: {reason}", name=None, obj=own)
        raise AttributeError(f"{text}{_nearest(name, every)}", name=name, obj=own)

    return every, lambda: sorted({*space, *every}), find


def public(path: str) -> ModuleType:
    """The module of a namespace, "" for the top level.

    Raises:
      ModuleNotFoundError: if it is no namespace of its own; one that continues another may have it by name.
    """
    return importlib.import_module(f"inlay.{path or 'api'}")


def absent_names(path: str) -> Mapping[str, str]:
    """TensorFlow's names that a loaded namespace has not -> what to do instead."""
    return _ABSENT.get(path, {})


def _in_v1(name: str) -> str:
    """The advice for a name of TensorFlow 1 that is asked for at the top level; "" for other names."""
    if name.startswith("_") or name not in public("compat.v1").__all__:
        return ""
    return f"1.x names are in tf.compat.v1: tf.compat.v1.{name}"


def _nearest(name: str, names: list[str]) -> str:
    """The name that was probably meant, for a message; "" if none is near, or for what Python asks of every module."""
    if name.startswith("_"):
        return ""
    import difflib

    lower = {public.lower(): public for public in names}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.75)
    return f": the nearest name here is {lower[near[0]]!r}" if near else ""
