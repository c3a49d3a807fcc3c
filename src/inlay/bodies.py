"""Bodies: functions as they travel to other processes.

A body is the function pickled by value (cloudpickle: closures, lambdas, what is defined in `__main__`) or, if it can be
imported, by its name. Its digest identifies it.

Making one takes hundreds of microseconds, so it is kept for as long as the function lives, together with what the
function referred to: its code, defaults, closure variables and globals, those of other functions that went along, and
the attributes of objects that did. If one of these was bound to something else since, a new body is made. A change
inside of a captured object (an item of a list, an element of an array) is not seen once the function was sent: pass
such an object as an argument.

Some things have no meaning in another process. A function that captures one is refused, with the name of what it
captured and what to do instead: `stays` says so of a class.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import io
import pickle
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import numpy as np

from inlay import errors
from inlay.core.graph import Graph, Operation
from inlay.core.tensor import SymbolicTensor
from inlay.interpreter.caches import Cache, IdentityCache


class Body(NamedTuple):
    """A function as it travels.

    Attributes:
      digest: SHA-256 of the bytes, hexadecimal.
      data: the pickled function.
      label: its name, for messages.
    """

    digest: str
    data: bytes
    label: str


K = TypeVar("K", bound=type)
_FILE: type = io.IOBase.__base__  # type: ignore[assignment]  # what all open files derive from
_STAYS: dict[type, str] = {
    SymbolicTensor: "it has no value until its graph runs: pass it as an input of the function",
    Graph: "it belongs to this process: build it in the function",
    Operation: "it belongs to a graph of this process: build it in the function",
    _FILE: "it is open in this process: pass its name, and open it in the function",
    types.GeneratorType: "its state cannot be copied: pass the items, or make it in the function",
    types.CoroutineType: "its state cannot be copied: make it in the function",
}
_STAYS_BY_NAME = {
    "_thread.lock": "it locks in this process only: make it in the function, or pass what it guards as an input",
    "_thread.RLock": "it locks in this process only: make it in the function, or pass what it guards as an input",
    "socket.socket": "it is connected in this process: connect in the function",
    "_socket.socket": "it is connected in this process: connect in the function",
}


def stays(advice: str) -> Callable[[K], K]:
    """Says of a class that functions which capture its instances do not travel.

    Args:
      advice: why, and what to do instead.
    """

    def said(kind: K) -> K:
        _STAYS[kind] = advice
        return kind

    return said


# ---------------------------------------------------------------- pickling


LARGE = 1 << 16
"""Bytes from which an array is put beside what is pickled, where there is a place for it."""


def dumps(value: Any, beside: list[Any] | None = None) -> bytes:
    """A value pickled, functions that cannot be imported by value; raises whatever pickling raises.

    Args:
      value: the value.
      beside: takes the memory of large arrays, as vectors of bytes that share it; None puts all into the pickle.
    """
    import cloudpickle  # type: ignore[import-untyped]

    if beside is None:
        return cloudpickle.dumps(value)  # type: ignore[no-any-return]
    return cloudpickle.dumps(value, protocol=5, buffer_callback=lambda b: _in_place(b.raw(), beside))  # type: ignore[no-any-return]


def _in_place(memory: memoryview, beside: list[Any]) -> bool:
    """Whether an array's memory stays in the pickle; else it is put beside."""
    if memory.nbytes >= LARGE:
        beside.append(np.frombuffer(memory, np.uint8))
    return memory.nbytes < LARGE


class _Stays(Exception):
    """A function captures what has no meaning elsewhere."""


@functools.cache
def _pickler() -> Any:
    """The class that pickles bodies: it notes what goes along by value, and refuses what stays."""
    import cloudpickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def __init__(self, file: io.BytesIO) -> None:
            super().__init__(file)
            self.functions: list[types.FunctionType] = []
            self.objects: list[Any] = []

        def reducer_override(self, value: Any) -> Any:
            advice = _advice(value)
            if advice is not None:
                raise _Stays(advice)
            reduced = super().reducer_override(value)
            if value.__class__ is types.FunctionType:
                if reduced is not NotImplemented:
                    self.functions.append(value)
            elif not isinstance(value, type) and hasattr(value, "__dict__") and not _ours(value):
                self.objects.append(value)
            return reduced

    return Pickler


def _ours(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "inlay" or isinstance(value, types.ModuleType)


def _advice(value: Any) -> str | None:
    """What to do instead of capturing a value; None if it travels."""
    kind = type(value)
    for base in kind.__mro__:
        found = _STAYS.get(base) or _STAYS_BY_NAME.get(f"{base.__module__}.{base.__qualname__}")
        if found is not None:
            standard = value in (sys.stdout, sys.stderr, sys.stdin) if base is _FILE else False
            return None if standard or isinstance(value, (io.BytesIO, io.StringIO)) else found
    return None


def body_of(function: Callable[..., Any]) -> Body:
    """A function's body.

    Args:
      function: the function. An object that wraps one and is made anew for each call says so: its `body_key()` gives
        what it wraps, and what else its body depends on, which has a hash.

    Raises:
      InvalidArgumentError, TypeError: if it refers to something that cannot travel.
    """
    owner, form = function.body_key() if hasattr(function, "body_key") else (function, None)
    known = _BODIES.of(owner) or {}
    found = known.get(form)
    if found is not None and found[1].holds(owner):
        return found[0]
    file = io.BytesIO()
    pickler = _pickler()(file)
    label = getattr(function, "label", None) or getattr(function, "__qualname__", None) or repr(function)
    try:
        pickler.dump(function)
    except Exception as error:
        text = f"{label} cannot be sent to another process: {_blamed(function, error)}"
        raise errors.refused(errors.InvalidArgumentError, TypeError, text) from error
    data = file.getvalue()
    body = Body(hashlib.sha256(data).hexdigest(), data, label)
    try:
        _BODIES.keep(owner, {**known, form: (body, _Seen(owner, pickler.functions, pickler.objects))})
    except TypeError:  # it cannot be referred to weakly: nobody would know when to forget it
        pass
    return body


# ---------------------------------------------------------------- what a body was made of

_ABSENT = object()


class _Seen:
    """What functions referred to when their body was made.

    Args:
      owner: the function whose body it is; no reference to it is kept.
      functions: all that went along by value.
      objects: instances that did.
    """

    __slots__ = ("_attributes", "_cells", "_functions", "_names")

    def __init__(self, owner: Any, functions: list[types.FunctionType], objects: list[Any]) -> None:
        self._functions = [
            (
                None if f is owner else f,
                f.__code__,
                f.__defaults__,
                f.__kwdefaults__,
                tuple((f.__kwdefaults__ or {}).values()),
            )
            for f in functions
        ]
        cells = [cell for f in functions for cell in f.__closure__ or ()]
        self._cells = [(cell, value) for cell in cells if (value := _contents(cell)) is not owner]
        self._names = [
            (f.__globals__, name, value)
            for f in functions
            for name in sorted(_names(f.__code__))
            if (value := f.__globals__.get(name, _ABSENT)) is not owner
        ]
        self._attributes = [(vars(o), tuple(vars(o).values())) for o in objects if o is not owner]
        if any(o is owner for o in objects):
            self._attributes.append((None, tuple(vars(owner).values())))

    def holds(self, owner: Any) -> bool:
        """Whether all of it is as it was."""
        for function, code, defaults, by_name, values in self._functions:
            f = owner if function is None else function
            if f.__code__ is not code or f.__defaults__ is not defaults or f.__kwdefaults__ is not by_name:
                return False
            if by_name and not _same(by_name, values):
                return False
        for cell, value in self._cells:
            if _contents(cell) is not value:
                return False
        for space, name, value in self._names:
            if space.get(name, _ABSENT) is not value:
                return False
        return all(_same(vars(owner) if d is None else d, values) for d, values in self._attributes)


def _same(found: dict[str, Any], values: tuple[Any, ...]) -> bool:
    """Whether a dictionary has these very values, in this order."""
    return len(found) == len(values) and all(a is b for a, b in zip(found.values(), values, strict=False))


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing was assigned to the variable yet
        return _ABSENT


def _names(code: types.CodeType) -> set[str]:
    """The global names that code uses, and functions within it."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found


_BODIES: IdentityCache[dict[Any, tuple[Body, _Seen]]] = IdentityCache("bodies of functions", 1024)


# ---------------------------------------------------------------- what cannot travel


def _blamed(function: Any, error: BaseException) -> str:
    """What it is in a function that does not travel, where it is captured, and what to do instead."""
    value, place, seen = function, "", set[int]()
    while _advice(value) is None:
        seen.add(id(value))
        for where, part in _parts(value):
            if id(part) not in seen and (found := _refusal(part)) is not None:
                value, place, error = part, where, found
                break
        else:
            break
    advice = str(error) if isinstance(error, _Stays) else _advice(value) or str(error)
    if not place:
        return advice
    return f"{place} is {_described(value)}; {advice}"


def _refusal(value: Any) -> Exception | None:
    try:
        _pickler()(io.BytesIO()).dump(value)
    except Exception as error:
        return error
    return None


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a value consists of, with where it is in it."""
    if isinstance(value, types.FunctionType):
        name = value.__qualname__
        for variable, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            yield f"closure variable '{variable}' of {name}", _contents(cell)
        for variable in sorted(_names(value.__code__)):
            if variable in value.__globals__:
                yield f"global '{variable}' of {name}", value.__globals__[variable]
        parameters = [p for p in inspect.signature(value).parameters.values() if p.default is not p.empty]
        yield from ((f"default of '{p.name}' of {name}", p.default) for p in parameters)
    elif isinstance(value, types.MethodType):
        yield f"the object of method {value.__qualname__}", value.__self__
        yield f"the function of method {value.__qualname__}", value.__func__
    elif isinstance(value, functools.partial):
        yield "the function of a partial", value.func
        yield from ((f"argument {i} of a partial", v) for i, v in enumerate(value.args))
        yield from ((f"argument '{k}' of a partial", v) for k, v in value.keywords.items())
    elif isinstance(value, (list, tuple, set, frozenset)):
        yield from ((f"item {i} of a {type(value).__name__}", v) for i, v in enumerate(value))
    elif isinstance(value, dict):
        yield from ((f"entry {k!r} of a dict", v) for k, v in value.items())
    else:
        kind = type(value).__name__
        slots = [s for c in type(value).__mro__ for s in vars(c).get("__slots__", ()) if isinstance(s, str)]
        own = {s: getattr(value, s) for s in slots if s != "__weakref__" and hasattr(value, s)}
        yield from ((f"attribute '{k}' of a {kind}", v) for k, v in {**own, **getattr(value, "__dict__", {})}.items())


def _described(value: Any) -> str:
    name = getattr(value, "name", None)
    kind = type(value).__name__
    return f"a {kind} named {name!r}" if isinstance(name, str) else f"a {kind}"


# ---------------------------------------------------------------- back

_FUNCTIONS: Cache[str, Any] = Cache("functions that came from elsewhere", 256)


def function_of(body: Body) -> Callable[..., Any]:
    """The function of a body: the same object for the same digest."""
    found = _FUNCTIONS.get(body.digest)
    if found is None:
        found = _FUNCTIONS[body.digest] = pickle.loads(body.data)
    return found  # type: ignore[no-any-return]
