"""Errors of public functions that name the unsuitable argument instead of the accident that it caused.

    tf.compat.v1.train.assert_global_step(5)
      the function asks 5 for its dtype ──▶ AttributeError, by no `raise` of ours ──▶ which argument is that?
      TypeError: assert_global_step() cannot do with `global_step_tensor` of type int: 5

Nothing is checked before a call: duck-typed arguments continue to work, and the cost of a call that succeeds is one
frame. An accident that no argument explains is an error of ours and is raised unchanged.
"""

from __future__ import annotations

import dis
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, NoneType, TracebackType
from typing import Any

import numpy as np

ACCIDENTS = (AttributeError, TypeError, LookupError, RecursionError, ArithmeticError, ValueError)
_WRITTEN = "__inlay_written__"
"""The attribute of an explained function with the function as it is written."""
_PACKAGE = __name__.partition(".")[0]
_OF_TYPES = (AttributeError, TypeError)
_TYPE_NAMES = re.compile(r"'([\w.]+)'|\b(?:not|type|from|to|non-iterable) ([\w.]+)|([\w.]+) found$|^(\w+)\(")
_OF_ARRAYS = re.compile(r"0-d array|0-dimensional|scalar array|ufunc|unsized object|structured or void|loop with")
_TRUTH = re.compile("truth value of an? (?:empty )?array|element is ambiguous")
_OF_TEXTS = re.compile(r"bytes-like object( is required|$)|tuple of bytes|(bytes|string) formatting$")
_OF_DICTS = "dictionary update sequence"
_DEEPEST = 100
"""A nest of more levels than this is too deep."""
_SEVERAL = 16
"""The number of elements of a string or an array that are compared with what an accident names."""


def explained(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose accidents are told as errors of the argument that caused them where users called it."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except ACCIDENTS as error:
            if _is_internal(sys._getframe(1).f_globals):
                raise
            explained_error = explanation(error, function, args, kwargs)
            if explained_error is None:
                raise
            raise explained_error from error

    call.__dict__[_WRITTEN] = function
    return call


_CALL = explained(lambda: None).__code__
"""The code that all explained functions share; an attribute also passes to what `functools.wraps` one of them."""


def _is_explained(function: Callable[..., Any]) -> bool:
    return getattr(function, "__code__", None) is _CALL


def written(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as it is written: the argument of `explained`, or `function` itself."""
    return getattr(function, _WRITTEN) if _is_explained(function) else function  # type: ignore[no-any-return]


_METHODS = frozenset({"__init__", "__call__", "__getitem__", "__setitem__", "__contains__"})


def explain_methods(cls: type) -> None:
    """Makes the accidents of a class's public methods errors of their arguments, as `explained` does."""
    for name, value in list(vars(cls).items()):
        if name.startswith("_") and name not in _METHODS:
            continue
        if isinstance(value, FunctionType):
            if not _is_explained(value):
                setattr(cls, name, explained(value))
        elif isinstance(value, (classmethod, staticmethod)) and isinstance(value.__func__, FunctionType):
            if not _is_explained(value.__func__):
                setattr(cls, name, type(value)(explained(value.__func__)))


def _is_internal(names: Mapping[str, Any]) -> bool:
    """Whether a frame with these global names is one of the library."""
    name = names.get("__name__")
    return isinstance(name, str) and name.partition(".")[0] == _PACKAGE


def is_accident(error: BaseException) -> bool:
    """Whether an exception came out of a frame of the library by no statement `raise`."""
    ours: TracebackType | None = None
    at = error.__traceback__
    while at is not None:
        if _is_internal(at.tb_frame.f_globals):
            ours = at
        elif ours is not None and not _is_installed(at):
            ours = None
        at = at.tb_next
    if ours is None:
        return False
    code = ours.tb_frame.f_code.co_code
    return dis.opname[code[ours.tb_lasti]] != "RAISE_VARARGS"


def _is_installed(frame: TracebackType) -> bool:
    """Whether a frame is of a package or of the standard library: their exceptions are caused here."""
    name = frame.tb_frame.f_code.co_filename
    return "site-packages" in name or "dist-packages" in name or name.startswith((sys.base_prefix, "<"))


def explanation(
    error: BaseException, function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Exception | None:
    """The error that replaces an accident.

    Args:
      error: the exception of a call.
      function, args, kwargs: the call.

    Returns:
      An error that is an instance of the accident's class too; None if `error` was raised on purpose, or if none of the
      arguments explains it.
    """
    if isinstance(error, ValueError) and not _TRUTH.search(str(error)):
        return None
    if not is_accident(error):
        return None
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return None  # the signature says it
    arguments = [(name, value) for name, value in _named(bound) if name not in ("self", "cls")]
    names = [name for name, value in arguments if _explains(error, value)]
    if not names:
        return _of_the_object(error, function, args)
    values = dict(arguments)
    text = ", ".join(f"`{name}` of type {type(values[name]).__name__}: {_shown(values[name])}" for name in names)
    return _as(error)(f"{_called(function, args)}() cannot do with {text}")


def _of_the_object(error: BaseException, function: Callable[..., Any], args: tuple[Any, ...]) -> Exception | None:
    """The error that replaces an accident with an object's arguments, or with a field that it does not have yet."""
    if not args:
        return None
    own, field = args[0], str(getattr(error, "name", ""))
    if getattr(error, "obj", None) is own and field.startswith("_"):
        text = f"comes too early: {type(own).__name__} gets `{field}` by a call that comes before"
        return _as(error)(f"{_called(function, args)}() {text}")
    if not (isinstance(error, (*_OF_TYPES, ValueError)) and getattr(own, "__dict__", None)):
        return None
    passed = inspect.signature(type(own)).parameters
    for name, value in vars(own).items():
        if name.lstrip("_") in passed and not isinstance(value, (str, NoneType)) and _explains(error, value):
            text = f"{type(own).__name__} has as `{name.lstrip('_')}`, of type {type(value).__name__}: {_shown(value)}"
            return _as(error)(f"{_called(function, args)}() cannot do with what {text}")
    return None


def _called(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """The name of what was called; a method's has the class of the object, not the one that it is inherited from."""
    _, _, cls_and_name = function.__qualname__.rpartition("<locals>.")
    inherited, _, name = cls_and_name.rpartition(".")
    if not inherited or not args or isinstance(args[0], type):
        return cls_and_name
    own = type(args[0]).__name__
    return own if name == "__init__" else f"{own}.{name}"


def _named(bound: Any) -> Iterator[tuple[str, Any]]:
    """The arguments of a call with the names of their parameters."""
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is kind.VAR_POSITIONAL:
            yield from ((f"{name}[{i}]", v) for i, v in enumerate(value))
        elif kind is kind.VAR_KEYWORD:
            yield from value.items()
        else:
            yield name, value


def _nested(value: Any, depth: int = 3) -> Iterator[Any]:
    """A value, what lists, tuples and dictionaries hold, and the first elements of texts and arrays."""
    yield value
    if isinstance(value, np.ndarray):
        yield from value.flat[:_SEVERAL]
    elif isinstance(value, (str, bytes, bytearray, memoryview)):
        yield from value[:_SEVERAL] if isinstance(value, str) else bytes(value)[:_SEVERAL]
    elif depth and isinstance(value, (list, tuple, set, frozenset, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _nested(inner, depth - 1)


def _explains(error: BaseException, value: Any) -> bool:
    """Whether an argument, or what is nested in it, is what an accident happened to."""
    inner = list(_nested(value))
    if isinstance(error, RecursionError):
        return _depth(value) > _DEEPEST
    if isinstance(error, AttributeError) and getattr(error, "obj", None) is not None:
        plain = isinstance(error.obj, (str, int, float, complex, bytes, np.generic))  # elements are made when asked for
        return any(v is error.obj or (plain and _same(v, error.obj)) for v in inner)
    if isinstance(error, (TypeError, IndexError)) and any(hasattr(v, "ndim") or type(v) is list for v in inner):
        if isinstance(error, IndexError) or _OF_ARRAYS.search(str(error)):
            return True
    if isinstance(error, TypeError) and "bad argument type" in str(error):  # a message's field, as protobuf says it
        return any(type(v).__module__ != "builtins" and not hasattr(v, "ndim") for v in inner)
    if isinstance(error, TypeError) and _OF_TEXTS.search(str(error)):
        return any(isinstance(v, (str, bytes, bytearray, memoryview)) for v in inner)
    if _OF_DICTS in str(error):
        return hasattr(type(value), "__iter__") and not isinstance(value, (dict, str))
    if isinstance(error, _OF_TYPES):
        names = {name.rpartition(".")[2] for groups in _TYPE_NAMES.findall(str(error)) for name in groups if name}
        return any(_name(v) in names for v in inner if v is not None or "NoneType" in names)
    if isinstance(error, KeyError):
        return any(_same(v, key) for v in inner for key in error.args)
    if isinstance(error, IndexError):
        return any(isinstance(v, (list, tuple, dict, str, bytes)) and len(v) < 2 for v in inner)
    if isinstance(error, OverflowError):
        return any(isinstance(v, (int, float)) and not -(2**31) <= v < 2**31 for v in inner)
    if isinstance(error, ArithmeticError):
        return any(isinstance(v, (int, float)) and not v for v in inner)
    return isinstance(error, ValueError) and any(getattr(v, "ndim", 0) for v in inner)


def _name(value: Any) -> str:
    """The name of a class, or of the class of a value."""
    return value.__name__ if isinstance(value, type) else type(value).__name__


def _same(value: Any, key: Any) -> bool:
    try:
        return value is key or (type(value) is type(key) and bool(value == key))
    except Exception:
        return False


def _depth(value: Any) -> int:
    """The depth of nested lists, tuples and dictionaries along their first and last elements, as far as it matters."""
    todo, most = [(value, 0)], 0
    for _ in range(100 * _DEEPEST):
        if not todo or most > _DEEPEST:
            break
        inner, depth = todo.pop()
        most = max(most, depth)
        if isinstance(inner, (list, tuple, dict)) and inner:
            held = list(inner.values()) if isinstance(inner, dict) else inner
            todo += [(held[0], depth + 1), (held[-1], depth + 1)]
    return most


def _shown(value: Any) -> str:
    """A value, in short, however it answers."""
    try:
        text = repr(value)
    except Exception:
        return "<an object without a repr>"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _as(error: BaseException) -> type[Exception]:
    """A class of errors of arguments: a TypeError or a ValueError, and the accident's class."""
    base = TypeError if isinstance(error, _OF_TYPES) else ValueError
    return _combined(base, type(error))  # type: ignore[arg-type]


@functools.cache
def _combined(base: type[Exception], accident: type[Exception]) -> type[Exception]:
    if issubclass(accident, base):
        return base
    try:
        cls = type(base.__name__, (base, accident), {"__module__": "builtins", "__str__": Exception.__str__})
    except TypeError:
        return base
    return cls
