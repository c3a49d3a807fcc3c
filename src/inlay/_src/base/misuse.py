"""Errors of public functions that name the unsuitable argument instead of the accident that it caused.

    tf.compat.v1.train.assert_global_step(5)
      the function asks 5 for its dtype ──▶ AttributeError, by no `raise` of inlay ──▶ which argument is that?
      TypeError: assert_global_step() cannot do with `global_step_tensor` of type int: 5

Nothing is checked before a call: duck-typed arguments continue to work, and the cost of a call that succeeds is one
frame. An accident that no argument explains is an error of inlay and is raised unchanged.
"""

from __future__ import annotations

import dis
import functools
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Container, Iterator, Mapping
from numbers import Integral, Number, Real
from types import FunctionType, NoneType, TracebackType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np

from inlay._src.base import tracebacks

F = TypeVar("F", bound=Callable[..., Any])
ACCIDENTS = (AttributeError, TypeError, LookupError, RecursionError, ArithmeticError, ValueError)
_WRITTEN = "__inlay_written__"
"""The attribute of an explained function with the function as it is written."""
_PACKAGE = __name__.partition(".")[0]
_OF_TYPES = (AttributeError, TypeError)
# Patterns are compiled when the first error needs one: five of them would be a hundredth of the import.
_TYPE_NAMES = r"'([\w.]+)'|\b(?:not|type|from|to|non-iterable) ([\w.]+)|([\w.]+) found$|^(\w+)(?:\.\w+)?\("
_OF_ARRAYS = r"0-d array|0-dimensional|scalar array|ufunc|unsized object|structured or void|loop with"
_TRUTH = "truth value of an? (?:empty )?array|element is ambiguous"
_OF_TEXTS = r"bytes-like object( is required|$)|tuple of bytes|(bytes|string) formatting$"
_OF_DICTS = "dictionary update sequence"
_DEEPEST = 100
"""A nest of more levels than this is too deep."""
_SEVERAL = 16
"""The number of elements of a string or an array that are compared with what an accident names."""
_MOST_ELEMENTS = 100
"""The number of elements of a collection that are compared with an annotation."""


def too_deep() -> RecursionError:
    """The error of a nest that is nested too deep; the functions that walk nests raise it in place of Python's own."""
    return RecursionError("the structure is nested too deep, or holds itself")


def explained(function: F) -> F:
    """The function, whose accidents become errors of the argument that caused them where users called it."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if tracebacks.is_inside(sys._getframe(1)):  # the outermost function explains to the user
                raise
            explained_error = explanation(error, function, args, kwargs) if isinstance(error, ACCIDENTS) else None
            tracebacks.leave(error)
            if explained_error is None:
                raise
            try:
                raise explained_error from error
            except Exception as refusal:
                tracebacks.leave(refusal)
                raise

    call.__dict__[_WRITTEN] = function
    return call  # type: ignore[return-value]


_CALL = tracebacks.boundary(explained(lambda: None)).__code__
"""The code that all explained functions share; an attribute also passes to what `functools.wraps` one of them."""


def _is_explained(function: Callable[..., Any]) -> bool:
    return getattr(function, "__code__", None) is _CALL


def written(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as it is written: the argument of `explained`, or `function` itself."""
    return getattr(function, _WRITTEN) if _is_explained(function) else function  # type: ignore[no-any-return]


_METHODS = frozenset({"__init__", "__call__", "__getitem__", "__setitem__", "__contains__"})


def explain_methods(cls: type, without: Container[str] = ()) -> None:
    """Makes the accidents of a class's public methods errors of their arguments, as `explained` does.

    Args:
      cls: the class.
      without: methods that stay what they are, each after the name of its class.
    """
    for name, value in list(vars(cls).items()):
        if (name.startswith("_") and name not in _METHODS) or f"{cls.__name__}.{name}" in without:
            continue
        if isinstance(value, FunctionType):
            if not _is_explained(value):
                setattr(cls, name, explained(value))
        elif isinstance(value, (classmethod, staticmethod)) and isinstance(value.__func__, FunctionType):
            if not _is_explained(value.__func__):
                setattr(cls, name, type(value)(explained(value.__func__)))


def is_accident(error: BaseException) -> bool:
    """Whether an exception came out of a frame of the library by no statement `raise`."""
    if tracebacks.is_trimmed(error):  # it left the library before, and was explained there
        return False
    ours: TracebackType | None = None
    at = error.__traceback__
    while at is not None:
        if tracebacks.is_library(at.tb_frame):
            ours = at
        elif ours is not None and not tracebacks.is_installed(at.tb_frame.f_code.co_filename):
            ours = None
        at = at.tb_next
    if ours is None:
        return False
    code = ours.tb_frame.f_code.co_code
    return dis.opname[code[ours.tb_lasti]] != "RAISE_VARARGS"


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
    if isinstance(error, ValueError) and not re.search(_TRUTH, str(error)):
        return None
    if not is_accident(error):
        return None
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        if any(f"unexpected keyword argument {name!r}" in str(error) for name in kwargs):
            error.add_note(f"It takes {', '.join(name for name in signature.parameters if name != 'self')}.")
        return None  # the signature says it
    if "." in function.__qualname__:  # a method
        bound.arguments.pop("self", None)
        bound.arguments.pop("cls", None)
    arguments = list(_named(bound))
    names = [name for name, value in arguments if _explains(error, value)]
    if not names and (of_the_object := _of_the_object(error, function, args)) is not None:
        return of_the_object
    names = (
        names
        or _misfits(function, bound.arguments)
        or [name for name, value in arguments if any(map(_is_foreign, _nested(value)))]
    )
    if not names:
        return None
    values = dict(arguments)
    text = ", ".join(f"`{name}` of type {type(values[name]).__name__}: {shown(values[name])}" for name in names)
    return _as(error)(f"{_called(function, args)}() cannot do with {text}")


def _of_the_object(error: BaseException, function: Callable[..., Any], args: tuple[Any, ...]) -> Exception | None:
    """The error that replaces an accident with an object's arguments, or with a field that it does not have yet."""
    if not args:
        return None
    own, field = args[0], str(getattr(error, "name", ""))
    if getattr(error, "obj", None) is own and field.startswith("_"):
        text = f"comes too early: {type(own).__name__} gets `{field}` by a call that comes before"
        return _as(error)(f"{_called(function, args)}() {text}")
    if not (isinstance(error, (*_OF_TYPES, ValueError, RecursionError)) and getattr(own, "__dict__", None)):
        return None
    passed = _constructor(type(own))
    for name, value in vars(own).items():
        if name.lstrip("_") in passed and not isinstance(value, (str, NoneType)) and _explains(error, value):
            text = f"{type(own).__name__} has as `{name.lstrip('_')}`, of type {type(value).__name__}: {shown(value)}"
            return _as(error)(f"{_called(function, args)}() cannot do with what {text}")
    return None


def _constructor(cls: type) -> Container[str]:
    """The parameters of a class's constructor; none if C code does not say them."""
    try:
        return inspect.signature(cls).parameters
    except ValueError:
        return ()


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
    """A value, the elements of collections (keys and values of dictionaries), the first ones of texts and arrays."""
    yield value
    if isinstance(value, np.ndarray):
        yield from value.flat[:_SEVERAL]
    elif isinstance(value, (str, bytes, bytearray, memoryview)):
        yield from value[:_SEVERAL] if isinstance(value, str) else bytes(value)[:_SEVERAL]
    elif isinstance(value, range):
        yield from value[:1]
    elif depth and isinstance(value, dict):
        yield from (v for pair in value.items() for inner in pair for v in _nested(inner, depth - 1))
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for inner in value:
            yield from _nested(inner, depth - 1)


_TENSOR_KINDS = "biufcSUOV"
"""The kinds of NumPy's dtypes that tensors have; V is that of types of other packages, as bfloat16, and of records."""

_USUAL = (str, bytes, Number, list, tuple, dict, slice, np.dtype)
"""Classes of values that many functions take."""


def _is_foreign(value: Any) -> bool:
    """Whether a value is of a kind that no function takes: it explains an accident that nothing else explains."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind not in _TENSOR_KINDS or value.dtype.names is not None
    if value is None or callable(value) or isinstance(value, _USUAL):
        return False
    return not any(base.__module__.partition(".")[0] == _PACKAGE for base in type(value).__mro__)


def _explains(error: BaseException, value: Any) -> bool:
    """Whether an argument, or what is nested in it, is what an accident happened to."""
    inner = list(_nested(value))
    if isinstance(error, RecursionError):
        return _depth(value) > _DEEPEST
    if isinstance(error, AttributeError) and getattr(error, "obj", None) is not None:
        plain = isinstance(error.obj, (str, int, float, complex, bytes, np.generic))  # elements are made when asked for
        return any(v is error.obj or (plain and _same(v, error.obj)) for v in inner)
    if isinstance(error, (TypeError, IndexError)) and any(hasattr(v, "ndim") or type(v) is list for v in inner):
        if isinstance(error, IndexError) or re.search(_OF_ARRAYS, str(error)):
            return True
    if isinstance(error, TypeError) and "bad argument type" in str(error):  # a message's field, as protobuf says it
        return any(type(v).__module__ != "builtins" and not hasattr(v, "ndim") for v in inner)
    if isinstance(error, TypeError) and re.search(_OF_TEXTS, str(error)):
        return any(isinstance(v, (str, bytes, bytearray, memoryview)) for v in inner)
    if _OF_DICTS in str(error):
        return hasattr(type(value), "__iter__") and not isinstance(value, (dict, str))
    if isinstance(error, _OF_TYPES):
        names = {name.rpartition(".")[2] for groups in re.findall(_TYPE_NAMES, str(error)) for name in groups if name}
        return any(names & _names(v) for v in inner if v is not None or "NoneType" in names)
    if isinstance(error, KeyError):
        return any(_same(v, key) for v in inner for key in error.args)
    if isinstance(error, IndexError):
        return any(isinstance(v, (list, tuple, dict, str, bytes)) and len(v) < 2 for v in inner)
    if isinstance(error, OverflowError):
        return any(isinstance(v, (int, float)) and not -(2**31) <= v < 2**31 for v in inner)
    if isinstance(error, ArithmeticError):
        return any(isinstance(v, (int, float)) and not v for v in inner)
    return isinstance(error, ValueError) and any(hasattr(v, "shape") for v in inner)


def _names(value: Any) -> set[str]:
    """The name of the class of a value, and of a class its own."""
    return {type(value).__name__, value.__name__} if isinstance(value, type) else {type(value).__name__}


def _same(value: Any, key: Any) -> bool:
    try:
        return value is key or (type(value) is type(key) and bool(value == key or (value != value and key != key)))
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


def is_iterable(value: Any) -> bool:
    """Whether elements can be taken from a value one by one; an array of rank 0 has `__iter__` and refuses."""
    return hasattr(value, "__iter__") and not (isinstance(value, np.ndarray) and not value.ndim)


def repr_of(value: Any) -> str:
    """The `repr` of a user's value for an error, also if that fails, as it does for a list nested too deep."""
    try:
        return repr(value)
    except Exception:
        return f"<a {type(value).__name__} without a repr>"


def shown(value: Any) -> str:
    """The `repr` of a value in one line, shortened."""
    text = " ".join(repr_of(value).split())
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


# ---------------------------------------------------------------- annotations

_NUMBERS: Mapping[type, tuple[type, ...]] = {
    bool: (Real, np.bool_),
    int: (Integral, np.bool_),
    float: (Real, np.bool_),
    complex: (Number, np.bool_),
}


def _misfits(function: Callable[..., Any], arguments: Mapping[str, Any]) -> list[str]:
    """The parameters of a function whose arguments are of other types than they are annotated with.

    Args:
      function: the function as it is written.
      arguments: parameter -> argument. The arguments of `*args` are a tuple, those of `**kwargs` a dictionary.
    """
    names = []
    parameters = inspect.signature(function).parameters
    for name, value in arguments.items():
        parameter = parameters[name]
        annotation = _evaluated(parameter.annotation, function)
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{name}[{i}]" for i, v in enumerate(value) if not _fits(v, annotation)]
        elif parameter.kind is parameter.VAR_KEYWORD:
            names += [key for key, v in value.items() if not _fits(v, annotation)]
        elif value is not parameter.default and not _fits(value, annotation):
            names.append(name)
    return names


def _evaluated(annotation: Any, function: Callable[..., Any]) -> Any:
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, dict(getattr(function, "__globals__", {})))  # the library's own source
    except Exception:  # a name for type checkers alone
        return Any


def _fits(value: Any, annotation: Any) -> bool:
    """Whether a value is of the type that an annotation says, as far as that is known without consuming the value."""
    if annotation is None:
        return value is None
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin in (Union, UnionType):
        return any(_fits(value, a) for a in arguments)
    if origin is Literal:
        return any(type(value) is type(a) and value == a for a in arguments)
    cls = annotation if origin is None else origin
    if cls in _NUMBERS:
        return isinstance(value, _NUMBERS[cls]) or _is_numeric_scalar(value)
    if not isinstance(cls, type):
        return True  # `Any`, a type variable or an alias that says no more
    try:
        if not isinstance(value, cls):
            return False
    except TypeError:  # a protocol that cannot be asked
        return True
    return not arguments or _elements_fit(value, cls, arguments)


def _is_numeric_scalar(value: Any) -> bool:
    """Whether a value of another class, an array or a tensor, stands for one number."""
    shape = getattr(value, "shape", None)
    if shape is None or not hasattr(value, "dtype"):
        return False
    try:
        return tuple(shape) == ()
    except (TypeError, ValueError):  # a shape of unknown rank
        return True


def _elements_fit(value: Any, cls: type, arguments: tuple[Any, ...]) -> bool:
    """Whether the elements of a collection fit; those of an iterator are not looked at."""
    if issubclass(cls, tuple):
        if len(arguments) == 2 and arguments[1] is ...:
            return all(_fits(v, arguments[0]) for v in value[:_MOST_ELEMENTS])
        return len(value) == len(arguments) and all(map(_fits, value, arguments))
    if issubclass(cls, Mapping) and isinstance(value, dict):
        items = itertools.islice(value.items(), _MOST_ELEMENTS)
        return all(_fits(k, arguments[0]) and _fits(v, arguments[1]) for k, v in items)
    if isinstance(value, (list, tuple, set, frozenset, dict)) and len(arguments) == 1:
        return all(_fits(v, arguments[0]) for v in itertools.islice(value, _MOST_ELEMENTS))
    return True
