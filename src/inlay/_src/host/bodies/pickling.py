"""Pickling of functions for another process: by value with cloudpickle, or by import name.

Some objects have no meaning in another process. A function that captures one is refused; the message names the captured
object and an alternative. `core.portability` marks such classes, and those (variables) whose instances a saved function
is bound to again when it is loaded.
"""

from __future__ import annotations

import functools
import inspect
import io
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from inlay._src.base import errors
from inlay._src.base.tuning import TUNING
from inlay._src.core.graph import Graph, Operation
from inlay._src.core.portability import PROCESS_BOUND
from inlay._src.core.tensor import SymbolicTensor

_FILE: type = io.IOBase.__base__  # type: ignore[assignment]  # what all open files derive from
PROCESS_BOUND.update(
    {
        SymbolicTensor: "it has no value until its graph runs: pass it as an input of the function",
        Graph: "it belongs to this process: build it in the function",
        Operation: "it belongs to a graph of this process: build it in the function",
        _FILE: "it is open in this process: pass its name, and open it in the function",
        types.GeneratorType: "its state cannot be copied: pass the items, or make it in the function",
        types.CoroutineType: "its state cannot be copied: make it in the function",
    }
)
_PROCESS_BOUND_NAMES = {
    "_thread.lock": "it locks in this process only: make it in the function, or pass what it guards as an input",
    "_thread.RLock": "it locks in this process only: make it in the function, or pass what it guards as an input",
    "socket.socket": "it is connected in this process: connect in the function",
    "_socket.socket": "it is connected in this process: connect in the function",
}


# ---------------------------------------------------------------- pickling


def dumps(value: Any, beside: list[Any] | None = None) -> bytes:
    """A value pickled, functions that cannot be imported by value; raises whatever pickling raises.

    Args:
      value: the value.
      beside: takes the memory of large arrays, as vectors of bytes that share it; None puts all into the pickle.
    """
    file = io.BytesIO()
    options = {} if beside is None else {"protocol": 5, "buffer_callback": lambda b: in_place(b.raw(), beside)}
    value_pickler_class()(file, **options).dump(value)
    return file.getvalue()


def in_place(memory: memoryview, beside: list[Any]) -> bool:
    """Whether an array's memory stays in the pickle; else it is put beside."""
    if memory.nbytes >= TUNING.stored_array_bytes:
        beside.append(np.frombuffer(memory, np.uint8))
    return memory.nbytes < TUNING.stored_array_bytes


class _Stays(Exception):
    """A function captures an object that has no meaning in another process."""


@functools.cache
def value_pickler_class() -> Any:
    """The class that pickles functions by value, with the names of their files."""
    import cloudpickle  # type: ignore[import-untyped]

    class FilePickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, value: Any) -> Any:
            if isinstance(value, types.CodeType):
                return reduced_code(self, value)
            reduced = super().reducer_override(value)
            if value.__class__ is types.FunctionType and isinstance(reduced, tuple):
                names = reduced[2][1]  # the state: its own attributes, then those of every function
                names.update((key, sys.intern(names[key])) for key in ("__name__", "__qualname__"))
            return reduced

    return FilePickler


@functools.cache
def pickler_class() -> Any:
    """The class that pickles bodies: it lists the objects pickled by value, and refuses process-bound ones."""

    class Pickler(value_pickler_class()):  # type: ignore[misc]
        def __init__(self, file: io.BytesIO, **options: Any) -> None:
            super().__init__(file, **options)
            self.functions: list[types.FunctionType] = []
            self.objects: list[Any] = []
            self.generators: list[Any] = []  # of random numbers

        def reducer_override(self, value: Any) -> Any:
            advice = _advice(value)
            if advice is not None:
                raise _Stays(advice)
            if _draws(value):
                self.generators.append(value)
            reduced = super().reducer_override(value)
            if value.__class__ is types.FunctionType:
                if reduced is not NotImplemented:
                    self.functions.append(value)
            elif not isinstance(value, type) and hasattr(value, "__dict__") and not _ours(value):
                self.objects.append(value)
            return reduced

    return Pickler


def reduced_code(pickler: Any, code: types.CodeType) -> Any:
    """How cloudpickle pickles code, with the name of its file, which newer releases leave out: tracebacks show it.

    Equal names are one object, as in those of functions: a pickle has a string once for each object, and code that was
    read from a file of bytecode has others than code that was compiled.
    """
    kind, arguments = pickler.dispatch_table[types.CodeType](code)
    parts = (code.co_filename if part == "<dynamic-code>" else part for part in arguments)
    return kind, tuple(sys.intern(part) if part.__class__ is str else part for part in parts)


_GENERATORS = frozenset({"numpy.random._generator.Generator", "numpy.random.mtrand.RandomState", "random.Random"})


def _draws(value: Any) -> bool:
    """Whether a value is a generator of random numbers, whose state would be copied."""
    return any(f"{base.__module__}.{base.__qualname__}" in _GENERATORS for base in type(value).__mro__)


def _ours(value: Any) -> bool:
    module = f"{type(value).__module__}"  # no text in classes that Cython made, such as those of NumPy's functions
    return module.partition(".")[0] == "inlay" or isinstance(value, types.ModuleType)


def _advice(value: Any) -> str | None:
    """The alternative to capturing a value; None if it can be pickled."""
    kind = type(value)
    for base in kind.__mro__:
        advice = PROCESS_BOUND.get(base) or _PROCESS_BOUND_NAMES.get(f"{base.__module__}.{base.__qualname__}")
        if advice is not None:
            standard = value in (sys.stdout, sys.stderr, sys.stdin) if base is _FILE else False
            return None if standard or isinstance(value, (io.BytesIO, io.StringIO)) else advice
    return None


ABSENT = object()


def contents(cell: Any) -> Any:
    """The value of a closure variable; `ABSENT` if nothing was assigned to it yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return ABSENT


def global_names(code: types.CodeType) -> set[str]:
    """The global names that code uses, and functions within it."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= global_names(constant)
    return names


# ---------------------------------------------------------------- what cannot travel


def blamed(function: Any, error: BaseException, pickler: Any) -> str:
    """The object in a function that cannot be pickled, the place that captures it, and an alternative.

    Args:
      function: the function.
      error: the exception of its pickling.
      pickler: the class of the pickler that refused.
    """
    if isinstance(error, errors.OpError):  # an inner pickler has explained it
        return errors.said_by(error)
    value, place, seen = function, "", set[int]()
    while _advice(value) is None:
        seen.add(id(value))
        for where, part in _parts(value):
            if id(part) not in seen and (refusal := _refusal(part, pickler)) is not None:
                value, place, error = part, where, refusal
                break
        else:
            break
    advice = str(error) if isinstance(error, _Stays) else _advice(value) or str(error)
    if not place:
        return advice
    return f"{place} is {_described(value)}; {advice}"


def _refusal(value: Any, pickler: Any) -> Exception | None:
    try:
        pickler(io.BytesIO()).dump(value)
    except Exception as error:
        return error
    return None


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a value, each with its place in it."""
    if isinstance(value, types.FunctionType):
        name = value.__qualname__
        for variable, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=True):
            yield f"closure variable '{variable}' of {name}", contents(cell)
        for variable in sorted(global_names(value.__code__)):
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
