"""The objects that a function reaches: globals, closure variables, defaults, attributes of its object, and their parts.

    function ─▶ names of globals, closure, defaults, own attributes ─▶ containers, instances, functions of the user ─▶ …

Functions of installed packages are not entered. The walk follows a function's code for the names that it uses, so a
global that no reached function names is not reached.
"""

from __future__ import annotations

import functools
import threading
import types
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from inlay._src.base.types.dtypes import DType
from inlay._src.core.tensor import EagerTensor
from inlay._src.host.bodies.pickling import contents, global_names
from inlay._src.inspection.checking.tracing import is_users
from inlay._src.ops.variables import Variable

_MOST_OBJECTS, _DEEPEST, _MOST_ITEMS = 5_000, 8, 1_000
_ATOMS = (int, float, complex, str, bytes, bool, type(None), np.generic, DType)
_CONTAINERS = (list, dict, set, deque)


class Reached(NamedTuple):
    """An object, and the path to it: `global 'TABLE'`."""

    place: str
    value: Any


class GlobalRead(NamedTuple):
    """A global variable that a function of the user reads."""

    name: str
    function: Any  # a function; a checker of types takes an attribute of that type for a method

    @property
    def value(self) -> Any:
        """Its value now."""
        return self.function.__globals__.get(self.name)


@dataclass(slots=True)
class Reach:
    """The objects, functions and globals that a function reaches.

    Attributes:
      objects: the objects that can change or that hold others, each once.
      functions: the functions of the user, each once.
      globals: the global variables that those functions name, modules, classes and functions left out.
    """

    objects: list[Reached] = field(default_factory=list)
    functions: list[types.FunctionType] = field(default_factory=list)
    globals: list[GlobalRead] = field(default_factory=list)


def reach_of(function: Callable[..., Any]) -> Reach:
    """The objects that a function reaches now."""
    walk = _ReachWalk()
    walk.enter(function, "the function", root=True)
    walk.methods()
    return walk.reach


class _ReachWalk:
    """One walk. Each object is entered once, by the shortest way that the order of visits gives."""

    def __init__(self) -> None:
        self.reach = Reach()
        self.seen: set[int] = set()
        self.names: set[str] = set()
        self.classes: list[tuple[type, Any, str]] = []
        self.todo: deque[tuple[Any, str, int]] = deque()

    def enter(self, value: Any, place: str, root: bool = False) -> None:
        """Visits an object and all that it reaches."""
        self.todo.append((value, place, 0))
        while self.todo and len(self.reach.objects) < _MOST_OBJECTS:
            value, place, depth = self.todo.popleft()
            if depth <= _DEEPEST:
                self.visit(value, place, depth, root)
            root = False

    def methods(self) -> None:
        """Enters the methods of the user's classes whose names the code uses, until there is no further one."""
        entered: set[int] = set()
        while True:
            fresh = [
                (method, place)
                for kind, _, place in self.classes
                for name, method in methods_of(kind)
                if name in self.names and id(method) not in entered
            ]
            if not fresh:
                return
            for method, place in fresh:
                entered.add(id(method))
                self.enter(method, place)

    def visit(self, value: Any, place: str, depth: int, root: bool) -> None:
        """Visits one object; its parts are queued."""
        if isinstance(value, _ATOMS) or id(value) in self.seen:
            return
        self.seen.add(id(value))
        if isinstance(value, types.FunctionType):
            if root or is_users(value.__code__.co_filename):
                self.reach.functions.append(value)
                self.reach.objects.append(Reached(place, value))
                self.names |= global_names(value.__code__)
            else:
                return
        elif not isinstance(value, (types.ModuleType, type)):
            self.reach.objects.append(Reached(place, value))
        for where, part in self.parts(value, place):
            self.todo.append((part, where, depth + 1))

    def parts(self, value: Any, place: str) -> Iterator[tuple[str, Any]]:
        """The parts of an object, each with the way to it."""
        if isinstance(value, types.FunctionType):
            yield from self.function_parts(value)
        elif isinstance(value, types.MethodType):
            yield "the object of the method", value.__self__
            yield place, value.__func__
        elif isinstance(value, functools.partial):
            yield place, value.func
            yield from ((f"argument {i} of the partial", v) for i, v in enumerate(value.args))
            yield from ((f"argument '{k}' of the partial", v) for k, v in value.keywords.items())
        elif isinstance(value, (list, tuple, deque)):
            yield from ((f"item {i} of {place}", v) for i, v in enumerate(list(value)[:_MOST_ITEMS]))
        elif isinstance(value, dict):
            yield from ((f"entry {k!r} of {place}", v) for k, v in list(value.items())[:_MOST_ITEMS])
        elif isinstance(value, (set, frozenset, np.ndarray, Variable, EagerTensor, threading.local)):
            return
        elif isinstance(value, (types.ModuleType, type)):
            yield from self.namespace_parts(value)
        else:
            yield from self.instance_parts(value, place)

    def function_parts(self, value: types.FunctionType) -> Iterator[tuple[str, Any]]:
        """Closure variables, globals, defaults and attributes of a function."""
        name = value.__name__
        for variable, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            yield f"closure variable '{variable}' of {name}", contents(cell)
        for variable in sorted(global_names(value.__code__)):
            if variable in value.__globals__:
                part = value.__globals__[variable]
                if not isinstance(part, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)):
                    self.reach.globals.append(GlobalRead(variable, value))
                yield f"global '{variable}'", part
        for parameter, part in defaults_of(value).items():
            yield f"default of '{parameter}' of {name}", part
        for attribute, part in vars(value).items():
            yield f"attribute '{attribute}' of {name}", part

    def namespace_parts(self, value: Any) -> Iterator[tuple[str, Any]]:
        """The variables of a module or a class of the user that the code names."""
        if not is_users(_file(value)):
            return
        kind = "module" if isinstance(value, types.ModuleType) else "class"
        if kind == "class":
            self.classes.append((value, value, f"class {value.__name__}"))
        for name in sorted(self.names):
            part = vars(value).get(name)
            if part is not None and not isinstance(part, (types.ModuleType, classmethod, staticmethod, property)):
                yield f"'{name}' of {kind} {value.__name__}", part

    def instance_parts(self, value: Any, place: str) -> Iterator[tuple[str, Any]]:
        """The attributes of an object, and the functions of its class."""
        kind = type(value)
        if kind.__module__.partition(".")[0] in ("inlay", "builtins") or isinstance(value, types.BuiltinFunctionType):
            if hasattr(value, "__wrapped__"):  # a decorated function
                yield place, value.__wrapped__
            return
        if is_users(_file(kind)):
            self.classes.append((kind, value, place))
            yield "", kind
            call = vars(kind).get("__call__")
            if isinstance(call, types.FunctionType):
                yield place, call
        if hasattr(value, "__wrapped__"):
            yield place, value.__wrapped__
        for name, part in attributes_of(value).items():
            yield f"attribute '{name}' of {place}", part


def methods_of(kind: type) -> Iterator[tuple[str, types.FunctionType]]:
    """The methods of a class and of its bases that the user wrote."""
    for base in kind.__mro__:
        for name, member in vars(base).items():
            inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if isinstance(inner, types.FunctionType) and is_users(inner.__code__.co_filename):
                yield name, inner


def attributes_of(value: Any) -> dict[str, Any]:
    """The attributes of an object, those in slots included."""
    slots = [s for c in type(value).__mro__ for s in _slots(c)]
    own = {s: getattr(value, s) for s in slots if s not in ("__weakref__", "__dict__") and hasattr(value, s)}
    return {**own, **getattr(value, "__dict__", {})}


def _slots(kind: type) -> tuple[str, ...]:
    slots = vars(kind).get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(s for s in slots if isinstance(s, str))


def defaults_of(function: types.FunctionType) -> dict[str, Any]:
    """The defaults of a function's parameters."""
    code = function.__code__
    positional = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    return {**dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True)),
            **(function.__kwdefaults__ or {})}  # fmt: skip


def _file(value: Any) -> str:
    """The file of a module, or of the module of a class."""
    if isinstance(value, types.ModuleType):
        return getattr(value, "__file__", None) or "<frozen module>"
    for member in vars(value).values():
        inner = getattr(member, "__func__", member)
        if isinstance(inner, types.FunctionType) and inner.__module__ == value.__module__:
            return str(inner.__code__.co_filename)
    return "<frozen class>"


def described(value: Any) -> str:
    """An object with its size, for a list of captures."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype}[{','.join(map(str, value.shape))}], {value.nbytes:,} bytes"
    if isinstance(value, (list, dict, set, frozenset, tuple, deque)):
        count = len(value)
        return f"{type(value).__name__} of {count} item{'' if count == 1 else 's'}"
    return f"{type(value).__name__}"
